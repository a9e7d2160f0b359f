import json
from collections.abc import Callable

import pytest

from rag.config import Limits
from rag.corpus.load import load
from rag.errors import EmptyDocument, LimitReached, Stopped
from rag.intake import FileReport, Read, Upload, take, undone
from rag.limits import Allowance
from rag.types import Document
from rag.versions import Choice, Own


def read(name: str, data: bytes) -> tuple[Document, ...]:
    return load(name, data)


def taken(own: Own, name: str, text: str, limits: Limits | None = None, read: Read = read) -> FileReport:
    return take(Upload(name, text.encode()), own, Allowance(limits or Limits()), read, Choice(frozenset(own)))


def test_a_file_becomes_documents_and_a_row() -> None:
    own: Own = {}
    report = taken(own, "甲.txt", "年假 15 天。")
    assert (report.name, report.state, report.message.zh) == ("甲.txt", "ok", "")
    assert report.keys == tuple(own)
    assert [h.size for h in own.values()] == [len("年假 15 天。".encode())]


def raises(error: Exception) -> Callable[[str, bytes], tuple[Document, ...]]:
    def failing(name: str, data: bytes) -> tuple[Document, ...]:
        raise error

    return failing


@pytest.mark.parametrize("error", [EmptyDocument(en="no text", zh="没有文字"), LimitReached(en="slow", zh="太慢")])
def test_what_reading_refuses_is_the_row_and_nothing_changes(error: LimitReached) -> None:
    own: Own = {}
    taken(own, "甲.txt", "年假 15 天。")
    before = dict(own)
    report = taken(own, "甲.txt", "第二稿", read=raises(error))
    assert (report.state, report.message, report.keys) == ("error", error.text, ())
    assert own == before


@pytest.mark.parametrize("error", [Stopped(en="stopped", zh="已停止"), ZeroDivisionError()])
def test_a_stop_and_a_bug_are_no_rows(error: Exception) -> None:
    with pytest.raises(type(error)):
        taken({}, "甲.txt", "年假", read=raises(error))


def test_a_file_over_a_limit_is_not_read() -> None:
    report = taken({}, "甲.txt", "年假 15 天。", Limits(file_bytes=3), raises(AssertionError()))
    assert report.state == "error" and "3" in report.message.zh


def test_a_file_that_would_be_one_document_too_many_replaces_nothing() -> None:
    own: Own = {}
    limits = Limits(files=2)
    taken(own, "甲.txt", "年假 15 天。", limits)
    taken(own, "乙.txt", "设备 3000 元。", limits)
    before = dict(own)
    assert taken(own, "丙.txt", "体检一次。", limits).state == "error"
    assert own == before
    report = taken(own, "甲.txt", "年假 20 天。", limits)  # in place of another: still two
    assert report.state == "warning" and len(own) == 2


def test_a_report_passes_through_and_an_undone_one_holds_nothing() -> None:
    refused = FileReport("大.txt", "error", EmptyDocument(en="a", zh="b").text, ())
    assert take(refused, {}, Allowance(Limits()), read, Choice()) is refused
    assert undone(refused, LimitReached(en="x", zh="y").text) is refused
    report = taken({}, "甲.txt", "年假")
    why = LimitReached(en="x", zh="y").text
    assert undone(report, why) == FileReport("甲.txt", "error", why, ())


def test_a_row_follows_a_document_that_gets_another_key() -> None:
    report = FileReport("库.json", "ok", LimitReached(en="x", zh="y").text, ("a@1", "b@1"))
    assert report.renamed("a@1", "a@2").keys == ("a@2", "b@1")
    assert report.renamed("c@1", "c@2") == report


def test_what_is_held_counts_by_the_share_in_its_file() -> None:
    own: Own = {}
    rows = [{"doc_id": i, "version": "1", "title": "t", "source": "s", "text": i * n} for i, n in (("a", 9), ("b", 27))]
    data = json.dumps(rows)
    taken(own, "库.json", data)
    sizes = [held.size for held in own.values()]
    assert sizes[1] == pytest.approx(3 * sizes[0], abs=3)
    assert len(data.encode()) <= sum(sizes) <= len(data.encode()) + 1
