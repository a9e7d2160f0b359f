import json
from typing import Any

import pytest

from rag.corpus.load import load
from rag.corpus.load.json_list import MAX_ITEMS
from rag.errors import LoadError
from tests.corpus.load.files import checked

ONE = {
    "doc_id": "leave-days",
    "title": "员工年假制度",
    "version": "2026-10",
    "source": "demo://hr",
    "text": "满一年15天。",
}


def items(*changes: dict[str, Any]) -> bytes:
    return json.dumps([{**ONE, "doc_id": f"d{n}", **change} for n, change in enumerate(changes)]).encode()


def test_every_object_is_a_document() -> None:
    documents = load("handbook.json", items({}, {"effective_from": "2026-10-01"}), "sample")
    assert [d.key for d in documents] == ["d0@2026-10", "d1@2026-10"]
    for document in documents:
        checked(document)
        assert (document.title, document.source, document.text) == ("员工年假制度", "demo://hr", "满一年15天。")
        assert document.origin == "sample"
    assert str(documents[1].effective_from) == "2026-10-01"


def test_one_object_is_a_list_of_one() -> None:
    assert [d.doc_id for d in load("a.json", json.dumps(ONE).encode("utf-8-sig"))] == ["leave-days"]


@pytest.mark.parametrize("field", list(ONE))
@pytest.mark.parametrize("value", [None, 3, 2.5, True, [], {}, "", " \n"])
def test_errors_name_the_item_and_the_field(field: str, value: object) -> None:
    with pytest.raises(LoadError) as caught:
        load("a.json", items({}, {field: value}))
    for language in ("zh", "en"):
        message = caught.value.message(language)
        assert "a.json" in message and "1" in message and field in message


def test_a_missing_field_is_named() -> None:
    broken = {k: v for k, v in ONE.items() if k != "source"}
    with pytest.raises(LoadError, match="item 0, field 'source' is missing"):
        load("a.json", json.dumps([broken]).encode())


@pytest.mark.parametrize("field", ["doc_id", "version"])
@pytest.mark.parametrize("value", ["a\nb", "a\x00", "x" * 201, " a", "\ud800x"])
def test_identifiers_are_one_clean_short_line(field: str, value: str) -> None:
    with pytest.raises(LoadError, match=f"field '{field}' must be one line"):
        load("a.json", items({field: value}))


def test_twins_are_refused() -> None:
    with pytest.raises(LoadError, match="item 0 and item 1"):
        load("a.json", items({"doc_id": "x"}, {"doc_id": "x"}))
    assert len(load("a.json", items({"doc_id": "x"}, {"doc_id": "x", "version": "2"}))) == 2


@pytest.mark.parametrize(
    "data",
    [b"", b"[", b"[]", b"3", b"null", b'"x"', b"[3]", b"[null]", b"[" * 100_000, b"1" * 5000, b"[{}]", b"{}", b"[NaN]"],
)
def test_json_that_is_no_list_of_documents(data: bytes) -> None:
    with pytest.raises(LoadError, match=r"a\.json"):
        load("a.json", data)


def test_the_position_of_a_syntax_error_is_named() -> None:
    with pytest.raises(LoadError, match="line 2, column 3"):
        load("a.json", b"[\n  x]")


def test_surrogates_in_escapes_do_not_remain() -> None:
    (document,) = load("a.json", items({"text": "一\ud800二\u0000"}))
    assert checked(document).text == "一二"


def test_a_date_that_is_none() -> None:
    with pytest.raises(LoadError, match="effective_to"):
        load("a.json", items({"effective_to": "2026-13-01"}))


def test_a_list_that_is_too_long_is_refused_before_it_is_read() -> None:
    with pytest.raises(LoadError, match="more than 10,000 objects"):
        load("long.json", json.dumps([{}] * (MAX_ITEMS + 1)).encode())


def test_fields_that_are_not_read_are_named_once() -> None:
    first, second, third = load(
        "a.json", items({"适用范围": "全体员工", "tags": ["a"]}, {"适用范围": "实习生"}, {"备注": ""})
    )
    (warning,) = first.warnings
    for text in (warning.en, warning.zh):
        assert "适用范围, tags" in text and "2" in text and "3" in text and "备注" not in text
    assert second.warnings == third.warnings == ()
    assert first.text == ONE["text"]
    assert load("a.json", items({"effective_from": "2026-10-01"}))[0].warnings == ()
    many = load("a.json", items({f"f{n}" + "x" * 500: 1 for n in range(30)}))[0].warnings
    assert len(many[0].en) < 600
