import difflib
import random
import threading
from collections.abc import Callable
from dataclasses import replace
from datetime import date

import pytest

from rag.ask import conflicts, nearest
from rag.ask.alike import cost, likeness, marks, most_like, rows, values, wording
from rag.ask.conflicts import MOST, between_sources, between_versions, contradiction
from rag.ask.nearest import BOUND, Effort, pairs
from rag.types import Chunk, Document, Evidence, Section
from tests import hostile

NOW = "第一章 年假\n第四条 员工入职满一年后，每年可享受15天带薪年假。\n第五条 年假须提前3个工作日申请。\n第六条 未休完的年假不得累计。\n"
OLD = "第三条 员工入职满一年后，每年可享受10天带薪年假；\n第四条 年假须提前三个工作日申请。\n第五条 未休完的年假可以累计到下一年。\n"


def document(key: str, text: str, title: str = "年假制度") -> Document:
    doc_id, _, version = key.partition("@")
    return Document(doc_id, version, key, "own", title, "", text, sections=(Section(0, ("第一章 年假",)),))


def piece(marker: str, document: Document) -> Evidence:
    n = len(document.text)
    chunk = Chunk(f"{document.key}:0-{n}", document.key, 0, n, document.text, "", 0, None, ())
    return Evidence(marker, chunk, f"[{marker}] {document.title}", ((0, n),))


def told_of(cited: str, now: str = NOW, old: str = OLD):
    new, other = document("leave@2026", now), document("leave@2025", old)
    start = now.index(cited)
    found = between_versions([("S1", new, [(start, start + len(cited))])], {new.key: [other]})
    return [([now[a:b] for a, b in d.here.marks], [old[a:b] for a, b in d.there.marks], d.by_value) for d in found]


def test_the_number_of_the_other_version_is_found_in_the_clause_that_corresponds() -> None:
    assert told_of("每年可享受15天") == [(["15天"], ["10天"], True)]


def test_a_clause_that_says_the_same_in_other_figures_is_no_difference() -> None:
    assert told_of("提前3个工作日") == []


def test_where_only_words_differ_these_are_marked() -> None:
    ((here, there, by_value),) = told_of("不得累计")
    assert not by_value and "".join(here) == "不得" and "可以" in "".join(there)


def test_numbers_come_before_words_and_the_clauses_numbers_do_not_count() -> None:
    found = told_of(NOW.strip())
    assert [by_value for *_, by_value in found] == [True, False]


@pytest.mark.parametrize(
    ("now", "old", "differ"),
    [
        ("住宿标准为每晚不超过600元，凭发票报销。", "住宿标准为每晚不低于600元，凭发票报销。", ["600元"]),
        ("申请应当在2026年3月1日前提交人力资源部。", "申请应当在2025年3月1日前提交人力资源部。", ["2026年3月1日"]),
        ("设备价格在三千元以上的须招标采购。", "设备价格在0.3万元以上的须招标采购。", []),
        ("城市: 北京；标准: 每晚600元；餐补: 每天100元", "城市: 北京；标准: 每晚500元；餐补: 每天100元", ["600元"]),
        ("依照本办法第十五条规定办理报销手续。", "依照本办法第十六条规定办理报销手续。", []),
    ],
)
def test_what_counts_as_another_value(now: str, old: str, differ: list[str]) -> None:
    mine, theirs = rows(now, [(0, len(now))])[0], rows(old, [(0, len(old))])[0]
    assert [now[a.start : a.end] for a, _ in values(mine, theirs)] == differ


def test_a_graded_list_is_compared_grade_by_grade() -> None:
    now = "满1年不满5年的，每年15天；\n满5年不满10年的，每年18天；\n满10年的，每年20天。\n"
    old = "司龄满5年不满10年的，每年12天；\n"
    assert told_of("满5年不满10年", now, old) == [(["18天"], ["12天"], True)]
    assert told_of("满1年不满5年", now, old) == []  # its counterpart is another grade's


def test_the_other_version_is_compared_only_where_the_answer_rests() -> None:
    assert [here for here, _, _ in told_of("每年可享受15天")] == [["15天"]]
    assert between_versions([("S1", document("leave@2026", NOW), [(0, 5)])], {}) == ()


def test_two_policies_that_contradict_each_other_are_told_with_their_values() -> None:
    a = document("travel@1", "一线城市住宿标准为每晚600元。二线城市住宿标准为每晚450元。", "差旅制度")
    b = document("guide@1", "一线城市的住宿标准为每晚500元。三线城市住宿标准为每晚300元。", "差旅指南")
    documents = {a.key: a, b.key: b}
    (found,) = between_sources("一线城市住宿标准是多少？", [piece("S1", a), piece("S2", b)], documents)
    assert (found.kind, found.marker, found.other, found.by_value) == ("source", "S1", "S2", True)
    assert a.text[slice(*found.here.marks[0])] == "600元" and b.text[slice(*found.there.marks[0])] == "500元"
    assert between_sources("年假有几天？", [piece("S1", a), piece("S2", b)], documents) == ()


@pytest.mark.parametrize(
    "other",
    [
        "二线城市住宿标准为每晚500元。",  # of something else
        "一线城市住宿标准为每晚600元。",  # the same
        "一线城市住宿标准为每晚六百元。",
        "一线城市住宿标准为每晚500元，旺季为每晚600元。",  # has the same too
        "500元。",
    ],
)
def test_what_is_no_contradiction(other: str) -> None:
    a, b = document("travel@1", "一线城市住宿标准为每晚600元。"), document("guide@1", other)
    pieces = [piece("S1", a), piece("S2", b)]
    assert between_sources("一线城市住宿标准是多少？", pieces, {a.key: a, b.key: b}) == ()


def test_a_short_sentence_that_the_longer_one_holds_word_for_word_but_for_its_number() -> None:
    a, b = document("leave@1", "员工入职满一年后，每年可享受15天带薪年假。"), document("hand@1", "带薪年假为每年12天。")
    found = between_sources("带薪年假每年几天？", [piece("S1", a), piece("S2", b)], {a.key: a, b.key: b})
    assert [(a.text[slice(*d.here.marks[0])], b.text[slice(*d.there.marks[0])]) for d in found] == [("15天", "12天")]
    city = (
        document("travel@1", "一线城市住宿标准为每晚600元。"),
        document("guide@1", "一线城市住宿标准为每晚500元，含早餐，须附两张发票。"),
    )
    pieces = [piece("S1", city[0]), piece("S2", city[1])]
    assert between_sources("一线城市住宿标准？", pieces, {d.key: d for d in city})
    sick = document("hand@1", "带薪病假为每年12天。")
    assert between_sources("带薪年假每年几天？", [piece("S1", a), piece("S2", sick)], {a.key: a, sick.key: sick}) == ()


def test_several_numbers_that_differ_are_all_marked_but_another_year_class_or_condition_is_another_case() -> None:
    a, b = (
        document("claims@1", "出差补助每天100元，限7日内报销。"),
        document("guide@1", "出差补助每天80元，限3日内报销。"),
    )
    found = between_sources("出差补助每天多少？", [piece("S1", a), piece("S2", b)], {a.key: a, b.key: b})
    assert [[a.text[slice(*m)] for m in d.here.marks] for d in found] == [["100元", "7日"]]
    assert [[b.text[slice(*m)] for m in d.there.marks] for d in found] == [["80元", "3日"]]
    for one, two in (
        ("2024年共发放补助100元。", "2023年共发放补助80元。"),
        ("司龄满5年的员工补助100元。", "司龄满10年的员工补助200元。"),
        ("补助500元以上的须附发票3张，限3日内。", "补助800元以上的须附发票3张，限5日内。"),
        ("一线城市补助每天100元。", "二线城市补助每天80元。"),
        ("500元以下的补助须在3日内审批。", "1000元以下的补助须在5日内审批。"),
        ("工作5年的员工每月补助100元。", "工作10年的员工每月补助200元。"),
    ):
        a, b = document("report@1", one), document("review@1", two)
        assert between_sources("补助多少？", [piece("S1", a), piece("S2", b)], {a.key: a, b.key: b}) == (), one


def test_versions_of_one_policy_and_pieces_of_one_document_are_no_contradiction() -> None:
    a, b = document("leave@2026", NOW), document("leave@2025", OLD)
    assert between_sources("年假每年几天带薪？", [piece("S1", a), piece("S2", b)], {a.key: a, b.key: b}) == ()
    assert between_sources("年假每年几天带薪？", [piece("S1", a), piece("S2", a)], {a.key: a}) == ()


def test_likeness_is_the_ratio_of_matching_tokens() -> None:
    for one, other in (("每年15天年假。", "每年10天年假。"), ("每年15天年假。", "每月3天病假。"), ("年假", "加班")):
        mine, theirs = (rows(t, [(0, len(t))])[0] for t in (one, other))
        matcher = difflib.SequenceMatcher(None, mine.words, theirs.words, False)
        matching = sum(block.size for block in matcher.get_matching_blocks())
        assert likeness(mine, theirs) == pytest.approx(2 * matching / (len(mine.words) + len(theirs.words)))


def test_spans_lie_in_their_sentences_whatever_the_text(seeds: Callable[[int], range]) -> None:
    for seed in seeds(60):
        rng = random.Random(seed)
        now, old = (f"{NOW}{hostile.text(rng, 12)}\n" for _ in range(2))
        new = replace(document("leave@2026", now), effective_from=date(2026, 1, 1))
        other = document("leave@2025", old.replace("15天", f"{rng.randint(2, 14)}天"))
        a, b = sorted((rng.randint(0, len(now)), rng.randint(0, len(now))))
        found = between_versions([("S1", new, [(a, b), (0, len(NOW))])], {new.key: [other]})
        assert 1 <= len(found) <= MOST and found[0].by_value
        for d in found:
            for side, text in ((d.here, now), (d.there, other.text)):
                assert 0 <= side.start < side.end <= len(text)
                assert all(side.start <= x < y <= side.end for x, y in side.marks)
        mine = rows(now, [(0, len(now))])
        for row in mine:
            assert most_like(row, ()) is None and not any(wording(row, row)) and values(row, row) == []


def prices(source: int, n: int, changed: int = -1) -> Document:
    """A list of near-equal rows; the sources have the same prices, but for row `changed`."""
    return document(f"p{source}@1", "".join(f"商品编号{i}的采购单价为{i * 7 + (i == changed)}元。" for i in range(n)))


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How long each sentence was that was read."""
    lengths: list[int] = []
    reading = nearest.read_row

    def counted(text: str, span: tuple[int, int]):
        lengths.append(span[1] - span[0])
        return reading(text, span)

    monkeypatch.setattr(nearest, "read_row", counted)
    return lengths


def test_lists_of_alike_rows_are_compared_up_to_the_bound_and_it_is_said(read: list[int]) -> None:
    documents = {d.key: d for d in (prices(k, 320) for k in range(4))}
    pieces = [piece(f"S{k}", d) for k, d in enumerate(documents.values(), 1)]
    effort = Effort()
    assert between_sources("商品的采购单价是多少？", pieces, documents, effort) == ()
    assert effort.short and sum(read) <= BOUND
    assert (
        str(BOUND) in conflicts._note((), (), True, False).en and str(BOUND) in conflicts._note((), (), True, False).zh
    )


def test_the_row_that_differs_is_found_among_alike_ones() -> None:
    a, b = prices(1, 60), prices(2, 60, changed=41)
    pieces = [piece("S1", a), piece("S2", b)]
    effort = Effort()
    found = between_sources("商品的采购单价是多少？", pieces, {a.key: a, b.key: b}, effort)
    assert [(a.text[slice(*d.here.marks[0])], b.text[slice(*d.there.marks[0])]) for d in found] == [("287元", "288元")]
    assert not effort.short


def test_a_long_document_is_cut_once_and_read_where_the_answer_rests(read: list[int]) -> None:
    text = "".join(f"第{i}条 员工申请事项{i}应提前{i % 30}天提交。\n" for i in range(2000))
    now = document("leave@2026", text)
    others = [document(f"leave@{y}", text.replace("提前3天", f"提前{y}天")) for y in (40, 50)]
    at = [text.index(f"第{i}条") for i in (3, 33, 933, 1203, 1803)]
    cited = [(f"S{n}", now, [(start, start + 20)]) for n, start in enumerate(at)]
    found = between_versions(cited, {now.key: others})
    assert {text[slice(*d.here.marks[0])] for d in found} == {"3天"} and len(found) == MOST
    assert len(read) <= 3 * 5 * 2 * nearest.NEAREST


def test_a_stop_ends_the_comparison_and_is_said() -> None:
    stop = threading.Event()
    stop.set()
    effort = Effort(stop)
    new, old = document("leave@2026", NOW), document("leave@2025", OLD)
    assert between_versions([("S1", new, [(0, len(NOW))])], {new.key: [old]}, effort) == () and effort.short
    a, b = prices(1, 9), prices(2, 9, changed=4)
    assert between_sources("商品采购单价", [piece("S1", a), piece("S2", b)], {a.key: a, b.key: b}, Effort(stop)) == ()
    assert "已停止" in conflicts._note((), (), True, True).zh


def test_what_repeats_itself_costs_more_than_its_length() -> None:
    plain, again = (rows(t, [(0, len(t))])[0] for t in ("员工须提前三天申请年假并附上证明材料。", "甲乙" * 200))
    assert cost(plain, plain) == 2 * plain.length and cost(again, again) > BOUND / 10
    effort = Effort()
    assert not effort.spend(again, again) and effort.short and effort.goes_on()


def test_few_sentences_are_compared_as_all_with_all_are(seeds: Callable[[int], range]) -> None:
    for seed in seeds(60):
        rng = random.Random(seed)
        things = ("一线城市住宿标准", "二线城市住宿标准", "带薪年假天数", "出差餐费补贴标准")
        texts = [
            "".join(
                f"{rng.choice(things)}为每{rng.choice('天月')}{rng.choice((5, 8))}{rng.choice('元天')}。"
                for _ in range(5)
            )
            for _ in range(2)
        ]
        a, b = document("a@1", texts[0]), document("b@1", texts[1])
        question = "".join(things)
        every = {
            tuple(differing)
            for row in rows(a.text, [(0, len(a.text))])
            for other in rows(b.text, [(0, len(b.text))])
            if len(pairs(a.text[row.start : row.end]) & pairs(question)) >= 2
            and len(pairs(a.text[row.start : row.end]) & pairs(b.text[other.start : other.end])) >= 2
            and (differing := contradiction(row, other))
        }
        found = between_sources(question, [piece("S1", a), piece("S2", b)], {a.key: a, b.key: b})
        marked = {(d.here.marks, d.there.marks) for d in found}
        expected = {marks(differing) for differing in every}
        assert marked <= expected and len(found) == min(MOST, len(expected))
