"""Lexical index: BM25 (Lucene's form, computed by bm25s) over words, numbers, and Chinese characters and their pairs."""

from __future__ import annotations

import logging
import re
from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import bm25s
import numpy as np
from numpy.typing import NDArray

from rag.corpus.folding import plain
from rag.corpus.numerals import AMOUNT, NUMERALS, amount, number
from rag.corpus.ranking import Hit, top_k

# the library sets its logger to DEBUG, and every index it builds would be a line in the app's log
logging.getLogger(bm25s.__name__).setLevel(logging.WARNING)

# As for short passages: repeats of a term soon count no more, and length matters little among chunks of one size.
K1: Final = 0.9
B: Final = 0.4

# Han with its extensions, kana, hangul: written without spaces, so single characters and pairs are the terms.
_CJK = r"\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff\u3040-\u30ff\uac00-\ud7af"
_LETTERS = rf"[^\W_{_CJK}]+"
# Letters and digits hang together over - _ . so that VPN-4031, HR-F-012 and 3.5 are one term each, digits alone over /
# too, as in 2026/10/01, but not words (VPN/WiFi are two); 3,000 is 3000, and so is 3千.
_PIECE = re.compile(
    rf"(?P<amount>{AMOUNT})|(?P<numeral>[{NUMERALS}]+)|(?P<characters>(?:(?![{NUMERALS}])[{_CJK}])+)"
    rf"|(?P<thousands>\d{{1,3}}(?:,\d{{3}})+(?:\.\d+)?(?![^\W{_CJK}]))"
    rf"|(?P<word>\d+(?:/\d+)+(?![-_.]?[^\W_{_CJK}])|{_LETTERS}(?:[-_.]{_LETTERS})*)"
)
_CHARACTER, _WORD = re.compile(f"[{_CJK}]"), re.compile(_LETTERS)
# Inside a code only the dashes and the minus stand for a hyphen: between words and numbers they part (2020–2026).
_DASHED = re.compile(rf"(?<![^\W{_CJK}])[a-z][a-z0-9]*(?:[-\u2012\u2013\u2212][a-z0-9]+)+(?![^\W{_CJK}])")
_DASH = re.compile("[\u2012\u2013\u2212]")
_PLAIN_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_DIGIT = re.compile(r"\d")
_JOINT = re.compile(r"[-_./]")
# A code holds a digit and a letter, or digits with a joint that makes no number of them.
_NAME = re.compile(rf"\d+[章节条款项]|(?=.*\d)(?=.*[a-z])[^{_CJK}]+|\d+(?:[-_/]\d+)+|\d+(?:\.\d+){{2,}}")
_JOINED_PARTS = 4
"""Of a code with more parts, such as a host name, only shorter stretches than this and single parts are terms too."""

# Words by which one asks. The texts asked about hardly hold them, so that BM25 would take the few that do for the best.
_ASKING = re.compile(
    "什么时候|什么|怎么办|怎么样|怎么|怎样|多少|多久|多长|多大|哪些|哪里|哪儿|哪个|哪|谁|(?<![申邀])请问|如何|为什么|为何|是否"
    "|是不是|有没有|能不能|可不可以|要不要|行不行|会不会"
    r"|[吗呢吧啊呀嘛](?=\W|$)"  # they end a sentence; elsewhere they belong to a word (网吧)
)
_ENGLISH = frozenset(
    "a about am an and any are as at be been but by can could did do does for from had has have he her how i if in into is it its "
    "many may me might much must my no not of on or our per shall she should than that the their them then there these they this "
    "those to us was we were what when where which who whom whose why will with would you your".split()
)


class Term(NamedTuple):
    """A term and the half-open span of the text it was read from."""

    term: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Contribution:
    """What a term gives to a passage's score: `score`, for the `asked` times it is looked for; `found` times it stands in the passage."""

    term: str
    asked: float
    found: int
    score: float


class _Piece(NamedTuple):
    """What terms are made of; `pairs`: it is written without spaces and makes a pair with its neighbour."""

    term: str
    start: int
    end: int
    pairs: bool


def _read(text: str) -> str:
    """`text` as its terms are read: folded, in simplified characters, and in a code each dash a hyphen; as long as before."""

    def joined(match: re.Match[str]) -> str:
        return _DASH.sub("-", match.group()) if _DIGIT.search(match.group()) else match.group()

    return _DASHED.sub(joined, plain(text))


def terms(text: str) -> list[Term]:
    """The terms of a text, in order, in simplified characters. A number is one term however it is written, and makes pairs as a character does.

    >>> [t.term for t in terms("年假15天，VPN-4031")]
    ['年', '年假', '假', '假15', '15', '15天', '天', 'vpn-4031', 'vpn', '4031']
    >>> [t.term for t in terms("第八十二条")] == [t.term for t in terms("第82條")]
    True
    """
    out: list[Term] = []
    before: _Piece | None = None
    for piece in _pieces(_read(text)):
        if before is not None and before.pairs and piece.pairs and before.end == piece.start:
            out.append(Term(before.term + piece.term, before.start, piece.end))
        out.append(Term(piece.term, piece.start, piece.end))
        if not piece.pairs:
            out += _parts(piece)
        before = piece
    return out


def query_terms(question: str) -> list[Term]:
    """The terms to look for: without the words by which one asks, and of a code, which holds a digit, only the whole.

    A question of nothing else keeps them. An English one is kept when its letters are capitals (IT, US, WHO), when it
    begins with one inside a sentence (in May), and in a question that is Chinese.

    >>> [t.term for t in query_terms("VPN-4031是什么？")], [t.term for t in query_terms("What is it?")]
    (['vpn-4031', '是'], ['what', 'is', 'it'])
    >>> [t.term for t in query_terms("Who is in IT?")]
    ['it']
    """
    folded = _read(question)
    rest = _ASKING.sub(lambda match: " " * len(match.group()), folded)
    chinese = len(_CHARACTER.findall(folded)) >= len(_WORD.findall(folded))
    wanted = _without_parts(term for term in terms(rest) if chinese or not _is_function_word(term, question))
    return wanted or _without_parts(iter(terms(folded)))


def names(question: str) -> frozenset[str]:
    """Those terms of a question that name one thing: codes, form numbers, models, and numbered clauses (82条).

    >>> sorted(names("VPN-4031怎么处理？《劳动合同法》第八十二条、15天、3.5万元、2026-10-01"))
    ['2026-10-01', '82条', 'vpn-4031']
    """
    return frozenset(t.term for t in query_terms(question) if _NAME.fullmatch(t.term))


def _is_function_word(term: Term, question: str) -> bool:
    """Whether it is one of the English words by which one asks, and not written as a name."""
    if term.term not in _ENGLISH:
        return False
    written, before = question[term.start : term.end], question[: term.start].rstrip()
    inside = before[-1:].isalnum() or before[-1:] in {",", ";"}  # of a sentence, at whose start any word has a capital
    return len(written) == 1 or not (written.isupper() or (inside and written[0].isupper()))


def _without_parts(found: Iterator[Term]) -> list[Term]:
    """Drops the terms that lie inside a code read before them; the parts of a word without digits (full-time) stay."""
    out: list[Term] = []
    code: Term | None = None
    for term in found:
        if code is not None and code.start <= term.start and term.end <= code.end:
            continue
        out.append(term)
        is_code = _JOINT.search(term.term) and _DIGIT.search(term.term) and not _PLAIN_NUMBER.fullmatch(term.term)
        code = term if is_code else None
    return out


def _pieces(folded: str) -> Iterator[_Piece]:
    for match in _PIECE.finditer(folded):
        written, start, end = match.group(), match.start(), match.end()
        if match.lastgroup == "characters":
            for i, c in enumerate(written, start):
                yield _Piece(c, i, i + 1, True)
        elif match.lastgroup == "amount":
            yield _Piece(amount(written), start, end, True)
        elif match.lastgroup == "numeral":
            value = number(written)
            if value is not None:
                yield _Piece(value, start, end, True)
            else:
                yield from (_Piece(c, start + i, start + i + 1, True) for i, c in enumerate(written))
        elif match.lastgroup == "word":
            yield _Piece(written, start, end, _PLAIN_NUMBER.fullmatch(written) is not None)
        else:
            yield _Piece(written.replace(",", ""), start, end, True)


def _parts(piece: _Piece) -> Iterator[Term]:
    """The shorter stretches of a code, for who asks for a part of it: HR-F-012 for F-012, 2026-10-01 for 2026-10."""
    edges = [0, *(m.end() for m in _JOINT.finditer(piece.term)), len(piece.term) + 1]
    n = len(edges) - 1
    for a in range(n):
        for b in range(a + 1, min(a + _JOINED_PARTS, n + 1)):
            if b - a < n:
                start, end = edges[a], edges[b] - 1
                yield Term(piece.term[start:end], piece.start + start, piece.start + end)


class LexicalIndex:
    """BM25 over passages, in the order of the corpus's chunks."""

    def __init__(self, passages: Sequence[str]) -> None:
        self._n = len(passages)
        numbers: dict[str, int] = {}
        # each term once, and four bytes for every time it stands somewhere: as strings they would take twenty times the memory
        read = [array("i", (numbers.setdefault(t.term, len(numbers)) for t in terms(p))) for p in passages]
        self._bm25: bm25s.BM25 | None = None
        if numbers:
            self._bm25 = bm25s.BM25(k1=K1, b=B, method="lucene")
            self._bm25.index((read, numbers), show_progress=False)

    def scores(self, query: str) -> NDArray[np.float32]:
        """BM25 of every passage: ``(n,) float32``, ≥ 0; a term that is repeated in the query counts as often."""
        wanted = [t.term for t in query_terms(query)]
        if self._bm25 is None or not wanted:
            return np.zeros(self._n, dtype=np.float32)
        return np.asarray(self._bm25.get_scores(wanted), dtype=np.float32)

    def search(self, query: str, k: int, allowed: NDArray[np.bool_] | None = None) -> list[Hit]:
        """The `k` best passages that share a term with `query`, sorted by ``(-score, position)``; none of score 0."""
        scores = self.scores(query)
        matching = scores > 0
        return top_k(scores, k, matching if allowed is None else matching & allowed)

    def contributions(self, query: str, passage: str, position: int) -> list[Contribution]:
        """What each term of `query` gives to the score of the passage at `position`, the greatest first; they sum to ``scores(query)[position]``.

        `passage` is its text, in which the terms are counted. Terms that give nothing are left out.

        >>> index = LexicalIndex(["年假15天", "设备3000元"])
        >>> [(c.term, c.asked, c.found, round(c.score, 4)) for c in index.contributions("15天 15天", "年假15天", 0)]
        [('15', 2, 1, 0.7296), ('15天', 2, 1, 0.7296), ('天', 2, 1, 0.7296)]
        """
        if self._bm25 is None:
            return []
        found = Counter(t.term for t in terms(passage))
        out = []
        for term, asked in Counter(t.term for t in query_terms(query)).items():
            if found[term]:
                score = asked * float(self._bm25.get_scores([term])[position])
                out.append(Contribution(term, asked, found[term], score))
        return sorted(out, key=lambda c: -c.score)
