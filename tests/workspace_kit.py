"""What the tests of the workspace share: a small sample corpus, a visitor, shorthands."""

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

from rag.config import Limits
from rag.corpus.index import Corpus, Progress
from rag.corpus.load import load
from rag.corpus.samples import Samples
from rag.types import Answer, Document, Retrieval
from rag.workspace import Upload, Workspace
from tests.fake_models import BigramEncoder, FakeModels, ReplyGenerator

SAMPLE_FILES = {
    "年假制度_2026.txt": "年假制度\n员工入职满一年后，每年可享受15天带薪年假。" + "年假应当在当年休完。" * 30,
    "设备制度_2026.txt": "设备制度\n办公设备报销额度为每人每年3000元。" + "设备领用须登记。" * 30,
}
OWN = "本公司员工每年可享受二十二天带薪年假，另有生日假一天。"
Line = tuple[Workspace, FakeModels, Samples]


class SameProcess:
    """Reads files where the test runs; the tests of the reading process are in test_workspace_reading.py."""

    def reader(self, limits: Limits) -> "SameProcess":
        return self

    def __enter__(self) -> "SameProcess":
        return self

    def __exit__(self, *error: object) -> None: ...

    def read(
        self, name: str, data: bytes, stop: threading.Event, waiting: Callable[[float, int], None]
    ) -> tuple[Document, ...]:
        return load(name, data)


def write_samples(tmp_path: Path) -> Path:
    made = tmp_path / "samples"
    made.mkdir()
    for name, text in SAMPLE_FILES.items():
        (made / name).write_text(text, encoding="utf-8")
    return made


def make(
    folder: Path, encoder: BigramEncoder | None = None, limits: Limits | None = None, generator: bool = True
) -> Line:
    models = FakeModels(encoder or BigramEncoder(), ReplyGenerator() if generator else None, folder.parent / "cache")
    samples = Samples(models, folder)  # type: ignore[arg-type]
    samples.prepare()
    assert samples.ready(), samples.problem()
    return Workspace(samples, models, limits, SameProcess()), models, samples  # type: ignore[arg-type]


def txt(name: str, text: str) -> Upload:
    return Upload(name, text.encode())


def add(workspace: Workspace, *uploads: Upload) -> list[Progress]:
    return list(workspace.add(uploads, threading.Event()))


def remove(workspace: Workspace, key: str) -> None:
    list(workspace.remove(key, threading.Event()))


def use_samples(workspace: Workspace, flag: bool) -> None:
    list(workspace.use_samples(flag, threading.Event()))


def origins(found: Retrieval) -> set[str]:
    return {c.chunk.key.split("@")[0] for c in found.candidates}


def state(workspace: Workspace) -> tuple[object, ...]:
    return (
        workspace.own_documents(),
        workspace.corpus(),
        workspace.include_samples,
        dict(workspace._own),
        workspace.asked(),
    )


def held(workspace: Workspace) -> int:
    return sum(h.size for h in workspace._own.values())


def check_slices(found: Retrieval, corpus: Corpus) -> None:
    for candidate in found.candidates:
        chunk = candidate.chunk
        assert corpus.documents[chunk.key].text[chunk.start : chunk.end] == chunk.text


def last(answers: Iterator[Answer]) -> Answer:
    *_, final = answers
    assert final.done
    return final
