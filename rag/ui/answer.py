"""The Answer tab: the streamed answer, its citations and their sources, and what each step took."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import gradio as gr

from rag.ask.tried import CLOSE, FULL, NEAR
from rag.ask.verify import ENOUGH, SHORT
from rag.corpus.index import Corpus
from rag.errors import Language
from rag.types import Answer, Citation, Clue, Sentence
from rag.ui import panels, render, times
from rag.ui.conflicts import REMARK_SCRIPT
from rag.ui.strings import text
from rag.ui.style import ANSWER_SCRIPT, SCROLL_TO_SOURCE

_CSS: Final = {"model": "cite model", "system": "cite system", "closest": "cite closest"}


class AnswerTab(NamedTuple):
    """Components of the Answer tab."""

    status: gr.HTML
    answer: gr.HTML
    remarks: gr.HTML
    """What other versions and sources say otherwise; set with the complete answer."""
    versions: gr.HTML
    """Which other versions say something on the question; set with what was found."""
    withdrawn: gr.HTML
    """What was written and withdrawn, folded; set with the complete answer."""
    legend: gr.HTML
    source: gr.HTML
    steps: gr.HTML


def build_answer(label: gr.I18n) -> AnswerTab:
    """Build the tab inside the current layout."""
    status = gr.HTML(js_on_load=None, elem_id="answer-status")
    with gr.Row(equal_height=False):
        with gr.Column(scale=6, min_width=300):
            # the pieces are set with textContent by the script: no text ever becomes HTML here
            answer = gr.HTML(
                [],
                html_template="<div class='answer' aria-live='polite'></div>",
                js_on_load=ANSWER_SCRIPT,
                elem_id="answer",
            )
            remarks = gr.HTML(js_on_load=REMARK_SCRIPT, elem_id="answer-remarks")
            versions = gr.HTML(js_on_load=None, elem_id="answer-versions")
            withdrawn = gr.HTML(js_on_load=None, elem_id="answer-withdrawn")
            legend = gr.HTML(js_on_load=None, elem_id="answer-legend")
        with gr.Column(scale=5, min_width=300):
            source = gr.HTML(js_on_load=SCROLL_TO_SOURCE, elem_id="source")
    steps = gr.HTML(js_on_load=None, elem_id="steps")
    return AnswerTab(status, answer, remarks, versions, withdrawn, legend, source, steps)


def empty_answer(tab: AnswerTab, status: str, language: Language) -> dict[Any, Any]:
    """The tab before an answer, with a status line (HTML)."""
    return {
        tab.status: status,
        tab.answer: [],
        tab.remarks: "",
        tab.versions: "",
        tab.withdrawn: "",
        tab.legend: legend(language),
        tab.source: panels.notice(text("answer.source", language)),
        tab.steps: "",
    }


def legend(language: Language) -> str:
    """What the marks in the answer mean."""
    items = [
        ("cite model", "S1", text("answer.by_model", language)),
        ("cite system", "S1", text("answer.by_system", language)),
        ("cite closest", "S1", text("answer.legend_closest", language)),
        ("invalid", "[S9]", text("answer.legend_invalid", language)),
        *(
            (f"mark {s}", text(f"answer.mark_{s}", language), text(f"answer.is_{s}", language))
            for s in ("cited", "other", "none")
        ),
        ("mark", text("answer.unmarked", language), text("answer.is_unmarked", language)),
    ]
    cells = "".join(
        f'<li><span class="{css}" aria-hidden="true">{render.escape(sign)}</span>{render.escape(said)}</li>'
        for css, sign, said in items
    )
    return f'<ul class="legend">{cells}</ul>'


def show_answer(tab: AnswerTab, answer: Answer, language: Language, stopped: bool = False) -> dict[Any, Any]:
    """The answer as far as it is written; the steps once it is complete."""
    shown: dict[Any, Any] = {
        tab.status: panels.answer_line(answer, language, stopped),
        tab.answer: render.answer_segments(answer, language),
    }
    if answer.done or stopped:
        took = times.line(answer.trace, answer.seconds_to_first, language)
        shown[tab.steps] = took + panels.steps(answer.trace, language)
    return shown


def withdrawn_view(answer: Answer, corpus: Corpus, language: Language) -> str:
    """What was written and withdrawn, with its marks, and on what words those that were not carried failed; empty when nothing was."""
    written = answer.withdrawn
    if written is None:
        return ""
    pieces = (
        f'<span class="{render.escape(_CSS.get(piece["k"], piece["k"]))} {render.escape(piece.get("s", ""))}">{render.escape(piece["t"])}</span>'
        for piece in render.answer_segments(written, language)
    )
    tables = (clue_table(s, written, corpus, language) for s in written.sentences if s.support == "none")
    head = render.escape(text("answer.withdrawn", language))
    return f'<details class="gate"><summary>{head}</summary><div class="answer">{"".join(pieces)}</div>{"".join(tables)}</details>'


def find_citation(answer: Answer, marker: str, start: int) -> Citation | None:
    """The citation with this marker at this place, or the first with this marker; None when there is none."""
    valid = [c for c in answer.citations if c.chunk_id is not None and c.marker == marker]
    return next((c for c in valid if c.start == start), valid[0] if valid else None)


def source_view(citation: Citation, answer: Answer, corpus: Corpus, language: Language) -> str | None:
    """The passage a citation names, marked in its document; None when the document is gone."""
    chunk = next((e.chunk for e in answer.prompt.packed if e.chunk.chunk_id == citation.chunk_id), None)
    if chunk is None or chunk.key not in corpus.documents:
        return None
    by = text(f"answer.by_{citation.by}", language)
    line = text("answer.source_of", language, marker=citation.marker, by=by, support=f"{citation.support:.0%}")
    body = render.passage(corpus.documents[chunk.key], chunk, language, span=citation.span)
    return f'<p class="why">{render.escape(line)}</p>{body}'


def why_view(start: int, answer: Answer, corpus: Corpus, language: Language) -> str | None:
    """Why the sentence that begins at `start` counts as carried or not: the words that decided, and the passage; None when there is none."""
    sentence = next((s for s in answer.sentences if s.start == start), None)
    if sentence is None or sentence.support not in ("cited", "other", "none"):
        return None
    citation = compared(sentence, answer)
    chunk = next(
        (e.chunk for e in answer.prompt.packed if citation is not None and e.chunk.chunk_id == citation.chunk_id), None
    )
    said = answer.text[sentence.start : sentence.end]
    parts = [
        f'<p class="why"><b>{render.escape(text(f"answer.mark_{sentence.support}", language))}</b> {render.escape(said)}</p>',
        f'<p class="note">{render.escape(_method(language))}</p>',
        clue_table(sentence, answer, corpus, language),
    ]
    if citation is not None and chunk is not None and chunk.key in corpus.documents:
        words = [c.span for c in sentence.clues if c.span and c.share is None and c.chunk_id == chunk.chunk_id]
        parts.append(f'<p class="note">{render.escape(text("answer.compared", language, marker=citation.marker))}</p>')
        parts.append(render.passage(corpus.documents[chunk.key], chunk, language, citation.span, words))
    return "".join(parts)


def _method(language: Language) -> str:
    """How a sentence is compared, with the figures that the rules use."""
    shares = {"enough": ENOUGH, "close": CLOSE, "near": NEAR, "full": FULL}
    return text("answer.method", language, short=SHORT, **{name: f"{share:.0%}" for name, share in shares.items()})


def compared(sentence: Sentence, answer: Answer) -> Citation | None:
    """The citation of a sentence whose passage decided: the system's if it carries the sentence or is the only one, else the model's."""
    own = [
        c for c in answer.citations if c.chunk_id is not None and sentence.start <= c.start and c.end <= sentence.end
    ]
    ours = [c for c in own if c.by == "system" and c.start == sentence.end]
    model = [c for c in own if c.by == "model"]
    for_it = ours if sentence.support == "other" or not model else model
    chunks = {c.chunk_id for c in sentence.clues if c.agrees}
    return next((c for c in for_it if c.chunk_id in chunks), for_it[0] if for_it else None)


def clue_table(sentence: Sentence, answer: Answer, corpus: Corpus, language: Language) -> str:
    """The clues of a sentence, one a row: what it is about, the words of the answer, those of the source, and whether they agree."""
    if not sentence.clues:
        return f'<p class="note">{render.escape(text("answer.no_clues", language))}</p>'
    citation = compared(sentence, answer)
    own = citation.chunk_id if citation is not None else None
    rows = [
        (
            render.escape(text(f"clue.{clue.kind}", language)),
            f'<span class="{"" if clue.agrees else "wrong"}">{render.escape(answer.text[clue.start : clue.end])}</span>',
            render.escape(_there(clue, own, answer, corpus, language)),
            f'<span class="{"yes" if clue.agrees else "no"}">{render.escape(text("clue.yes" if clue.agrees else "clue.no", language))}</span>',
        )
        for clue in sentence.clues
    ]
    return panels.table(panels.columns("head.clues", language), rows, "clues")


def _there(clue: Clue, own: str | None, answer: Answer, corpus: Corpus, language: Language) -> str:
    """What the source has, `own` being the chunk that the sentence was compared with; of the sentence as a whole, both shares."""
    if clue.share is not None:
        found, least = (f"{share:.0%}" for share in clue.share)
        return text(f"clue.share_{clue.kind}", language, found=found, least=least)
    piece = next((e for e in answer.prompt.packed if e.chunk.chunk_id == clue.chunk_id), None)
    if piece is None:
        return text("clue.nowhere", language)
    if clue.span is None or piece.chunk.key not in corpus.documents:
        return text("clue.heading", language, marker=piece.marker)
    words = corpus.documents[piece.chunk.key].text[slice(*clue.span)]
    key = "clue.there" if piece.chunk.chunk_id == own else "clue.elsewhere"
    return text(key, language, marker=piece.marker, words=words)
