r"""Bytes in rich text that does not say their encoding: read by evidence, as in any other text, and written as numbers."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from rag.corpus.load.encoding import decode
from rag.corpus.load.legible import POOR, legible
from rag.corpus.load.spoiled import doubts
from rag.errors import Bilingual, LoadError

_RUN = re.compile(r"(?:\\'[0-9a-f]{2})+", re.IGNORECASE)
_CHARSET = re.compile(r"\\fcharset(\d{1,3})")
# Fonts of these say nothing: Western, whatever the system has, signs.
_ANY = frozenset(("0", "1", "2"))
_HIGH_RUN, _ALONE = re.compile(rb"[\x80-\xff]+"), 0.8
_SILENT = ("", "1252")


@dataclass(frozen=True, slots=True)
class Spelled:
    """The source to be read, how its bytes were found (empty: as it declares), and what a person should know."""

    source: str
    reading: Bilingual = field(default=Bilingual(en="", zh=""))
    warnings: tuple[Bilingual, ...] = ()


def by_evidence(name: str, source: str, page: str) -> Spelled:
    r"""`source` with its ``\'xx`` as characters by number where neither code page nor fonts say what they are.

    `page` is the code page it declares, empty for none: 1252 stands in many a file that is not Western. Bytes that stand
    alone between letters are accents; bytes that are text in no encoding known stay as they are, with a warning.
    """
    fonts = set(_CHARSET.findall(source))
    runs = [bytes.fromhex(run.replace("\\'", "")) for run in _RUN.findall(source)]
    high = _HIGH_RUN.findall(b"\n".join(runs))
    if page not in _SILENT or not fonts <= _ANY or sum(len(run) == 1 for run in high) >= _ALONE * len(high):
        return Spelled(source)
    try:
        found = decode(name, b"\n".join(run.replace(b"\n", b" ").replace(b"\r", b" ") for run in runs))
    except LoadError:
        return Spelled(source, warnings=(_not_stated(name),))
    lines = found.text.split("\n")
    if len(lines) != len(runs):
        return Spelled(source, warnings=(_not_stated(name),))
    shown = iter(lines)
    mangled = doubts(name, found.text)  # which `misgivings` looks for where lines can be counted
    warnings = tuple(warning for warning in found.warnings if warning not in mangled)
    return Spelled(_RUN.sub(lambda _: _numbers(next(shown)), source), found.as_kind("rich text", "RTF"), warnings)


def misgivings(name: str, text: str) -> tuple[Bilingual, ...]:
    """Warnings about a text that reads like rubbish."""
    found = doubts(name, text)
    if not found and legible(text) < POOR:
        found = (
            Bilingual(
                en=f"{name}: it does not read like text; its encoding may be another one. Check it, or save it as .docx.",
                zh=f"{name}：内容不像正常文字，编码可能有误。请检查，或另存为 .docx。",
            ),
        )
    return found


def _not_stated(name: str) -> Bilingual:
    return Bilingual(
        en=f"{name}: it does not say which encoding it is in, and was read as Western. Check that the text reads well.",
        zh=f"{name}：文件没有说明编码，已按西欧文字读取，请检查文字是否正常。",
    )


def _numbers(text: str) -> str:
    units = text.encode("utf-16-le", "surrogatepass")
    numbers = (int.from_bytes(units[n : n + 2], "little", signed=True) for n in range(0, len(units), 2))
    return "{\\uc0" + "".join(f"\\u{number} " for number in numbers) + "}"
