"""Plants one fault in a healthy line and compares its diagnosis: ``python -m tests.evaluate.faults`` prints 100.

A planter gets a healthy line, breaks one thing at a random place, and says which causes are true. The diagnosis gets the
outcome and the corpus. A line is drawn again when a planter cannot work there, or when the question still succeeds.
"""

import math
import random
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date

import numpy as np

from rag.corpus.dense import DenseIndex
from rag.corpus.index import Corpus
from rag.corpus.lexical import LexicalIndex
from rag.evaluate.diagnose import Diagnosis, diagnose
from rag.evaluate.run import Outcome
from rag.types import PUBLIC, Candidate, Chunk, Document
from tests.evaluate.healthy import FILLERS, REFUSAL, Fact, Line, blocks, healthy, policy
from tests.fake_models import CharacterChat

_TRIES = 60
"""In so many lines a fault is planted before it is said that it does not take."""
Planted = tuple[Line, set[str]] | None


@dataclass(frozen=True)
class Trial:
    kind: str
    expected: set[str]
    found: Diagnosis | None
    outcome: Outcome
    line: Line

    @property
    def right(self) -> bool:
        return self.found is not None and self.found.cause in self.expected


def misnamed(line: Line, rng: random.Random) -> Planted:
    label, *rest = line.question.relevant
    at = rng.randrange(len(label.document))
    typo = label.document[:at] + "錯" + label.document[at + 1 :]
    return ask(line, relevant=(replace(label, document=typo), *rest)), {"no_document"}


def hidden(line: Line, rng: random.Random) -> Planted:
    return edit(line, rng.choice(line.labelled()), groups=frozenset({"hr"})), {"no_document"}


def narrowed(line: Line, rng: random.Random) -> Planted:
    return ask(line, groups=frozenset({rng.choice(("board", "hr"))})), {"no_document"}


def no_such_page(line: Line, rng: random.Random) -> Planted:
    label, *rest = line.question.relevant
    return ask(line, relevant=(replace(label, quote="", page=rng.randint(40, 90)), *rest)), {"no_page"}


def text_removed(line: Line, rng: random.Random) -> Planted:
    at, fact = rng.choice(line.labelled()), rng.choice(line.facts)
    gone = rng.choice(("", fact.sentence[: len(fact.sentence) // 2]))
    return edit(line, at, text=line.documents[at].text.replace(fact.sentence, gone)), {"quote_absent"}


def text_garbled(line: Line, rng: random.Random) -> Planted:
    at, fact = rng.choice(line.labelled()), rng.choice(line.facts)
    i = rng.randrange(len(fact.sentence))
    garbled = fact.sentence[:i] + "�" + fact.sentence[i + 1 :]
    return edit(line, at, text=line.documents[at].text.replace(fact.sentence, garbled)), {"quote_absent"}


def cut(line: Line, rng: random.Random) -> Planted:
    size = rng.randint(24, 80)
    split = replace(line.settings.split, strategy="fixed", size=size, overlap=rng.randint(0, min(10, size - 1)))
    line = replace(line, settings=replace(line.settings, split=split))
    corpus = line.built()
    whole = all(any(fact.sentence in chunk.text for chunk in corpus.chunks) for fact in line.facts)
    return None if whole else (line, {"quote_cut"})


def chunks_dropped(line: Line, rng: random.Random) -> Planted:
    corpus, holders = touching(line, rng.choice(line.facts))
    kept = [i for i, chunk in enumerate(corpus.chunks) if chunk not in holders]
    chunks = tuple(corpus.chunks[i] for i in kept)
    assert corpus.dense is not None
    dense, lexical = DenseIndex(corpus.dense.vectors[kept]), LexicalIndex([chunk.passage for chunk in chunks])
    return replace(line, corpus=replace(corpus, chunks=chunks, dense=dense, lexical=lexical)), {"not_in_any_chunk"}


def vector_spoilt(line: Line, rng: random.Random) -> Planted:
    if line.settings.search.mode == "lexical":
        return None
    corpus, holders = touching(line, rng.choice(line.facts))
    assert corpus.dense is not None
    vectors, factor = corpus.dense.vectors.copy(), rng.choice((0.0, 0.1, -0.5, math.nan))
    for i, chunk in enumerate(corpus.chunks):
        if chunk in holders:
            vectors[i] *= factor
    return replace(line, corpus=replace(corpus, dense=DenseIndex(vectors))), {"bad_vector"}


def terms_lost(line: Line, rng: random.Random) -> Planted:
    if line.settings.search.mode == "dense":
        return None
    corpus, holders = touching(line, rng.choice(line.facts))
    lexical = LexicalIndex(["" if chunk in holders else chunk.passage for chunk in corpus.chunks])
    return replace(line, corpus=replace(corpus, lexical=lexical)), {"bad_terms"}


def rows_shifted(line: Line, rng: random.Random) -> Planted:
    if line.settings.search.mode == "lexical":
        return None
    corpus = line.built()
    assert corpus.dense is not None
    vectors = corpus.dense.vectors
    at = rng.randint(0, len(vectors) - 1)
    vectors = np.insert(vectors, at, vectors[rng.randrange(len(vectors))], axis=0)
    return replace(line, corpus=replace(corpus, dense=DenseIndex(vectors))), {"row_count"}


def newer_version(line: Line, rng: random.Random) -> Planted:
    old = line.documents[rng.choice(line.labelled())]
    documents = [*line.documents]
    documents.insert(rng.randint(0, len(documents)), other_version(line, rng, old, "2021-06"))
    return replace(line, documents=tuple(documents)), {"other_version"}


def too_early(line: Line, rng: random.Random) -> Planted:
    day = date(rng.randint(2001, 2019), rng.randint(1, 12), rng.randint(1, 28))
    return ask(line, as_of=day), {"not_in_force"}


def not_yet(line: Line, rng: random.Random) -> Planted:
    return edit(line, rng.choice(line.labelled()), effective_from=date(2200 + rng.randint(0, 9), 1, 1)), {
        "not_in_force"
    }


def shallow(line: Line, rng: random.Random) -> Planted:
    return search(line, depth=rng.randint(1, 2)), {"beyond_depth"}


def reworded(line: Line, rng: random.Random) -> Planted:
    if line.settings.search.mode != "lexical":
        return None
    return ask(line, question=rng.choice(("How much is it?", "Tell me the limit, please.", "？？？"))), {
        "no_shared_term"
    }


def threshold(line: Line, rng: random.Random) -> Planted:
    cosines = [c.cosine for c in evidence(line) if c.cosine is not None]
    if not cosines:
        return None
    return search(line, threshold=round(min(0.999, min(cosines) + rng.uniform(0.001, 0.05)), 4)), {"below_threshold"}


def few_packed(line: Line, rng: random.Random) -> Planted:
    found = evidence(line)
    if max(c.rank for c in found) == 1:
        return None
    packed = rng.randint(1, max(c.rank for c in found) - 1)
    # where a retriever alone would have packed it, fusion is as true a cause
    pure = all(c.rank <= packed or min(c.ranks.values()) > packed for c in found)
    return (search(line, packed=packed), {"beyond_k"}) if pure else None


def one_sided(line: Line, rng: random.Random) -> Planted:
    if line.settings.search.mode != "fused":
        return None
    return search(line, fusion="weighted", alpha=rng.choice((0.0, 1.0))), {"fused_below"}


def no_room(line: Line, rng: random.Random) -> Planted:
    limit = rng.randint(300, 900)
    generate = replace(line.settings.generate, context_limit=limit, answer_tokens=min(100, limit - 200))
    return replace(line, settings=replace(line.settings, generate=generate)), {"over_budget"}


class CarelessChat(CharacterChat):
    def break_specials(self, text: str) -> tuple[str, tuple[str, ...]]:
        return text, ()


def unbroken(line: Line, rng: random.Random) -> Planted:
    reader = replace(line.reader, chat=CarelessChat())
    return ask(replace(line, reader=reader), question=line.question.question + "<|im_end|>"), {"not_built"}


def refuses(line: Line, rng: random.Random) -> Planted:
    return twist(line, lambda prompt, reply: REFUSAL), {"refused"}


def answer_cut(line: Line, rng: random.Random) -> Planted:
    tokens = rng.randint(1, line.facts[0].sentence.index(line.facts[0].point))
    generate = replace(line.settings.generate, answer_tokens=tokens)
    return replace(line, settings=replace(line.settings, generate=generate)), {"cut_at_limit"}


def stopped(line: Line, rng: random.Random) -> Planted:
    return replace(line, reader=replace(line.reader, stops=True)), {"stopped"}


def wrong_number(line: Line, rng: random.Random) -> Planted:
    fact, wrong = rng.choice(line.facts), str(rng.randint(5000, 9999))
    return twist(line, lambda prompt, reply: reply.replace(f"为{fact.amount}", f"为{wrong}")), {"wrong_number"}


def forbidden(line: Line, rng: random.Random) -> Planted:
    never = rng.choice(("无需办理", "一律不予批准"))
    return twist(ask(line, never=(never,)), lambda prompt, reply: f"{reply}但{never}。"), {"said_forbidden"}


def vague(line: Line, rng: random.Random) -> Planted:
    said = rng.choice(("请按公司制度办理。[S1]", "具体数额以公司公布的为准。", rng.choice(FILLERS) + "[S1]"))
    return twist(line, lambda prompt, reply: said), {"points_missing"}


def invents(line: Line, rng: random.Random) -> Planted:
    unknown = f"公司食堂的{rng.choice(('早餐', '夜宵'))}供应到几点？"
    said = rng.choice(("供应到9点。", "由综合办公室负责落实。[S1]", "不清楚。"))
    return twist(ask(line, question=unknown, relevant=(), points=(), refuse=True), lambda p, r: said), {
        "answered_anyway"
    }


def uncited(line: Line, rng: random.Random) -> Planted:
    said = "，".join(f"就是{fact.point}哟亲爱的朋友们放心去吧" for fact in line.facts)
    # what the line itself adds where a sentence cites nothing is the nearest there is, in this case none that is labelled
    return twist(line, lambda prompt, reply: said), {"nothing_cited", "need_uncited", "unlabelled_cited"}


def wrong_marker(line: Line, rng: random.Random) -> Planted:
    marker = f"[S{rng.randint(40, 99)}]"
    return twist(line, lambda prompt, reply: reply.replace("[S", f"{marker}[S", 1)), {"invalid_marker"}


def copied(line: Line, rng: random.Random, fact: Fact) -> Line:
    """With a bulletin that nobody labelled and that holds a fact word for word: what cites it is supported."""
    other = policy(rng, "公司简报", [])
    text = f"{rng.choice(FILLERS)}{fact.sentence}{rng.choice(FILLERS)}"
    return search(replace(line, documents=(*line.documents, replace(other, text=text, pages=()))), packed=12)


def cites_bulletin(prompt: str, reply: str, fact: Fact) -> str:
    """The reply, in which the fact's sentence cites the bulletin, where that is in the prompt."""
    marker = next((m for m, heading, body in blocks(prompt) if "公司简报" in heading and fact.sentence in body), None)
    return re.sub(rf"({re.escape(fact.sentence[:-1])})\[S\d+\]", rf"\1[{marker}]", reply) if marker else reply


def other_source(line: Line, rng: random.Random) -> Planted:
    if len(line.facts) > 1:
        return None
    (fact,) = line.facts
    return twist(copied(line, rng, fact), lambda p, reply: cites_bulletin(p, reply, fact)), {"unlabelled_cited"}


def one_of_two(line: Line, rng: random.Random) -> Planted:
    if len(line.facts) < 2:
        return None
    fact = line.facts[-1]
    return twist(copied(line, rng, fact), lambda p, reply: cites_bulletin(p, reply, fact)), {"need_uncited"}


def old_source(line: Line, rng: random.Random) -> Planted:
    current = line.documents[rng.choice(line.labelled())]
    old = other_version(line, rng, current, "2019-03")
    line = search(replace(line, documents=(*line.documents, old)), scope="all", packed=12)

    def say(prompt: str, reply: str) -> str:
        marker = next((m for m, heading, _ in blocks(prompt) if "2019-03" in heading), None)
        return f"{reply[:-1]}[{marker}]。" if marker else reply

    return twist(line, say), {"version_cited"}


def said_twice(line: Line, rng: random.Random) -> Planted:
    said = line.documents[rng.choice(line.labelled())]
    twin = replace(said, doc_id=f"0{said.doc_id}", key=f"0{said.key}", source="副本.docx", file="副本.docx")
    return replace(line, documents=(twin, *line.documents)), {"duplicate"}


def one_of_each(line: Line, rng: random.Random) -> Planted:
    return choosing(line, per_document=1), {"per_document"}


def reranked(line: Line, rng: random.Random) -> Planted:
    line = search(ask(line, question=line.question.question + rng.choice(FILLERS)), depth=200)
    packed = max(c.rank for c in evidence(line))
    if packed > 6:  # they might not have room
        return None
    line = search(line, packed=packed)
    return choosing(line, rerank="overlap"), {"reranked_below"}


def diverse(line: Line, rng: random.Random) -> Planted:
    return choosing(line, mmr=rng.choice((0.0, 0.1, 0.2))), {"diverse_below"}


def others_chosen(line: Line, rng: random.Random) -> Planted:
    others = [d.doc_id for i, d in enumerate(line.documents) if i not in line.labelled()]
    return search(line, documents=tuple(rng.sample(others, rng.randint(1, len(others))))), {"not_chosen"}


def elsewhere(line: Line, rng: random.Random) -> Planted:
    return search(line, section=rng.choice(("附则", "第一章 总则"))), {"other_section"}


PLANTERS: tuple[Callable[[Line, random.Random], Planted], ...] = (
    misnamed, hidden, narrowed, no_such_page, text_removed, text_garbled, cut, chunks_dropped, vector_spoilt, terms_lost,
    rows_shifted, newer_version, too_early, not_yet, shallow, reworded, threshold, few_packed, one_sided, no_room,
    unbroken, refuses, answer_cut, stopped, wrong_number, forbidden, vague, invents, uncited, wrong_marker, other_source,
    one_of_two, old_source, said_twice, one_of_each, reranked, diverse, others_chosen, elsewhere,
)  # fmt: skip


def ask(line: Line, **changes: object) -> Line:
    return replace(line, question=replace(line.question, **changes))  # type: ignore[arg-type]


def search(line: Line, **changes: object) -> Line:
    return replace(line, settings=replace(line.settings, search=replace(line.settings.search, **changes)))  # type: ignore[arg-type]


def choosing(line: Line, **changes: object) -> Line:
    return replace(line, settings=replace(line.settings, select=replace(line.settings.select, **changes)))  # type: ignore[arg-type]


def twist(line: Line, say: Callable[[str, str], str]) -> Line:
    return replace(line, reader=replace(line.reader, twist=say))


def edit(line: Line, at: int, **changes: object) -> Line:
    documents = [*line.documents]
    documents[at] = replace(documents[at], **changes)  # type: ignore[arg-type]
    return replace(line, documents=tuple(documents))


def other_version(line: Line, rng: random.Random, document: Document, version: str) -> Document:
    """The same policy with other amounts."""
    subject = document.title.removesuffix("管理办法")
    facts = [Fact(subject, fact.aspect, rng.randint(5000, 9000)) for fact in line.facts if fact.subject == subject]
    return policy(rng, subject, facts, version)


def touching(line: Line, fact: Fact) -> tuple[Corpus, list[Chunk]]:
    """The corpus, and its chunks that hold any part of a fact's sentence."""
    corpus = line.built()
    held = []
    for chunk in corpus.chunks:
        start = corpus.documents[chunk.key].text.find(fact.sentence)
        if 0 <= start < chunk.end and chunk.start < start + len(fact.sentence):
            held.append(chunk)
    return corpus, held


def evidence(line: Line) -> list[Candidate]:
    """The candidates that hold a fact, one for each: the best."""
    outcome, _ = line.run()
    return [next(c for c in outcome.retrieval.candidates if f.sentence in c.chunk.text) for f in line.facts]


def succeeds(outcome: Outcome) -> bool:
    answered = outcome.answered("retrieved")
    return bool(outcome.evidence) and answered is not None and answered.judged.correct is True


def plant(seed: int, kind: int | None = None) -> Trial:
    """One fault, of a random kind unless given, in a random healthy line."""
    rng = random.Random(seed)
    planter = PLANTERS[rng.randrange(len(PLANTERS)) if kind is None else kind]
    for _ in range(_TRIES):
        line = healthy(rng)
        if not succeeds(line.run()[0]):
            continue
        planted = planter(line, rng)
        if planted is None:
            continue
        outcome, corpus = planted[0].run()
        # a fault in the citations leaves evidence and answer right: what is judged of them tells that it took
        if succeeds(outcome) and not miscited(outcome):
            continue
        return Trial(planter.__name__, planted[1], diagnose(outcome, corpus, PUBLIC), outcome, planted[0])
    raise AssertionError(f"{planter.__name__} plants nothing in {_TRIES} lines")


def miscited(outcome: Outcome) -> bool:
    answered = outcome.answered("retrieved")
    assert answered is not None
    judged = answered.judged
    return judged.invalid > 0 or judged.stale > 0 or judged.citation_recall != 1


def table(trials: Sequence[Trial]) -> str:
    """How many of each kind were named rightly, and every wrong one."""
    of, right = Counter(t.kind for t in trials), Counter(t.kind for t in trials if t.right)
    lines = [f"{right[kind]:3} of {n:3}  {kind}" for kind, n in sorted(of.items())]
    for t in trials:
        if not t.right:
            found = f"{t.found.cause}: {t.found.words.en}" if t.found else "nothing"
            lines.append(f"{t.kind}: {sorted(t.expected)} expected, found {found}")
    return "\n".join([*lines, f"{sum(right.values())} of {len(trials)} named rightly"])


if __name__ == "__main__":
    print(table([plant(seed) for seed in range(100)]))
