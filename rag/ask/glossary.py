"""Words that mean the same: a file of groups, a visitor's own lines, and the synonyms of the words of a question."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from rag.corpus.folding import plain
from rag.errors import SettingError

FILE: Final = Path(__file__).with_suffix(".txt")
LONGEST: Final = 40
"""Characters of a word at most: a glossary holds words, not sentences."""
MOST: Final = 8
"""Synonyms that are added to one question at most."""

_EQUALS = re.compile("[=＝]")
_LETTER = re.compile(r"\w")


@dataclass(frozen=True, slots=True)
class Group:
    """Words of one meaning, at least two, in the order they were written."""

    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Expansion:
    """A word of a question, ``question[start:end]``, and the `synonyms` that are searched with it, at least one."""

    start: int
    end: int
    synonyms: tuple[str, ...]


def parse(written: str, where_en: str, where_zh: str) -> tuple[Group, ...]:
    """The groups of a glossary: a line each, words between ``=``; empty lines and those that begin with ``#`` say nothing.

    Raises `SettingError` that names the line (`where_en`, `where_zh`: of what) when it holds fewer than two different
    words, an empty one, one without a letter or one of more than `LONGEST` characters.

    >>> parse("# leave\\n年假 = 带薪年休假\\n", "the glossary", "词表")
    (Group(words=('年假', '带薪年休假')),)
    """
    groups = []
    for n, line in enumerate(written.splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        words = tuple(dict.fromkeys(word.strip() for word in _EQUALS.split(line)))
        wrong = next((w for w in words if not _LETTER.search(w) or len(w) > LONGEST), None)
        if wrong is not None or len(words) < 2:
            raise SettingError(
                en=f"{where_en}, line {n} ({line.strip()[:60]!r}): a line is words of at most {LONGEST} characters with = between, "
                "for example: 年假 = 带薪年休假. Correct it or remove it.",
                zh=f"{where_zh}第 {n} 行（{line.strip()[:60]!r}）：每行应为用「=」隔开的词，每个词最多 {LONGEST} 个字符，例如：年假 = 带薪年休假。请改正或删除这一行。",
            )
        groups.append(Group(words))
    return tuple(groups)


@cache
def built_in() -> tuple[Group, ...]:
    """The groups of the file that comes with the package; read once."""
    return parse(FILE.read_text(encoding="utf-8"), f"The file {FILE.name}", f"文件 {FILE.name} ")


def expand(question: str, groups: Sequence[Group]) -> tuple[Expansion, ...]:
    """The words of `question` that stand in `groups`, each with its synonyms that the question does not hold, in the question's order.

    Width, case and Traditional characters do not matter; a word in Latin letters has to stand by itself; a word inside
    a longer one of the glossary (年假 in 带薪年假制) counts only where the longer one does not stand.
    At most `MOST` synonyms.

    >>> expand("年假有几天？", (Group(("年假", "带薪年休假")),))
    (Expansion(start=0, end=2, synonyms=('带薪年休假',)),)
    """
    text = plain(question)
    meant: dict[str, list[Group]] = {}
    for group in groups:
        for word in dict.fromkeys(map(plain, group.words)):
            meant.setdefault(word, []).append(group)
    out: list[Expansion] = []
    added: set[str] = set()
    read: set[int] = set()  # a group where it stands first: a second time it has nothing to add
    for start, end in _outer(text, meant):
        for group in meant[text[start:end]]:
            if id(group) not in read and len(added) < MOST:
                read.add(id(group))
                fresh = tuple(w for w in group.words if plain(w) not in text and w not in added)[: MOST - len(added)]
                added.update(fresh)
                if fresh:
                    out.append(Expansion(start, end, fresh))
    return tuple(out)


def _outer(text: str, words: Collection[str]) -> list[tuple[int, int]]:
    """Where `words` stand in `text`, from its beginning, without those inside a longer one."""
    # most words of a glossary are not in the question, and a pattern is made only of one that is
    found = {m.span() for word in words if word in text for m in re.finditer(_pattern(word), text)}
    out: list[tuple[int, int]] = []
    reached = 0
    for start, end in sorted(found, key=lambda span: (span[0], -span[1])):
        if end > reached:  # else one that begins no later ends no earlier
            out.append((start, end))
            reached = end
    return out


def substituted(question: str, expansions: Sequence[Expansion]) -> str:
    """`question` with the first synonym of each word in its place; words that overlap an earlier one stay.

    >>> substituted("年假有几天？", expand("年假有几天？", (Group(("年假", "带薪年休假")),)))
    '带薪年休假有几天？'
    """
    out, at = [], 0
    for expansion in expansions:
        if expansion.start >= at:
            out += [question[at : expansion.start], expansion.synonyms[0]]
            at = expansion.end
    return "".join((*out, question[at:]))


def _pattern(word: str) -> str:
    before = r"(?<![a-z0-9])" if re.match("[a-z0-9]", word) else ""
    after = r"(?![a-z0-9])" if re.search(r"[a-z0-9]\Z", word) else ""
    return before + re.escape(word) + after
