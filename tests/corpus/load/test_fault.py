"""Errors of this program while a file is read: told apart from damaged files, logged by kind and place, without words of the file."""

import dataclasses
import json
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import pytest

from rag.config import Limits
from rag.corpus.load import load, pdfium_engine, process, text
from rag.corpus.load.dispatch import load as dispatched
from rag.corpus.load.fault import Fault, fault_of, log_fault, read_fault
from rag.errors import LoadError, RagError, UnsafeFile
from tests.corpus.load.files import pdf, said

OURS, DAMAGED = "an error in this program", "damaged"
SECRET = "words-of-the-visitor"


def met(action: Callable[[], object]) -> Fault:
    with pytest.raises(Exception) as caught:
        action()
    return fault_of(caught.value)


def refused(name: str = "a.txt", data: bytes = SECRET.encode()) -> tuple[RagError, list[Fault]]:
    faults: list[Fault] = []
    with pytest.raises(LoadError) as caught:
        dispatched(name, data, "own", faults.append)
    return caught.value, faults


def raising(error: type[BaseException]) -> Callable[..., Any]:
    """A function of a library that raises it."""
    code = compile(f"def parse(*_):\n    raise error({SECRET!r})\n", "/lib/site-packages/some_library/deep.py", "exec")
    space: dict[str, Any] = {"error": error}
    exec(code, space)
    return space["parse"]  # type: ignore[no-any-return]


@pytest.mark.parametrize(("decode", "kind"), [(lambda *_: None, "AttributeError"), (None, "TypeError")])
def test_an_error_of_ours_is_said_and_reported_as_ours(
    decode: object, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text, "decode", decode)
    error, faults = refused()
    assert type(error) is LoadError
    assert OURS in error.text.en and "logged" in error.text.en and ".docx" in error.text.en
    assert "本程序出错" in error.text.zh and "日志" in error.text.zh and "另存为" in error.text.zh
    assert error.text.en.startswith("a.txt: ") and DAMAGED not in error.text.en
    (fault,) = faults
    assert (fault.kind, fault.ours) == (kind, True)
    assert fault.file.endswith("rag/corpus/load/text.py") and 0 < fault.line < 20


@pytest.mark.parametrize("error", [IndexError, KeyError, TypeError, AttributeError, ValueError, AssertionError])
def test_what_a_library_raises_is_a_damaged_file(error: type[Exception], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text, "decode", raising(error))
    refusal, faults = refused()
    assert DAMAGED in refusal.text.en and OURS not in refusal.text.en
    assert faults == [Fault(error.__name__, "lib/site-packages/some_library/deep.py", 2, False)]


def test_a_kind_of_a_library_is_a_damaged_file_wherever_it_rises(monkeypatch: pytest.MonkeyPatch) -> None:
    class Malformed(Exception):
        pass

    Malformed.__module__ = "some_library.errors"

    class Decoded:
        @property
        def text(self) -> NoReturn:
            raise Malformed(SECRET)

    monkeypatch.setattr(text, "decode", lambda *_: Decoded())
    error, faults = refused()
    assert DAMAGED in error.text.en and [(f.kind, f.ours) for f in faults] == [("some_library.errors.Malformed", False)]


def test_an_error_after_the_loader_is_ours_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rag.corpus.load.metadata.document_key", None)
    error, faults = refused()
    assert OURS in error.text.en
    assert [(fault.kind, fault.file.rsplit("/", 1)[-1], fault.ours) for fault in faults] == [
        ("TypeError", "metadata.py", True)
    ]


def test_nested_too_deeply_stays_what_is_said_of_it_and_is_reported() -> None:
    error, faults = refused("a.html", b"<table><tr><td>" * 1500 + b"x")
    assert isinstance(error, UnsafeFile) and "nested" in error.text.en
    assert [fault.kind for fault in faults] == ["RecursionError"]


@pytest.mark.parametrize("ours", [True, False])
def test_the_log_has_kind_and_place_and_no_word_of_the_file(
    ours: bool, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    monkeypatch.setattr(text, "decode", (lambda *_: SECRET) if ours else raising(ValueError))
    with pytest.raises(LoadError):
        load("a.txt", SECRET.encode())
    (record,) = caplog.records
    assert record.levelno == (logging.ERROR if ours else logging.INFO)
    assert ("AttributeError at " in record.getMessage()) == ours and SECRET not in caplog.text
    assert ("rag/corpus/load/text.py:" if ours else "some_library/deep.py:2") in record.getMessage()


def answer(**changes: object) -> bytes:
    fault = dataclasses.asdict(Fault("KeyError", "rag/corpus/load/text.py", 7, True)) | changes
    return json.dumps({"error": "LoadError", "en": "a", "zh": "b", "peak": 0, "faults": [fault, fault]}).encode()


def test_what_the_reading_process_ran_into_is_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    assert isinstance(process._checked("a.txt", answer(), Limits()).problem, LoadError)
    assert [record.getMessage() for record in caplog.records] == [
        "KeyError at rag/corpus/load/text.py:7 while a file was read"
    ]


@pytest.mark.parametrize(
    "change",
    [
        {"kind": "a\nERROR forged"},
        {"kind": "a" * 101},
        {"kind": None},
        {"file": "看"},
        {"file": "a b"},
        {"line": "7"},
        {"line": 10**4000},
        {"line": True},
        {"ours": 1},
    ],
)
def test_a_fault_that_is_none_writes_no_line(change: dict[str, object], caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(LoadError, match="broke off"):
        process._checked("a.txt", answer(**change), Limits())
    assert not caplog.records


def test_every_fault_that_is_met_can_be_read(tmp_path: Path) -> None:
    """Whatever its folder is called, and for code without a file."""
    for file in (str(tmp_path / "a b" / "看.py"), "<frozen importlib._bootstrap>", "", "src/lxml/parser.pxi"):
        code = compile("raise KeyError", file, "exec")
        fault = met(lambda code=code: exec(code))  # type: ignore[misc]
        assert read_fault(json.loads(json.dumps(dataclasses.asdict(fault)))) == fault and not fault.ours
        log_fault(fault)


def test_a_page_of_a_damaged_pdf_whose_pieces_are_gone_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """PDFium gives no piece for some characters of such files, which has no style then."""
    monkeypatch.setattr(pdfium_engine.c, "FPDFText_GetTextObject", lambda *_: None)
    engine = pdfium_engine.PdfiumEngine("a.pdf", pdf(said(72, 72, "年假")))
    assert "".join(glyph.text for glyph in engine.ink(0).glyphs) == "年假"
