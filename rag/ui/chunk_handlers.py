"""What a visitor can do on the Chunks tab: search and jump in a document, open a chunk, try another split, save."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import gradio as gr

from rag.config import SplitSettings
from rag.errors import LoadError, RagError
from rag.ui import chunk_files, chunk_views, chunks, panels
from rag.ui.chunks import Opened
from rag.ui.desk import Desk, Updates, as_download, bars, first, mistake, part_of, place_of, whole
from rag.ui.guard import guarded, language
from rag.ui.settings import read_settings
from rag.ui.strings import text


class ChunkHandlers(Desk):
    """One method per thing a visitor can do here. Every value from a browser is checked before it is used."""

    def _of(self, key: object, request: gr.Request) -> Opened:
        return self._opened(self._visit(request), key, language(request))

    @guarded()
    def choose_row(self, key: object, query: object, request: gr.Request, event: gr.EventData) -> Updates:
        """A row of the table of chunks: framed in the text."""
        number = whole(first(part_of(event, "row_value")))
        return self._framed(key, number, query, request) | {self.page.chunks.pick: number}

    @guarded()
    def choose(self, key: object, number: object, query: object, request: gr.Request) -> Updates:
        """A chunk by its number."""
        if number is None:  # the field was emptied
            return {self.page.chunks.view: gr.skip()}
        return self._framed(key, whole(number), query, request)

    def _framed(self, key: object, number: int, query: object, request: gr.Request) -> Updates:
        opened = self._of(key, request)
        if not 1 <= number <= len(opened.chunks):
            raise mistake(LoadError, "chunks.no_chunk", n=len(opened.chunks))
        return chunks.show_one(self.page.chunks, opened, number, _found(opened, query))

    @guarded()
    def choose_page(self, key: object, number: object, query: object, request: gr.Request) -> Updates:
        """The text where a page begins."""
        if number is None:
            return {self.page.chunks.view: gr.skip()}
        opened, n = self._of(key, request), whole(number)
        if not 1 <= n <= len(opened.document.pages):
            raise mistake(LoadError, "chunks.no_page", n=len(opened.document.pages))
        at = opened.document.pages[n - 1]
        return chunks.show_text(self.page.chunks, opened, (at, at), _found(opened, query))

    @guarded()
    def choose_section(self, key: object, number: object, query: object, request: gr.Request) -> Updates:
        """The text at the heading of a section."""
        opened, n = self._of(key, request), whole(number)
        if not 1 <= n <= len(opened.document.sections):
            raise mistake(LoadError, "docs.unknown")
        start, source = opened.document.sections[n - 1].start, opened.document.text
        end = source.find("\n", start)
        return chunks.show_text(
            self.page.chunks, opened, (start, end if end >= 0 else len(source)), _found(opened, query)
        )

    @guarded()
    def search(self, key: object, query: object, chosen: object, request: gr.Request) -> Updates:
        """Other words are in the search box: all their places are marked, the first is shown.

        Without words the chosen chunk is. (The page empties the box itself when it opens another document.)
        """
        if not key and not query:  # a page that was just opened shows no document yet
            return {self.page.chunks.view: gr.skip()}
        opened, number = self._of(key, request), whole(chosen)
        visit = self._visit(request)
        if visit.entered != (key, str(query or "")):  # shown while they are written; Enter then stays at the first
            visit.entered = None
        if str(query or "").strip():
            return self._match(key, query, 1, request)
        chunk = opened.chunks[number - 1] if 1 <= number <= len(opened.chunks) else None
        tab, focus = self.page.chunks, (chunk.start, chunk.end) if chunk is not None else None
        return {**chunks.show_text(tab, opened, focus), tab.match: None, tab.found: ""}

    @guarded()
    def enter(self, key: object, query: object, number: object, request: gr.Request) -> Updates:
        """Enter in the search box: the first match of words that were just written, from then on the next one."""
        again = self._visit(request).entered == (key, str(query or ""))
        return self._step(key, query, max(whole(number), 0) + 1 if again else 1, request)

    @guarded()
    def choose_match(self, key: object, query: object, number: object, request: gr.Request) -> Updates:
        """A match by its number; one that there is not is the nearest that there is."""
        self._visit(request).entered = (key, str(query or ""))
        return self._match(key, query, whole(number), request)

    @guarded()
    def next_match(self, key: object, query: object, number: object, request: gr.Request) -> Updates:
        """The match after this one; after the last the first."""
        return self._step(key, query, max(whole(number), 0) + 1, request)

    @guarded()
    def last_match(self, key: object, query: object, number: object, request: gr.Request) -> Updates:
        """The match before this one; before the first the last."""
        return self._step(key, query, max(whole(number), 1) - 1, request)

    def _step(self, key: object, query: object, number: int, request: gr.Request) -> Updates:
        self._visit(request).entered = (key, str(query or ""))
        return self._match(key, query, number, request, around=True)

    def _match(self, key: object, query: object, number: int, request: gr.Request, around: bool = False) -> Updates:
        tab, opened, spoken = self.page.chunks, self._of(key, request), language(request)
        found = _found(opened, query)
        if not found:
            said = panels.notice(text("chunks.not_found", spoken), "warning") if str(query or "").strip() else ""
            return {**chunks.show_text(tab, opened), tab.match: None, tab.found: said}
        number = (number - 1) % len(found) + 1 if around else min(max(number, 1), len(found))
        more = text("chunks.more_found", spoken) if len(found) == chunk_views.MOST_HITS else ""
        said = text("chunks.found", spoken, i=f"{number:,}", n=f"{len(found):,}") + more
        return {
            **chunks.show_text(tab, opened, found[number - 1], found),
            tab.match: number,
            tab.found: panels.notice(said),
        }

    @guarded()
    def turn(self, key: object, query: object, request: gr.Request, event: gr.EventData) -> Updates:
        """The part of a long text before or after the one that is shown."""
        opened = self._of(key, request)
        return chunks.show_text(self.page.chunks, opened, None, _found(opened, query), place_of(event))

    @guarded()
    def choose_remarked(self, key: object, remarked: object, request: gr.Request) -> Updates:
        """Only the chunks with remarks, or all."""
        return chunks.show_rows(self.page.chunks, self._of(key, request), remarked is True, 1)

    @guarded()
    def choose_rows(self, key: object, remarked: object, part: object, request: gr.Request) -> Updates:
        """Other rows of the table."""
        return chunks.show_rows(self.page.chunks, self._of(key, request), remarked is True, whole(part))

    @guarded()
    def preview(self, key: object, strategy: object, size: object, overlap: object, request: gr.Request) -> Updates:
        """Another split is tried on one document; nothing is rebuilt."""
        return self._tried(key, _split(strategy, size, overlap), 0, request)

    @guarded()
    def turn_preview(
        self,
        key: object,
        strategy: object,
        size: object,
        overlap: object,
        request: gr.Request,
        event: gr.EventData,
    ) -> Updates:
        """The part of a long text before or after the one that both splits are shown on."""
        return self._tried(key, _split(strategy, size, overlap), place_of(event), request)

    def _tried(self, key: object, split: SplitSettings, at: int, request: gr.Request) -> Updates:
        workspace, opened = self._visit(request).workspace, self._of(key, request)
        tried = workspace.preview(opened.document.key, split)
        return chunks.show_preview(self.page.chunks, opened, (workspace.corpus().split, split), tried, at)

    @guarded("chunks.progress", "stopped.index")
    def apply_split(self, values: Mapping[Any, Any], request: gr.Request) -> Iterator[Updates]:
        """The tried split becomes the setting, and everything is re-indexed."""
        spoken, visit, tab, panel = language(request), self._visit(request), self.page.chunks, self.page.settings
        split = _split(values[tab.strategy], values[tab.size], values[tab.overlap])
        shown = {panel.strategy: split.strategy, panel.size: split.size, panel.overlap: split.overlap}
        settings = read_settings(panel, {**values, **shown})
        before = visit.workspace.settings
        try:
            yield from bars(tab.progress, self._configure(visit, settings), spoken)
        except RagError:  # stopped, or not possible: the next change of the documents must not split that way either
            visit.workspace.configure(before)
            raise
        yield {
            panel.note: self._settings_note(visit, settings, spoken),
            **shown,
            **self._corpus(visit, spoken),
            tab.progress: panels.notice(text("chunks.applied", spoken)),
        }

    @guarded()
    def save_json(self, key: object, request: gr.Request) -> Updates:
        """The chunks of the document as JSON."""
        return self._saved(key, "json", request)

    @guarded()
    def save_csv(self, key: object, request: gr.Request) -> Updates:
        """The chunks of the document as a table."""
        return self._saved(key, "csv", request)

    def _saved(self, key: object, kind: str, request: gr.Request) -> Updates:
        opened, corpus = self._of(key, request), self._visit(request).workspace.corpus()
        name = chunk_files.file_name(opened.document, kind)
        if kind == "json":
            data = chunk_files.to_json(opened.document, opened.chunks, opened.remarks, corpus.split)
            return {self.page.chunks.download: as_download(name, "application/json", data)}
        data = chunk_files.to_csv(opened.chunks, opened.remarks, language(request))
        return {self.page.chunks.download: as_download(name, "text/csv", data)}


def _found(opened: Opened, query: object) -> tuple[chunk_views.Span, ...]:
    return chunk_views.matches(opened.document.text, str(query or "")[: chunk_views.LONGEST_QUERY])


def _split(strategy: object, size: object, overlap: object) -> SplitSettings:
    return SplitSettings(str(strategy), whole(size), whole(overlap))  # type: ignore[arg-type]  # checked when it is made
