"""An index on disk, for the tests of the store."""

from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from rag.config import SplitSettings
from rag.corpus.index import Corpus, build
from rag.corpus.store import save
from rag.errors import Bilingual
from rag.types import Document
from tests.fakes import HashEncoder


@pytest.fixture
def corpus(leave: Document, equipment: Document) -> Corpus:
    dated = replace(
        leave,
        effective_from=date(2026, 1, 1),
        effective_to=date(2027, 1, 1),
        groups=frozenset({"hr", "public"}),
        warnings=(Bilingual(en="page 3 is empty", zh="第 3 页是空的"),),
    )
    return build([dated, equipment], SplitSettings("recursive", 40, 8), HashEncoder())


@pytest.fixture
def saved(corpus: Corpus, tmp_path: Path) -> Path:
    folder = tmp_path / "index"
    save(corpus, folder, HashEncoder().facts)
    return folder
