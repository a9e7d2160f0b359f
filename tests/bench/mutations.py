"""Sentences made false in one place: how many does the check of an answer's sentences pass as supported, and how many true ones does it flag?

    python tests/bench/mutations.py [--each 100] [--seed 0] [--json FILE]

The true ones are the gold sentences of the sample questions as they stand in the policies, shortened, in other words by rule, and in other words by
hand (`paraphrases.txt`); the false ones are these with one number, unit or date, negation or condition, or name changed (`mutating.py`). Each is read as
the whole answer to its question, with the evidence that a search by words packs beside the chunk that holds the sentence; half carry that chunk's marker, as
if the model had written it. A false one passes when no sentence of it is marked unsupported. No model is needed.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT)]

from rag import pipeline  # noqa: E402
from rag.ask.cite import Packed, cite, sources  # noqa: E402
from rag.config import ModelSettings, SearchSettings, Settings, SplitSettings  # noqa: E402
from rag.corpus.folding import fold  # noqa: E402
from rag.corpus.index import Corpus, build  # noqa: E402
from rag.corpus.samples import read  # noqa: E402
from rag.evaluate.labels import Resolver  # noqa: E402
from rag.evaluate.question_files import sample_set  # noqa: E402
from rag.evaluate.statistics import share_interval  # noqa: E402
from rag.models.roles import Models  # noqa: E402
from rag.types import PUBLIC, Chunk, Evidence  # noqa: E402
from tests.bench.mutating import KINDS, mutations  # noqa: E402
from tests.bench.rewording import reworded, shortened, told_of_row  # noqa: E402

FORMS = ("as it stands", "shortened", "in other words", "by hand")
_BY_HAND = Path(__file__).with_name("paraphrases.txt")
_NUMBERED = re.compile(r"^(?:第[一二三四五六七八九十]+条 ?|\d+(?:\.\d+)? |\d+\. |答：|- |例[一二三]：)")
_ENDS = "。！？\n"
_DAY = date(2026, 11, 1)
"""Whatever day it is run, the same versions are in force."""
_ROWS = 2
"""Rows of one table that one question takes: the others say the same of other cities."""


@dataclass(frozen=True)
class Gold:
    """A sentence of a policy that answers a question, the chunks that hold it, and what a search by words packs with them."""

    question: str
    text: str
    packed: tuple[Chunk, ...]
    marker: str


@dataclass(frozen=True)
class Said:
    """An answer to judge. `kind`: what was made false in it, or "" where it is true; `source`: the sentence it was made from."""

    gold: Gold
    form: str
    kind: str
    text: str
    marked: bool

    @property
    def source(self) -> str:
        """The sentence it was made from."""
        return self.gold.text


def golds(corpus: Corpus, draw: random.Random, parts: int = 1) -> list[Gold]:
    """Every sentence that holds a label of a sample question, once; of one question in `parts`, drawn."""
    resolver = Resolver(corpus, corpus.permitted(PUBLIC))
    models = Models(ModelSettings())  # nothing is loaded: the search is by words
    settings = replace(Settings(), search=replace(SearchSettings(), as_of=_DAY))
    current = corpus.current(settings.search, _DAY)
    found: dict[str, Gold] = {}
    questions = sample_set().questions
    for question in draw.sample(questions, len(questions) // parts):
        retrieval = pipeline.retrieve(question.question, corpus, settings, models)
        ranked = [c.chunk for c in retrieval.candidates]
        rows: Counter[str] = Counter()
        # what an older version says otherwise, the version in force would carry
        for place in (place for place in resolver.resolve(question).places if place.key in current):
            document = corpus.documents[place.key]
            start, end = _sentence(document.text, place.start, place.end)
            text = _NUMBERED.sub("", document.text[start:end].strip().replace("\n", " "))
            rows[place.key] += ": " in text
            if text in found or rows[place.key] > _ROWS:
                continue
            holders = [c for c in corpus.chunks if c.key == place.key and c.start < end and start < c.end]
            others = [c for c in ranked if c not in holders][: max(0, settings.search.packed - len(holders))]
            at = draw.randint(0, len(others))
            packed = (*others[:at], *holders, *others[at:])
            found[text] = Gold(question.question, text, packed, f"S{at + 1}")
    return list(found.values())


def _sentence(text: str, start: int, end: int) -> tuple[int, int]:
    """The sentence or the row around ``text[start:end]``; of English, which ends in points, the whole sentence too."""
    while start > 0 and text[start - 1] not in _ENDS and text[start - 2 : start] != ". ":
        start -= 1
    while end < len(text) and text[end - 1] not in _ENDS and text[end - 1 : end + 1] != ". ":
        end += 1
    return start, end


def forms_of(gold: Gold, by_hand: dict[str, list[str]], draw: random.Random) -> Iterator[tuple[str, str]]:
    """The true ways to say a sentence, with the name of the form."""
    row = ": " in gold.text
    yield "as it stands", gold.text
    short = shortened(gold.text, draw)
    if short:
        yield "shortened", short
    other = (
        told_of_row(gold.text, draw)
        if row
        else reworded(short or gold.text if draw.random() < 0.5 else gold.text, draw)
    )
    if other and other != gold.text:
        yield "in other words", other
    for words in by_hand.get(gold.text, []):
        yield "by hand", words


def hand_made(golds_: Sequence[Gold]) -> dict[str, list[str]]:
    """What was written by hand, by the sentence it is about."""
    made: dict[str, list[str]] = {}
    for line in _BY_HAND.read_text(encoding="utf-8").splitlines():
        quote, bar, words = line.partition(" | ")
        if bar and not line.startswith("#"):
            for about in [g.text for g in golds_ if quote in g.text][:1]:
                made.setdefault(about, []).append(words)
    return made


def material(corpus: Corpus, each: int, seed: int, parts: int = 1) -> list[Said]:
    """All true answers, and `each` false ones of every kind, the forms in turns; of one question in `parts`."""
    draw = random.Random(seed)
    found = golds(corpus, draw, parts)
    by_hand = hand_made(found)
    everything = "\n".join(fold(d.text) for d in corpus.documents.values())
    names = sorted(set(re.findall(r"《([^》]+?(?:单|表|协议))》", everything)))
    true = [Said(g, form, "", text, draw.random() < 0.5) for g in found for form, text in forms_of(g, by_hand, draw)]
    false: list[Said] = []
    for kind in KINDS:
        made: dict[str, list[Said]] = {form: [] for form in FORMS}
        for said in draw.sample(true, len(true)) * 2:
            if said.form == "in other words" and kind == "name" and ": " in said.gold.text:
                continue  # what a row says of one city holds of others too
            beside = "\n".join(chunk.passage for chunk in said.gold.packed)
            text = mutations(kind, said.text, beside, names, draw)
            new = text is not None and not any(text == other.text for other in made[said.form])
            if text is not None and new and fold(text.strip("。")) not in everything:
                made[said.form].append(replace(said, kind=kind, text=text))
        turns = [one for rank in range(each) for form in FORMS for one in made[form][rank : rank + 1]]
        false += turns[:each]
    return [*true, *false]


class Check:
    """The line's check of a complete answer; the evidence of one sentence is read once for all that is made of it."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        self._read: dict[Gold, Packed] = {}

    def flagged(self, said: Said) -> bool:
        """Whether something in the answer is marked as unsupported."""
        gold = said.gold
        if gold not in self._read:
            self._read[gold] = sources(evidence_of(gold, self._corpus), self._corpus.documents)
        text = said.text + (f"[{gold.marker}]" if said.marked else "")
        return any(
            sentence.support == "none" for sentence in cite(text, self._read[gold], True, gold.question).sentences
        )


def evidence_of(gold: Gold, corpus: Corpus) -> tuple[Evidence, ...]:
    """What is packed for its question."""
    return tuple(
        Evidence(f"S{n}", chunk, f"[S{n}] {corpus.documents[chunk.key].title}", ((chunk.start, chunk.end),))
        for n, chunk in enumerate(gold.packed, 1)
    )


def share(part: int, whole: int) -> str:
    """``3/200 = 1.5 % [0.5, 4.3]``."""
    found = share_interval(part, whole)
    return (
        f"{part}/{whole} = {100 * found.mean:.1f} % [{100 * found.low:.1f}, {100 * found.high:.1f}]" if found else "0/0"
    )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--each", type=int, default=100, help="false sentences of each kind (default %(default)s)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    corpus = build(read(), SplitSettings(), None)
    check = Check(corpus)
    judged = [(said, check.flagged(said)) for said in material(corpus, arguments.each, arguments.seed)]
    true = [(said, flag) for said, flag in judged if not said.kind]
    false = [(said, flag) for said, flag in judged if said.kind]
    print(f"false, passed as supported: {share(sum(not flag for _, flag in false), len(false))}   (goal: at most 2 %)")
    for kind in KINDS:
        of = [flag for said, flag in false if said.kind == kind]
        print(f"  {kind}: {share(len(of) - sum(of), len(of))}")
    print(f"true, flagged: {share(sum(flag for _, flag in true), len(true))}   (goal: at most 5 %)")
    for form in FORMS:
        of, lies = (
            [flag for said, flag in true if said.form == form],
            [flag for said, flag in false if said.form == form],
        )
        print(f"  {form}: {share(sum(of), len(of))}; false ones passed: {share(len(lies) - sum(lies), len(lies))}")
    for title, wrong in (
        ("passed", [s for s, flag in false if not flag]),
        ("flagged", [s for s, flag in true if flag]),
    ):
        print(f"\n{title}:")
        for said in wrong:
            print(
                f"  [{said.kind or 'true'}; {said.form}{'; marked' if said.marked else ''}] {said.text}\n      from: {said.source}"
            )
    if arguments.json is not None:
        rows = [{"kind": s.kind, "form": s.form, "marked": s.marked, "text": s.text, "source": s.source, "question": s.gold.question, "flagged": f} for s, f in judged]  # fmt: skip
        arguments.json.write_text(json.dumps(rows, ensure_ascii=False, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
