"""The pages of a PDF as PDFium reads them: many times faster than pdfminer, and better with some fonts."""

from __future__ import annotations

import ctypes
import math
import threading
from collections.abc import Callable
from typing import Any

import pypdfium2
import pypdfium2.raw as c

from rag.corpus.load.container import damaged
from rag.corpus.load.ink import Box, Glyph, Ink, Style, is_bold, is_pale, rules_along, turn_of, turned

# PDFium must not be called by two threads at once.
_ALONE = threading.RLock()
_HEAVY = 600
_FAINT = 160  # of 255: what is more transparent shows the page through
_DEEPEST = 8
_SURROGATE = range(0xD800, 0xDC00)


class PdfiumEngine:
    """A PDF opened by PDFium."""

    name = "PDFium"

    def __init__(self, name: str, data: bytes) -> None:
        """Raises `LoadError` when PDFium cannot open it."""
        self._file = name
        with _ALONE:
            try:
                self._source = pypdfium2.PdfDocument(data)
            except pypdfium2.PdfiumError as error:
                raise damaged(name) from error
            self.n_pages = len(self._source)
            self.metadata: dict[str, Any] = self._source.get_metadata_dict()

    def close(self) -> None:
        """Let go of the file."""
        with _ALONE:
            self._source.close()

    def ink(self, index: int) -> Ink:
        """Page `index`, from 0. Raises `LoadError` when it is damaged."""
        with _ALONE:
            try:
                page = self._source[index]
            except pypdfium2.PdfiumError as error:
                raise damaged(self._file) from error
            try:
                return _Reader(page).ink()
            finally:
                page.close()


class _Reader:
    """Reads one page; places are told as on the page as it is shown, turned by its own rotation."""

    def __init__(self, page: Any) -> None:
        self._page = page
        left, bottom, right, top = page.get_bbox()
        self._left, self._top = min(left, right), max(bottom, top)
        width, height = abs(right - left), abs(top - bottom)
        # a page turned clockwise by 90° reads like text that runs upwards, laid down
        self._rotation = (360 - page.get_rotation()) % 360
        self._turn_back = turned({90: 270, 270: 90}.get(self._rotation, self._rotation), width, height)
        upended = self._rotation in (90, 270)
        self._width, self._height = (height, width) if upended else (width, height)
        self._styles: dict[Any, tuple[bool, bool]] = {}

    def ink(self) -> Ink:
        text = c.FPDFText_LoadPage(self._page)
        try:
            glyphs = self._glyphs(text)
        finally:
            c.FPDFText_ClosePage(text)
        rules, has_images = self._drawings()
        return Ink(tuple(glyphs), tuple(rules), self._width, self._height, has_images)

    def _box(self, left: float, bottom: float, right: float, top: float) -> Box:
        return self._turn_back((left - self._left, self._top - top, right - self._left, self._top - bottom))

    def _glyphs(self, text: Any) -> list[Glyph]:
        glyphs = []
        rectangle, matrix = c.FS_RECTF(), c.FS_MATRIX()
        half = 0
        for index in range(max(c.FPDFText_CountChars(text), 0)):
            code = c.FPDFText_GetUnicode(text, index)
            if code in _SURROGATE:
                half = code
                continue
            if half and 0xDC00 <= code < 0xE000:
                code = 0x10000 + ((half - 0xD800) << 10) + code - 0xDC00
            half = 0
            if code <= 32 and c.FPDFText_IsGenerated(text, index):
                continue  # a line end or blank of PDFium's own making
            if not c.FPDFText_GetLooseCharBox(text, index, rectangle) or not c.FPDFText_GetMatrix(text, index, matrix):
                continue
            box = self._box(rectangle.left, rectangle.bottom, rectangle.right, rectangle.top)
            turn = turn_of(matrix.a, matrix.b)
            turn = turn if turn < 0 else (turn + self._rotation) % 360
            bold, pale = self._style(text, index)
            size = c.FPDFText_GetFontSize(text, index) * math.hypot(matrix.c, matrix.d) or 1.0
            if turn == 0:  # the height is that of the font's tallest letter, so that lines of two fonts stood apart
                box = (box[0], box[3] - size, box[2], box[3])
            glyphs.append(Glyph(chr(code) if code else "\ufffd", *box, size, Style(turn, bold, pale)))
        return glyphs

    def _style(self, text: Any, index: int) -> tuple[bool, bool]:
        """Whether a character is bold, and pale; asked once for every piece of text that is drawn at a time."""
        piece = c.FPDFText_GetTextObject(text, index)
        if not piece:  # in a damaged file
            return False, False
        drawn = ctypes.addressof(piece.contents)
        if drawn not in self._styles:
            red, green, blue, alpha = (ctypes.c_uint() for _ in range(4))
            c.FPDFText_GetFillColor(text, index, red, green, blue, alpha)
            pale = is_pale([value.value / 255 for value in (red, green, blue)]) or alpha.value < _FAINT
            name, flags = ctypes.create_string_buffer(128), ctypes.c_int()
            c.FPDFText_GetFontInfo(text, index, name, 128, flags)
            bold = is_bold(name.value.decode("utf-8", "replace")) or c.FPDFText_GetFontWeight(text, index) >= _HEAVY
            self._styles[drawn] = bold, pale
        return self._styles[drawn]

    def _drawings(self) -> tuple[list[Box], bool]:
        rules: list[Box] = []
        has_images = False
        # PDFium gives the objects of a form in the form's own space; `get_objects` tells the form they stand in
        for drawn in self._page.get_objects(filter=(c.FPDF_PAGEOBJ_PATH, c.FPDF_PAGEOBJ_IMAGE), max_depth=_DEEPEST):
            if drawn.type == c.FPDF_PAGEOBJ_IMAGE:
                has_images = True
                continue
            rules += self._path(drawn.raw, _place(drawn))
        return rules, has_images

    def _path(self, path: Any, place: Callable[[float, float], tuple[float, float]]) -> list[Box]:
        x, y = ctypes.c_float(), ctypes.c_float()
        points: list[tuple[float, float]] = []
        found: list[Box] = []
        for number in range(max(c.FPDFPath_CountSegments(path), 0)):
            segment = c.FPDFPath_GetPathSegment(path, number)
            if not c.FPDFPathSegment_GetPoint(segment, x, y):
                continue
            kind = c.FPDFPathSegment_GetType(segment)
            if kind == c.FPDF_SEGMENT_MOVETO:
                found += self._stretches(points)
                points = []
            points.append(place(x.value, y.value))
            if c.FPDFPathSegment_GetClose(segment):
                points.append(points[0])
        return found + self._stretches(points)

    def _stretches(self, points: list[tuple[float, float]]) -> list[Box]:
        boxes = rules_along([(x, -y) for x, y in points])
        return [self._box(x0, -bottom, x1, -top) for x0, top, x1, bottom in boxes]


def _place(drawn: Any) -> Callable[[float, float], tuple[float, float]]:
    """Where a point of `drawn` stands on the page: its own matrix, then those of the forms it stands in."""
    matrix = drawn.get_matrix()
    around_it = drawn.container
    while around_it is not None:
        matrix = matrix.multiply(around_it.get_matrix())
        around_it = around_it.container
    return lambda x, y: (matrix.a * x + matrix.c * y + matrix.e, matrix.b * x + matrix.d * y + matrix.f)
