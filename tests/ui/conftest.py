"""A page over stand-ins, once for each file of tests, and a visitor of it for each test."""

from collections.abc import Iterator

import pytest

from rag.ui.app import App
from tests.ui.fakes import Client, page_app


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    made, _ = page_app(tmp_path_factory.mktemp("samples"))
    yield made
    made.close()


@pytest.fixture
def visitor(app: App, request: pytest.FixtureRequest) -> Client:
    return Client(app, request.node.name)
