"""Runs on the Evaluate tab: their figures, their end, and what a question of one opens."""

import json
import random
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import gradio as gr
import pytest

from rag.background import settled
from rag.config import GenerateSettings, Limits, QuerySettings, SearchSettings, SelectSettings, Settings, SplitSettings
from rag.evaluate.threshold import at
from rag.evaluate.words import WORDS
from rag.ui import evaluate_handlers, result_handlers
from rag.ui.app import App
from rag.ui.evaluate_size import kept_bytes
from rag.ui.settings import read_settings, show_settings
from tests.hostile import text as hostile_text
from tests.ui.evaluate_kit import ABSENT, GOOD, PAID, REFUSED, ROWS, Evaluator, jsonl
from tests.ui.fakes import QUESTION, PageModels, last, page_app
from tests.ui.markup import ALLOWED, read

DRAWN = {"svg", "g", "path", "text", "defs", "use", "rect", "title", "style", "clippath", "tspan", "desc", "metadata"}


@pytest.fixture
def visitor(app: App, request: pytest.FixtureRequest) -> Evaluator:
    found = Evaluator(app, request.node.name)
    found.bring(jsonl(*ROWS))
    return found


def cells(html: str) -> list[list[str]]:
    """The rows of the tables in some HTML, as text."""
    rows = re.findall(r"<tr>(.*?)</tr>", html, re.S)
    return [[re.sub(r"<[^>]+>", " ", c).strip() for c in re.findall(r"<td>(.*?)</td>", row, re.S)] for row in rows]


def test_the_figures_are_those_of_the_questions(visitor: Evaluator) -> None:
    shown = visitor.run()
    # by hand: of three labelled questions the evidence of two is in the two sample documents, which are all packed
    packed = next(row for row in cells(shown[visitor.tab.figures]) if row and row[0] == "放入提示词")
    assert packed[1].startswith("0.667")
    assert "4 题" in shown[visitor.tab.progress]
    table = shown[visitor.tab.outcomes]["data"]
    assert [row[:5] for row in table] == [
        [1, "leave", "plain", QUESTION, "✓"],
        [2, "paid", "plain", PAID["question"], "✓"],
        [3, "absent", "odd", ABSENT["question"], "✗"],
        [4, "pets", "odd", REFUSED["question"], "–"],
    ]
    assert [row[5] for row in table] == ["–"] * 4 and table[2][6] != "–" and table[0][6] == "–"
    assert "4 题中失败 1 题" in shown[visitor.tab.count]
    only = visitor.checked("choose_failed", visitor.runs.choose_failed(0, True, visitor.request))
    assert [row[0] for row in only[visitor.tab.outcomes]["data"]] == [3]


def test_answers_from_every_kind_of_evidence(visitor: Evaluator) -> None:
    shown = visitor.run(what="all")
    rows = {row[0]: row[1:] for row in cells(shown[visitor.tab.figures]) if row}
    # every answer is the same text with 15天 in it: right once, wrong for the others that have an answer
    assert rows["答对"] == ["1", "0", "1", "1"] or rows["答对"] == ["1", "1", "1", "1"]
    assert rows["该拒未拒"][0] == "1"
    assert shown[visitor.tab.outcomes]["data"][0][5].startswith("✓")
    assert shown[visitor.tab.outcomes]["data"][1][5].startswith("✗")


def test_a_question_of_a_run_is_shown_on_all_tabs(visitor: Evaluator) -> None:
    visitor.run(what="answers")
    opened = visitor.runs.choose_outcome_row(0, visitor.request, visitor.row(2))
    visitor.checked("choose_outcome_row", opened)
    page = visitor.page
    assert opened[page.question] == PAID["question"] and PAID["question"] in opened[page.prompt.text]
    assert any("3000" in str(row) for row in opened[page.candidates.table]["data"])
    assert "".join(piece["t"] for piece in opened[page.answer.answer]).startswith("员工入职满一年后")
    assert opened[page.chunks.document].startswith("equipment@")
    assert "hit" in opened[page.chunks.view] and "3000" in opened[page.chunks.view]
    assert opened[visitor.tab.pick] == 2 and "未答出" in opened[visitor.tab.diagnosis]
    asked = visitor.workspace.asked()
    assert asked is not None and asked.answer is not None and asked.retrieval.question == PAID["question"]
    # what follows on the other tabs is about this question
    view = visitor.candidates.choose(1, visitor.request)
    assert view[page.candidates.view]
    again = visitor.checked("choose_outcome", visitor.runs.choose_outcome(0, 3, visitor.request))
    assert "年假不得跨年累计" in again[visitor.tab.diagnosis] and page.chunks.view not in again


def test_variants_stand_beside_a_and_their_settings_can_be_taken(visitor: Evaluator) -> None:
    shown = visitor.run(
        first="search.packed", first_values="1，4, 2", second="split.size", second_values="240、60", packed=4
    )
    experiment = visitor.visit.experiment
    assert experiment is not None and len(experiment.runs) == 6  # 3 × 2, one of them A itself
    assert shown[visitor.tab.choice].visible and [n for _, n in shown[visitor.tab.which].choices] == [0, 1, 2, 3, 4, 5]
    rows = cells(shown[visitor.tab.compared])
    assert {row[0][0] for row in rows if row} == set("BCDEF")
    assert all(row[4] in ("噪声", "更好", "更差") for row in rows if row)
    position = next(n for n, run in enumerate(experiment.runs) if run.settings.split.size == 60)
    wanted = experiment.runs[position].settings
    taken = visitor.checked("use_variant", visitor.runs.use_variant(position, visitor.request))
    panel = visitor.page.settings
    assert read_settings(panel, {**visitor.values(), **taken}) == wanted
    assert "重新建立索引" in taken[visitor.tab.used]
    other = visitor.checked("choose_run", visitor.runs.choose_run(position, False, visitor.request))
    assert len(other[visitor.tab.outcomes]["data"]) == 4


def test_the_settings_panel_shows_any_settings_as_they_are(app: App, seeds: Callable[[int], range]) -> None:
    from datetime import date

    client = Evaluator(app, "panel")
    for seed in seeds(200):
        r = random.Random(seed)
        size = r.randint(20, 4000)
        settings = Settings(
            SplitSettings(r.choice(["fixed", "recursive"]), size, r.randint(0, size - 1)),
            QuerySettings(glossary=r.random() < 0.5, synonyms=hostile_text(r)[:2000]),
            SearchSettings(
                mode=r.choice(["fused", "dense", "lexical"]),
                depth=r.randint(1, 200),
                alpha=r.random(),
                threshold=r.choice([None, r.uniform(-1, 1)]),
                as_of=r.choice([None, date(2026, r.randint(1, 12), 1)]),
                documents=r.choice([(), ("leave", "差旅")]),
            ),
            SelectSettings(mmr=r.choice([None, r.random()]), neighbours=r.random() < 0.5),
            GenerateSettings(temperature=r.uniform(0, 2), rules=hostile_text(r)[:2000]),
        )
        assert read_settings(client.page.settings, show_settings(client.page.settings, settings)) == settings


def test_a_threshold_is_tried_and_taken(visitor: Evaluator) -> None:
    shown = visitor.run()
    assert shown[visitor.tab.cut].visible and "<svg" in shown[visitor.tab.curve]
    assert visitor.visit.experiment is not None
    run = visitor.visit.experiment.runs[0]
    for value in (0.0, 0.3, 0.6, 1):
        tried = visitor.checked("try_threshold", visitor.runs.try_threshold(0, value, visitor.request))
        (point,) = at(run.outcomes, run.bench, float(value))
        line = tried[visitor.tab.threshold_view]
        assert f"{point.evidence:.1%} 依据仍齐全" in line and f"{point.refused_unanswerable:.1%} 被拒答" in line
    taken = visitor.checked("use_threshold", visitor.runs.use_threshold(0.6, visitor.request))
    panel = visitor.page.settings
    assert read_settings(panel, {**visitor.values(), **taken}).search.threshold == 0.6
    for odd in (None, "0.5", True, float("nan"), 2, [1], -1.01):
        with pytest.raises(gr.Error):
            visitor.runs.use_threshold(odd, visitor.request)


@pytest.mark.parametrize(
    "changed",
    [
        {"what": "everything"}, {"what": None}, {"what": ["all"]}, {"categories": ["nobody's"]}, {"categories": "plain"},
        {"categories": [["plain"]]}, {"most": 0}, {"most": 1001}, {"most": 2.5}, {"most": "3"}, {"most": None}, {"most": True},
        {"k": 0}, {"k": 201}, {"k": float("nan")}, {"first": "search.nothing", "first_values": "1"},
        {"first": "search.packed", "first_values": ""}, {"first": "search.packed", "first_values": "few"},
        {"first": "search.packed", "first_values": "51"}, {"first": "split.size", "first_values": "1" * 99}, {"first": "split.size", "first_values": "240 60"},
        {"first": "search.packed", "first_values": ",".join(map(str, range(1, 20)))}, {"overlap": 4000}, {"depth": None},
    ],
)  # fmt: skip
def test_what_cannot_be_run_is_told_and_the_results_stay(visitor: Evaluator, changed: dict[str, Any]) -> None:
    visitor.run()
    before = visitor.visit.experiment
    with pytest.raises(gr.Error):
        visitor.run(**changed)
    assert visitor.visit.experiment is before


@pytest.mark.parametrize("odd", [None, -1, 9, "1", [], {}, 1e300, float("nan"), True])
def test_odd_numbers_open_nothing(visitor: Evaluator, odd: Any) -> None:
    with pytest.raises(gr.Error):
        visitor.runs.choose_outcome(0, 1, visitor.request)  # nothing was run yet
    visitor.run(categories=["odd"], most=1)
    for call in (
        lambda: visitor.runs.choose_outcome(0, odd if odd is not True else 5, visitor.request),
        lambda: visitor.runs.choose_run(odd if odd is not True else 5, False, visitor.request),
        lambda: visitor.runs.use_variant(odd if odd is not True else 5, visitor.request),
    ):
        with pytest.raises(gr.Error, match="已不存在"):
            call()


def test_one_visitor_sees_no_results_of_another(app: App) -> None:
    one, other = Evaluator(app, "results-a"), Evaluator(app, "results-b")
    one.bring(jsonl(GOOD))
    one.run()
    with pytest.raises(gr.Error):
        other.runs.choose_outcome(0, 1, other.request)
    with pytest.raises(gr.Error):
        other.runs.save_json(other.request)
    assert other.visit.questions is None and other.visit.experiment is None


def test_results_say_when_the_documents_changed(visitor: Evaluator) -> None:
    visitor.run()
    opened = visitor.checked("opened", visitor.sets.opened(visitor.request))
    assert opened[visitor.tab.age] == ""
    visitor.upload("own.txt", "每年3天年假。".encode())
    opened = visitor.sets.opened(visitor.request)
    assert "变动" in opened[visitor.tab.age] and "找不到" in opened[visitor.tab.set_line]
    before = visitor.workspace.asked()
    with pytest.raises(gr.Error, match="变动"):  # what is no longer searched is not shown as if it were
        visitor.runs.choose_outcome(0, 1, visitor.request)
    assert visitor.workspace.asked() is before


def test_a_run_leaves_the_index_and_the_question_allowance_alone(tmp_path: Path) -> None:
    app, _ = page_app(tmp_path, limits=Limits(questions_per_minute=1))
    try:
        visitor = Evaluator(app)
        visitor.bring(jsonl(*ROWS))
        before = visitor.workspace.corpus()
        visitor.run(first="split.size", first_values="60")
        assert visitor.workspace.corpus() is before and visitor.workspace.settings == Settings()
        last(visitor.questions.retrieve(visitor.values(), visitor.request))
    finally:
        app.close()


def test_limits_hold_for_variants(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    app, _ = page_app(tmp_path, limits=Limits(chunks=2))
    try:
        visitor = Evaluator(app)
        visitor.bring(jsonl(*ROWS))
        with pytest.raises(gr.Error, match="切分"):
            visitor.run(first="split.size", first_values="60")
        monkeypatch.setattr(evaluate_handlers, "MOST_KEPT", 7 * 102_100)
        with pytest.raises(gr.Error, match="8 题"):
            visitor.run(first="search.rrf_c", first_values="1")
        visitor.run()
    finally:
        app.close()


def test_without_models_it_says_what_is_missing(tmp_path: Path) -> None:
    app, models = page_app(tmp_path, generator=False, encoder=False)
    try:
        visitor = Evaluator(app)
        visitor.bring(jsonl(*ROWS))
        with pytest.raises(gr.Error, match="没有模型"):
            visitor.run(what="answers")
        shown = visitor.run()
        assert "仅按词汇检索" in shown[visitor.tab.progress] and not shown[visitor.tab.cut].visible
        assert "未按 token 预算计数" in shown[visitor.tab.progress]
        models.loading.set()
        with pytest.raises(gr.Error, match="没有模型"):  # and no lexical figures that pass for the real ones
            visitor.run()
    finally:
        app.close()


@pytest.fixture
def slow(tmp_path: Path) -> Iterator[tuple[Evaluator, PageModels]]:
    app, models = page_app(tmp_path, before=0.4)
    visitor = Evaluator(app)
    visitor.bring(jsonl(*(GOOD | {"id": str(n)} for n in range(40))))
    yield visitor, models
    app.close()


def running(visitor: Evaluator, **changed: Any) -> Iterator[dict[Any, Any]]:
    """A run that has answered its first question."""
    updates = visitor.runs.run(visitor.plan(what="answers", **changed), visitor.request)
    for update in updates:
        if "已完成 1 / 40 题" in str(update[visitor.tab.progress]):
            return updates
    raise AssertionError("the run ended")


def test_stop_keeps_what_is_done(slow: tuple[Evaluator, PageModels]) -> None:
    visitor = slow[0]
    updates = running(visitor)
    began = time.perf_counter()
    visitor.runs.stop(visitor.request)
    shown = visitor.streamed("run", updates)
    assert time.perf_counter() - began < 5
    found = visitor.visit.experiment
    assert found is not None and 1 <= found.asked < 40 and not found.complete
    assert "停止" in shown[visitor.tab.progress] and len(shown[visitor.tab.outcomes]["data"]) == found.asked
    assert json.loads(visitor.saved(visitor.runs.save_json(visitor.request)))["complete"] is False


def test_a_second_run_takes_the_place_of_the_first(slow: tuple[Evaluator, PageModels]) -> None:
    visitor = slow[0]
    first = running(visitor)
    shown = visitor.run(categories=["plain"], most=2)
    assert "2 题" in shown[visitor.tab.progress]
    rest = list(first)
    assert all(visitor.tab.outcomes not in update for update in rest)
    assert visitor.visit.experiment is not None and visitor.visit.experiment.asked == 2


def test_a_page_that_closes_ends_its_run(slow: tuple[Evaluator, PageModels]) -> None:
    visitor, models = slow
    updates = running(visitor)
    updates.close()  # type: ignore[attr-defined]
    assert settled(3)
    given = len(models.generator().given)
    time.sleep(0.6)
    assert len(models.generator().given) == given
    assert visitor.visit.experiment is None


def test_the_end_of_a_visit_forgets_its_questions_and_results(slow: tuple[Evaluator, PageModels]) -> None:
    visitor = slow[0]
    visitor.run(most=1)
    updates = running(visitor)
    visitor.visit.end()
    list(updates)
    assert visitor.visit.questions is None and visitor.visit.experiment is None


def test_one_visitors_run_does_not_hold_up_another(slow: tuple[Evaluator, PageModels]) -> None:
    visitor = slow[0]
    updates = running(visitor)
    other = Evaluator(visitor.app, "other")
    began = time.perf_counter()
    last(other.questions.retrieve(other.values(), other.request))
    assert time.perf_counter() - began < 2
    updates.close()  # type: ignore[attr-defined]


def test_partial_results_come_while_it_runs(
    slow: tuple[Evaluator, PageModels], monkeypatch: pytest.MonkeyPatch
) -> None:
    visitor = slow[0]
    monkeypatch.setattr(evaluate_handlers, "PARTIAL_S", 0.0)
    seen = []
    for update in visitor.runs.run(visitor.plan(what="answers", most=4), visitor.request):
        seen.append(update)
    partial = [u[visitor.tab.figures] for u in seen[1:-1] if visitor.tab.figures in u]
    assert partial and all("目前" in html and "<svg" not in html for html in partial)
    assert all(visitor.tab.outcomes not in update for update in seen[:-1])  # tables in the last yield only
    assert "<svg" in seen[-1][visitor.tab.figures]


def test_reports_are_saved_in_both_forms(visitor: Evaluator) -> None:
    visitor.run(what="answers")
    page = visitor.saved(visitor.checked("save_html", visitor.runs.save_html(visitor.request))).decode()
    assert "<html" in page and PAID["question"] in page
    figures = json.loads(visitor.saved(visitor.checked("save_json", visitor.runs.save_json(visitor.request))))
    assert figures["asked"] == 4


def test_no_text_of_a_set_becomes_html(app: App, seeds: Callable[[int], range]) -> None:
    for seed in seeds(40):
        r = random.Random(seed)
        visitor = Evaluator(app, f"hostile-{seed}")

        def odd(r: random.Random = r) -> str:
            return " ".join(hostile_text(r).encode("utf-8", "ignore").decode().split())[:300] + "问"

        rows = []
        for n in range(4):
            label = {"document": r.choice(["annual-leave.md", odd()]), "quote": r.choice(["每年可享受15天", odd()])}
            rows.append(
                {"id": f"{n} {odd()}", "question": odd(), "category": odd(), "relevant": [label], "points": [odd()]}
            )
        brought = visitor.bring(jsonl(*rows))
        assert visitor.visit.questions is not None, brought[visitor.tab.set_note]
        shown = visitor.run(what=r.choice(["retrieval", "all"]), first="search.packed", first_values="1")
        shown |= visitor.runs.choose_outcome(0, r.randint(1, 4), visitor.request)
        shown |= visitor.sets.opened(visitor.request)
        tab = visitor.tab
        for part in (
            tab.progress,
            tab.figures,
            tab.compared,
            tab.curve,
            tab.threshold_view,
            tab.count,
            tab.diagnosis,
            tab.set_line,
        ):
            html = shown.get(part, "")
            found = read(html)
            assert set(found.tags) <= ALLOWED | DRAWN | {"h2", "h3"}, set(found.tags)
            assert not [a for a in found.attributes if a.startswith("on")]


BOTH = GOOD | {"relevant": [*GOOD["relevant"], *({**label, "need": 2} for label in PAID["relevant"])]}
"""A question that needs a passage of either document."""


def test_chunks_open_at_the_passage_that_was_lost(visitor: Evaluator) -> None:
    visitor.bring(jsonl(BOTH))
    visitor.run(packed=1)
    packed = visitor.runs.choose_outcome(0, 1, visitor.request)
    assert visitor.visit.experiment is not None
    kept = visitor.visit.experiment.runs[0].outcomes[0].retrieval.prompt
    assert kept is not None and len(kept.packed) == 1
    assert packed[visitor.page.chunks.document] != kept.packed[0].chunk.key


def test_answers_and_changed_questions_are_escaped(tmp_path: Path) -> None:
    payload = "<img src=x onerror=alert(1)>"
    app, _ = page_app(tmp_path, reply=payload)
    try:
        visitor = Evaluator(app)
        visitor.bring(jsonl(BOTH | {"id": payload, "question": payload + QUESTION, "points": [payload]}))
        shown = visitor.run(what="all", packed=4, first="search.packed", first_values="1")
        opened = visitor.runs.choose_outcome(0, 1, visitor.request)
        for html in (shown[visitor.tab.compared], opened[visitor.tab.diagnosis]):
            assert "&lt;img src=x" in html and "<img" not in html
    finally:
        app.close()


def test_every_word_taken_from_the_report_is_there() -> None:
    """The report's table of words belongs to others, who may drop what their page does not use."""
    for source in Path(evaluate_handlers.__file__).parent.glob("evaluate*.py"):
        keys = re.findall(r'words\.text\(\s*"([a-z_.]+)"', source.read_text("utf-8"))
        keys += re.findall(r'"(report\.[a-z_0-9]+)"', source.read_text("utf-8"))
        assert set(keys) <= WORDS.keys(), source.name


def test_the_chunks_of_all_variants_are_bounded_together(tmp_path: Path) -> None:
    app, _ = page_app(tmp_path, limits=Limits(chunks=14))
    try:
        visitor = Evaluator(app)
        visitor.bring(jsonl(*ROWS))
        for sizes in ("20", "21"):
            visitor.run(overlap=10, first="split.size", first_values=sizes)
        with pytest.raises(gr.Error, match="合计"):
            visitor.run(overlap=10, first="split.size", first_values="20,21")
    finally:
        app.close()


def test_what_is_kept_grows_with_candidates_and_prompts() -> None:
    plain = Settings()
    large = Settings(search=SearchSettings(depth=200, packed=50), generate=GenerateSettings(context_limit=32768))
    assert kept_bytes(plain, ()) == kept_bytes(plain, ("retrieved",)) < kept_bytes(plain, ("none", "retrieved"))
    # measured: 81 KB and 516 KB
    assert 81_000 <= kept_bytes(plain, ()) <= 130_000 and 516_000 <= kept_bytes(large, ()) <= 800_000
    most = evaluate_handlers.MOST_KEPT
    assert 1000 * kept_bytes(plain, ()) <= most < 1000 * kept_bytes(large, ())


def test_old_and_new_results_are_not_held_together(slow: tuple[Evaluator, PageModels]) -> None:
    visitor = slow[0]
    visitor.run(most=1)
    updates = running(visitor)
    assert visitor.visit.experiment is None
    updates.close()  # type: ignore[attr-defined]


SECRET = "# 密件\n\n版本：2026-10\n\n员工王五的工资是每月98765元，请勿外传，仅限人事部门查阅使用。"
ABOUT = {"id": "s", "question": "王五的工资是多少？", "relevant": [{"document": "secret.md"}]}


@pytest.mark.parametrize("gone", ["removed", "replaced"])
def test_results_that_hold_a_removed_document_go_with_it(visitor: Evaluator, gone: str) -> None:
    visitor.upload("secret.md", SECRET.encode())
    visitor.bring(jsonl(ABOUT))
    visitor.run()
    visitor.runs.choose_outcome(0, 1, visitor.request)
    if gone == "removed":
        visitor.remove(visitor.workspace.own_documents()[0].key)
    else:
        visitor.upload("secret.md", SECRET.replace("98765", "12345").encode())
        assert len(visitor.workspace.own_documents()) == 1
    assert visitor.visit.experiment is None and visitor.visit.opened is None
    opened = visitor.checked("opened", visitor.sets.opened(visitor.request))
    assert "一并删除" in opened[visitor.tab.age] and not opened[visitor.tab.more].visible
    assert visitor.sets.opened(visitor.request)[visitor.tab.age] == ""
    for call in (visitor.runs.save_html, visitor.runs.save_json):
        with pytest.raises(gr.Error, match="还没有结果"):
            call(visitor.request)


def test_what_was_said_of_results_goes_with_them(visitor: Evaluator) -> None:
    visitor.upload("secret.md", SECRET.encode())
    visitor.bring(jsonl(ABOUT))
    assert visitor.run()[visitor.tab.progress] != ""
    visitor.remove(visitor.workspace.own_documents()[0].key)
    assert visitor.sets.opened(visitor.request)[visitor.tab.progress] == ""


def test_of_settings_and_threshold_the_one_taken_over_last_says_so(visitor: Evaluator) -> None:
    tab = visitor.tab
    visitor.run()
    taken = visitor.checked("use_threshold", visitor.runs.use_threshold(0.6, visitor.request))
    assert "0.600" in taken[tab.cut_note] and taken[tab.used] == ""
    taken = visitor.checked("use_variant", visitor.runs.use_variant(0, visitor.request))
    assert taken[tab.used] and taken[tab.cut_note] == ""


def test_a_run_that_ends_after_its_document_was_removed_keeps_nothing(slow: tuple[Evaluator, PageModels]) -> None:
    visitor = slow[0]
    visitor.upload("secret.md", SECRET.encode())
    updates = running(visitor)
    visitor.remove(visitor.workspace.own_documents()[0].key)
    visitor.runs.stop(visitor.request)
    shown = visitor.streamed("run", updates)
    assert "一并删除" in shown[visitor.tab.progress] and visitor.visit.experiment is None


def test_no_run_begins_before_a_model_that_is_on_its_way(tmp_path: Path) -> None:
    app, models = page_app(tmp_path)
    try:
        visitor = Evaluator(app)
        visitor.bring(jsonl(*ROWS))
        there = models.generator

        def on_its_way() -> Any:
            models.loading.set()
            try:
                return there()
            finally:
                models.loading.clear()

        models.generator = on_its_way  # type: ignore[method-assign]
        with pytest.raises(gr.Error):
            visitor.run()
        models.generator = there  # type: ignore[method-assign]
        assert "未按 token" not in visitor.run()[visitor.tab.progress]
    finally:
        app.close()


def test_a_bug_midway_leaves_what_was_measured(visitor: Evaluator, monkeypatch: pytest.MonkeyPatch) -> None:
    from rag import pipeline

    given, real = [], pipeline.retrieve

    def broken(*args: Any) -> Any:
        given.append(args)
        if len(given) == 3:
            raise ZeroDivisionError("secret")
        return real(*args)

    monkeypatch.setattr(pipeline, "retrieve", broken)
    shown = visitor.run()
    assert len(shown[visitor.tab.outcomes]["data"]) == 2
    assert "error" in shown[visitor.tab.progress] and "secret" not in shown[visitor.tab.progress]
    assert visitor.visit.experiment is not None and visitor.visit.experiment.asked == 2


def test_an_answer_that_could_not_be_tried_says_why(visitor: Evaluator) -> None:
    visitor.run(what="answers", threshold="0.999")
    assert visitor.visit.experiment is not None
    answered = visitor.visit.experiment.runs[0].outcomes[0].answered("retrieved")
    assert answered is not None and answered.answer is None and answered.problem is not None
    status = visitor.runs.choose_outcome(0, 1, visitor.request)[visitor.page.answer.status]
    assert answered.problem.zh in status and "只运行了检索" not in status
    visitor.run()
    assert "只运行了检索" in visitor.runs.choose_outcome(0, 1, visitor.request)[visitor.page.answer.status]


def test_a_suggested_threshold_of_zero_is_one(visitor: Evaluator, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(result_handlers, "suggested", lambda points: 0.0)
    shown = visitor.run(threshold="1")
    run = visitor.visit.experiment.runs[0]  # type: ignore[union-attr]
    cosines = [p.threshold for p in result_handlers.curve(run.outcomes, run.bench)]
    assert cosines[0] < cosines[-1] and shown[visitor.tab.threshold].value == max(0.0, round(cosines[0], 3))


def test_a_question_that_cannot_be_opened_changes_nothing(visitor: Evaluator, monkeypatch: pytest.MonkeyPatch) -> None:
    visitor.run()
    last(visitor.questions.ask(visitor.values(), visitor.request))
    before, asking = visitor.workspace.asked(), visitor.visit.asking

    def broken(*_: Any) -> Any:
        raise ZeroDivisionError

    monkeypatch.setattr(result_handlers, "diagnose", broken)
    with pytest.raises(gr.Error):
        visitor.runs.choose_outcome(0, 2, visitor.request)
    assert visitor.workspace.asked() is before and visitor.visit.asking is asking is not None
    assert visitor.visit.opened is None
