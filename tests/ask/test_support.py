"""Does a source carry a sentence? Sentences that keep to it and sentences that do not, each with the words that decide."""

import math
import random
from collections.abc import Mapping

import pytest

from rag.ask.attribute import ASKED, NUMBER, passages, sources, wanted
from rag.ask.cite import Cited, cite
from rag.config import SplitSettings
from rag.corpus.lexical import query_terms, terms
from rag.corpus.split import split
from rag.types import Document, Evidence
from tests import hostile

TEXTS: Mapping[str, str] = {
    "休假": "员工入职满一年后，每年可享受15天带薪年假。未休完的年假不得跨年累计。满5年不满10年的，每年18天；满10年的，每年20天。",
    "申请": "年假应提前3个工作日提交申请，由直属主管审批；连续休假超过5个工作日的，由部门负责人审批。",
    "设备": "办公设备报销额度为每人每年3000元，凭发票报销。单价超过1000元的，须事先提交《设备申购单》（AD-F-210）。",
    "差旅": "职级: P1至P6；项目: 住宿上限（每晚）；一线城市: 600元；二线城市: 450元\n职级: P7至P8；项目: 住宿上限（每晚）；一线城市: 800元；二线城市: 600元",
    "离职": "试用期内的员工应提前3天通知公司，转正员工应提前30天书面通知。账号在最后工作日18:00停用。举报可以匿名。",
    "费用": "礼金无论金额大小，一律不得收受。出租车费在21:30之后可以报销，单程不超过100元。客户安排三餐的，伙食补助减半，发票不需要提供。",
    "English": "Up to 5 unused days may be carried over and expire on 31 March. Your supervisor approves the leave. You must not share your password.",
}
DOCUMENTS = {key: Document(key, "1", key, "own", key, key, text) for key, text in TEXTS.items()}


def packed() -> list[Evidence]:
    chunks = [split(document, SplitSettings(size=400, overlap=0), None)[0] for document in DOCUMENTS.values()]
    return [Evidence(f"S{i}", c, f"[S{i}] {c.key}", ((c.start, c.end),)) for i, c in enumerate(chunks, 1)]


PACKED = packed()


def run(text: str, question: str = "") -> Cited:
    return cite(text, sources(PACKED, DOCUMENTS), True, question)


def support(text: str, question: str = "") -> str:
    [sentence] = run(text, question).sentences
    return sentence.support


@pytest.mark.parametrize(
    "text",
    [
        "员工入职满一年后，每年可享受15天带薪年假。",
        "入职满一年的员工，每年有十五天年假。",
        "根据公司规定，每年可享受15天带薪年假。",
        "未休完的年假不能跨年累计。",
        "年假应提前三个工作日递交申请。",
        "请年假要提前3个工作日，由直属主管批准。",
        "连休超过5个工作日由部门负责人审批。",
        "满十年的，每年20天。",
        "每人每年可报销0.3万元办公设备。",
        "办公设备报销上限为3,000元。",
        "单价超过1000元须事先提交《设备申购单》。",
        "P1至P6在二线城市的住宿上限为每晚450元。",
        "转正员工提前三十天书面通知。",
        "账号在最后工作日下午6点停用。",
        "不得收受礼金。",
        "21:30以后的出租车费可以报销。",
        "伙食补助减少50%。",
        "无需提供发票。",
        "Up to five unused days may be carried over.",
        "Your supervisor approves the leave.",
        "You may not share your password.",
    ],
)
def test_what_keeps_to_a_source_is_carried(text: str) -> None:
    [sentence] = run(text).sentences
    assert sentence.support == "cited", [(c.kind, text[c.start : c.end]) for c in sentence.clues if not c.agrees]
    assert all(c.agrees for c in sentence.clues)


@pytest.mark.parametrize(
    ("text", "kind", "words"),
    [
        ("员工入职满一年后，每年可享受16天带薪年假。", "number", "16天"),
        ("员工入职满一年后，每月可享受15天带薪年假。", "number", "每月"),
        ("员工入职未满一年，每年可享受15天带薪年假。", "limit", "一年"),
        ("未休完的年假可以跨年累计。", "negation", "跨年"),
        ("年假应提前3天提交申请。", "number", "3天"),
        ("年假应推迟3个工作日提交申请。", "limit", "3个工作日"),
        ("年假应提前3个工作日提交申请，由部门负责人审批。", "place", "部门负责人"),
        ("病假应提前3个工作日提交申请，由直属主管审批。", "name", "病假"),
        ("满5年不满10年的，每年20天。", "place", "20天"),
        ("办公设备报销额度为每人每年3000美元。", "number", "3000美元"),
        ("单价不超过1000元的，须事先提交《设备申购单》。", "limit", "1000元"),
        ("单价超过1000元的，须事先提交《设备借用单》。", "name", "《设备借用单》"),
        ("P1至P6在一线城市的住宿上限为每晚450元。", "place", "450元"),
        ("试用期内的员工应提前30天通知公司。", "place", "30天"),
        ("账号在最后工作日17:00停用。", "date", "17:00"),
        ("账号在最后工作日18:00启用，密码在最后工作日19:00停用。", "date", "19:00"),
        ("礼金可以收受。", "negation", "收受"),
        ("发票需要提供。", "negation", "提供"),
        ("出租车费在21:30之前可以报销。", "limit", "21:30"),
        ("单程至少100元。", "limit", "100元"),
        ("You may share your password.", "negation", "share"),
        ("Your accountant approves the leave.", "name", "accountant"),
        ("Up to 5 unused weeks may be carried over.", "number", "5 unused weeks"),
    ],
)
def test_what_does_not_is_not_and_the_words_that_decide_are_named(text: str, kind: str, words: str) -> None:
    [sentence] = run(text).sentences
    against = [(c.kind, text[c.start : c.end]) for c in sentence.clues if not c.agrees]
    assert sentence.support == "none"
    assert any(k == kind and w in words for k, w in against), against


def test_a_number_that_no_source_has_says_so_and_one_of_another_source_where() -> None:
    [sentence] = run("年假共有77天。").sentences
    [missing] = [c for c in sentence.clues if c.kind == "number"]
    assert (missing.agrees, missing.chunk_id) == (False, None) or missing.span is not None
    [found] = [
        c for c in run("每年可享受15天带薪年假。").sentences[0].clues if c.kind == "number" and c.end - c.start == 3
    ]
    assert found.chunk_id and found.span and TEXTS["休假"][slice(*found.span)] == "15天"


def test_a_short_answer_is_decided_by_its_question() -> None:
    assert support("15天", "入职满一年，每年有多少天带薪年假？") == "cited"
    assert support("15天", "满5年不满10年的员工每年有多少天年假？") == "none"
    assert support("450元", "P1至P6在二线城市的住宿上限是多少？") == "cited"
    assert support("450元", "P1至P6在一线城市的住宿上限是多少？") == "none"
    by_question = {q: run("600元", q).citations[0].marker for q in ("P1至P6一线城市的住宿上限？",)}
    assert by_question == {"P1至P6一线城市的住宿上限？": "S4"}
    assert support("不可以。", "可以收受礼金吗？") == "cited"
    assert support("可以。", "可以收受礼金吗？") == "none"


def test_a_source_of_its_own_for_a_wrong_marker_is_offered() -> None:
    text = "办公设备报销额度为每人每年3000元[S1]。"
    cited = run(text)
    assert [(c.marker, c.by) for c in cited.citations] == [("S1", "model"), ("S3", "system")]
    assert [s.support for s in cited.sentences] == ["other"]
    assert run("办公设备报销额度为每人每年3000元[S3]。").sentences[0].support == "cited"


def test_a_tables_row_is_a_source_and_its_span_the_row() -> None:
    [citation] = run("P7至P8在二线城市住宿每晚600元以内。").citations
    assert citation.span is not None
    assert TEXTS["差旅"][slice(*citation.span)] == TEXTS["差旅"].split("\n")[1]


def test_nothing_claimed_nothing_to_carry() -> None:
    for text in ("好的。", "希望对您有帮助！", "[S1]", "根据参考资料，规定如下：", "……"):
        assert [s.support for s in run(text).sentences] == ["no_claim"], text
    assert support("如有疑问请联系我们。") == "no_claim"
    assert support("如有疑问请联系火星基地。") == "none"
    assert support("公司在火星设有基地。") == "none"


def test_closeness_is_recomputed_by_hand() -> None:
    said, question = "每年可享受15天带薪年假", "年假几天？"
    read = sources(PACKED, DOCUMENTS)
    everything = [t for source in read.sources for t in source.terms]

    def weight(term: str) -> float:
        df = sum(term in held for held in everything)
        return math.log(1 + (len(everything) + 1) / (df + 0.5)) * (NUMBER if any(c.isdigit() for c in term) else 1)

    def share(sought: set[str], held: set[str]) -> float:
        return sum(weight(t) for t in sought & held) / sum(weight(t) for t in sought)

    source = read.sources[0]
    for passage in passages(wanted(said, question, read), source, 2):
        text = TEXTS["休假"][slice(*passage.span)]
        held = {t.term for t in terms(text)} if passage.sentences[1] - passage.sentences[0] == 1 else set()
        if not held:
            continue
        above = {t.term for t in terms(f"{PACKED[0].heading}\n{PACKED[0].chunk.context}")}
        assert passage.said == pytest.approx(share({t.term for t in terms(said)}, held))
        assert passage.asked == pytest.approx(share({t.term for t in query_terms(question)}, held | above))
        assert passage.close == pytest.approx(passage.said + ASKED * passage.asked)


def whole(text: str, question: str = "") -> list[tuple[str, bool]]:
    """The clues on a sentence as a whole; in each the two shares have to say why it agrees or does not."""
    [sentence] = run(text, question).sentences
    found = [c for c in sentence.clues if c.share is not None]
    assert all((c.share[0] >= c.share[1]) == c.agrees for c in found if c.share)
    assert (sentence.support == "none") == any(not c.agrees for c in sentence.clues)
    return [(c.kind, c.agrees) for c in found]


def test_what_is_asked_of_the_sentence_as_a_whole_is_a_clue_with_both_figures() -> None:
    assert whole("举报可以匿名。") == [("terms", True)]
    assert whole("公司在火星设有基地。") == [("words", False)]
    assert whole("员工入职满一年后，每年可享受15天带薪年假。") == []  # numbers and names decide


def test_clues_on_anything_lie_in_the_answer_and_in_the_source(seeds) -> None:
    keys = list(TEXTS)
    for seed in seeds(200):
        rng = random.Random(seed)
        text = rng.choice(TEXTS[rng.choice(keys)].split("。")) + rng.choice(("", "[S1]", "[S9]")) + hostile.text(rng, 6)
        cited = run(text, hostile.line(rng))
        by_chunk = {e.chunk.chunk_id: e for e in PACKED}
        for sentence in cited.sentences:
            for clue in sentence.clues:
                assert sentence.start <= clue.start <= clue.end <= sentence.end, seed
                if clue.chunk_id is None:
                    assert clue.span is None and not clue.agrees
                elif clue.span is not None:
                    chunk = by_chunk[clue.chunk_id].chunk
                    assert chunk.start <= clue.span[0] < clue.span[1] <= chunk.end, seed
            if sentence.support in ("cited", "other"):
                assert all(c.agrees for c in sentence.clues)
            if sentence.support == "none":
                assert any(not c.agrees for c in sentence.clues), (seed, text[sentence.start : sentence.end])
