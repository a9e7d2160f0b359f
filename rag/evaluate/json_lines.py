"""A file of JSON objects, one a line → the objects, each with where it stands."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from rag.errors import QuestionError
from rag.evaluate.questions import place_zh


def records(path: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Every object with its file and line; raises `QuestionError` for a file that cannot be read and a line that is none."""
    for n, line in lines(path):
        where = f"{path.name}, line {n}"
        try:
            record = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise wrong(where, "not valid JSON", "不是合法的 JSON") from error
        if not isinstance(record, dict):
            raise wrong(where, "expected an object", "应为对象")
        yield where, record


def lines(path: Path) -> Iterator[tuple[int, str]]:
    """Lines that hold something, with their numbers; read one by one, for a corpus may be large."""
    try:
        with path.open(encoding="utf-8-sig") as file:
            for n, line in enumerate(file, 1):
                if line.strip():
                    yield n, line.rstrip("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise wrong(
            str(path), "it is missing, cannot be opened, or is not UTF-8", "文件缺失、无法打开，或不是 UTF-8 编码"
        ) from error


def wrong(where: str, en: str, zh: str) -> QuestionError:
    """What is wrong at a place, in both languages."""
    return QuestionError(en=f"{where}: {en}.", zh=f"{place_zh(where)}：{zh}。")
