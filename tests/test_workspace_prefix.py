"""Keys and values of a visit: reused by the next question of the same visitor, by nobody else, gone with the documents they are of."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
import torch

from rag import pipeline
from rag.ask.prompt import beginnings
from rag.ask.rules import built_in
from rag.asking import FAR, FAR_S
from rag.config import GenerateSettings, Settings
from rag.corpus.samples import Samples
from rag.errors import NothingFits
from rag.models.generator import Generator
from rag.models.kept import common
from rag.models.turns import Turns
from rag.types import Answer
from rag.workspace import Shared, Workspace
from tests.fake_models import BigramEncoder, FakeModels
from tests.models import tiny
from tests.workspace_kit import OWN, SameProcess, add, last, remove, txt, write_samples

FIRST, SECOND = "年假有几天？", "带薪年假有几天？"


@pytest.fixture(scope="module")
def generator(tmp_path_factory: pytest.TempPathFactory) -> Generator:
    weights = tiny.weights(tmp_path_factory.mktemp("tiny") / "model", wide=0.1)
    return Generator(weights, Turns(), eight=False, dtype=torch.float32)


@dataclass
class House:
    """Where visitors come: one generator, one memory, one line."""

    models: FakeModels
    samples: Samples
    shared: Shared = field(default_factory=Shared)

    def visitor(self, **settings: object) -> Workspace:
        came = Workspace(self.samples, self.models, None, SameProcess(), shared=self.shared)  # type: ignore[arg-type]
        came.configure(Settings(generate=GenerateSettings(answer_tokens=4, **settings)))  # type: ignore[arg-type]
        return came


@pytest.fixture
def house(generator: Generator, tmp_path: Path) -> Iterator[House]:
    models = FakeModels(BigramEncoder(), generator, tmp_path / "cache")  # type: ignore[arg-type]
    samples = Samples(models, write_samples(tmp_path))  # type: ignore[arg-type]
    samples.prepare()
    yield House(models, samples)
    generator._shared = ()  # what a test had read ahead


@pytest.fixture
def reused(generator: Generator, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Tokens that each answer found read, in order."""
    seen = list[int]()
    stream = generator.stream

    def told(*given: object, **more: object) -> Iterator[object]:
        for generated in stream(*given, **more):  # type: ignore[arg-type]
            yield generated
        seen.append(generated.reused)

    monkeypatch.setattr(generator, "stream", told)
    return seen


def ask(workspace: Workspace, question: str) -> Answer:
    return last(workspace.answer(question, threading.Event()))


def test_the_next_question_on_the_same_evidence_reads_what_is_new(house: House, reused: list[int]) -> None:
    workspace = house.visitor()
    first, second = ask(workspace, FIRST), ask(workspace, SECOND)
    assert [p.chunk.chunk_id for p in first.prompt.packed] == [p.chunk.chunk_id for p in second.prompt.packed]
    alike = common(first.prompt.input_ids, second.prompt.input_ids)
    kept = [s for s in second.prompt.segments if s.name in ("rules", "evidence")]
    assert reused == [0, alike] and alike >= sum(s.n_tokens for s in kept)
    [step] = [s for s in second.trace.steps if s.name == "generate"]
    for said in (step.note.en, step.note.zh):
        assert str(alike) in said and str(len(second.prompt.input_ids)) in said


def test_another_visitor_finds_nothing_of_it(house: House, reused: list[int]) -> None:
    mine, theirs = house.visitor(), house.visitor()
    ask(mine, FIRST)
    same = ask(
        theirs, FIRST
    )  # the very same prompt over the same public samples: by its time one could tell that it was asked
    assert reused == [0, 0]
    ask(mine, SECOND)
    assert reused[2] > 0
    assert same.text == ask(house.visitor(), FIRST).text


CHANGES: dict[str, Callable[[Workspace], object]] = {
    "added": lambda w: add(w, txt("乙.txt", "乙制度：设备由行政部领用。")),
    "removed": lambda w: remove(w, w.own_documents()[0].key),
    "samples": lambda w: list(w.use_samples(True, threading.Event())),
    "closed": lambda w: w.close(),
}


@pytest.mark.parametrize("change", CHANGES)
def test_with_the_documents_go_their_keys_and_values(house: House, change: str, reused: list[int]) -> None:
    workspace = house.visitor()
    add(workspace, txt("甲.txt", OWN))
    ask(workspace, FIRST)
    before = workspace._asking._prefix
    assert before.tokens > 0
    CHANGES[change](workspace)
    assert before.tokens == before.bytes == workspace._asking._prefix.tokens == 0
    ask(workspace, FIRST)
    assert reused == [0, 0]


def test_an_answer_that_ends_after_the_change_keeps_nothing(house: House) -> None:
    workspace = house.visitor()
    add(workspace, txt("甲.txt", OWN))
    answers = workspace.answer(FIRST, threading.Event())
    next(answers)
    remove(workspace, workspace.own_documents()[0].key)
    last(answers)
    assert workspace._asking._prefix.tokens == 0


def test_all_visitors_together_keep_no_more_than_there_is_room_for(house: House) -> None:
    one = house.visitor()
    ask(one, FIRST)
    room = house.shared.memory
    room._most = one._asking._prefix.bytes  # as if there were room for one
    two = house.visitor()
    ask(two, FIRST)
    assert one._asking._prefix.tokens == 0 and two._asking._prefix.tokens > 0


# ---- read ahead: the built-in rules


def test_the_rules_that_were_read_ahead_serve_everybodys_first_question(house: House, reused: list[int]) -> None:
    pipeline.read_ahead(house.models, threading.Event())  # type: ignore[arg-type]
    zh, en = beginnings(house.models.generator().chat, False)  # type: ignore[arg-type]
    for question, begins in ((FIRST, zh), ("How many days of annual leave?", en)):
        prompt = ask(house.visitor(), question).prompt
        assert prompt.input_ids[: len(begins)] == begins
        evidence = next(n for n, s in enumerate(prompt.segments) if s.name == "evidence")
        assert len(begins) == sum(s.n_tokens for s in prompt.segments[:evidence])
    assert reused == [len(zh), len(en)]


def test_own_rules_are_never_shared(house: House, reused: list[int]) -> None:
    pipeline.read_ahead(house.models, threading.Event())  # type: ignore[arg-type]
    rules = "本司机密：只用一句话回答。"
    prompt = ask(house.visitor(rules=rules), FIRST).prompt
    at = next(s.start for s in prompt.segments if s.name == "rules")
    assert (
        reused[0] <= len(prompt.text[:at].encode()) + 3 and rules in prompt.text
    )  # a byte a token; at most the start of a character
    ask(house.visitor(rules=rules), FIRST)
    assert reused[1] == reused[0]


def test_what_is_read_ahead_stops_and_does_without_a_generator(house: House) -> None:
    stop = threading.Event()
    stop.set()
    pipeline.read_ahead(house.models, stop)  # type: ignore[arg-type]
    assert house.models.generator()._shared == ()  # type: ignore[union-attr]
    pipeline.read_ahead(FakeModels(None, None), threading.Event())  # type: ignore[arg-type]


def test_beginnings_hold_the_rules_and_nothing_behind_them(generator: Generator) -> None:
    told = [(language, weighed) for weighed in (True, False) for language in ("zh", "en")]
    found = [*beginnings(generator.chat, True), *beginnings(generator.chat, False)]
    for ids, (language, weighed) in zip(found, told, strict=True):
        rules = built_in(language, weighed)
        text = generator.chat._tokenizer.decode(list(ids))
        assert rules in text and "[S1]" not in text and text.endswith("\n\n")


# ---- one answer at a time


def test_who_comes_second_is_told_and_comes_next(house: House) -> None:
    first = house.visitor().answer(FIRST, threading.Event())
    next(first)
    other, stop = house.visitor(), threading.Event()
    second, third = other.answer(FIRST, threading.Event()), house.visitor().answer(FIRST, stop)
    waits = next(second)
    assert (waits.ahead, waits.text, waits.done, waits.finish) == (1, "", False, "running")
    assert next(third).ahead == 2 and next(second).ahead == 1  # and again, so that a closed page is noticed
    asked = other.asked()
    assert asked is not None and asked.answer is not None and asked.answer.ahead == 1
    stop.set()
    stopped = last(third)
    assert (stopped.finish, stopped.text) == ("stopped", "")
    first.close()  # type: ignore[attr-defined]
    *_, final = second
    assert final.done and final.ahead == 0 and final.finish in ("end", "length")


def test_who_asks_again_does_not_count_their_own_stopped_answer(house: House) -> None:
    one, stop = house.visitor(), threading.Event()
    first = one.answer(FIRST, stop)
    next(first)
    stop.set()  # its place is left when the page has heard the end of it
    found: list[Answer] = []
    again = threading.Thread(target=lambda: found.extend(one.answer(SECOND, threading.Event())))
    again.start()
    again.join(0.5)
    waited = again.is_alive()
    assert last(first).finish == "stopped"
    again.join()
    assert waited and found[-1].finish in ("end", "length") and not any(a.ahead for a in found)
    assert [(s.n_in, s.n_out) for s in found[-1].trace.steps if s.name == "wait"] == [(0, 0)]


def test_the_time_in_line_is_a_row_of_the_trace(house: House) -> None:
    first = house.visitor().answer(FIRST, threading.Event())
    next(first)
    second = house.visitor().answer(FIRST, threading.Event())
    began = time.perf_counter()
    next(second), next(second)
    first.close()  # type: ignore[attr-defined]
    *_, final = second
    took = time.perf_counter() - began
    names = [step.name for step in final.trace.steps]
    row = final.trace.steps[names.index("wait")]
    assert 0.1 < row.seconds < took and (row.n_in, row.n_out) == (1, 0) and row.note.en.endswith(": 1")
    assert names.index("pack") + 1 == names.index("wait") < names.index("generate")
    assert "wait" not in [step.name for step in ask(house.visitor(), FIRST).trace.steps]


def test_what_cannot_be_answered_or_is_there_already_waits_for_nobody(house: House) -> None:
    workspace = house.visitor()
    done = ask(workspace, FIRST)
    busy = house.visitor().answer(FIRST, threading.Event())
    next(busy)
    again = list(workspace.answer(FIRST, threading.Event()))
    assert [a.text for a in again] == [done.text]
    busy.close()  # type: ignore[attr-defined]
    with house.shared.line.place() as place:
        assert place.ahead() == 0


def test_settings_that_cannot_be_met_keep_nobody_waiting(house: House) -> None:
    workspace = house.visitor()
    workspace.configure(replace(workspace.settings, generate=GenerateSettings(context_limit=256, answer_tokens=4)))
    busy = house.visitor().answer(FIRST, threading.Event())
    next(busy)
    with pytest.raises(NothingFits):
        list(workspace.answer(FIRST, threading.Event()))
    busy.close()  # type: ignore[attr-defined]


def test_who_stands_far_back_is_told_their_number_and_hears_less_often(house: House) -> None:
    with ExitStack() as line:
        for _ in range(FAR):
            line.enter_context(house.shared.line.place())
        waits = house.visitor().answer(FIRST, threading.Event())
        assert next(waits).ahead == FAR
        began = time.perf_counter()
        assert next(waits).ahead == FAR and time.perf_counter() - began >= 0.9 * FAR_S
        line.pop_all().close()
        assert next(waits).ahead == 0
        assert last(waits).finish in ("end", "length")
