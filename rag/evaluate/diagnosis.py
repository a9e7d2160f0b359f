"""What a diagnosis is: the step of the line that failed, the cause, and both in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from rag.errors import Bilingual
from rag.types import Document

Step = Literal[
    "label", "text", "chunk", "index", "scope", "candidates", "fusion", "threshold", "k", "select",
    "budget", "prompt", "answer", "citation",
]  # fmt: skip
STEPS: tuple[Step, ...] = get_args(Step)
"""In the order in which they are checked; what selection put aside had come further than what was ranked too low."""
Cause = Literal[
    "nothing_labelled", "no_document", "no_page", "quote_absent", "not_in_any_chunk", "quote_cut", "row_count",
    "bad_vector", "bad_terms", "other_version", "not_in_force", "not_chosen", "other_section", "no_shared_term",
    "beyond_depth", "fused_below", "below_threshold", "duplicate", "per_document", "reranked_below", "diverse_below",
    "beyond_k", "over_budget", "withheld", "not_built", "nothing_packed", "stopped",
    "cut_at_limit", "refused", "said_forbidden", "wrong_number", "points_missing", "answered_anyway",
    "invalid_marker", "version_cited", "nothing_cited", "unlabelled_cited", "need_uncited",
]  # fmt: skip
_SHOWN = 40


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """The first step that failed, and why. `need`: the question's need that it is about, None when about all of it.

    `words` say what was found, with the facts; `advice` what to change, and on which tab it is seen.
    """

    step: Step
    cause: Cause
    need: int | None
    words: Bilingual
    advice: Bilingual

    @property
    def progress(self) -> int:
        """How far along the line it is: the place of `step` in `STEPS`."""
        return STEPS.index(self.step)


def quoted(text: str) -> str:
    """A passage as it stands in a sentence: on one line, its middle left out when it is long.

    >>> quoted("每年15天。"), len(quoted("长" * 99))
    ('「每年15天。」', 43)
    """
    line = " ".join(text.split())
    half = _SHOWN // 2
    return f"「{line}」" if len(line) <= _SHOWN else f"「{line[:half]}…{line[-half:]}」"


def titled(document: Document) -> str:
    """A document's title and version as they stand in a sentence.

    >>> titled(Document("leave", "2026", "leave@2026", "own", "年假管理办法", "", ""))
    '《年假管理办法》2026'
    """
    return f"《{document.title or document.file or document.doc_id}》{document.version}"
