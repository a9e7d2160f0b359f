"""The generator's tokenizer and chat template: messages → the string and the ids the model is given."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from transformers import AutoTokenizer

from rag.types import ChatMessage


@dataclass(frozen=True, slots=True)
class Rendered:
    """A rendered conversation: `text`, its `input_ids`, and for every id its half-open span in `text`."""

    text: str
    input_ids: tuple[int, ...]
    offsets: tuple[tuple[int, int], ...]


class ChatTokenizer:
    """What has to be known of a generator to build its prompt; loads in a second, long before the weights."""

    def __init__(self, folder: Path) -> None:
        self._tokenizer: Any = AutoTokenizer.from_pretrained(str(folder), local_files_only=True)
        added = set(self._tokenizer.get_added_vocab()) | set(self._tokenizer.all_special_tokens)
        # runs of blanks and single characters are added by some vocabularies as ordinary text; they steer nothing
        strings = {string for string in added if len(string.strip()) > 1}
        self.special_strings: tuple[str, ...] = tuple(sorted(strings, key=lambda s: (-len(s), s)))
        self.special_ids = frozenset(self._tokenizer.convert_tokens_to_ids(list(self.special_strings)))
        self._special = re.compile("|".join(map(re.escape, self.special_strings)) or r"(?!)")

    def break_specials(self, text: str) -> tuple[str, tuple[str, ...]]:
        """Make special-token strings in `text` harmless but still readable; also returns those found, in order.

        ``<|im_start|>`` becomes ``<｜im_start｜>`` (full-width bars), a tag such as ``<tool_call>`` gets
        full-width angle brackets, and anything else a dot after its first character.
        """
        found: list[str] = []

        def broken(match: re.Match[str]) -> str:
            string = match.group()
            found.append(string)
            if "|" in string:
                return string.replace("|", "｜")
            if "<" in string:
                return string.replace("<", "＜").replace(">", "＞")
            return f"{string[0]}·{string[1:]}"  # no blank: it would close up again where the first one is a blank

        # again until nothing is left: what surrounds a broken string can form another one
        while self._special.search(text):
            text = self._special.sub(broken, text)
        return text, tuple(found)

    def render(self, messages: Sequence[ChatMessage]) -> Rendered:
        """Apply the model's chat template (with the generation prompt) and tokenise the result, adding nothing."""
        dicts = [{"role": m.role, "content": m.content} for m in messages]
        text = self._tokenizer.apply_chat_template(dicts, tokenize=False, add_generation_prompt=True)
        out = self._tokenizer(text, add_special_tokens=False, return_offsets_mapping=True, verbose=False)
        return Rendered(text, tuple(out["input_ids"]), tuple((a, b) for a, b in out["offset_mapping"]))

    def encode(self, text: str) -> tuple[int, ...]:
        """The tokens of a plain text, nothing added."""
        return tuple(self._tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"])

    def count(self, text: str) -> int:
        """Tokens of a plain text, without special tokens."""
        return len(self.encode(text))

    def decode(self, ids: Sequence[int]) -> str:
        """New tokens → text, special tokens left out."""
        return str(self._tokenizer.decode(list(ids), skip_special_tokens=True, clean_up_tokenization_spaces=False))

    def ids_of(self, strings: Sequence[str]) -> tuple[int, ...]:
        """Ids of those `strings` that are tokens of this vocabulary."""
        vocabulary = self._tokenizer.get_vocab()
        return tuple(vocabulary[s] for s in strings if s in vocabulary)

    def tokens(self, ids: Sequence[int]) -> list[str]:
        """The piece of vocabulary behind every id."""
        return list(self._tokenizer.convert_ids_to_tokens(list(ids)))
