"""The messages of a prompt, without a tokenizer: what stands in them and in which language."""

from dataclasses import replace
from datetime import date

import pytest

from rag.ask.prompt import build_prompt
from rag.ask.rules import built_in, language_of
from rag.config import GenerateSettings, SplitSettings
from rag.corpus.split import split
from rag.errors import NothingFits
from rag.types import Document, Section, Table
from tests.ask.test_prompt import candidates_of, settings_of


def test_earlier_questions_stand_before_the_question(leave: Document) -> None:
    chunk = split(leave, SplitSettings(), None)[0]

    def asked(question: str) -> str:
        prompt = build_prompt(
            question, candidates_of(chunk), {leave.key: leave}, settings_of(), None, earlier=["甲？", "B?"]
        )
        return prompt.messages[1].content

    assert asked("丙？").endswith("\n\n之前的问题：甲？\n之前的问题：B?\n问题：丙？")
    assert asked("C?").endswith("\n\nAsked before: 甲？\nAsked before: B?\nQuestion: C?")


def test_without_a_generator_there_are_messages_and_nothing_is_counted(leave: Document, equipment: Document) -> None:
    documents = {d.key: d for d in (leave, equipment)}
    chunks = [*split(leave, SplitSettings("recursive", 40, 0), None), *split(equipment, SplitSettings(), None)]
    prompt = build_prompt("年假几天？", candidates_of(*chunks), documents, settings_of(packed=2), None)
    assert not prompt.rendered and (prompt.text, prompt.input_ids, prompt.segments) == ("", (), ())
    assert [(e.marker, e.chunk) for e in prompt.packed] == [("S1", chunks[0]), ("S2", chunks[1])]
    system, user = prompt.messages
    assert (system.role, user.role) == ("system", "user")
    assert system.content == built_in("zh", weighed=True)
    order = [user.content.index(part) for part in ("[S1]", chunks[0].text.strip(), "[S2]", "问题：年假几天？")]
    assert order == sorted(order) and user.content.endswith("年假几天？")


def test_the_heading_names_what_is_known(leave: Document, equipment: Document) -> None:
    documents = {d.key: d for d in (leave, equipment)}
    last = split(leave, SplitSettings("recursive", 60, 0), None)[-1]
    plain = split(equipment, SplitSettings(), None)[0]
    zh = build_prompt("怎么申请？", candidates_of(last, plain), documents, settings_of(), None)
    assert [e.heading for e in zh.packed] == [
        "[S1] 员工休假制度 | 2026-01 | 第二章 申请 | 第2页",
        "[S2] 设备报销制度 | 2026-01",
    ]
    en = build_prompt("How to apply?", candidates_of(last), documents, settings_of(), None)
    assert en.packed[0].heading == "[S1] 员工休假制度 | 2026-01 | 第二章 申请 | page 2"
    assert en.messages[0].content == built_in("en", weighed=True)


def test_of_a_tables_header_stands_what_the_rows_do_not_say() -> None:
    text = "城市: 北京；标准: 600\n城市: 上海；标准: 600\n三线: 350"
    sections, tables = (Section(0, ("住宿",)),), (Table(0, len(text), "表一 住宿上限\n城市 | 标准"),)
    travel = Document("t", "1", "t@1", "own", "差旅", "", text, sections=sections, tables=tables)
    rows = split(travel, SplitSettings("recursive", 32, 0), None)
    prompt = build_prompt("住宿？", candidates_of(*rows), {travel.key: travel}, settings_of(), None)
    assert "[S1] 差旅 | 1 | 住宿\n表一 住宿上限\n城市: 北京" in prompt.messages[1].content
    assert "[S2] 差旅 | 1 | 住宿\n表一 住宿上限\n城市 | 标准\n三线: 350" in prompt.messages[1].content


@pytest.mark.parametrize(
    ("question", "language"), [("年假", "zh"), ("Leave?", "en"), ("VPN 是什么", "zh"), ("", "en"), ("１２３", "en")]
)
def test_the_rules_follow_the_language_of_the_question(question: str, language: str) -> None:
    assert language_of(question) == language


def test_nothing_found_is_an_error_that_says_what_to_do() -> None:
    for changed, says, chinese in (
        ({"threshold": 0.875}, "least cosine 0.875", "最低余弦 0.875"),
        ({"documents": ("a", "b")}, "only 2 chosen", "只查 2 份"),
        ({"section": "第九章"}, "“第九章”", "「第九章」"),
        ({"as_of": date(1990, 1, 2)}, "1990-01-02", "1990-01-02"),
    ):
        plain = settings_of()
        narrowed = replace(plain, search=replace(plain.search, **changed))
        with pytest.raises(NothingFits, match=says) as caught:
            build_prompt("年假", [], {}, narrowed, None)
        assert chinese in caught.value.message("zh")
    with pytest.raises(NothingFits, match=r"Ask in other words\.$"):
        build_prompt("年假", [], {}, settings_of(), None)


def test_own_rules_are_the_system_message(equipment: Document) -> None:
    chunk = split(equipment, SplitSettings(), None)[0]
    own = replace(settings_of(), generate=GenerateSettings(rules=" 用一句话回答。\n"))
    prompt = build_prompt("额度？", candidates_of(chunk), {equipment.key: equipment}, own, None)
    assert prompt.messages[0].content == "用一句话回答。"
    plain = build_prompt("额度？", candidates_of(chunk), {equipment.key: equipment}, settings_of(), None)
    assert plain.messages[0].content == built_in("zh", weighed=True) and plain.messages[1] == prompt.messages[1]
