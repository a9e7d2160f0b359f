"""The parts of a Word file beside its body: styles, numbering, notes, comments, headers and footers, charts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from docx.oxml.ns import qn

from rag.corpus.clean import clean_line
from rag.corpus.load.drawing import chart_table, chart_title, diagram_lines, parsed_part
from rag.corpus.load.table import Rendered
from rag.corpus.load.word_styles import Style, styles
from rag.corpus.load.word_text import TextReader
from rag.types import Why

_OWN_PART = ("footnotes", "endnotes", "comments", "numbering")
_WORD_ART = "{urn:schemas-microsoft-com:vml}textpath"
_CONTENTS_TITLE = re.compile(r"\s*(?:目\s*[录錄次]|(?:table\s+of\s+)?contents)\s*", re.IGNORECASE)
_CONTENTS_FIELD = re.compile(r"\s*TOC\b", re.IGNORECASE)


class Parts:
    """What belongs to the body of `source`, a ``docx.Document``. Raises `lxml.etree.XMLSyntaxError`."""

    def __init__(self, source: Any) -> None:
        self._related: Mapping[str, Any] = source.part.related_parts
        self._read: set[str] = set()
        self.body = source.element.body
        self.styles = source.styles.element
        roots = {}
        for relation in source.part.rels.values():
            kind = relation.reltype.rsplit("/", 1)[-1]
            if kind in _OWN_PART and not relation.is_external:
                roots[kind] = parsed_part(relation.target_part.blob)
        self.numbering = roots.get("numbering")
        self._styles = styles(self.styles)
        self._notes = {
            kind: {note.get(qn("w:id")): note for note in roots.get(f"{kind}s", ())} for kind in ("footnote", "endnote")
        }
        self.comments = {
            comment.get(qn("w:id")) or "": "\n".join(self._lines(comment))
            for comment in roots.get("comments", ())
            if comment.tag == qn("w:comment")
        }
        self.embedded = sum(1 for _ in self.body.iter(qn("w:altChunk")))
        """Documents of another format inside this one."""

    def note(self, kind: str, note_id: str) -> str:
        """The words of a footnote or an endnote, once; empty when there is none of this id or it was asked for before."""
        note = self._notes[kind].pop(note_id, None)
        return "\n".join(self._lines(note)) if note is not None else ""

    def running_lines(self) -> list[tuple[str, Why]]:
        """The lines of all headers and footers, in the order the sections name them, each once; watermarks apart."""
        found: dict[tuple[str, Why], None] = {}
        for reference in self.body.iter(qn("w:headerReference"), qn("w:footerReference")):
            part = self._unread(reference.get(qn("r:id")))
            if part is None:
                continue
            root = parsed_part(part.blob)
            marks = [clean_line(art.get("string") or "") for art in root.iter(_WORD_ART)]
            found |= {(mark, "watermark"): None for mark in marks if mark}
            found |= {
                (line, "running_line"): None
                for line in map(clean_line, self._lines(root))
                if line and line not in marks
            }
        return list(found)

    def graphic(self, pointer: Any) -> tuple[list[str], Rendered]:
        """The words of a chart or of SmartArt, once: lines, and a table. Raises `TableTooLarge`."""
        chart_id = pointer.get(qn("r:id"))
        part = self._unread(chart_id or pointer.get(qn("r:dm")))
        if part is None:
            return [], Rendered((), None)
        if chart_id is None:
            return diagram_lines(part.blob), Rendered((), None)
        chart = parsed_part(part.blob)
        return [chart_title(chart)], chart_table(chart)

    def _unread(self, relation_id: str | None) -> Any:
        """The part that a relation names, when it is asked for the first time; else None.

        A part can be named any number of times, so that a small file would become a text without end.
        """
        part = self._related.get(relation_id or "")
        if part is None or part.partname in self._read:
            return None
        self._read.add(part.partname)
        return part

    def _lines(self, story: Any) -> Iterator[str]:
        """The paragraphs of a small story that show something, those of tables and text boxes too."""
        reader = TextReader(story, self._styles, {})
        for paragraph in story.iter(qn("w:p")):
            text = reader.words(paragraph, Style()).text.strip()
            if text:
                yield text


def is_contents(element: Any) -> bool:
    """Whether a content control holds the table of contents that Word made."""
    gallery = element.find(f"{qn('w:sdtPr')}/{qn('w:docPartObj')}/{qn('w:docPartGallery')}")
    return gallery is not None and gallery.get(qn("w:val")) == "Table of Contents"


def opens_contents(paragraph: Any, text: str, known: Mapping[str, Style]) -> bool:
    """Whether `paragraph` is the line above a table of contents: it says so, and one follows."""
    following = paragraph.getnext()
    if not _CONTENTS_TITLE.fullmatch(text) or following is None:
        return False
    named = following.find(f"{qn('w:pPr')}/{qn('w:pStyle')}")
    style = known.get(named.get(qn("w:val")) or "", Style()) if named is not None else Style()
    return style.is_contents or any(_CONTENTS_FIELD.match(i.text or "") for i in following.iter(qn("w:instrText")))
