import copy
import json
import random
from collections.abc import Callable
from datetime import date
from typing import Any, get_args

import pytest

from rag.corpus.records import document_json, read_document
from rag.errors import Bilingual
from rag.types import Document, Removed, Section, Stated, Table, Why
from tests import hostile


def made(rng: random.Random) -> Document:
    """A document with something in every field, offsets in order."""
    text = hostile.text(rng, 40) + "。"

    def offsets(n: int) -> list[int]:
        return sorted(rng.randint(0, len(text)) for _ in range(n))

    spans = offsets(4)
    return Document(
        doc_id=hostile.line(rng),
        version=hostile.line(rng),
        key=hostile.line(rng),
        origin=rng.choice(["own", "sample"]),  # type: ignore[arg-type]
        title=hostile.line(rng),
        source=hostile.line(rng),
        text=text,
        pages=(0, *offsets(3)),
        sections=tuple(Section(at, (hostile.line(rng), "二")) for at in offsets(3)),
        effective_from=rng.choice([None, date(2026, 10, 1)]),
        effective_to=rng.choice([None, date(9999, 12, 31)]),
        groups=frozenset({"public", "人事"}),
        file=hostile.line(rng),
        warnings=(Bilingual(hostile.line(rng), hostile.line(rng)),),
        tables=(Table(spans[0], spans[1], hostile.text(rng)), Table(spans[2], spans[3], "")),
        removed=tuple(
            Removed(at, hostile.text(rng), rng.choice(get_args(Why)), rng.choice([None, 2])) for at in offsets(3)
        ),
        reading=Bilingual("text", "文本"),
        stated=(("title", rng.choice(get_args(Stated))),),
    )


def through_json(document: Document) -> dict[str, Any]:
    return json.loads(json.dumps(document_json(document), ensure_ascii=False))


def test_what_is_written_is_what_is_read(seeds: Callable[[int], range]) -> None:
    for seed in seeds(300):
        document = made(random.Random(seed))
        assert read_document(through_json(document)) == document


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The path of every value in a JSON value."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path] * bool(path) + [p for key, v in inner for p in places(v, (*path, key))]


def test_a_value_of_another_kind_anywhere_is_refused(seeds: Callable[[int], range]) -> None:
    record = through_json(made(random.Random(1)))
    for seed in seeds(300):
        rng = random.Random(seed)
        changed = copy.deepcopy(record)
        *way, last = rng.choice(places(changed))
        holder = changed
        for key in way:
            holder = holder[key]
        old = holder[last]
        holder[last] = rng.choice([x for x in (None, True, 1.5, {"a": 1}, {}, -1, [[]]) if type(x) is not type(old)])
        if old is None or (holder[last] is None and last in ("page", "effective_from", "effective_to")):
            continue  # nothing is a value there, too
        with pytest.raises((KeyError, TypeError, ValueError)):
            read_document(changed)


@pytest.mark.parametrize(
    "change",
    [
        {"pages": [0, 9, 5]},
        {"pages": [0, 10**9]},
        {"pages": [-1]},
        {"pages": [True]},
        {"sections": [{"start": 5, "path": ["a"]}, {"start": 4, "path": ["b"]}]},
        {"sections": [{"start": 0, "path": [1]}]},
        {"tables": [{"start": 5, "end": 4, "header": ""}]},
        {"tables": [{"start": 0, "end": 4, "header": ""}, {"start": 3, "end": 5, "header": ""}]},
        {"removed": [{"at": 99, "text": "a", "why": "hidden", "page": None}]},
        {"removed": [{"at": 0, "text": "a", "why": "because", "page": None}]},
        {"stated": [["title", "nobody"]]},
        {"stated": [["title"]]},
        {"origin": "theirs"},
        {"effective_from": "2026-13-01"},
        {"effective_from": 20261001},
        {"text": None},
        {"unknown": 1},
    ],
)
def test_what_is_no_document_is_refused(change: dict[str, object]) -> None:
    record = through_json(Document("a", "1", "a@1", "own", "t", "s", "ten chars."))
    read_document(dict(record))
    with pytest.raises((KeyError, TypeError, ValueError)):
        read_document(record | change)
