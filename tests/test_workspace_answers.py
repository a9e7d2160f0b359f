import contextlib
import random
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest

from rag.config import Limits, QuerySettings, Settings, SplitSettings
from rag.errors import NothingFits, RagError, SettingError
from rag.models.roles import Models
from rag.workspace import Asked, Workspace
from tests.fake_models import BigramEncoder, FakeModels, ReplyGenerator
from tests.workspace_kit import OWN, Line, add, check_slices, last, make, remove, txt, use_samples, write_samples


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_samples(tmp_path)


@pytest.fixture
def line(folder: Path) -> Line:
    return make(folder)


# ---- apart from others


def test_two_visitors_never_share(line: Line) -> None:
    mine, models, samples = line
    theirs = Workspace(samples, models)  # type: ignore[arg-type]
    add(mine, txt("同名.txt", "我的机密：年假三十一天，口令是蓝莓。"))
    add(theirs, txt("同名.txt", "他的机密：年假四十二天，口令是石榴。"))
    assert "石榴" not in "".join(c.chunk.text for c in mine.retrieve("口令是什么").candidates)
    assert "蓝莓" not in "".join(c.chunk.text for c in theirs.retrieve("口令是什么").candidates)
    use_samples(theirs, True)
    assert not any("蓝莓" in c.text for c in theirs.corpus().chunks)
    assert not any("蓝莓" in c.text or "石榴" in c.text for c in samples.corpus().chunks)
    mine.close()
    assert "石榴" in theirs.retrieve("口令是什么").candidates[0].chunk.text
    assert mine.asked() is None
    assert Workspace(samples, models).corpus() is samples.corpus()  # type: ignore[arg-type]


# ---- answers


def test_answer_reuses_a_fresh_retrieval(line: Line) -> None:
    workspace, models, _ = line
    found = workspace.retrieve(" 年假有几天？ ")
    final = last(workspace.answer("年假有几天？\n", threading.Event()))
    assert len(models.encoder().questions) == 1
    assert final.prompt is found.prompt
    assert models.generator().given == [found.prompt.input_ids]  # type: ignore[union-attr]
    assert workspace.asked() == Asked(found, workspace.corpus(), final)


def test_answer_retrieves_first_when_there_is_nothing_fresh(line: Line) -> None:
    workspace, models, _ = line
    questions = models.encoder().questions
    last(workspace.answer("年假有几天？", threading.Event()))
    assert len(questions) == 1
    last(workspace.answer("设备多少钱？", threading.Event()))  # another question
    assert len(questions) == 2
    workspace.configure(replace(Settings(), search=replace(Settings().search, packed=1)))
    final = last(workspace.answer("设备多少钱？", threading.Event()))  # other settings
    assert len(questions) == 2  # searched again, with the vector that is there (tests/test_remembered.py)
    assert len(final.prompt.packed) == 1
    add(workspace, txt("设备.txt", "设备费用上限为九千元，超出部分自理。"))
    final = last(workspace.answer("设备多少钱？", threading.Event()))  # another corpus
    assert len(questions) == 3
    assert "九千元" in final.prompt.text


def test_a_retrieval_made_before_the_generator_was_there_is_not_reused(folder: Path) -> None:
    workspace, models, _ = make(folder, generator=False)
    found = workspace.retrieve("年假有几天？")
    assert found.prompt is not None
    assert not found.prompt.rendered
    models._generator = ReplyGenerator()
    assert last(workspace.answer("年假有几天？", threading.Event())).prompt.rendered


def test_answer_and_retrieval_are_of_one_corpus_though_it_changes_in_between(line: Line) -> None:
    workspace, models, _ = line
    add(workspace, txt("甲.txt", OWN))
    counted = workspace._allowance.count_question

    def changes() -> None:
        counted()
        workspace._allowance.count_question = counted  # type: ignore[method-assign]
        add(workspace, txt("乙.txt", "乙制度：年假九十九天，须提前三天申请。"))

    workspace._allowance.count_question = changes  # type: ignore[method-assign]
    final = last(workspace.answer("年假有几天？", threading.Event()))
    assert final.text == models.generator().reply


def test_what_is_kept_belongs_to_what_is_searched(line: Line) -> None:
    workspace, _, _ = line
    add(workspace, txt("甲.txt", OWN))
    key = workspace.own_documents()[0].key
    answers = workspace.answer("年假有几天？", threading.Event())
    next(answers)
    remove(workspace, key)
    last(answers)  # goes on with what it began with
    assert workspace.asked() is None  # but a removed document is not kept


def test_a_retrieval_that_ends_after_a_change_is_not_kept(folder: Path) -> None:
    encoder = BigramEncoder()
    workspace, _, _ = make(folder, encoder)
    add(workspace, txt("甲.txt", OWN))
    key = workspace.own_documents()[0].key
    encoder.between = lambda: remove(workspace, key) and None if workspace.own_documents() else None
    found = workspace.retrieve("年假有几天？")
    assert {c.chunk.key for c in found.candidates} == {key}
    assert workspace.asked() is None


def test_an_older_answer_does_not_overwrite_a_newer_retrieval(line: Line) -> None:
    workspace, _, _ = line
    answers = workspace.answer("年假有几天？", threading.Event())
    next(answers)
    newer = workspace.retrieve("设备多少钱？")
    last(answers)
    assert workspace.asked() == Asked(newer, workspace.corpus(), None)


def test_stop_ends_an_answer_and_keeps_what_was_written(line: Line) -> None:
    workspace, _, _ = line
    stop = threading.Event()
    seen = []
    for answer in workspace.answer("年假有几天？", stop):
        seen.append(answer)
        if answer.n_tokens == 3:
            stop.set()
    assert (seen[-1].done, seen[-1].finish, seen[-1].text) == (True, "stopped", "每年1")


def test_without_a_generator_the_answer_says_so_and_the_retrieval_stays(folder: Path) -> None:
    workspace, _, _ = make(folder, generator=False)
    with pytest.raises(RagError) as caught:
        list(workspace.answer("年假有几天？", threading.Event()))
    assert not isinstance(caught.value, NothingFits)
    asked = workspace.asked()
    assert asked is not None and asked.retrieval.problem is not None and asked.answer is None


def test_a_shown_question_is_the_last_one_until_another_is_asked(line: Line) -> None:
    workspace, models, _ = line
    asked = workspace.retrieve("年假有几天？")
    final = last(workspace.answer("年假有几天？", threading.Event()))
    shown = Asked(asked, workspace.corpus(), final)
    newer = workspace.retrieve("设备多少钱？")
    workspace.show(shown)
    assert workspace.asked() is shown and not workspace.fresh("年假有几天？")  # who knows what it was asked with
    assert workspace.retrieve("设备多少钱？").candidates == newer.candidates
    assert workspace.asked() is not shown


def test_a_removed_document_does_not_come_back_with_a_question_of_a_run(line: Line) -> None:
    workspace, _, _ = line
    add(workspace, txt("甲.txt", OWN))
    shown = Asked(workspace.retrieve("年假有几天？"), workspace.corpus(), None)
    workspace.configure(replace(workspace.settings, split=SplitSettings(size=60, overlap=0)))
    list(workspace.reindex(threading.Event()))
    workspace.show(shown)  # split otherwise, but the same documents
    remove(workspace, workspace.own_documents()[0].key)
    with pytest.raises(SettingError, match="changed"):
        workspace.show(shown)
    assert workspace.asked() is None


# ---- at once


def _add_one(workspace: Workspace, rng: random.Random) -> None:
    name = f"第{rng.randrange(4)}份_202{rng.randrange(3)}.txt"
    add(workspace, txt(name, f"第{rng.randrange(10**6)}次写的制度，年假{rng.randrange(40)}天。" * 20))


def _remove_one(workspace: Workspace, rng: random.Random) -> None:
    keys = [d.key for d in workspace.own_documents()]
    if keys:
        with contextlib.suppress(SettingError):  # somebody else was faster
            remove(workspace, rng.choice(keys))


def _switch(workspace: Workspace, rng: random.Random) -> None:
    use_samples(workspace, rng.random() < 0.5)


def _retrieve(workspace: Workspace, rng: random.Random) -> None:
    found = workspace.retrieve("年假有几天？")
    assert found.candidates
    assert len({c.chunk.chunk_id for c in found.candidates}) == len(found.candidates)
    corpus = workspace.corpus()
    if corpus.corpus_id == found.corpus_id:
        check_slices(found, corpus)


def _answer(workspace: Workspace, rng: random.Random) -> None:
    assert last(workspace.answer("年假有几天？", threading.Event())).prompt.packed


def test_four_threads_add_remove_and_retrieve(folder: Path) -> None:
    workspace, _, samples = make(folder, limits=Limits(questions_per_minute=10**6))
    failures: list[BaseException] = []
    before = (dict(samples.corpus().documents), samples.corpus().chunks)
    began = time.monotonic()

    def visitor(seed: int) -> None:
        rng = random.Random(seed)
        actions = (_add_one, _remove_one, _switch, _retrieve, _answer)
        try:
            for _ in range(25):
                rng.choice(actions)(workspace, rng)
        except BaseException as error:  # noqa: BLE001 - reported by the test's own thread
            failures.append(error)

    threads = [threading.Thread(target=visitor, args=(seed,), daemon=True) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not any(t.is_alive() for t in threads)
    if failures:
        raise failures[0]
    corpus = workspace.corpus()
    own = {d.key: d for d in workspace.own_documents()}
    if own:
        assert {k: d for k, d in corpus.documents.items() if d.origin == "own"} == own
        assert any(d.origin == "sample" for d in corpus.documents.values()) == workspace.include_samples
    assert (dict(samples.corpus().documents), samples.corpus().chunks) == before
    assert time.monotonic() - began < 30


def test_models_satisfies_what_the_stand_ins_stand_for() -> None:
    for name in ("wait", "encoder", "generator"):
        assert callable(getattr(Models, name))
        assert callable(getattr(FakeModels, name))


# ---- questions before this one


def searched(workspace: Workspace, question: str) -> tuple[str, ...]:
    query = workspace.retrieve(question).query
    assert query is not None
    return query.earlier


def test_a_question_that_follows_is_read_with_the_last_two(line: Line) -> None:
    workspace = line[0]
    assert workspace.earlier() == () and searched(workspace, "那设备呢？") == ()
    workspace.drop_earlier()
    for question in ("年假有几天？", "设备多少钱？", "报销额度是多少？"):
        assert searched(workspace, question) == ()
    assert workspace.earlier() == ("设备多少钱？", "报销额度是多少？")
    assert searched(workspace, "那领用呢？") == ("设备多少钱？", "报销额度是多少？")
    assert searched(workspace, "那领用呢？") == (
        "设备多少钱？",
        "报销额度是多少？",
    )  # asked again, it is not before itself
    assert workspace.earlier() == ("报销额度是多少？", "那领用呢？")


def test_who_drops_the_earlier_questions_gets_another_search(line: Line) -> None:
    workspace = line[0]
    workspace.retrieve("年假有几天？")
    assert searched(workspace, "那设备呢？") == ("年假有几天？",) and workspace.fresh("那设备呢？")
    workspace.drop_earlier()
    assert workspace.earlier() == () and not workspace.fresh("那设备呢？")
    assert searched(workspace, "那设备呢？") == () and workspace.fresh("那设备呢？")


def test_earlier_questions_go_with_the_documents_and_with_the_visitor(line: Line) -> None:
    mine, models, samples = line
    theirs = Workspace(samples, models)  # type: ignore[arg-type]
    mine.retrieve("我的工资是多少？")
    assert theirs.earlier() == () and searched(theirs, "那奖金呢？") == ()
    add(mine, txt("a.txt", OWN))
    assert mine.earlier() == ()
    mine.retrieve("我的工资是多少？")
    remove(mine, mine.own_documents()[0].key)
    assert mine.earlier() == ()
    mine.retrieve("我的工资是多少？")
    mine.close()
    assert mine.earlier() == ()


def test_with_the_setting_off_no_question_is_read_with_others(line: Line) -> None:
    workspace = line[0]
    workspace.configure(Settings(query=QuerySettings(follow_up=False)))
    workspace.retrieve("年假有几天？")
    assert searched(workspace, "那设备呢？") == ()
