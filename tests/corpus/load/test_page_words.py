"""Every word of a page is in its text or among what is noted as left out, once."""

import random
import re
from collections.abc import Callable, Iterator

import pytest

from rag.corpus.load import load
from rag.errors import EmptyDocument, UnsafeFile
from tests.corpus.load.files import checked

_INLINE = ("b", "span", "a", "font", "em")
_BLOCK = ("p", "div", "section", "blockquote", "center", "form")
_HIDING = (
    "<{tag} hidden>{inside}</{tag}>",
    "<{tag} style='display:none'>{inside}</{tag}>",
    "<{tag} aria-hidden=true>{inside}</{tag}>",
    "<!-- {inside} -->",
)


class _Maker:
    """Pages of words w1e, w2e …, some of them hidden."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.seen: list[str] = []
        self.hidden: list[str] = []

    def word(self, hidden: bool = False) -> str:
        made = f"w{len(self.seen) + len(self.hidden)}e"
        (self.hidden if hidden else self.seen).append(made)
        return f" {made} "

    def inline(self) -> str:
        return "".join(self._inline() for _ in range(self.rng.randint(1, 3)))

    def _inline(self) -> str:
        kind = self.rng.random()
        if kind < 0.5:
            return self.word()
        tag = self.rng.choice(_INLINE)
        if kind < 0.7:
            return f"<{tag}>{self.word()}</{tag}>"
        if kind < 0.9:
            return self.rng.choice(_HIDING).format(tag=tag, inside=self.word(hidden=True))
        return "<br>" + self.word()

    def block(self, deep: int = 2) -> str:
        kind = self.rng.randrange(7)
        if kind == 0:
            level = self.rng.randint(1, 6)
            return f"<h{level}>{self.inline()}</h{level}>"
        if kind == 1:
            return f"<pre>{self.inline()}\n{self.inline()}</pre>"
        if kind == 2:
            return f"<ul>{''.join(f'<li>{self.inline()}' for _ in range(2))}</ul>"
        if kind == 3:
            return f"<dl><dt>{self.inline()}<dd>{self.inline()}</dl>"
        if kind == 4:
            return f"<table>{''.join(self.in_table())}</table>"
        if kind == 5 and deep:
            tag = self.rng.choice(_BLOCK)
            return f"<{tag}>{self.inline()}{self.block(deep - 1)}{self.block(deep - 1)}</{tag}>"
        return f"<p>{self.inline()}</p>"

    def in_table(self) -> Iterator[str]:
        rng = self.rng
        if rng.random() < 0.4:
            yield f"<caption>{self.inline()}</caption>"
        for _ in range(rng.randint(1, 3)):
            if rng.random() < 0.3:
                yield self.word()  # in no cell
            if rng.random() < 0.1:
                yield f"<tr hidden><td>{self.word(hidden=True)}</td></tr>"
            cells = "".join(f"<{t}>{self.inline()}</{t}>" for t in rng.choices(("td", "th"), k=rng.randint(1, 3)))
            if rng.random() < 0.3:
                cells += f"<td style='display: none'>{self.word(hidden=True)}</td>"
            if rng.random() < 0.3:
                cells = f"<form>{cells}</form>"
            yield f"<tr>{self.word() if rng.random() < 0.2 else ''}{cells}</tr>"


def test_every_word_is_in_the_text_or_noted(seeds: Callable[[int], range]) -> None:
    for seed in seeds(1000):
        made = _Maker(random.Random(seed))
        page = "<html><body>" + "".join(made.block() for _ in range(4)) + "</body></html>"
        if not made.seen:
            continue
        (document,) = load("a.html", page.encode())
        checked(document)
        shown = re.findall(r"w\d+e", document.text)
        # a column's name stands in every row that has a value in it, and in any case in the table's header
        names = re.findall(r"w\d+e", " ".join(table.header for table in document.tables))
        assert {*shown, *names} == set(made.seen), (seed, page)
        rows = [document.text[table.start : table.end] for table in document.tables]
        in_rows = {word for row in rows for word in re.findall(r"w\d+e", row)}
        assert all(shown.count(word) <= 1 for word in made.seen if word not in in_rows), (seed, page)
        noted = re.findall(r"w\d+e", " ".join(r.text for r in document.removed))
        assert sorted(noted) == sorted(made.hidden), (seed, page)


@pytest.mark.parametrize(
    ("table", "text"),
    [
        ("<tr><form><td>甲<td>乙</form></tr><tr><td>一<td>1</tr>", "甲: 一；乙: 1"),
        ("单位：元<tr><td>甲<td>乙<tr><td>一<td>1", "单位：元\n\n甲: 一；乙: 1"),
        ("<tr><td>甲<td>乙<td hidden>丙<tr><td>一<td>1<td hidden>藏", "甲: 一；乙: 1"),
        ("<thead hidden><tr><td>藏</thead><tr><td>甲<td>乙<tr><td>一<td>1", "甲: 一；乙: 1"),
        ("<tr><th>甲<th>乙<tr><td> <td>", "甲 | 乙"),
        ("<caption>标准<span hidden>藏</span></caption><tr><td>甲<td>乙<tr><td>一<td>1", "标准\n\n甲: 一；乙: 1"),
    ],
)
def test_tables_that_hold_more_than_rows_of_cells(table: str, text: str) -> None:
    (document,) = load("a.html", f"<html><table>{table}</table></html>".encode())
    assert document.text == text
    assert {r.why for r in document.removed} == ({"hidden"} if "hidden" in table else set())


@pytest.mark.parametrize(
    "body", ["<h1>第一章<span hidden>藏</span> 总则</h1>", "<pre>第一章<i hidden>藏</i> 总则</pre>"]
)
def test_hidden_words_in_headings_and_in_text_as_written(body: str) -> None:
    (document,) = load("a.html", f"<html>{body}</html>".encode())
    assert document.text == "第一章 总则"
    assert [(r.text, r.why) for r in document.removed] == [("藏", "hidden")]


def test_spans_are_bounded_as_in_browsers() -> None:
    (document,) = load("a.html", b"<html><table><tr><td colspan=600000>a</td></tr><tr><td>b<td>c</tr></table></html>")
    assert "a" in document.text and "b" in document.text
    with pytest.raises(UnsafeFile):
        load("a.html", b"<html><table>" + b"<tr><td colspan=1000>a</td></tr>" * 501 + b"</table></html>")
    with pytest.raises(EmptyDocument):
        load("a.html", b"<html><table><tr><td colspan=1000></td></tr></table></html>")
