"""The pages of a PDF as pdfminer reads them: it knows Chinese encodings best, and is slow."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from typing import Any

import pdfplumber
from pdfminer.layout import LTChar, LTContainer, LTCurve, LTImage, LTRect
from pdfminer.pdfdocument import PDFPasswordIncorrect
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
        width, height = float(page.width), float(page.height)
        glyphs: list[Glyph] = []
        rules: list[Box] = []
        has_images = False
        styles: dict[tuple[Any, ...], Style] = {}
        for item in _leaves(layout):
            if isinstance(item, LTChar):
                glyph = _glyph(item, height, styles)
                if glyph:
                    glyphs.append(glyph)
            elif isinstance(item, LTCurve):
                rules += _rules(item, height)
            elif isinstance(item, LTImage):
                has_images = True
        page.close()  # lets go of the page's objects, which are many times its size
        return Ink(tuple(glyphs), tuple(rules), width, height, has_images)


def _leaves(items: Iterable[Any]) -> Iterator[Any]:
    for item in items:
        if isinstance(item, LTContainer):
            yield from _leaves(item)
        else:
            yield item


def _glyph(item: LTChar, height: float, styles: dict[tuple[Any, ...], Style]) -> Glyph | None:
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
    return Glyph(text, item.x0, height - item.y1, item.x1, height - item.y0, size or 1.0, style)


def _is_pale(color: Any, space: str) -> bool:
    values = color if isinstance(color, (tuple, list)) else (color,)
    if not all(isinstance(value, (int, float)) for value in values):
        return False
    if space in _INK_NOT_LIGHT:
        return len(values) == 1 and is_pale((1 - values[0],))
    return is_pale(tuple(values))


def _rules(item: LTCurve, height: float) -> list[Box]:
    if isinstance(item, LTRect):
        return around((item.x0, height - item.y1, item.x1, height - item.y0))
    points = [(x, height - y) for x, y in item.pts]
    return rules_along(points)
