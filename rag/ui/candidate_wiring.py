"""What calls what on the Candidates tab."""

from __future__ import annotations

from typing import Any

import gradio as gr

from rag.ui.candidate_handlers import CandidateHandlers
from rag.ui.page import Page
from rag.ui.wiring import LATEST, LIGHT, RAW, SEARCHES


def wire_candidates(page: Page, do: CandidateHandlers) -> None:
    """Rows are filtered and opened, retrievals compared, the map drawn."""
    tab = page.candidates
    latest: dict[str, Any] = {**RAW, **LATEST}
    gr.on(
        [tab.words.change, tab.outcome.input, tab.sort.input],
        do.choose_rows,
        [*tab.rows(), tab.pick],
        tab.listed(),
        **latest,
    )
    one = tab.opened()
    opened = [
        tab.table.select(do.choose_row, None, one, **LIGHT),
        tab.pick.input(do.choose, tab.pick, one[1:], **RAW, **LIGHT),
        tab.map.choose(do.choose_point, None, list(dict.fromkeys([*tab.rows(), *tab.listed(), *one])), **LIGHT),
    ]
    for chosen in opened:
        # the encoder may be busy with others' work: the rest of the candidate is on the page by then
        chosen.success(do.compare_tokens, tab.pick, tab.pairs, **{**RAW, **SEARCHES, "trigger_mode": "always_last"})
    tab.keep.click(do.keep, None, tab.beside, **LIGHT)
    tab.drop.click(do.drop, None, tab.beside, **LIGHT)
    tab.draw.click(do.draw, None, tab.map, **SEARCHES)
