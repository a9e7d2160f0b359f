"""The pages of a PDF as pdfminer reads them: it knows Chinese encodings best, and is slow."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from typing import Any

import pdfplumber
from pdfminer.layout import LTChar, LTContainer, LTCurve, LTImage, LTRect
from pdfminer.pdfdocument import PDFPasswordIncorrect
from pdfminer.pdfpage import PDFPage
from pdfminer.utils import apply_matrix_rect
from pdfplumber.utils.exceptions import MalformedPDFException, PdfminerException

from rag.corpus.load.container import damaged
from rag.corpus.load.ink import SLANTED, Box, Glyph, Ink, Style, around, is_bold, is_pale, rules_along, turn_of
from rag.errors import LoadError

_INK_NOT_LIGHT = ("Separation", "DeviceN")


class PdfminerEngine:
    """A PDF opened by pdfminer, through pdfplumber, which mends what it can of a damaged file."""

    name = "pdfminer"

    def __init__(self, name: str, data: bytes) -> None:
        """Raises `LoadError` when the file needs a password or is damaged."""
        self._file = name
        try:
            self._source = pdfplumber.open(io.BytesIO(data))
        except PdfminerException as error:
            if any(isinstance(argument, PDFPasswordIncorrect) for argument in error.args):
                raise LoadError(
                    en=f"{name}: it is encrypted and needs a password to open. Save a copy without one.",
                    zh=f"{name}：文件已加密，需要密码才能打开，请另存为无密码的副本。",
                ) from error
            raise damaged(name) from error
        try:
            self.n_pages = len(self._source.pages)
        except MalformedPDFException as error:
            raise damaged(name) from error
        self.metadata: dict[str, Any] = self._source.metadata

    def close(self) -> None:
        """Let go of the file."""
        self._source.close()

    def ink(self, index: int) -> Ink:
        """Page `index`, from 0. Raises `LoadError` when it is damaged."""
        page = self._source.pages[index]
        try:
            layout = page.layout
        except PdfminerException as error:
            raise damaged(self._file) from error
        left, bottom, right, top = _shown(page.page_obj)
        glyphs: list[Glyph] = []
        rules: list[Box] = []
        has_images = False
        styles: dict[tuple[Any, ...], Style] = {}
        for item in _leaves(layout):
            if isinstance(item, LTChar):
                glyph = _glyph(item, left, top, styles)
                if glyph:
                    glyphs.append(glyph)
            elif isinstance(item, LTCurve):
                rules += _rules(item, left, top)
            elif isinstance(item, LTImage):
                has_images = True
        page.close()  # lets go of the page's objects, which are many times its size
        return Ink(tuple(glyphs), tuple(rules), right - left, top - bottom, has_images)


def _shown(page: PDFPage) -> tuple[float, float, float, float]:
    """Left, bottom, right and top of the part of a page that is shown, as pdfminer lays it: turned, y upwards."""
    x0, y0, x1, y1 = map(float, page.mediabox)
    matrix = {90: (0, -1, 1, 0, -y0, x1), 180: (-1, 0, 0, -1, x1, y1), 270: (0, 1, -1, 0, y1, -x0)}
    place = matrix.get(page.rotate, (1, 0, 0, 1, -x0, -y0))
    whole = apply_matrix_rect(place, (x0, y0, x1, y1))
    crop = apply_matrix_rect(place, page.cropbox)
    left, bottom = max(whole[0], crop[0]), max(whole[1], crop[1])
    right, top = min(whole[2], crop[2]), min(whole[3], crop[3])
    return (left, bottom, right, top) if left < right and bottom < top else whole


def _leaves(items: Iterable[Any]) -> Iterator[Any]:
    for item in items:
        if isinstance(item, LTContainer):
            yield from _leaves(item)
        else:
            yield item


def _glyph(item: LTChar, left: float, top: float, styles: dict[tuple[Any, ...], Style]) -> Glyph | None:
    text = item.get_text()
    if not text:
        return None
    a, b = item.matrix[:2]
    color = item.graphicstate.ncolor
    key = (item.fontname, a, b, str(color))
    style = styles.get(key)
    if style is None:
        font = item.fontname if isinstance(item.fontname, str) else bytes(item.fontname).decode("latin-1")
        style = styles[key] = Style(turn_of(a, b), is_bold(font), _is_pale(color, item.ncs.name))
    size = item.width if style.turn in (90, 270) else item.height
    if style.turn == SLANTED:
        size = max(item.width, item.height) / 1.4
    return Glyph(text, item.x0 - left, top - item.y1, item.x1 - left, top - item.y0, size or 1.0, style)


def _is_pale(color: Any, space: str) -> bool:
    values = color if isinstance(color, (tuple, list)) else (color,)
    if not all(isinstance(value, (int, float)) for value in values):
        return False
    if space in _INK_NOT_LIGHT:
        return len(values) == 1 and is_pale((1 - values[0],))
    return is_pale(tuple(values))


def _rules(item: LTCurve, left: float, top: float) -> list[Box]:
    if isinstance(item, LTRect):
        return around((item.x0 - left, top - item.y1, item.x1 - left, top - item.y0))
    points = [(x - left, top - y) for x, y in item.pts]
    return rules_along(points)
