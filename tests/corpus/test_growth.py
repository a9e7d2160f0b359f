"""What a long text costs: eight times the text, some eight times the work, whatever it is made of."""

import time
from collections.abc import Callable
from typing import get_args

import pytest

from rag.config import SplitSettings, Strategy
from rag.corpus.clean import clean_text
from rag.corpus.lexical import LexicalIndex
from rag.corpus.remarks import remarks
from rag.corpus.split import split
from rag.types import Document
from tests.fakes import HashEncoder

# What the patterns look for and do not find, over and over: each of them a run to go through from everywhere in it.
UNITS = (
    "*\n",
    "#\u3000\n",
    "* ",
    "第\n",
    "第一\n",
    "第　\u3000",
    "一",
    "。”",
    "”",
    ".",
    "1/",
    "1,000",
    "1.",
    "a-",
    "…\n",
    "\n\n*",
    ";",
)


def document(text: str) -> Document:
    return Document("d", "1", "d@1", "own", "题", "d.txt", text)


def cut(strategy: Strategy) -> Callable[[str], object]:
    return lambda text: split(document(text), SplitSettings(strategy), HashEncoder())


def remarked(text: str) -> object:
    made = document(text)
    chunks = split(made, SplitSettings("fixed"), None)
    return remarks(made, chunks, twins=[None] * len(chunks))


WORK: dict[str, Callable[[str], object]] = {
    **{strategy: cut(strategy) for strategy in get_args(Strategy)},
    "remarks": remarked,
    "terms": lambda text: LexicalIndex([text]),
    "clean": clean_text,
}


def seconds(work: Callable[[str], object], text: str) -> float:
    began = time.process_time()
    work(text)
    return time.process_time() - began


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("name", WORK)
def test_the_work_grows_with_the_text(name: str, unit: str) -> None:
    short = (unit * 5000)[:5000] + "字"
    long = (unit * 40_000)[:40_000] + "字"
    once = min(seconds(WORK[name], short) for _ in range(2))
    # what goes through the rest of the text from everywhere takes some fifty times as long
    assert min(seconds(WORK[name], long) for _ in range(2)) < 24 * once + 0.02
