"""Answer text → sentences and citations: the model's own markers, checked, and the system's attribution for the rest.

Attribution. A sentence without a valid marker gets the packed evidence that shares most of its character bigrams, if
that share reaches `FLOOR` and the evidence holds every number of the sentence; otherwise it gets none.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rag.ask.prompt import NOT_FOUND
from rag.corpus.lexical import fold
from rag.types import Citation, Document, Evidence, Sentence

# Least share of a sentence's bigrams that its source must hold. Stated, not fitted: half of what the sentence says.
FLOOR = 0.5
# Sentences of a source that one sentence of the answer may rest on together.
RUN = 3

# [S1]  [S1, S3]  ［S1］  【S1】  (S1)  [2]
_MARKER = re.compile(r"[\[［【]\s*(?P<a>S?\d{1,2}(?:\s*[,，、]\s*S?\d{1,2})*)\s*[\]］】]|[(（]\s*(?P<b>S\d{1,2}(?:\s*[,，、]\s*S\d{1,2})*)\s*[)）]", re.I)  # fmt: skip
_NUMBER_IN_MARKER = re.compile(r"S?(\d{1,2})", re.I)
# What may still become a marker when more text comes: an open bracket and the first characters of a marker.
_UNFINISHED = re.compile(r"[\[［【(（][\sS\d,，、]*\Z", re.I)
_SENTENCE_END = re.compile(r"[。！？!?；;]+[”’」』）)]*|\.(?=\s|$)|\n+")
_TOKEN = re.compile(r"\d+(?:[.,]\d+)*|[a-z]+|[^\W\d_a-z]")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")


@dataclass(frozen=True, slots=True)
class Cited:
    """What `cite` found, in text order."""

    citations: tuple[Citation, ...]
    sentences: tuple[Sentence, ...]


def settled(text: str) -> str:
    """The part of a growing answer that later text cannot turn into a marker.

    >>> settled("每年15天[S"), settled("每年15天[S1]")
    ('每年15天', '每年15天[S1]')
    """
    match = _UNFINISHED.search(text)
    return text[: match.start()] if match else text


@dataclass(frozen=True, slots=True)
class Passage:
    """A run of source sentences: its `span` in the document, its bigrams and its numbers."""

    span: tuple[int, int]
    bigrams: frozenset[tuple[str, ...]]
    numbers: frozenset[str]


@dataclass(frozen=True, slots=True)
class Source:
    """A packed piece of evidence, read once for all sentences of an answer: as a whole, and in runs of sentences."""

    marker: str
    chunk_id: str
    bigrams: frozenset[tuple[str, ...]]
    numbers: frozenset[str]
    passages: tuple[Passage, ...]


def sources(packed: Sequence[Evidence], documents: Mapping[str, Document]) -> tuple[Source, ...]:
    """What `cite` compares sentences with, in the order of `packed`."""
    return tuple(_source(evidence, documents[evidence.chunk.key].text) for evidence in packed)


def _source(evidence: Evidence, text: str) -> Source:
    passages = []
    for start, end in evidence.spans:
        spans = [(start + a, start + b) for a, b, _ in _sentences(text[start:end])]
        for i in range(len(spans)):
            for j in range(i, min(i + RUN, len(spans))):
                a, b = spans[i][0], spans[j][1]
                passages.append(Passage((a, b), _bigrams(text[a:b]), _numbers(text[a:b])))
    whole = "\n".join(text[a:b] for a, b in evidence.spans)
    return Source(evidence.marker, evidence.chunk.chunk_id, _bigrams(whole), _numbers(whole), tuple(passages))


def cite(text: str, packed: Sequence[Source], done: bool) -> Cited:
    """Find and check the markers of `text` and attribute its other sentences.

    While the answer grows (`done` False) the last, unfinished sentence is not attributed yet.
    """
    citations: list[Citation] = []
    sentences: list[Sentence] = []
    for start, end, complete in _sentences(text):
        bare = _MARKER.sub("", text[start:end])
        markers = _markers(text, (start, end), bare, packed)
        citations += markers
        if _is_refusal(bare):
            sentences.append(Sentence(start, end, "refusal"))
        elif any(c.chunk_id for c in markers) and _bigrams(bare):  # a marker alone carries nothing: no words
            sentences.append(Sentence(start, end, "model"))
        elif complete or done:
            found = _attribute(bare, end, packed)
            citations += [found] if found else []
            sentences.append(Sentence(start, end, "system" if found else "none"))
    return Cited(tuple(citations), tuple(sentences))


def without_markers(text: str) -> str:
    """What a finished answer says by itself: without markers, also one that was cut off, and without sentences that refuse.

    >>> without_markers("每年15天[S1]。未休完的不累计[S"), without_markers(NOT_FOUND["zh"] + "[S2]")
    ('每年15天。未休完的不累计', '')
    """
    text, said, before = settled(text), "", 0
    for _, end, _ in _sentences(text):
        bare = _MARKER.sub("", text[before:end])
        said += "" if _is_refusal(bare) else bare
        before = end
    return said


def _sentences(text: str) -> list[tuple[int, int, bool]]:
    """Spans of sentences without surrounding blanks, and whether each is closed.

    The last one never is: more text can bring a marker that belongs to it, or turn ``3.`` into ``3.5``.
    """
    out = []
    start = 0
    while start < len(text):
        stop = _SENTENCE_END.search(text, start)
        end = _after_markers(text, stop.end()) if stop else len(text)
        sentence = text[start:end]
        if sentence.strip():
            a = start + len(sentence) - len(sentence.lstrip())
            out.append((a, start + len(sentence.rstrip()), bool(text[end:].strip())))
        start = end
    return out


def _after_markers(text: str, end: int) -> int:
    """Where a sentence that stops at `end` is over: a marker after the stop belongs to it, one that opens a line does not."""
    while True:
        at = len(text) - len(text[end:].lstrip())
        marker = _MARKER.match(text, at)
        if marker is None:
            return end
        rest_of_line = text[marker.end() :].split("\n", 1)[0]
        if "\n" in text[end - 1 : at] and _MARKER.sub("", rest_of_line).strip():
            return end
        end = marker.end()


def _markers(text: str, sentence: tuple[int, int], bare: str, packed: Sequence[Source]) -> list[Citation]:
    """The model's markers in a sentence. ``[9]`` without an S is a marker only when it names something packed."""
    by_marker = {source.marker: source for source in packed}
    out = []
    for match in _MARKER.finditer(text, *sentence):
        numbers = list(_NUMBER_IN_MARKER.finditer(text, *match.span()))
        names = [f"S{int(n.group(1))}" for n in numbers]
        lettered = [n.group()[0] in "Ss" for n in numbers]
        if not any(lettered) and not all(name in by_marker for name in names):
            continue
        # each number owns its stretch of the bracket, so that the stretches together are the whole marker
        edges = [match.start(), *[n.end() for n in numbers[:-1]], match.end()]
        for name, a, b in zip(names, edges, edges[1:], strict=False):
            source = by_marker.get(name)
            if source is None:
                out.append(Citation(name, a, b, None, None, 0.0, "model"))
                continue
            passage, share = _best_passage(bare, source)
            out.append(Citation(name, a, b, source.chunk_id, passage.span, share, "model"))
    return out


def _attribute(bare: str, end: int, packed: Sequence[Source]) -> Citation | None:
    grams, numbers = _bigrams(bare), _numbers(bare)
    best: tuple[float, Source] | None = None
    for source in packed:
        share = _share(grams, source.bigrams)
        if share >= FLOOR and numbers <= source.numbers and (best is None or share > best[0]):
            best = (share, source)
    if best is None:
        return None
    share, source = best
    passage, _ = _best_passage(bare, source)
    return Citation(source.marker, end, end, source.chunk_id, passage.span, share, "system")


def _best_passage(bare: str, source: Source) -> tuple[Passage, float]:
    """The run of at most `RUN` source sentences that shares most with `bare` (the shortest of equals), and the share."""
    grams, numbers = _bigrams(bare), _numbers(bare)

    def key(passage: Passage) -> tuple[float, float, int]:
        share = _share(grams, passage.bigrams)
        return round(share + _share(numbers, passage.numbers), 6), share, passage.span[0] - passage.span[1]

    best = max(source.passages, key=key)
    return best, _share(grams, best.bigrams)


def _share(wanted: frozenset[Any], there: frozenset[Any]) -> float:
    return len(wanted & there) / len(wanted) if wanted else 0.0


def _is_refusal(bare: str) -> bool:
    plain = "".join(_TOKEN.findall(fold(bare)))
    return plain != "" and any(plain == "".join(_TOKEN.findall(fold(s))) for s in NOT_FOUND.values())


def _bigrams(text: str) -> frozenset[tuple[str, ...]]:
    """Pairs of neighbouring tokens (a number, a Latin word or one other letter); a single token stands for itself.

    >>> sorted("".join(pair) for pair in _bigrams("每年15天。"))
    ['15天', '年15', '每年']
    """
    tokens = [_plain_number(t) for t in _TOKEN.findall(fold(text))]
    if len(tokens) == 1:
        return frozenset({(tokens[0],)})
    return frozenset(zip(tokens, tokens[1:], strict=False))


def _numbers(text: str) -> frozenset[str]:
    """Arabic numbers of a text, without thousands separators.

    >>> sorted(_numbers("3,000元，15.5天"))
    ['15.5', '3000']
    """
    return frozenset(_plain_number(n) for n in _NUMBER.findall(fold(text)))


def _plain_number(token: str) -> str:
    return re.sub(r",(?=\d{3}(?!\d))", "", token) if token[0].isdigit() else token
