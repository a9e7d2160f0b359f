"""The scope of a question: which versions, which policies, which sections. What it hides takes no place among the ranked."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rag.corpus.folding import plain
from rag.errors import Bilingual
from rag.types import Chunk, Document, Section

Rows = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Allowed:
    """`rows`: ``(n,) bool``, the chunks that may be ranked; `outside`: those that may be seen, but are out of scope.

    `versions`, `documents`, `sections`: how many of these are left out because another version (or none) is in force,
    because other policies were chosen, and because other sections were; of several reasons the first counts.
    """

    rows: Rows
    outside: Rows
    versions: int
    documents: int
    sections: int

    @property
    def hidden(self) -> int:
        """How many chunks only the scope leaves out."""
        return int(self.outside.sum())

    def note(self) -> Bilingual:
        """What is left out, for a row of the trace; empty when nothing is."""
        counted = (
            (self.versions, "chunks of versions not in force left out", "非现行版本的 {} 个块不参与检索"),
            (
                self.documents,
                "chunks of other documents than the chosen ones left out",
                "所选文档之外的 {} 个块不参与检索",
            ),
            (
                self.sections,
                "chunks of other sections than the chosen ones left out",
                "所选章节之外的 {} 个块不参与检索",
            ),
        )
        said = [(f"{n} {en}", zh.format(n)) for n, en, zh in counted if n]
        if self.hidden and not self.rows.any():
            said.append(("nothing is left to search: widen the scope", "已没有可检索的内容，请放宽检索范围"))
        return Bilingual(en="; ".join(en for en, _ in said), zh="；".join(zh for _, zh in said))


def allowed(permitted: Rows, versions: Rows, documents: Rows, sections: Rows) -> Allowed:
    """`permitted`: the chunks that may be seen; the others: those of these that one part of the scope keeps. Each ``(n,) bool``."""
    of_version = permitted & versions
    of_document = of_version & documents
    rows = of_document & sections
    counts = [int(mask.sum()) for mask in (permitted, of_version, of_document, rows)]
    hidden = [more - less for more, less in zip(counts, counts[1:], strict=False)]
    return Allowed(rows, permitted & ~rows, *hidden)


def in_sections(documents: Mapping[str, Document], chunks: Sequence[Chunk], words: str) -> Rows:
    """Which chunks reach into a section in whose headings, from the outermost on, all `words` stand (blanks part them): ``(n,) bool``.

    Width, case, and traditional or simplified characters do not matter. No words: every chunk, also one without a section.
    """
    wanted = plain(words).split()
    if not wanted:
        return np.ones(len(chunks), dtype=np.bool_)
    reaches = {key: _reaches(document.sections, wanted) for key, document in documents.items()}
    return np.fromiter((reaches[chunk.key](chunk) for chunk in chunks), dtype=np.bool_, count=len(chunks))


def _reaches(sections: Sequence[Section], wanted: Collection[str]) -> Callable[[Chunk], bool]:
    """Whether a chunk has text of one of the `sections` (sorted by start) that hold what is `wanted`."""
    starts = [section.start for section in sections]
    before = [0]  # of the first i sections, how many hold it
    for section in sections:
        headings = plain("\n".join(section.path))
        before.append(before[-1] + all(word in headings for word in wanted))

    def reaches(chunk: Chunk) -> bool:
        first, last = max(0, bisect_right(starts, chunk.start) - 1), bisect_left(starts, chunk.end)
        return before[last] > before[first]

    return reaches
