"""The process that reads files: what it gives, what ends it, and what is then said."""

import json
import os
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from rag.config import Limits
from rag.corpus.load import load, process
from rag.corpus.load.process import Reader, ReadingRoom
from rag.corpus.load.waiting_line import WaitingLine
from rag.corpus.records import document_json
from rag.corpus.samples import FOLDER
from rag.errors import EmptyDocument, LimitReached, LoadError, RagError, Stopped, UnsupportedFormat

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the limits are those of Linux")

Misbehave = Callable[[str], None]
NEVER = threading.Event()


@pytest.fixture
def reader() -> Iterator[Reader]:
    with ReadingRoom().reader(Limits()) as made:
        yield made


@pytest.fixture
def misbehave(monkeypatch: pytest.MonkeyPatch) -> Misbehave:
    """``misbehave(code)``: reading a file called ``bad…`` runs `code` in the reading process; others are read as ever."""

    def arrange(code: str) -> None:
        program = f"""
import os, sys, time
import rag.corpus.load.worker as worker
real = worker.load
def load(name, data, *rest):
    if name.startswith("bad"):
{textwrap.indent(textwrap.dedent(code), " " * 8)}
    return real(name, data, *rest)
worker.load = load
worker.main()
"""
        monkeypatch.setattr(process, "_WORKER", ("-c", program))

    return arrange


def refusal(reader: Reader, name: str, data: bytes = b"words") -> RagError:
    with pytest.raises(RagError) as caught:
        reader.read(name, data, NEVER)
    for message in (caught.value.text.en, caught.value.text.zh):
        assert name in message
    assert caught.value.text.en != caught.value.text.zh
    return caught.value


def pid_of(reader: Reader) -> int:
    assert reader._child is not None
    return reader._child.pid


def ends(pid: int, seconds: float = 60.0) -> bool:
    """Whether a process that nobody waits for ends by itself."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        stat = Path(f"/proc/{pid}/stat")
        if not stat.exists() or stat.read_text().rsplit(") ", 1)[1][0] == "Z":
            return True
        time.sleep(0.05)
    return False


# ---- what is read is what `load` reads


def test_a_sample_of_every_kind_is_read_as_in_this_process_and_by_one_process(reader: Reader) -> None:
    pids = set()
    kinds = {file.suffix: file for file in FOLDER.iterdir()}  # one of each
    assert len(kinds) > 5
    for file in kinds.values():
        data = file.read_bytes()
        assert reader.read(file.name, data, NEVER) == load(file.name, data)
        pids.add(pid_of(reader))
    assert len(pids) == 1


def test_what_is_wrong_with_a_file_is_said_as_in_this_process_and_the_process_goes_on(reader: Reader) -> None:
    cases = [
        ("空.txt", b" \n", EmptyDocument),
        ("图.png", b"\x89PNG\r\n", UnsupportedFormat),
        ("坏.docx", b"PK\x03\x04 broken", LoadError),
        ("half\ud800.pdf", b"%PDF-1.4 broken", LoadError),
    ]
    pids = set()
    for name, data, kind in cases:
        with pytest.raises(kind) as caught:
            reader.read(name, data, NEVER)
        with pytest.raises(kind) as direct:
            load(name, data)
        assert type(caught.value) is type(direct.value)
        assert caught.value.text == direct.value.text
        pids.add(pid_of(reader))
    assert len(pids) == 1


def test_the_process_gets_no_secret_and_loads_no_model_library(
    reader: Reader, misbehave: Misbehave, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_TOKEN", "secret")
    misbehave(
        """
        heavy = [m for m in ("torch", "transformers", "gradio") if m in sys.modules]
        data = repr((heavy, sorted(os.environ))).encode()
        """
    )
    text = reader.read("bad.txt", b"", NEVER)[0].text
    assert text.startswith("([], ")
    assert "PATH" in text and "HF_TOKEN" not in text


def test_the_process_writes_no_file(reader: Reader, misbehave: Misbehave, tmp_path: Path) -> None:
    target = tmp_path / "leak.txt"
    misbehave(
        f"""
        try:
            with open({str(target)!r}, "wb") as file:
                file.write(data)
        except OSError as error:
            data = type(error).__name__.encode()
        """
    )
    assert reader.read("bad.txt", b"words of a visitor", NEVER)[0].text == "OSError"
    assert not target.exists() or target.stat().st_size == 0


def test_what_a_library_prints_is_no_answer_and_not_in_the_log(
    reader: Reader, misbehave: Misbehave, capfd: pytest.CaptureFixture[str]
) -> None:
    misbehave(
        """
        print('{"documents": [], "peak": 0}', flush=True)
        os.write(1, b'{"documents": []}\\n')
        os.write(2, data)
        import logging, warnings
        logging.getLogger("pdfminer").critical(data)
        warnings.warn(data.decode())
        """
    )
    assert reader.read("bad.txt", b"words of a visitor", NEVER)[0].text == "words of a visitor"
    assert "visitor" not in "".join(capfd.readouterr())


def test_an_error_of_this_program_is_logged_here_by_kind_and_place(
    reader: Reader, misbehave: Misbehave, caplog: pytest.LogCaptureFixture
) -> None:
    misbehave(
        """
        import rag.corpus.load.text as text
        text.decode = lambda *_: data.decode()
        """
    )
    error = refusal(reader, "bad.txt", b"words-of-the-visitor")
    assert type(error) is LoadError and "an error in this program" in error.text.en and "本程序出错" in error.text.zh
    (record,) = caplog.records
    assert record.levelname == "ERROR" and record.getMessage().startswith("AttributeError at ")
    assert "rag/corpus/load/text.py:" in record.getMessage() and "visitor" not in caplog.text
    pid = pid_of(reader)
    assert reader.read("note.md", b"words", NEVER)[0].text == "words"
    assert pid_of(reader) == pid


# ---- limits


def test_time(misbehave: Misbehave) -> None:
    misbehave("time.sleep(60)")
    with ReadingRoom().reader(Limits(parse_seconds=0.5)) as reader:
        assert reader.read("good.txt", b"words", NEVER)[0].text == "words"
        error = refusal(reader, "bad.txt")
        assert isinstance(error, LimitReached)
        assert "0.5 seconds" in error.text.en and "Split" in error.text.en
        assert "0.5 秒" in error.text.zh and "拆分" in error.text.zh
        assert reader.read("good.txt", b"words", NEVER)[0].text == "words"


def test_time_in_code_that_never_lets_go_of_the_interpreter(misbehave: Misbehave) -> None:
    misbehave("import re; re.match('(a+)+$', 'a' * 40 + 'b')")
    with ReadingRoom().reader(Limits(parse_seconds=0.5)) as reader:
        began, ticks = time.monotonic(), 0
        done = threading.Event()

        def beat() -> None:
            nonlocal ticks
            while not done.wait(0.02):
                ticks += 1

        thread = threading.Thread(target=beat)
        thread.start()
        assert isinstance(refusal(reader, "bad.txt"), LimitReached)
        seconds = time.monotonic() - began
        done.set()
        thread.join()
        assert ticks > 5 * min(seconds, 1.0)  # this process went on meanwhile


MEMORY = """
if name == "bad1.txt":
    data = b"x" * 2_000_000_000
kept = []
while name == "bad2.txt":
    kept.append(bytearray(1_000_000))
try:
    bytearray(2_000_000_000)
except MemoryError as error:  # turned into another error
    raise worker.LoadError(en="a", zh="b") from error
"""


def test_memory(misbehave: Misbehave) -> None:
    misbehave(MEMORY)
    with ReadingRoom().reader(Limits(parse_bytes=600_000_000)) as reader:
        refusal(reader, "bad1.txt")
        refusal(reader, "bad2.txt")
        error = refusal(reader, "bad3.txt")
        assert isinstance(error, LimitReached)
        assert "600 MB" in error.text.en and "Split" in error.text.en
        assert "600 MB" in error.text.zh and "拆分" in error.text.zh
        assert reader.read("good.txt", b"words", NEVER)[0].text == "words"


@pytest.mark.parametrize(
    "code",
    [
        # not the smallest thing can be made any more, and what fills the memory is still held
        """
        kept = sys.kept = []
        for size in (1_000_000, 1000, 1):
            try:
                while True:
                    kept.append(bytearray(size))
            except MemoryError:
                pass
        kept.append([[] for _ in range(10**9)])
        """,
        # the same, turned into something else on the way
        """
        kept = sys.kept = []
        try:
            while True:
                kept.append([kept])
        except MemoryError as error:
            raise worker.LoadError(en="a", zh="b") from error
        """,
        # the answer itself has no room
        "worker.document_json = lambda _: ['x' * 100_000 for _ in range(100_000)]",
        # foreign code that ends the process where it is given no memory
        "large = bytearray(250_000_000); large[::4096] = b'x' * len(large[::4096]); import time; time.sleep(0.5); os.abort()",
    ],
)
def test_a_lack_of_memory_is_said_however_it_shows(misbehave: Misbehave, code: str) -> None:
    misbehave(code)
    with ReadingRoom().reader(Limits(parse_bytes=600_000_000)) as reader:
        error = refusal(reader, "bad.txt")
        assert isinstance(error, LimitReached) and "600 MB" in error.text.en
        assert reader.read("good.txt", b"words", NEVER)[0].text == "words"


def test_text(misbehave: Misbehave) -> None:
    with ReadingRoom().reader(Limits(characters=1000)) as reader:
        assert len(reader.read("fits.txt", b"word " * 199 + b"words", NEVER)[0].text) == 1000
        error = refusal(reader, "long.txt", b"word " * 199 + b"words!")
        assert isinstance(error, LimitReached)
        assert "1,000" in error.text.en and "Split" in error.text.en
        assert "1,000" in error.text.zh and "拆分" in error.text.zh


def test_a_process_that_held_much_memory_is_not_used_again(misbehave: Misbehave) -> None:
    misbehave("large = bytearray(300_000_000); large[::4096] = b'x' * len(large[::4096])")
    with ReadingRoom().reader(Limits(parse_bytes=1_000_000_000)) as reader:
        reader.read("good.txt", b"words", NEVER)
        first = pid_of(reader)
        reader.read("bad.txt", b"words", NEVER)
        assert reader._child is None
        reader.read("good.txt", b"words", NEVER)
        assert pid_of(reader) != first


def test_what_this_process_holds_does_not_count_as_its_own(misbehave: Misbehave) -> None:
    models = b"x" * 600_000_000  # as much as the models, to a process that is started beside them
    misbehave("import ctypes; ctypes.string_at(0)")
    with ReadingRoom().reader(Limits(parse_bytes=1_000_000_000)) as reader:
        reader.read("good.txt", b"words", NEVER)
        assert reader._child is not None
        assert type(refusal(reader, "bad.txt")) is LoadError and len(models) == 600_000_000


# ---- crashes


@pytest.mark.parametrize(
    "code",
    [
        "os._exit(0)",
        "import ctypes; ctypes.string_at(0)",
        "raise ZeroDivisionError",
        "worker.json.dumps = lambda *_, **__: 'no answer'",
    ],
)
def test_a_crash_is_an_error_of_its_file_alone(
    reader: Reader, misbehave: Misbehave, code: str, caplog: pytest.LogCaptureFixture
) -> None:
    misbehave(code)
    reader.read("good.txt", b"words", NEVER)
    error = refusal(reader, "bad.txt")
    assert type(error) is LoadError
    assert ("broke off with status" in caplog.text) == ("dumps" not in code)  # else there is an answer, and it is none
    assert reader.read("good.txt", b"words", NEVER)[0].text == "words"


def test_an_answer_without_end(reader: Reader, misbehave: Misbehave, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "_LONGEST_ANSWER", 100_000)
    misbehave("worker.json.dumps = lambda *_, **__: ' ' * 10_000_000")
    assert type(refusal(reader, "bad.txt")) is LoadError
    assert reader.read("good.txt", b"words", NEVER)[0].text == "words"


def test_ended_by_the_system_for_its_time(reader: Reader, misbehave: Misbehave) -> None:
    misbehave(
        """
        import resource
        at = time.process_time()
        while True:  # the limit of this file, not of all files so far
            if time.process_time() > at + 0.1:
                assert 0 < resource.getrlimit(resource.RLIMIT_CPU)[0] - at <= 121
                os.kill(os.getpid(), 24)
        """
    )
    error = refusal(reader, "bad.txt")
    assert isinstance(error, LimitReached) and "120 seconds" in error.text.en


def test_killed_by_a_system_without_memory(reader: Reader, misbehave: Misbehave) -> None:
    misbehave("os.kill(os.getpid(), 9)")
    assert isinstance(refusal(reader, "bad.txt"), LimitReached)


def test_a_large_file_to_a_process_that_takes_nothing_does_not_hang(misbehave: Misbehave) -> None:
    misbehave("os._exit(0)")
    with ReadingRoom().reader(Limits(parse_seconds=1)) as reader:
        reader.read("good.txt", b"words", NEVER)
        assert reader._child is not None
        os.kill(reader._child.pid, 19)  # stopped: it reads nothing
        assert isinstance(refusal(reader, "good.txt", b"x" * 10_000_000), LimitReached)


def test_a_process_that_cannot_begin_is_a_bug(reader: Reader, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "_WORKER", ("-c", "raise SystemExit(3)"))
    with pytest.raises(RuntimeError, match="status 3"):
        reader.read("a.txt", b"words", NEVER)


@pytest.mark.parametrize(
    "line",
    [
        "",
        "not json",
        "[]",
        "null",
        "{}",
        '{"documents": []}',
        '{"documents": [], "peak": 0}',
        '{"documents": [{}], "peak": 0}',
        '{"documents": [null], "peak": 0}',
        '{"documents": 3, "peak": 0}',
        '{"error": "SystemExit", "en": "a", "zh": "b", "peak": 0}',
        '{"error": ["LoadError"], "en": "a", "zh": "b", "peak": 0}',
        '{"error": "LoadError", "peak": 0}',
        '{"error": "LoadError", "en": "a", "zh": "b", "peak": null}',
        '{"error": "LoadError", "en": "a", "zh": "b", "peak": Infinity}',
        '{"error": "LoadError", "en": "a", "zh": "b", "peak": 1e400}',
        '{"error": "LoadError", "en": "a", "zh": "b", "peak": NaN}',
        '{"error": "LoadError", "en": "a", "zh": "b", "peak": true}',
        '{"error": "LoadError", "en": "a", "zh": "b", "peak": "7"}',
        pytest.param('{"documents": [], "peak": ' + "9" * 5000 + "}", id="huge"),
        pytest.param('{"documents": ' + "[" * 900 + "]" * 900 + ', "peak": 0}', id="nested"),
        pytest.param('{"peak": ' + '{"a":' * 90_000 + "1" + "}" * 90_001, id="deep inside"),
        pytest.param("[" * 100_000, id="deep"),
        pytest.param("\udcff", id="not UTF-8"),
    ],
)
def test_an_answer_that_is_none_is_an_error_of_its_file(line: str) -> None:
    with pytest.raises(LoadError, match="bad.txt"):
        process._checked("bad.txt", line.encode("utf-8", "surrogateescape"), Limits())


@pytest.mark.parametrize(
    "change",
    [
        {"key": "somebody-elses@1"},
        {"origin": "sample"},
        {"version": "2"},
        {"text": "other words"},
        {"pages": [0, 99]},
        {"pages": [0, 1e400]},
        {"pages": [10**400]},
        {"effective_from": "99999999999-01-01"},
        {"sections": [{"start": float("inf"), "path": []}]},
        {"more": 1},
    ],
)
def test_a_document_that_is_not_what_it_says_is_refused(change: dict[str, object]) -> None:
    document = load("bad.txt", b"words")[0]
    record = document_json(document)

    def line(record: dict[str, object]) -> bytes:
        return json.dumps({"documents": [record], "peak": 0}).encode()

    assert process._checked("bad.txt", line(record), Limits()).documents == (document,)
    with pytest.raises(LoadError, match="bad.txt"):
        process._checked("bad.txt", line(record | change), Limits())


def test_a_message_is_cut_where_no_loader_would_be_so_long() -> None:
    line = json.dumps({"error": "LoadError", "en": "a" * 10**6, "zh": "b", "peak": 0}).encode()
    problem = process._checked("bad.txt", line, Limits()).problem
    assert type(problem) is LoadError and len(problem.text.en) == 2000


# ---- Stop, and the end of the one that started it


def test_stop_ends_it_at_once_whatever_it_does(reader: Reader, misbehave: Misbehave) -> None:
    misbehave("import re; re.match('(a+)+$', 'a' * 40 + 'b')")
    reader.read("good.txt", b"words", NEVER)
    pid, stop = pid_of(reader), threading.Event()
    timer = threading.Timer(0.3, stop.set)
    timer.start()
    began = time.monotonic()
    with pytest.raises(Stopped):
        reader.read("bad.txt", b"words", stop)
    assert time.monotonic() - began < 3.0
    assert not Path(f"/proc/{pid}").exists()


def test_closing_ends_it(misbehave: Misbehave) -> None:
    with ReadingRoom().reader(Limits()) as reader:
        reader.read("good.txt", b"words", NEVER)
        pid = pid_of(reader)
    assert not Path(f"/proc/{pid}").exists()


@pytest.mark.parametrize("code", ["time.sleep(60)", "while True: pass"])
def test_it_ends_with_the_one_that_started_it(code: str) -> None:
    worker = f"import time, rag.corpus.load.worker as w; w.load = lambda *_: exec({code!r}); w.main()"
    parent = f"""
import sys, threading, time
from rag.config import Limits
from rag.corpus.load import process
process._WORKER = ("-c", {worker!r})
reader = process.ReadingRoom().reader(Limits())
threading.Thread(target=reader.read, args=("a.txt", b"words", threading.Event()), daemon=True).start()
while reader._child is None:
    time.sleep(0.01)
print(reader._child.pid, flush=True)
sys.stdin.read()
"""
    started = subprocess.Popen(
        [sys.executable, "-c", parent], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=FOLDER.parent
    )
    assert started.stdout is not None
    pid = int(started.stdout.readline())
    time.sleep(0.5)  # with or without the file under way
    started.kill()
    started.wait()
    assert ends(pid)


def test_a_stop_while_all_places_are_taken(misbehave: Misbehave) -> None:
    misbehave("time.sleep(60)")
    room, stop = ReadingRoom(WaitingLine(at_once=1, slow=0)), threading.Event()
    with room.reader(Limits()) as first, room.reader(Limits()) as second:
        thread = threading.Thread(target=lambda: refusal_of_stop(first, stop))
        thread.start()
        while first._child is None:
            time.sleep(0.01)
        other = threading.Event()
        threading.Timer(0.3, other.set).start()
        with pytest.raises(Stopped):
            second.read("good.txt", b"words", other)
        assert second._child is None
        stop.set()
        thread.join(5)
        assert second.read("good.txt", b"words", NEVER)[0].text == "words"


def refusal_of_stop(reader: Reader, stop: threading.Event) -> None:
    with pytest.raises(Stopped):
        reader.read("bad.txt", b"words", stop)


def test_whoever_waits_is_told_for_how_many(misbehave: Misbehave) -> None:
    misbehave("time.sleep(60)")
    room, stop, told = ReadingRoom(WaitingLine(at_once=1, slow=0)), threading.Event(), []

    def waiting(seconds: float, ahead: int) -> None:
        told.append((seconds, ahead))
        if len(told) == 2:
            stop.set()

    with room.reader(Limits()) as first, room.reader(Limits()) as second:
        thread = threading.Thread(target=lambda: refusal_of_stop(first, stop))
        thread.start()
        while first._child is None:
            time.sleep(0.01)
        assert second.read("good.txt", b"words", NEVER, waiting)[0].text == "words"
        thread.join(5)
    assert told[:2] == [(0.0, 1)] * 2


def test_a_small_file_gets_past_slow_ones(misbehave: Misbehave) -> None:
    misbehave("time.sleep(60)")
    room, stop = ReadingRoom(WaitingLine(at_once=2, slow=1, quick_s=0.5)), threading.Event()
    readers = [room.reader(Limits()) for _ in range(3)]
    threads = [threading.Thread(target=refusal_of_stop, args=(one, stop)) for one in readers[:2]]
    for thread in threads:
        thread.start()
    assert readers[2].read("good.txt", b"words", NEVER)[0].text == "words"
    assert all(thread.is_alive() for thread in threads)
    stop.set()
    for one in (*threads, *readers):
        one.join(5) if isinstance(one, threading.Thread) else one.close()
