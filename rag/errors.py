"""Everything that can go wrong through somebody's input or surroundings.

    RagError
    ├── SettingError          a setting, option or environment variable is out of range
    ├── LimitReached          a per-visitor limit (files, bytes, questions per minute)
    ├── LoadError             a file could not be turned into documents
    │   ├── UnsupportedFormat
    │   ├── EmptyDocument     the file holds no text (for example a scanned PDF)
    │   └── UnsafeFile        a zip bomb, XML entities, more entries than the cap
    ├── QuestionError         a question of an evaluation set cannot be used as it is
    ├── ChunkTooLong          a text is over the encoder's limit; never cut silently
    ├── IndexMismatch         a saved index disagrees with its manifest or with the encoder
    ├── ModelUnavailable      a model could not be had, or could not be loaded
    │   └── ModelLoading      not yet: it is being fetched or loaded right now
    ├── NothingFits           no piece of evidence fits the prompt budget
    │   └── AllWithheld       all that was found gives orders to the machine
    ├── UnsafePrompt          text from outside would become a special token of the model
    └── Stopped               the visitor pressed Stop or closed the page

A message names the file or setting, what is wrong and what to do, in both languages of the interface.
Anything that is raised and is not a ``RagError`` is a bug.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Language = Literal["zh", "en"]


@dataclass(frozen=True, slots=True)
class Bilingual:
    """One sentence in the two languages of the interface.

    >>> Bilingual(en="page 3", zh="第 3 页").of("zh")
    '第 3 页'
    """

    en: str
    zh: str

    def of(self, language: Language) -> str:
        """The sentence in `language`."""
        return self.zh if language == "zh" else self.en


class RagError(Exception):
    """Base of all expected errors; carries its message in both languages.

    >>> raise RagError(en="a.txt: empty file", zh="a.txt：文件是空的")
    Traceback (most recent call last):
    rag.errors.RagError: a.txt: empty file
    """

    def __init__(self, *, en: str, zh: str) -> None:
        super().__init__(en)
        self.text = Bilingual(en=en, zh=zh)

    def message(self, language: Language) -> str:
        """The message in `language`."""
        return self.text.of(language)


class SettingError(RagError):
    """A setting, option or environment variable is out of range."""


class LimitReached(RagError):
    """A per-visitor limit was reached."""


class LoadError(RagError):
    """A file could not be turned into documents."""


class UnsupportedFormat(LoadError):
    """No loader reads this kind of file."""


class EmptyDocument(LoadError):
    """The file holds no text."""


class UnsafeFile(LoadError):
    """The file is built to exhaust or attack its reader."""


class QuestionError(RagError):
    """A question of an evaluation set cannot be used as it is."""


class ChunkTooLong(RagError):
    """A text is over the encoder's limit."""


class IndexMismatch(RagError):
    """A saved index disagrees with its manifest or with the encoder in use."""


class ModelUnavailable(RagError):
    """A model could not be had or loaded."""


class ModelLoading(ModelUnavailable):
    """The model is being fetched or loaded right now."""


class NothingFits(RagError):
    """No piece of evidence fits the prompt budget."""


class AllWithheld(NothingFits):
    """All that was found gives orders to the machine, and such sentences are withheld."""


class UnsafePrompt(RagError):
    """Text from a file or a question would become a special token of the model."""


class Stopped(RagError):
    """The visitor pressed Stop or closed the page."""
