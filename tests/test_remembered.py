"""What a visit remembers: exact, bounded, said, of this visitor and these documents only."""

import random
import threading
from dataclasses import replace
from datetime import date
from pathlib import Path

import numpy as np
import pytest

from rag import remembered
from rag.config import GenerateSettings, SearchSettings, Settings
from rag.remembered import Remembered
from rag.types import Answer, Retrieval
from rag.workspace import Workspace
from tests.fake_models import ReplyGenerator
from tests.workspace_kit import OWN, Line, add, last, make, remove, txt, write_samples


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_samples(tmp_path)


@pytest.fixture
def line(folder: Path) -> Line:
    return make(folder)


def answered(workspace: Workspace, question: str) -> Answer:
    return last(workspace.answer(question, threading.Event()))


def hit(found: Retrieval) -> bool:
    return found.trace.steps[0].name == "cache"


def notes(found: Retrieval) -> str:
    return " ".join(step.note.en + step.note.zh for step in found.trace.steps)


# ---- retrievals and vectors


def test_the_same_question_again_gives_equal_objects_and_says_from_where(line: Line) -> None:
    workspace, models, _ = line
    first = workspace.retrieve("年假有几天？")
    again = workspace.retrieve("年假有几天？")
    assert len(models.encoder().questions) == 1
    assert not hit(first) and hit(again)
    assert "this visit's cache" in again.trace.steps[0].note.en and "缓存" in again.trace.steps[0].note.zh
    assert replace(again, trace=first.trace) == first and again.trace.steps[1:] == first.trace.steps
    assert again.prompt is first.prompt
    asked = workspace.asked()
    assert asked is not None and asked.retrieval is again


def test_another_setting_searches_again_with_the_vector_that_is_there(line: Line) -> None:
    workspace, models, _ = line
    first = workspace.retrieve("年假有几天？")
    workspace.configure(Settings(search=SearchSettings(packed=1)))
    other = workspace.retrieve("年假有几天？")
    assert len(models.encoder().questions) == 1
    assert not hit(other) and other.prompt is not None and len(other.prompt.packed) == 1
    assert "vector is from this visit's cache" in notes(other) and "cache" not in notes(first)
    workspace.configure(Settings())
    assert replace(workspace.retrieve("年假有几天？"), trace=first.trace) == first
    fresh = make_again(line)
    fresh.configure(Settings(search=SearchSettings(packed=1)))
    assert fresh.retrieve("年假有几天？").candidates == other.candidates


def make_again(line: Line) -> Workspace:
    _, models, samples = line
    return Workspace(samples, models)  # type: ignore[arg-type]


def test_whatever_was_remembered_before_the_results_are_those_of_a_new_visit(line: Line, seeds) -> None:
    questions = ("年假有几天？", "设备多少钱？", "那设备呢？", "年假有几天", "  年假有几天？")
    for seed in seeds(15):
        rng = random.Random(seed)
        workspace, searched = make_again(line), Settings()
        for _ in range(8):
            if rng.random() < 0.5:
                searched = Settings(
                    search=SearchSettings(depth=rng.choice((1, 5)), mode=rng.choice(("fused", "dense")))
                )
                workspace.configure(searched)
            question = rng.choice(questions)
            new = make_again(line)
            new.configure(searched)
            new._asking._turns = workspace._asking._turns
            found = workspace.retrieve(question)
            expected = new.retrieve(question)
            assert (found.candidates, found.prompt) == (expected.candidates, expected.prompt), (seed, question)


def test_a_follow_up_is_remembered_with_what_it_followed(line: Line) -> None:
    workspace, _, _ = line
    workspace.retrieve("年假有几天？")
    first = workspace.retrieve("那设备呢？")
    assert hit(workspace.retrieve("那设备呢？"))
    workspace.drop_earlier()
    alone = workspace.retrieve("那设备呢？")
    assert not hit(alone) and first.query != alone.query


def test_the_day_and_the_groups_are_in_the_key(line: Line, monkeypatch: pytest.MonkeyPatch) -> None:
    workspace, _, _ = line
    workspace.retrieve("年假有几天？")

    class Tomorrow(date):
        @classmethod
        def today(cls) -> date:
            return date(2099, 1, 1)

    monkeypatch.setattr(remembered, "date", Tomorrow)
    assert not hit(workspace.retrieve("年假有几天？"))
    assert hit(workspace.retrieve("年假有几天？"))
    corpus = workspace.corpus()
    keys = {remembered.key_of("a", (), Settings(), corpus, frozenset({g})) for g in ("public", "board")}
    assert len(keys) == 2


def test_what_was_made_without_a_model_is_not_kept(folder: Path) -> None:
    workspace, models, _ = make(folder, generator=False)
    workspace.retrieve("年假有几天？")
    models._generator = ReplyGenerator()
    found = workspace.retrieve("年假有几天？")
    assert not hit(found) and found.prompt is not None and found.prompt.rendered


# ---- answers


def test_a_finished_greedy_answer_is_given_again_whole(line: Line) -> None:
    workspace, models, _ = line
    first = answered(workspace, "年假有几天？")
    again = list(workspace.answer("年假有几天？", threading.Event()))
    assert len(models.generator().given) == 1 and len(again) == 1
    assert replace(again[0], trace=first.trace) == first
    steps = again[0].trace.steps
    assert steps[:-1] == first.trace.steps and steps[-1].name == "cache" and "cache" in steps[-1].note.en
    asked = workspace.asked()
    assert asked is not None and asked.answer is again[0]
    answered(workspace, "设备多少钱？")
    back = answered(workspace, "年假有几天？")
    assert len(models.generator().given) == 2 and back.text == first.text
    assert [s.name for s in back.trace.steps].count("cache") == 2  # neither searched nor generated


def test_neither_a_sampled_nor_a_stopped_answer_is_used_again(line: Line) -> None:
    workspace, models, _ = line
    workspace.configure(Settings(generate=GenerateSettings(temperature=0.7)))
    for _ in range(2):
        answered(workspace, "年假有几天？")
    assert len(models.generator().given) == 2
    workspace.configure(Settings())
    stop = threading.Event()
    for answer in workspace.answer("年假有几天？", stop):
        if answer.n_tokens == 2:
            stop.set()
    assert answered(workspace, "年假有几天？").finish == "end"
    assert len(models.generator().given) == 4


# ---- whose, and for how long


def test_it_goes_with_the_documents_and_with_the_visit(line: Line) -> None:
    workspace, models, _ = line
    add(workspace, txt("甲.txt", OWN))
    answered(workspace, "年假有几天？")
    kept = workspace._asking._kept
    assert len(kept) == 3 and kept.held_bytes > 0
    add(workspace, txt("乙.txt", "乙制度：年假九十九天，须提前三天申请。"))
    assert workspace._asking._kept is not kept and len(workspace._asking._kept) == 0
    assert not hit(workspace.retrieve("年假有几天？"))
    for document in workspace.own_documents():
        remove(workspace, document.key)
    assert len(workspace._asking._kept) == 0
    workspace.retrieve("年假有几天？")
    workspace.close()
    assert len(workspace._asking._kept) == 0
    assert len(models.encoder().questions) == 3


def test_a_search_that_ends_after_a_change_leaves_nothing(line: Line) -> None:
    workspace, models, _ = line
    add(workspace, txt("甲.txt", OWN))
    key = workspace.own_documents()[0].key
    encoder = models.encoder()

    def change() -> None:
        encoder.between = lambda: None
        remove(workspace, key)

    encoder.between = change
    assert {c.chunk.key for c in workspace.retrieve("年假有几天？").candidates} == {key}
    assert len(workspace._asking._kept) == 0
    answers = workspace.answer("设备多少钱？", threading.Event())
    next(answers)
    add(workspace, txt("乙.txt", OWN))
    last(answers)
    assert len(workspace._asking._kept) == 0


def test_nothing_of_another_visitor(line: Line) -> None:
    mine, models, _ = line
    theirs = make_again(line)
    answered(mine, "年假有几天？")
    assert not hit(theirs.retrieve("年假有几天？"))
    assert len(models.encoder().questions) == 2
    assert "cache" not in notes(theirs.retrieve("设备多少钱？"))


def test_visitors_and_threads_at_once_get_what_they_get_alone(line: Line) -> None:
    workspace, questions = make_again(line), ("年假有几天？", "设备多少钱？", "领用要登记吗？")
    alone = {}
    for question in questions:
        alone[question] = make_again(line).retrieve(question).candidates
    wrong: list[str] = []
    workspace._allowance.count_question = lambda: None  # type: ignore[method-assign]

    def ask(seed: int) -> None:
        rng = random.Random(seed)
        for _ in range(12):
            question = rng.choice(questions)
            if workspace.retrieve(question).candidates != alone[question]:
                wrong.append(question)

    threads = [threading.Thread(target=ask, args=(seed,)) for seed in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


# ---- bounds


def test_the_least_recently_used_goes_first_and_the_bytes_are_bounded(seeds) -> None:
    for seed in seeds(50):
        rng = random.Random(seed)
        kept, model = Remembered(most=5, most_bytes=4000), dict[int, int]()
        for _ in range(60):
            i, rows = rng.randrange(9), rng.choice((1, 10, 90, 1100))
            vectors, reused = kept.vectors([str(i)], lambda _, rows=rows: np.zeros((rows, 1), dtype=np.float32))
            assert reused == (i in model)
            size = model.pop(i, None)
            assert size is None or len(vectors) == size
            size = len(vectors)
            if size * 4 < 4000 - 300:  # the key takes some
                model[i] = size
            while len(model) > 5 or sum(4 * s for s in model.values()) > 4000 - 300 * len(model):
                if not _is_gone(kept, next(iter(model))):
                    break
                del model[next(iter(model))]
            assert len(kept) <= 5 and kept.held_bytes <= 4000


def _is_gone(kept: Remembered, i: int) -> bool:
    return ("vectors", str(i)) not in kept._held


def test_many_at_once_keep_the_bounds_and_the_count() -> None:
    kept = Remembered(most=8, most_bytes=3000)

    def work(seed: int) -> None:
        rng = random.Random(seed)
        for _ in range(300):
            i = rng.randrange(30)
            vectors, _ = kept.vectors([str(i)], lambda _, i=i: np.full((i, 1), i, dtype=np.float32))
            assert len(vectors) == i and (vectors == i).all()

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(kept) <= 8 and kept.held_bytes == sum(size for _, size in kept._held.values()) <= 3000


def test_vectors_are_kept_by_all_that_was_read_together_and_cannot_be_changed() -> None:
    kept = Remembered()
    encode = lambda texts: np.array([[len(texts)]] * len(texts), dtype=np.float32)  # noqa: E731
    both, _ = kept.vectors(["a", "b"], encode)
    one, reused = kept.vectors(["a"], encode)
    assert not reused and one.tolist() == [[1]] and both.tolist() == [[2], [2]]
    with pytest.raises(ValueError, match="read-only"):
        both[0, 0] = 9
