"""The diagnosis against planted faults, against its own advice, and against what nobody may learn."""

import random
import re
from dataclasses import replace
from datetime import date

import pytest

from rag.config import Settings
from rag.corpus.lexical import LexicalIndex
from rag.evaluate import lost
from rag.evaluate.diagnose import Diagnosis, diagnose
from rag.evaluate.diagnosis import STEPS
from rag.evaluate.mislabelled import most_similar
from rag.evaluate.questions import Label
from rag.evaluate.run import Given
from rag.evaluate.summary import failed
from rag.types import PUBLIC, Document
from tests.evaluate import faults
from tests.evaluate.faults import PLANTERS, ask, plant, search, succeeds, table, twist
from tests.evaluate.healthy import Line, healthy

KINDS = {planter.__name__: number for number, planter in enumerate(PLANTERS)}


def working(seed: int, **changes: object) -> Line:
    """A line that answers its question."""
    rng = random.Random(seed)
    while True:
        line = search(healthy(rng), **changes) if changes else healthy(rng)
        if succeeds(line.run()[0]):
            return line


def found(line: Line, given: tuple[Given, ...] = ("retrieved",)) -> Diagnosis | None:
    outcome, corpus = line.run(given)
    return diagnose(outcome, corpus, PUBLIC)


def test_planted_faults_are_named(seeds) -> None:
    trials = [plant(seed) for seed in seeds(100)]
    assert sum(t.right for t in trials) >= 0.9 * len(trials), table(trials)


def test_every_kind_of_fault_is_named() -> None:
    trials = [plant(1000 + number, number) for number in range(len(PLANTERS))]
    assert sum(t.right for t in trials) >= 0.9 * len(trials), table(trials)
    assert {t.found.step for t in trials if t.found} == set(STEPS)


def test_the_planter_notices_a_diagnosis_that_guesses(monkeypatch: pytest.MonkeyPatch) -> None:
    guess = plant(0).found
    monkeypatch.setattr(faults, "diagnose", lambda outcome, corpus, groups: guess)
    trials = [plant(seed, seed) for seed in range(12)]
    assert sum(t.right for t in trials) <= 4


def test_nothing_is_wrong_with_what_succeeds(seeds) -> None:
    for seed in seeds(60):
        line = working(seed)
        assert found(line) is None
        assert found(line, ()) is None
        refusing = twist(ask(line, relevant=(), points=(), refuse=True), lambda prompt, reply: faults.REFUSAL)
        assert found(refusing) is None
        assert found(ask(line, relevant=(), points=())) is None  # nothing is known about it


def test_both_languages_give_the_same_facts(seeds) -> None:
    for seed in seeds(100):
        diagnosis = plant(seed).found
        assert diagnosis is not None
        for text in (diagnosis.words, diagnosis.advice):
            assert text.zh and text.en and text.en[0] == text.en[0].upper()
            assert not re.search(r"\bNone\b|\{|\}|\bnan\b", text.en + text.zh)
        en, zh = (set(re.findall(r"\d+(?:\.\d+)?", t)) for t in (diagnosis.words.en, diagnosis.words.zh))
        assert en == zh, diagnosis.words


def advised(diagnosis: Diagnosis, name: str) -> float | None:
    """The value the advice gives a setting, if it gives one."""
    match = re.search(rf"{name}(?: \(now [^)]*\))? to (?:at most )?(-?\d+(?:\.\d+)?)", diagnosis.advice.en)
    assert match is None or match[1] in diagnosis.advice.zh
    return float(match[1]) if match else None


@pytest.mark.parametrize(
    ("kind", "part", "names"),
    [
        ("shallow", "search", ("depth",)),
        ("threshold", "search", ("threshold",)),
        ("few_packed", "search", ("packed",)),
        ("no_room", "generate", ("context_limit",)),
        ("cut", "split", ("size", "overlap")),
    ],
)
def test_who_follows_the_advice_is_rid_of_the_cause(kind: str, part: str, names: tuple[str, ...], seeds) -> None:
    followed = 0
    for seed in seeds(50):
        trial = plant(seed, KINDS[kind])
        assert trial.found is not None
        values = {name: advised(trial.found, name) for name in names}
        if not trial.right or None in values.values():
            continue  # a rank that cannot be told gives no value
        if kind != "threshold":
            values = {name: int(value or 0) for name, value in values.items()}
        settings = trial.line.settings
        mended = replace(settings, **{part: replace(getattr(settings, part), **values)})  # type: ignore[arg-type]
        after = found(replace(trial.line, settings=mended))
        assert after is None or (after.cause, after.need) != (trial.found.cause, trial.found.need), after.words
        followed += 1
    assert followed >= 5


def test_the_facts_are_those_of_the_run(seeds) -> None:
    for seed in seeds(30):
        trial = plant(seed, KINDS["threshold"])
        assert trial.found is not None
        below = [c.cosine for c in trial.outcome.retrieval.candidates if c.status.fate == "below_threshold"]
        assert any(f"{cosine:.4f}" in trial.found.words.en for cosine in below if cosine is not None)
        trial = plant(seed, KINDS["few_packed"])
        assert trial.found is not None and trial.right, table([trial])
        ranked = re.search(r"is ranked (\d+) ", trial.found.words.en)
        assert ranked is not None
        (candidate,) = [c for c in trial.outcome.retrieval.candidates if c.rank == int(ranked[1])]
        assert candidate.status.fate == "beyond_k"
        assert any(fact.sentence in candidate.chunk.text for fact in trial.line.facts)


def test_a_lexical_rank_beyond_the_depth_is_the_one_a_deep_search_gives(seeds) -> None:
    told = 0
    for seed in seeds(60):
        line = working(seed, mode=random.Random(seed).choice(("fused", "lexical")))
        if seed % 2:
            line = ask(line, history=("车辆由谁管理？", "那宿舍的资料保存年限呢？"))
        outcome, corpus = search(line, depth=1).run()
        diagnosis = diagnose(outcome, corpus, PUBLIC)
        told_rank = re.search(r"of (《.*?》\S+) .*lexical rank is (\d+) ", diagnosis.words.en) if diagnosis else None
        if told_rank is None:
            continue
        deep = search(line, depth=200).run()[0].retrieval.candidates
        (candidate,) = [c for c in deep if c.ranks.get("lexical") == int(told_rank[2])]
        assert any(fact.sentence in candidate.chunk.text for fact in line.facts)
        told += 1
    assert told >= 2


def test_of_alternatives_the_one_that_got_furthest_counts() -> None:
    trial = plant(3, KINDS["few_packed"])
    label = trial.line.question.relevant[0]
    nowhere = replace(label, document="没有这个文件.txt", need=label.need)
    line = ask(trial.line, relevant=(nowhere, *trial.line.question.relevant))
    diagnosis = found(line)
    assert diagnosis is not None and diagnosis.cause == "beyond_k"


def test_of_needs_the_one_that_was_lost_first_counts() -> None:
    trial = plant(3, KINDS["few_packed"])
    line = ask(trial.line, relevant=(*trial.line.question.relevant, Label("没有这个文件.txt", need=7)))
    diagnosis = found(line)
    assert diagnosis is not None and (diagnosis.cause, diagnosis.need) == ("no_document", 7)


def test_a_quote_that_stands_elsewhere_is_found_there() -> None:
    line = working(1)
    other = next(d for i, d in enumerate(line.documents) if i not in line.labelled())
    wrong = tuple(replace(label, document=other.file) for label in line.question.relevant)
    diagnosis = found(ask(line, relevant=wrong))
    assert diagnosis is not None and (diagnosis.step, diagnosis.cause) == ("text", "quote_absent")
    right = line.documents[line.labelled()[0]]
    assert f"《{right.title}》{right.version} does hold the quote" in diagnosis.words.en


def test_without_labels_the_points_tell_where_they_can() -> None:
    line = twist(ask(working(2), relevant=()), lambda prompt, reply: "请按公司制度办理。")
    diagnosis = found(line)  # the prompt holds the points
    assert diagnosis is not None and diagnosis.cause == "points_missing"
    diagnosis = found(ask(line, points=("八百八十八万",)))
    assert diagnosis is not None and (diagnosis.step, diagnosis.cause) == ("label", "nothing_labelled")
    diagnosis = found(search(line, threshold=1.0, mode="dense"))
    assert diagnosis is not None and (diagnosis.step, diagnosis.cause) == ("prompt", "nothing_packed")


def test_the_answer_from_the_labelled_passages_tells_whom_to_blame() -> None:
    def distracted(prompt: str, reply: str) -> str:
        return reply if "[S3]" not in prompt else faults.REFUSAL

    line = twist(working(4), distracted)
    diagnosis = found(line, ("gold", "retrieved"))
    assert diagnosis is not None and diagnosis.cause == "refused" and "distract" in diagnosis.advice.en
    diagnosis = found(twist(line, lambda prompt, reply: faults.REFUSAL), ("gold", "retrieved"))
    assert diagnosis is not None and "fails too" in diagnosis.advice.en


def anything(line: Line) -> Line:
    """Asks for any part of any document: every chunk would do."""
    return ask(line, relevant=tuple(Label(d.file) for d in line.documents), points=())


def test_of_many_chunks_a_look_at_the_best_finds_what_a_look_at_all_does(
    monkeypatch: pytest.MonkeyPatch, seeds
) -> None:
    compared = set()
    for seed in seeds(100):
        line = anything(search(working(seed), threshold=1.0))
        if seed % 2:
            line = search(ask(line, as_of=date(2001, 1, 1) if seed % 3 else None), depth=1, threshold=None, packed=1)
            line = replace(line, settings=no_room(line))
        short = found(line)
        monkeypatch.setattr(lost, "_LOOKED_AT", 10**6)
        whole = found(line)
        monkeypatch.undo()
        assert (short and short.cause) == (whole and whole.cause)
        compared.add(short and short.cause)
    assert len(compared - {None}) >= 3, compared


def no_room(line: Line) -> Settings:
    return replace(line.settings, generate=replace(line.settings.generate, context_limit=300, answer_tokens=60))


def test_a_large_document_takes_a_few_searches(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "".join(f"第{number}条规定经办人如实填写第{number}号表单。" for number in range(4000))
    large = Document("large", "1", "large@1", "own", "大册", "", text, file="large.txt")
    line = search(working(1), mode="lexical", packed=1)
    outcome, corpus = ask(
        replace(line, documents=(*line.documents, large)), relevant=(Label("large.txt"),), points=()
    ).run(())
    assert sum(chunk.key == large.key for chunk in corpus.chunks) > 500 and not outcome.evidence
    searches = []
    scores = LexicalIndex.scores
    monkeypatch.setattr(LexicalIndex, "scores", lambda index, query: searches.append(query) or scores(index, query))
    assert diagnose(outcome, corpus, PUBLIC) is not None
    assert 1 < len(searches) <= 10


def test_a_refusal_is_explained_where_no_points_tell_what_is_right() -> None:
    line = twist(ask(working(4), points=()), lambda prompt, reply: faults.REFUSAL if "[S3]" in prompt else reply)
    outcome, corpus = line.run(("gold", "retrieved"))
    answered = outcome.answered("retrieved")
    assert answered is not None and answered.judged.correct is None and failed(outcome)
    diagnosis = diagnose(outcome, corpus, PUBLIC)
    assert diagnosis is not None and diagnosis.cause == "refused" and "was in the prompt" in diagnosis.words.en
    assert "alone it does not refuse" in diagnosis.advice.en and "points" not in diagnosis.advice.en
    diagnosis = found(twist(line, lambda prompt, reply: faults.REFUSAL), ("gold", "retrieved"))
    assert diagnosis is not None and diagnosis.cause == "refused" and "refuses too" in diagnosis.advice.en
    assert found(twist(line, lambda prompt, reply: reply)) is None


def test_an_index_that_was_not_asked_is_not_to_blame() -> None:
    for seed in range(60, 200):
        line = search(working(seed, mode="dense"), depth=1)
        first = found(line)
        if first is None:
            continue
        damaged = replace(line, corpus=replace(line.built(), lexical=LexicalIndex(["别的"] * 3)))
        second = found(damaged)
        assert second is not None and second.cause == first.cause == "beyond_depth"
        return
    raise AssertionError("no dense list of one failed")


def test_a_page_and_a_document_are_met_by_any_part() -> None:
    line = working(5)
    documents = tuple(Label(label.document, need=label.need) for label in line.question.relevant)
    assert found(ask(line, relevant=documents)) is None
    unseen = next(d for d in line.documents if d.title not in line.question.question)
    line = search(ask(line, relevant=(Label(unseen.title),), points=()), packed=1)
    outcome, corpus = line.run()
    diagnosis = diagnose(outcome, corpus, PUBLIC)
    assert diagnosis is not None and (diagnosis.step, diagnosis.cause) == ("k", "beyond_k")
    best = min(c.rank for c in outcome.retrieval.candidates if c.chunk.key == unseen.key)
    assert best > 1 and unseen.title in diagnosis.words.en and f"is ranked {best} " in diagnosis.words.en


def test_most_similar_against_every_stretch(seeds) -> None:
    def shared(quote: str, stretch: str) -> int:
        pairs = {quote[i : i + 2] for i in range(len(quote) - 1)}
        return sum(stretch[i : i + 2] in pairs for i in range(len(stretch) - 1))

    for seed in seeds(200):
        rng = random.Random(seed)
        text = "".join(rng.choices("天年假申请15", k=rng.randint(1, 60)))
        quote = "".join(rng.choices("天年假申请15", k=rng.randint(2, 20)))
        start, end, share = most_similar(quote, text)
        size = min(len(quote), len(text))
        assert 0 <= start <= end <= len(text) and end - start == size and 0 <= share <= 1
        best = max(shared(quote, text[i : i + size]) for i in range(len(text) - size + 1))
        assert shared(quote, text[start:end]) == best
