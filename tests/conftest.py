"""What all tests share: the --full option, small documents, the real models (once a session)."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from rag.config import ModelSettings
from rag.models.roles import Models
from rag.types import Document, Section


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--full", action="store_true", help="property tests run all their cases, not a tenth of them")


COLLECTED = pytest.StashKey[set[Path]]()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    config.stash[COLLECTED] = {item.path for item in items}  # before -m and -k take any away


@pytest.fixture(scope="session")
def seeds(request: pytest.FixtureRequest) -> Callable[[int], range]:
    """``seeds(200)``: the seeds of a property test that has 200 cases; the first tenth without --full."""
    full = bool(request.config.getoption("--full"))
    return lambda n: range(n if full else max(10, n // 10))


@pytest.fixture(scope="session")
def collected(request: pytest.FixtureRequest) -> set[Path] | None:
    """The test files of this run; None when only some were asked for."""
    whole = request.config.args_source == pytest.Config.ArgsSource.TESTPATHS
    return request.config.stash[COLLECTED] if whole else None


@pytest.fixture(scope="session")
def rag_cache() -> Path:
    """Where fetched and converted weights are."""
    return Path(os.environ.get("RAG_CACHE") or ModelSettings().cache)


@pytest.fixture(scope="session")
def models(rag_cache: Path) -> Models:
    """The real encoder and generator, loaded once."""
    loaded = Models(ModelSettings(cache=rag_cache))
    loaded.load()
    loaded.encoder()  # raises why, when they could not be had
    loaded.generator()
    return loaded


@pytest.fixture
def leave() -> Document:
    """A short policy with sections and two pages."""
    text = (
        "第一章 年假\n员工入职满一年后，每年可享受15天带薪年假。未休完的年假不得跨年累计。\n"
        "第二章 申请\n应提前3个工作日提交申请，由直属主管审批。表单编号 HR-F-012。\n"
    )
    second = text.index("第二章")
    return Document(
        doc_id="leave",
        version="2026-01",
        key="leave@2026-01",
        origin="own",
        title="员工休假制度",
        source="休假.docx",
        text=text,
        pages=(0, second),
        sections=(Section(0, ("第一章 年假",)), Section(second, ("第二章 申请",))),
    )


@pytest.fixture
def equipment() -> Document:
    """A one-line policy without pages or sections."""
    text = "办公设备报销额度为每人每年3000元，凭发票报销。"
    return Document("equipment", "2026-01", "equipment@2026-01", "own", "设备报销制度", "设备.txt", text)
