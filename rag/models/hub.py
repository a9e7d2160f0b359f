"""The model hub: its cache on disk, one short question whether it answers, and the download of the needed files."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from huggingface_hub import HfApi, constants, snapshot_download
from huggingface_hub.errors import HfHubHTTPError

from rag.errors import Bilingual, ModelUnavailable
from rag.models.folder import bytes_under, missing_in
from rag.types import Say

_FILES = (
    "README.md",  # its front matter states the licence
    "config.json",
    "generation_config.json",
    "tokenizer*",
    "special_tokens_map.json",
    "added_tokens.json",
    "vocab.*",
    "merges.txt",
    "*.model",
    "chat_template*",
    "modules.json",
    "sentence_bert_config.json",
    "config_sentence_transformers.json",
    "[0-9]_*/*",
    "*.safetensors",
    "*.safetensors.index.json",
)
_NEVER = ("onnx/*", "openvino/*", "*/onnx/*", "*.bin", "*.h5", "*.msgpack")
_POLL_S = 0.05
_SAY_EVERY_S = 3.0


@dataclass(slots=True)
class Hub:
    """One hub for the run: make one and pass it to every `resolve`, so that a silent hub is asked once.

    `probe_s`: seconds that it may take to answer; `stall_s`: seconds without a new byte after which a download
    is given up; `cache`: the hub library's cache folder.
    """

    endpoint: str = field(default_factory=lambda: constants.ENDPOINT)
    offline: bool = field(default_factory=lambda: bool(constants.HF_HUB_OFFLINE))
    cache: Path = field(default_factory=lambda: Path(constants.HF_HUB_CACHE))
    probe_s: float = 4.0
    stall_s: float = 120.0
    _answer: str | None = None
    _asking: threading.Lock = field(default_factory=threading.Lock)

    def cached(self, name: str) -> Path:
        """The folder of `name` in the hub's cache, complete. Touches no network. Raises ``ModelUnavailable``."""
        try:
            folder = Path(
                snapshot_download(
                    name,
                    cache_dir=self.cache,
                    local_files_only=True,
                    allow_patterns=list(_FILES),
                    ignore_patterns=list(_NEVER),
                )
            )
        except (OSError, ValueError):
            raise ModelUnavailable(
                en=f"hub cache {self.cache}: {name} is not there", zh=f"模型库缓存 {self.cache}：没有 {name}"
            ) from None
        return _complete(folder, f"hub cache {self.cache}", f"模型库缓存 {self.cache}")

    def fetch(self, name: str, say: Say) -> Path:
        """Download the needed files of `name` into the hub's cache; its folder. Raises ``ModelUnavailable``."""
        why = self._silence(name)
        if why:
            raise ModelUnavailable(en=f"hub {self.endpoint}: {why}", zh=f"模型库 {self.endpoint}：{why}")
        say(Bilingual(en=f"Downloading {name} from {self.endpoint}", zh=f"从 {self.endpoint} 下载 {name}"))
        blobs = self.cache / f"models--{name.replace('/', '--')}" / "blobs"
        job = _Job(
            lambda: snapshot_download(
                name,
                endpoint=self.endpoint,
                cache_dir=self.cache,
                etag_timeout=self.probe_s,
                allow_patterns=list(_FILES),
                ignore_patterns=list(_NEVER),
            )
        )
        had, grew, said = bytes_under(blobs), time.monotonic(), time.monotonic()
        while not job.finished(_POLL_S):
            now, size = time.monotonic(), bytes_under(blobs)
            if size > had:
                had, grew = size, now
            if now - grew > self.stall_s:
                raise ModelUnavailable(
                    en=f"hub {self.endpoint}: no new byte of {name} for {self.stall_s:.0f} s",
                    zh=f"模型库 {self.endpoint}：{name} 已有 {self.stall_s:.0f} 秒没有新数据",
                )
            if now - said >= _SAY_EVERY_S:
                said = now
                say(Bilingual(en=f"Downloading {name}: {size / 1e6:.0f} MB", zh=f"下载 {name}：{size / 1e6:.0f} MB"))
        try:
            folder = Path(job.result())
        except Exception as error:  # noqa: BLE001 - the library raises errors of several HTTP packages; any of them only means "not from the hub"
            reason = f"{type(error).__name__}: {_first_line(error)}"
            raise ModelUnavailable(
                en=f"hub {self.endpoint}: {name}: {reason}", zh=f"模型库 {self.endpoint}：{name}：{reason}"
            ) from error
        return _complete(folder, f"hub {self.endpoint}", f"模型库 {self.endpoint}")

    def _silence(self, name: str) -> str:
        """Why the hub does not answer; empty when it does. Asked once, with `name`; later calls remember."""
        with self._asking:
            if self._answer is None:
                self._answer = "HF_HUB_OFFLINE is set" if self.offline else self._probe(name)
            return self._answer

    def _probe(self, name: str) -> str:
        # in a thread: no single time-out covers name look-up, connection and a server that says nothing
        api = HfApi(endpoint=self.endpoint)
        job = _Job(lambda: api.model_info(name, timeout=self.probe_s))
        if not job.finished(self.probe_s):
            return f"no answer within {self.probe_s:.0f} s"
        try:
            job.result()
        except HfHubHTTPError:
            return ""  # it answered, if only to refuse this name: the download says why
        except Exception as error:  # noqa: BLE001 - as above
            return f"{type(error).__name__}: {_first_line(error)}"
        return ""


class _Job:
    """A call in a daemon thread, which a hanging call cannot keep the program from leaving."""

    def __init__(self, call: Callable[[], object]) -> None:
        self._value: object = None
        self._error: Exception | None = None
        self._thread = threading.Thread(target=self._run, args=(call,), daemon=True)
        self._thread.start()

    def _run(self, call: Callable[[], object]) -> None:
        try:
            self._value = call()
        except Exception as error:  # noqa: BLE001 - handed to the caller of `result`
            self._error = error

    def finished(self, wait_s: float) -> bool:
        """Whether the call is over, after waiting for it at most `wait_s` seconds."""
        self._thread.join(wait_s)
        return not self._thread.is_alive()

    def result(self) -> str:
        """What the call returned, as text; raises what it raised."""
        if self._error is not None:
            raise self._error
        return str(self._value)


def _complete(folder: Path, en: str, zh: str) -> Path:
    missing = missing_in(folder)
    if missing:
        names = ", ".join(missing)
        raise ModelUnavailable(en=f"{en}: {folder} lacks {names}", zh=f"{zh}：{folder} 缺少 {names}")
    return folder


def _first_line(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    return lines[0] if lines else ""
