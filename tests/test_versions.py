import random
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import date, timedelta

import pytest

from rag.corpus.load.metadata import document_key
from rag.edits import Edit, edited
from rag.errors import LoadError, SettingError
from rag.types import Document
from rag.versions import Choice, Held, Own, named, place, with_edit

TODAY = date.today()


def made(text: str = "正文", **fields: object) -> Document:
    """A document as a loader makes it; doc_id 年假 and file 年假.txt unless `fields` say otherwise."""
    facts = {"doc_id": "年假", "version": "", "title": "年假", "file": "年假.txt", "source": "年假.txt"} | fields
    key = document_key(str(facts["doc_id"]), str(facts["version"]), text)
    return Document(key=key, origin="own", text=text, **facts)  # type: ignore[arg-type]


def holding(*documents: Document) -> Own:
    return {d.key: Held(d, 10) for d in documents}


def put(own: Own, *documents: Document, beside: bool = False, earlier: bool = True) -> str:
    """Place `documents` as one file into `own`, with all of it from an earlier upload or not; what is said, in Chinese."""
    _, notes = place(documents, 100, own, Choice(frozenset(own) if earlier else frozenset(), beside))
    for note in notes:
        assert note.en and note.zh and note.en != note.zh
        assert not any(key.split("@")[1] in note.zh for key in own if not own[key].document.version)  # no bare hash
    return "；".join(note.zh for note in notes)


# ---- same file, new words


def test_the_same_file_with_other_words_replaces_the_earlier_one() -> None:
    old, new = made("第一稿"), made("第二稿")
    own = holding(old)
    assert put(own, new) == "已替换之前的《年假》（年假.txt）"
    assert list(own) == [new.key] != [old.key]


def test_or_stands_beside_it_when_the_visitor_says_so() -> None:
    old, new = made("第一稿"), made("第二稿")
    own = holding(old)
    said = put(own, new, beside=True)
    assert list(own) == [old.key, new.key]
    assert "不同版本" in said and "替换" not in said


def test_files_of_one_upload_do_not_replace_each_other_by_name() -> None:
    old, new = made("第一稿"), made("第二稿")
    own = holding(old)
    assert "不同版本" in put(own, new, earlier=False)
    assert list(own) == [old.key, new.key]


def test_stated_versions_stand_beside_each_other_and_the_same_one_is_replaced() -> None:
    first, second = made("第一稿", version="2025"), made("第二稿", version="2026")
    own = holding(first)
    assert "2026" in put(own, second)
    assert list(own) == ["年假@2025", "年假@2026"]
    again = made("第一稿修订", version="2025")
    assert "已替换之前的《年假》2025（年假.txt）" in put(own, again)
    assert own["年假@2025"].document.text == "第一稿修订"
    assert list(own) == ["年假@2026", "年假@2025"]  # it came last


def test_a_version_that_is_stated_now_replaces_the_one_that_was_not() -> None:
    own = holding(made("第一稿"))
    put(own, made("第二稿", version="2026"))
    assert list(own) == ["年假@2026"]


def test_another_file_of_the_same_policy_is_not_replaced() -> None:
    old, new = made("第一稿", file="年假.pdf"), made("第二稿")
    own = holding(old)
    put(own, new)
    assert list(own) == [old.key, new.key]


def test_of_a_file_with_many_documents_each_has_its_own_fate_and_what_is_left_is_named() -> None:
    same, changed, gone = (
        made(t, doc_id=i, title=i, file="库.json") for t, i in (("甲文", "甲"), ("乙文", "乙"), ("丙文", "丙"))
    )
    new = made("乙文二", doc_id="乙", title="乙", file="库.json")
    own = holding(same, changed, gone)
    said = put(own, same, new)
    assert list(own) == [gone.key, same.key, new.key]
    assert said == (
        "已替换之前的《乙》（库.json）；《甲》（库.json）已在，内容相同；之前同名文件中的《丙》（库.json）仍保留，如已作废请移除"
    )


# ---- what is said


def test_the_same_words_under_two_names_are_reported_and_kept() -> None:
    own = holding(made("同文"))
    said = put(own, made("同文", doc_id="休假", title="休假", file="休假.txt"))
    assert "与《年假》（年假.txt）内容相同" in said
    assert len(own) == 2


def test_the_same_words_as_another_version_are_reported() -> None:
    own = holding(made("同文", version="2025"))
    assert "与《年假》2025（年假.txt）内容相同" in put(own, made("同文", version="2026"))


@pytest.mark.parametrize(
    ("first", "second", "searched"),
    [
        ({"version": "2025"}, {"version": "2026"}, "《年假》2026"),
        ({"version": "2026"}, {"version": "2025"}, "《年假》2026"),
        ({"version": "2026"}, {"file": "年假.pdf"}, "《年假》2026"),  # undated, unversioned: the oldest
        (
            {"version": "1", "effective_from": TODAY},
            {"version": "2", "effective_from": TODAY + timedelta(days=9)},
            "《年假》1",
        ),
    ],
)
def test_of_several_versions_the_one_that_is_searched_is_named(
    first: dict[str, object], second: dict[str, object], searched: str
) -> None:
    own = holding(made("第一稿", **first))
    assert f"默认只检索{searched}" in put(own, made("第二稿", **second))


def test_of_versions_that_have_not_begun_none_is_searched() -> None:
    later = {"effective_from": TODAY + timedelta(days=9)}
    own = holding(made("第一稿", version="1", **later))
    assert "均未生效" in put(own, made("第二稿", version="2", **later))


def test_many_documents_are_named_by_the_first_three() -> None:
    documents = [made("文", title=f"题{i}") for i in range(5)]
    assert named(documents).zh == "《题0》（年假.txt）、《题1》（年假.txt）、《题2》（年假.txt）等 5 份"
    assert named(documents).en.endswith("“题2” (年假.txt) and 2 more")
    assert "等" not in named(documents[:3]).zh


def test_shares_of_a_file_are_together_not_less_than_the_file() -> None:
    own: Own = {}
    put(own, *(made("字" * n, doc_id=str(n), file="库.json") for n in (1, 2, 30)))
    assert 100 <= sum(h.size for h in own.values()) <= 102


# ---- edits


def test_an_edit_is_stated_by_the_visitor_and_gives_a_new_key() -> None:
    old = replace(made("正文", version="2025"), stated=(("title", "name"), ("version", "file")))
    new = edited(old, Edit(" 年假\n制度 ", "2026-10", date(2026, 10, 1)))
    assert (new.title, new.version, new.effective_from, new.effective_to) == (
        "年假 制度",
        "2026-10",
        date(2026, 10, 1),
        None,
    )
    assert new.key == "年假@2026-10"
    assert new.stated == (("title", "visitor"), ("version", "visitor"), ("effective_from", "visitor"))
    assert (
        replace(new, title=old.title, version=old.version, key=old.key, effective_from=None, stated=old.stated) == old
    )


def test_what_is_not_changed_is_stated_as_before_and_what_is_cleared_by_the_visitor() -> None:
    old = replace(made("正文", version="2025"), stated=(("title", "name"), ("version", "file")))
    assert edited(old, Edit(old.title, old.version)) == old
    cleared = edited(old, Edit("年假"))
    assert cleared.key == made("正文").key
    assert cleared.stated == (("title", "name"), ("version", "visitor"))


@pytest.mark.parametrize(
    "fields",
    [
        {"title": ""},
        {"title": " \n\u200b"},
        {"title": "长" * 201},
        {"title": "年假", "version": "1" * 201},
        {"title": "年假", "effective_from": date(2026, 2, 2), "effective_to": date(2026, 2, 1)},
    ],
)
def test_an_edit_that_makes_no_sense(fields: dict[str, object]) -> None:
    with pytest.raises(SettingError) as caught:
        Edit(**fields)  # type: ignore[arg-type]
    assert caught.value.text.en != caught.value.text.zh


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("", None),
        ("  ", None),
        ("2026-10-01", date(2026, 10, 1)),
        (" 2026/1/2 ", date(2026, 1, 2)),
        ("2026年10月1日", date(2026, 10, 1)),
    ],
)
def test_dates_as_they_are_typed(typed: str, meant: date | None) -> None:
    assert Edit.typed("年假", "", typed, "").effective_from == meant
    assert Edit.typed("年假", "", "", typed).effective_to == meant


@pytest.mark.parametrize(
    "typed", ["明天", "2026-13-01", "2026-02-30", "2026", "2026-10-01 至 2027-01-01", "1/2/26", "x" * 999]
)
def test_what_is_no_date(typed: str) -> None:
    with pytest.raises(SettingError) as caught:
        Edit.typed("年假", "", typed, "")
    assert typed[:40] in caught.value.text.en
    assert typed[:40] in caught.value.text.zh
    assert len(caught.value.text.en) < 120


def test_an_edit_keeps_the_place_and_the_size_and_takes_no_others_key() -> None:
    first, second = made("一", version="1"), made("二", version="2")
    own = holding(first, second)
    after, new = with_edit(own, first.key, Edit("年假", "3"))
    assert list(after) == ["年假@3", "年假@2"]
    assert after["年假@3"] == Held(new, 10, first)
    assert with_edit(after, new.key, Edit("年假", "4"))[0]["年假@4"].read == first
    assert list(own) == ["年假@1", "年假@2"]  # untouched
    with pytest.raises(SettingError, match="2"):
        with_edit(own, first.key, Edit("年假", "2"))
    with pytest.raises(SettingError, match="别的@1"):
        with_edit(own, "别的@1", Edit("年假", "2"))


def test_the_same_file_again_keeps_what_the_visitor_said_of_it() -> None:
    plain = replace(made("正文"), stated=(("title", "name"),))
    corrected = edited(plain, Edit("年休假制度", "", date(2026, 1, 1)))
    own = holding(corrected)
    put(own, plain)
    assert own[plain.key].document == corrected
    other = made("别的正文", doc_id="差旅")
    put(own, other)  # another document
    assert own[other.key].document == other


def holding_edited(read: Document, edit: Edit) -> Own:
    return with_edit(holding(read), read.key, edit)[0]


@pytest.mark.parametrize("beside", [True, False])
@pytest.mark.parametrize(
    ("version", "edit"),
    [
        ("", Edit("年休假制度", "2026", date(2026, 1, 1))),
        ("2025", Edit("年假", "2026")),
        ("2025", Edit("年假")),  # emptied: the file's version does not come back
        ("", Edit("年假", "", None, date(2026, 1, 1))),
    ],
)
def test_the_same_file_again_is_known_after_any_edit(version: str, edit: Edit, beside: bool) -> None:
    read = made("正文", version=version)
    own = holding_edited(read, edit)
    (edited_one,) = [h.document for h in own.values()]
    for _ in range(2):
        assert "已在，内容相同" in put(own, read, beside=beside)
        assert [h.document for h in own.values()] == [edited_one]
        assert [h.read for h in own.values()] == [read]


def test_a_date_that_was_emptied_does_not_come_back() -> None:
    read = made("正文", effective_from=date(2025, 1, 1))
    own = holding_edited(read, Edit("年假"))
    put(own, read)
    assert [h.document.effective_from for h in own.values()] == [None]
    said = put(own, made("第二稿", effective_from=date(2025, 1, 1)))
    assert [(h.document.text, h.document.effective_from) for h in own.values()] == [("第二稿", None)]
    assert "沿用您之前填写的生效日期，请核对" in said


def test_a_version_that_only_the_visitor_stated_does_not_keep_the_old_words() -> None:
    own = holding_edited(made("第一稿"), Edit("年休假制度", "2025", date(2025, 1, 1)))
    new = made("第二稿")
    said = put(own, new)
    (held,) = own.values()
    assert (held.document.text, held.document.title, held.document.version) == ("第二稿", "年休假制度", "")
    assert held.document.effective_from == date(2025, 1, 1)
    assert held.document.key == new.key and held.read == new
    assert "已替换之前的《年休假制度》2025" in said
    assert "沿用您之前填写的标题、生效日期，请核对" in said and "未沿用您之前填写的版本" in said
    assert put(own, new).startswith("《年休假制度》（年假.txt）已在")
    assert next(iter(own.values())).document == held.document


def test_or_both_stand_when_the_visitor_says_so_and_a_stated_version_stands_whatever_it_was_corrected_to() -> None:
    own = holding_edited(made("第一稿"), Edit("年假", "2025"))
    put(own, made("第二稿"), beside=True)
    assert len(own) == 2
    own = holding_edited(made("第一稿", version="2024"), Edit("年假", "2025"))
    put(own, made("第二稿", version="2026"))
    assert list(own) == ["年假@2025", "年假@2026"]
    put(own, made("第一稿修订", version="2024"))  # the version that the corrected one stated
    assert list(own) == ["年假@2026", "年假@2024"]


def test_dates_that_contradict_the_new_words_are_not_kept() -> None:
    own = holding_edited(made("第一稿"), Edit("年休假", "", date(2026, 9, 1)))
    said = put(own, made("第二稿", effective_to=date(2026, 1, 1)))
    (held,) = own.values()
    assert (held.document.title, held.document.effective_from) == ("年休假", None)
    assert "沿用您之前填写的标题" in said and "未沿用您之前填写的生效日期" in said


def test_a_version_the_visitor_gave_gives_way_to_one_the_file_states() -> None:
    first = made("正文")
    own = holding_edited(first, Edit("年假", "2"))
    put(own, first, made("别的正文", version="2"))
    assert {(key, h.document.text) for key, h in own.items()} == {(first.key, "正文"), ("年假@2", "别的正文")}


def test_an_unrelated_document_with_the_same_key_is_refused() -> None:
    first, second = made("一", doc_id="a@b", version="c"), made("二", doc_id="a", version="b@c")
    assert first.key == second.key
    own = holding(first)
    with pytest.raises(LoadError, match="a@b@c") as caught:
        put(own, second)
    assert own == holding(first)
    assert "年假.txt" in caught.value.text.zh


def test_placing_again_and_again_never_mixes_words_and_keys(seeds: Callable[[int], range]) -> None:
    for seed in seeds(300):
        rng, own = random.Random(seed), Own()
        for _ in range(8):
            if own and rng.random() < 0.5:
                key = rng.choice(list(own))
                edit = Edit(rng.choice("甲乙"), rng.choice(("", "1", "2")), rng.choice((None, TODAY)))
                with suppress(SettingError):
                    own, _ = with_edit(own, key, edit)
            else:
                versions = rng.sample(("", "1", "2"), rng.randint(1, 2))
                documents = [made(rng.choice("一二三"), version=v) for v in versions]
                stand, _ = place(documents, 100, own, Choice(frozenset(own), rng.random() < 0.3))
                assert [d.text for d in stand] == [d.text for d in documents]
                assert list(own)[-len(stand) :] == [d.key for d in stand]
        for key, held in own.items():
            assert key == held.document.key and held.read.text == held.document.text
