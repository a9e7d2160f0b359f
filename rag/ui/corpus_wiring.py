"""What calls what: coming and going, the Documents tab, the Chunks tab."""

from __future__ import annotations

from typing import Any

import gradio as gr

from rag.ui.chunk_handlers import ChunkHandlers
from rag.ui.corpus_handlers import CorpusHandlers
from rag.ui.document_handlers import DocumentHandlers
from rag.ui.page import Page
from rag.ui.wiring import INDEXING, LATEST, LIGHT, RAW, groups, saves


def wire_corpus(demo: gr.Blocks, page: Page, do: CorpusHandlers) -> None:
    """The page comes and goes, files come and go."""
    shown, docs = groups(page), page.documents
    corpus = shown["corpus"]
    standing = [page.models, page.timer, *corpus]
    everything = [*standing, docs.again, page.question, page.examples, page.tabs, *shown["options"], *shown["answer"]]
    everything = list(dict.fromkeys([*everything, *shown["found"]]))
    demo.load(do.load, None, everything, **LIGHT)
    demo.unload(do.leave)
    page.timer.tick(do.tick, None, standing, **{**LIGHT, "trigger_mode": "once"})
    # preprocess=False: Gradio would leave an empty file per upload, and its error for a vanished one says nothing
    docs.upload.upload(do.add, [docs.upload, docs.again], corpus, **RAW, **INDEXING)
    asked, back = [docs.asked, docs.asked_which], "() => document.querySelector('#remove')?.focus()"
    docs.remove.click(do.ask_remove, docs.which, asked, **RAW, **LIGHT)
    # the pressed button goes: the keyboard goes back to where it came from
    gr.on([docs.remove_yes.click, docs.remove_no.click], js=back, **LIGHT)
    docs.remove_no.click(do.keep, None, asked, **LIGHT)
    docs.remove_yes.click(do.remove, docs.which, corpus, **RAW, **INDEXING)
    # a switch: how it stands last is what counts
    docs.include.input(do.include_samples, docs.include, corpus, **{**INDEXING, "trigger_mode": "always_last"})


def wire_document(page: Page, do: DocumentHandlers) -> None:
    """One document is opened, corrected, seen as it was read."""
    docs, chunks = page.documents, page.chunks
    opened = [*docs.opened(), *chunks.opened()]
    docs.which.input(do.choose, docs.which, opened, **RAW, **LIGHT)
    chunks.document.input(do.choose, chunks.document, opened, **RAW, **LIGHT)
    docs.view.input(do.choose_view, [docs.which, docs.view], docs.text, **RAW, **LIGHT)
    docs.text.turn(do.turn, [docs.which, docs.view], docs.text, **RAW, **LIGHT)
    docs.save.click(do.save, [docs.which, *docs.fields()], groups(page)["corpus"], **RAW, **INDEXING)


def wire_chunks(page: Page, do: ChunkHandlers) -> None:
    """A document is looked through chunk by chunk, other splits are tried, chunks are saved."""
    tab, latest = page.chunks, {**RAW, **LATEST}
    one = [tab.view, tab.detail]
    tab.table.select(do.choose_row, [tab.document, tab.search], [*one, tab.pick], **RAW, **LIGHT)
    tab.pick.input(do.choose, [tab.document, tab.pick, tab.search], one, **latest)
    tab.page.input(do.choose_page, [tab.document, tab.page, tab.search], tab.view, **latest)
    tab.section.input(do.choose_section, [tab.document, tab.section, tab.search], tab.view, **latest)
    searched = [tab.document, tab.search, tab.match]
    places = [tab.view, tab.match, tab.found]
    # "input" comes with the keys only: not with what is pasted, nor with what an input method writes
    tab.search.change(do.search, [tab.document, tab.search, tab.pick], places, **latest)
    tab.match.input(do.choose_match, searched, places, **latest)
    tab.search.submit(do.enter, searched, places, **RAW, **LIGHT)
    tab.after.click(do.next_match, searched, places, **RAW, **LIGHT)
    tab.before.click(do.last_match, searched, places, **RAW, **LIGHT)
    tab.view.turn(do.turn, [tab.document, tab.search], tab.view, **RAW, **LIGHT)
    rows = [tab.remarked, tab.rows, tab.table]
    tab.remarked.input(do.choose_remarked, [tab.document, tab.remarked], rows, **RAW, **LIGHT)
    tab.rows.input(do.choose_rows, [tab.document, tab.remarked, tab.rows], rows, **RAW, **LIGHT)
    _wire_split(page, do)
    saves(tab.json, do.save_json, tab.document, tab.download)
    saves(tab.csv, do.save_csv, tab.document, tab.download)


def _wire_split(page: Page, do: ChunkHandlers) -> None:
    tab, panel = page.chunks, page.settings
    tried: list[Any] = tab.split()
    gr.on(
        [tab.strategy.input, tab.size.input, tab.overlap.input],
        do.preview,
        [tab.document, *tried],
        tab.compared,
        **RAW,
        **LATEST,
    )
    tab.compared.turn(do.turn_preview, [tab.document, *tried], tab.compared, **RAW, **LIGHT)
    follow = [panel.strategy, panel.size, panel.overlap]
    tab.apply.click(do.apply_split, {*panel.inputs(), *tried}, [*groups(page)["corpus"], *follow], **RAW, **INDEXING)
