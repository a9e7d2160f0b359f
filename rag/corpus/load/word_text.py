"""The characters of a Word paragraph: what it shows, and what it holds and does not show, each at its place."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from docx.oxml.ns import qn

from rag.corpus.load.numerals import numeral
from rag.corpus.load.raised import Place, written
from rag.corpus.load.word_styles import Style, is_speck, is_struck, place, switch
from rag.types import Why

_COMPATIBILITY = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_MATH = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
ALTERNATIVES, FALLBACK = f"{_COMPATIBILITY}AlternateContent", f"{_COMPATIBILITY}Fallback"
BOX = qn("w:txbxContent")
_TEXT = {qn("w:t"), f"{_MATH}t"}
_GONE = {qn("w:del"), qn("w:moveFrom")}
_PASSED_OVER = {
    *(qn(f"w:{tag}") for tag in ("pPr", "rPr", "sdtPr", "sdtEndPr", "rubyPr", "delInstrText", "customXmlPr")),
    *(qn(f"w:{tag}") for tag in ("smartTagPr", "fldData", "ffData")),
}
_SIGNS = {
    qn("w:br"): "\n",
    qn("w:cr"): "\n",
    qn("w:tab"): "\t",
    qn("w:ptab"): "\t",
    qn("w:noBreakHyphen"): "-",
}
_NOTE_TAGS = {qn("w:footnoteReference"): "footnote", qn("w:endnoteReference"): "endnote"}
_RUN, _COMMENT, _SYMBOL, _MARK = qn("w:r"), qn("w:commentReference"), qn("w:sym"), qn("w:fldChar")
_DELETED, _SIMPLE, _RUBY, _INSTRUCTION = qn("w:delText"), qn("w:fldSimple"), qn("w:ruby"), qn("w:instrText")
_WORD_ART, _DENOMINATOR = "{urn:schemas-microsoft-com:vml}textpath", f"{_MATH}den"
_EXPONENTS: dict[str, Place] = {f"{_MATH}sup": "raised", f"{_MATH}sub": "lowered"}
_DRAWING = "http://schemas.openxmlformats.org/drawingml/2006"
_GRAPHICS = {f"{{{_DRAWING}/chart}}chart", f"{{{_DRAWING}/diagram}}relIds"}
_SPECIAL = {_COMMENT, _SYMBOL, _MARK, _DELETED, _SIMPLE, _RUBY, _INSTRUCTION, _WORD_ART, _DENOMINATOR}
_SPECIAL |= {*_NOTE_TAGS, *_GRAPHICS}
_LONGEST_INSTRUCTION = 200
# Fields whose result is made by the program that shows the page; the first word of their instruction decides.
_MADE: dict[str, Why] = {
    **dict.fromkeys(("PAGE", "NUMPAGES", "SECTIONPAGES"), "page_number"),
    **dict.fromkeys(("TOC", "TOA", "INDEX"), "contents"),
}
# Signs of the fonts Wingdings, Wingdings 2 and Symbol that forms and lists use; these fonts give codes, not characters.
_SIGN_FONTS = {
    "wingdings": {0xA8: "□", 0x6F: "□", 0x71: "□", 0xFE: "☑", 0xFD: "☒", 0xFC: "✓", 0xFB: "✗", 0x6C: "●", 0xA7: "▪"}
    | {0x6E: "■", 0x75: "◆", 0xD8: "➢", 0xE0: "→", 0xDF: "←", 0xE1: "↑", 0xE2: "↓", 0x2A: "✉", 0x28: "☎", 0x9F: "•"},
    "wingdings 2": {0x52: "☑", 0x53: "☒", 0x50: "✓", 0x4F: "✗", 0xA3: "□", 0x54: "☒"},
    "symbol": {0xB7: "•", 0xB3: "≥", 0xA3: "≤", 0xB4: "×", 0xB8: "÷", 0xB1: "±", 0xAE: "→", 0xB0: "°", 0xB9: "≠"}
    | {0xD7: "⋅"},
}


@dataclass(frozen=True, slots=True)
class Mark:
    """Words that stand in the file before character `at` of a text and are not shown there."""

    at: int
    text: str
    why: Why


@dataclass(frozen=True, slots=True)
class Words:
    """A paragraph's text, what is left out of it, the text boxes anchored in it and the notes it refers to."""

    text: str
    marks: tuple[Mark, ...] = ()
    boxes: tuple[Any, ...] = ()
    notes: tuple[tuple[str, str, str], ...] = ()
    """Kind (footnote or endnote), id and the sign in the text (``[^1]``)."""
    graphics: tuple[Any, ...] = ()
    """What points at charts and SmartArt."""
    bold: bool = False
    """Whether all that it shows is bold."""


@dataclass(slots=True)
class _Field:
    made: Why | None = None
    shows: bool = False
    instruction: str = ""


@dataclass(slots=True)
class _Piece:
    text: str
    why: Why | None
    bold: bool
    place: Place


@dataclass(slots=True)
class _Gathered:
    pieces: list[_Piece] = field(default_factory=list)
    boxes: list[Any] = field(default_factory=list)
    notes: list[tuple[str, str, str]] = field(default_factory=list)
    graphics: list[Any] = field(default_factory=list)


class TextReader:
    """Reads the paragraphs of one story (the body, a note, a header) in their order; fields reach over paragraphs."""

    def __init__(self, story: Any, styles: Mapping[str, Style], comments: Mapping[str, str]) -> None:
        self._styles = styles
        self._comments = dict(comments)
        self._paired = set(_paired(story))
        self._fields: list[_Field] = []
        self._place: Place = None
        self._counts = {"footnote": 0, "endnote": 0}

    def words(self, paragraph: Any, style: Style) -> Words:
        """The words of `paragraph`, which has `style`."""
        out = _Gathered()
        self._read(paragraph, out, None, bool(style.bold))
        shown_pieces = [piece for piece in out.pieces if piece.why is None]
        for piece, text in zip(shown_pieces, written([(p.text, p.place) for p in shown_pieces]), strict=True):
            piece.text = text
        parts: list[str] = []
        marks: list[Mark] = []
        length = 0
        for why, group in groupby(out.pieces, key=lambda piece: piece.why):
            text = "".join(piece.text for piece in group)
            if why is None:
                parts.append(text)
                length += len(text)
            elif text:
                marks.append(Mark(length, text, why))
        shown = "".join(parts)
        bold = bool(shown.strip()) and all(p.bold for p in out.pieces if p.why is None and p.text.strip())
        return Words(shown, tuple(marks), tuple(out.boxes), tuple(out.notes), tuple(out.graphics), bold)

    def _read(self, element: Any, out: _Gathered, why: Why | None, bold: bool) -> None:
        for child in element.iterchildren():
            tag = child.tag
            if tag in _PASSED_OVER or not isinstance(tag, str) or repeats_a_choice(child):
                continue
            if tag in _TEXT or tag in _SIGNS:
                self._say(out, _SIGNS.get(tag) or _readable(child.text or "", _font(element)), why, bold)
            elif tag == _RUN:
                self._run(child, out, why, bold)
            elif tag in _GONE:
                self._read(child, out, why or "deletion", bold)
            elif tag == BOX and why is None:
                out.boxes.append(child)
            elif tag in _SPECIAL:
                self._special(child, out, why, bold)
            else:
                self._read_at(_EXPONENTS.get(tag, self._place), child, out, why, bold)

    def _run(self, run: Any, out: _Gathered, why: Why | None, bold: bool) -> None:
        letters = run.find(qn("w:rPr"))
        named = letters.find(qn("w:rStyle")) if letters is not None else None
        style = self._styles.get(named.get(qn("w:val")) or "", Style()) if named is not None else Style()
        own_bold, own_hidden = switch(letters, "w:b"), switch(letters, "w:vanish")
        bold = next((b for b in (own_bold, style.bold) if b is not None), bold)
        hidden = next((h for h in (own_hidden, style.hidden) if h is not None), False) or is_speck(letters)
        own: Why | None = "hidden" if hidden else "deletion" if is_struck(letters, style) else None
        self._read_at(place(letters, style) or self._place, run, out, why or own, bold)

    def _read_at(self, where: Place, element: Any, out: _Gathered, why: Why | None, bold: bool) -> None:
        around, self._place = self._place, where
        self._read(element, out, why, bold)
        self._place = around

    def _special(self, child: Any, out: _Gathered, why: Why | None, bold: bool) -> None:
        tag = child.tag
        if tag == _MARK:
            self._field_mark(child)
        elif tag == _INSTRUCTION:
            self._instruct(child.text or "")
        elif tag == _SIMPLE:
            self._fields.append(_Field(_made(child.get(qn("w:instr")) or ""), shows=True))
            self._read(child, out, why, bold)
            self._fields.pop()
        elif tag == _DELETED:
            self._say(out, child.text or "", why or "deletion", bold)
        elif tag == _COMMENT:
            # taken out: however often a file refers to a comment, it is noted once
            self._say(out, self._comments.pop(child.get(qn("w:id")) or "", ""), "comment", bold)
        elif tag == _SYMBOL:
            font = child.get(qn("w:font")) or ""
            sign = _symbol(child.get(qn("w:char")) or "", font)
            if "\ue000" <= sign <= "\uf8ff":
                self._say(out, f"U+{ord(sign):04X} ({font})", "unreadable", bold)
            else:
                self._say(out, sign, why, bold)
        elif tag in _NOTE_TAGS:
            self._note(child, out, why, bold)
        elif tag == _WORD_ART:
            self._say(out, child.get("string") or "", why, bold)
        elif tag == _DENOMINATOR:
            self._say(out, "/", why, bold)
            self._read(child, out, why, bold)
        elif tag == _RUBY:
            self._ruby(child, out, why, bold)
        else:
            out.graphics.append(child)

    def _ruby(self, ruby: Any, out: _Gathered, why: Why | None, bold: bool) -> None:
        """How characters are read stands before them in the file, and behind them, in brackets, in the text."""
        for base in ruby.iterchildren(qn("w:rubyBase")):
            self._read(base, out, why, bold)
        for reading in ruby.iterchildren(qn("w:rt")):
            self._say(out, "（", why, bold)
            self._read(reading, out, why, bold)
            self._say(out, "）", why, bold)

    def _note(self, reference: Any, out: _Gathered, why: Why | None, bold: bool) -> None:
        kind, note_id = _NOTE_TAGS[reference.tag], reference.get(qn("w:id")) or ""
        if why is not None or self._why() is not None or not self._shows():
            return
        if reference.get(qn("w:customMarkFollows")) in ("1", "true", "on"):
            sign = "".join(text.text or "" for text in reference.itersiblings(qn("w:t"))).strip() or "*"
        else:
            self._counts[kind] += 1
            count = self._counts[kind]
            sign = f"[^{count if kind == 'footnote' else numeral(count, 'lowerRoman')}]"
            self._say(out, sign, None, bold)
        out.notes.append((kind, note_id, sign))

    def _say(self, out: _Gathered, text: str, why: Why | None, bold: bool) -> None:
        if text and self._shows():
            out.pieces.append(_Piece(text, why or self._why(), bold, self._place))

    def _shows(self) -> bool:
        return all(inside.shows for inside in self._fields)

    def _why(self) -> Why | None:
        return next((inside.made for inside in self._fields if inside.made), None)

    def _field_mark(self, mark: Any) -> None:
        kind = mark.get(qn("w:fldCharType"))
        if kind == "begin" and mark in self._paired:
            self._fields.append(_Field())
        elif kind == "separate" and self._fields:
            self._fields[-1].shows = True
            self._fields[-1].made = _made(self._fields[-1].instruction)
        elif kind == "end" and mark in self._paired and self._fields:
            self._fields.pop()

    def _instruct(self, text: str) -> None:
        if self._fields and not self._fields[-1].shows and len(self._fields[-1].instruction) < _LONGEST_INSTRUCTION:
            self._fields[-1].instruction += text


def repeats_a_choice(element: Any) -> bool:
    """Whether it is the fallback for readers that do not know the choice before it."""
    return bool(element.tag == FALLBACK and element.getprevious() is not None)


def _made(instruction: str) -> Why | None:
    words = instruction.split(None, 1)
    return _MADE.get(words[0].upper()) if words else None


def _paired(story: Any) -> Iterator[Any]:
    """The first and the last mark of every field that has both, within one story.

    Of a field without an end nothing is hidden: a table of contents that never ends would swallow the document.
    """
    open_marks: dict[Any, list[Any]] = {}
    for mark in story.iter(_MARK):
        above = list(mark.iterancestors())
        if any(a.tag in _GONE or repeats_a_choice(a) for a in above):
            continue
        started = open_marks.setdefault(next((a for a in above if a.tag == BOX), story), [])
        kind = mark.get(qn("w:fldCharType"))
        if kind == "begin":
            started.append(mark)
        elif kind == "end" and started:
            yield started.pop()
            yield mark


def _font(run: Any) -> str:
    fonts = run.find(f"{qn('w:rPr')}/{qn('w:rFonts')}")
    return (fonts.get(qn("w:ascii")) or "").lower() if fonts is not None else ""


def _readable(text: str, font: str) -> str:
    """`text` with the signs of a sign font as characters."""
    signs = _SIGN_FONTS.get(font)
    if signs is None:
        return text
    return "".join(signs.get(ord(c) & 0xFF, c) if ord(c) < 0x100 or 0xF000 <= ord(c) <= 0xF0FF else c for c in text)


def _symbol(code: str, font: str) -> str:
    """The character of a sign given by its code (hexadecimal) in `font`; one without a character stays a code of its own."""
    if not re.fullmatch(r"[0-9A-Fa-f]{1,4}", code):
        return ""
    return _readable(chr(int(code, 16)), font.lower())
