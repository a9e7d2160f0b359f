"""What was measured of answers as lines of plain text, and as a file from which the answers are read again."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from rag.config import Settings
from rag.errors import QuestionError
from rag.evaluate.answer_cases import Split
from rag.evaluate.answer_rows import Measured, Row
from rag.evaluate.answers import Kept, Piece
from rag.evaluate.models_used import Facts
from rag.evaluate.statistics import Interval

Finish = Literal["running", "end", "length", "stopped"]


@dataclass(frozen=True, slots=True)
class Report:
    """What was measured, under which settings, with which generator. `missing`: cases that an early end left out."""

    settings: Settings
    generator: Facts
    split: Split
    measured: tuple[Measured, ...]
    kept: tuple[Kept, ...]
    rows: tuple[Row, ...]
    missing: int


def lines(report: Report) -> list[str]:
    """The table, and what has to be known of it."""
    shipped = "shipped" if report.settings == Settings() else "as set"
    written = ", ".join(f"{name}={value}" for name, value in report.settings.lines())
    counts = Counter(m.row for m in report.measured)
    cut = sum(k.finish == "length" for k in report.kept)
    out = [
        f"cases: {', '.join(f'{row} {counts[row]}' for row in sorted(counts))}",
        f"split of the frozen cases: {report.split} (look: src divisible by 3; report: the others); the sample questions are all asked",
        f"generator: {', '.join(f'{name} {value}' for name, value in report.generator) or 'none; answers that were kept, read anew'}",
        f"settings {report.settings.hash()} ({shipped}): {written}",
        "",
        " | ".join(["what", "cases", "of", "share [95 %]", "plain prompt", "− plain [95 %], p", "goal", "met", "beside"]),
        " | ".join(["---"] * 9),
        *(" | ".join(_cells(row)) for row in report.rows),
        "",
        "shares: Wilson's interval; differences: paired bootstrap by case, p of a sign-flip test; the ratio: bootstrap of pairs",
    ]  # fmt: skip
    if cut:
        out.append(f"{cut} of {len(report.kept)} answers were cut off at the limit of tokens")
    left = [m.left_out for m in report.measured if m.left_out]
    if left:
        out.append(f"{sum(left)} documents of {len(left)} cases are not in the prompt")
    weighed = sum(k.gate is not None for k in report.kept)
    if weighed:
        before = sum(k.refused and k.n_tokens == 0 for k in report.kept)
        after = sum(k.refused and k.n_tokens > 0 for k in report.kept)
        out.append(
            f"the gate was asked for {weighed} answers: it refused {before} before and {after} after they were written"
        )
        quoted = sum(k.quotes for k in report.kept)
        out.append(f"in the place of {quoted} answers that did not hold the closest sentences are quoted")
    if report.missing:
        out.append(f"{report.missing} cases without an answer: ended before, or not among the answers that were kept")
    return out


def _cells(row: Row) -> list[str]:
    goal = f"≥ {100 * row.least:.0f} %" if row.least is not None else ""
    goal = f"≤ {100 * row.most:.0f} %" if row.most is not None else goal
    d = row.difference
    return [
        row.what,
        str(row.cases),
        f"{row.part}/{row.whole}",
        _share(row.interval),
        _share(row.plain),
        f"{100 * d.difference.mean:+.0f} [{100 * d.difference.low:+.0f}, {100 * d.difference.high:+.0f}], {d.p:.3f}" if d else "–",
        goal or "–",
        {True: "yes", False: "NO", None: "–"}[row.met],
        row.note,
    ]  # fmt: skip


def _share(found: Interval | None) -> str:
    return f"{100 * found.mean:.1f} [{100 * found.low:.0f}, {100 * found.high:.0f}]" if found else "–"


def to_json(report: Report) -> str:
    """Settings, rows, and per case its score and its answer, from which `read_run` reads it again."""
    kept = {k.id: k for k in report.kept}
    data: dict[str, Any] = {
        "complete": not report.missing,
        "settings": report.settings.lines(),
        "settings_hash": report.settings.hash(),
        "shipped": report.settings == Settings(),
        "generator": dict(report.generator),
        "split": report.split,
        "missing": report.missing,
        "rows": [{**asdict(row), "met": row.met} for row in report.rows],
        "answers": [{**asdict(kept[m.id]), "row": m.row, "score": asdict(m.scored)} for m in report.measured],
    }
    return json.dumps(data, ensure_ascii=False, indent=1)


def read_run(path: Path) -> Mapping[str, Kept | str]:
    """Answers by case id, from a file that `to_json` made, or from lines of JSON with ``id`` and ``text``: texts alone.

    Raises `QuestionError` naming file and line.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise _wrong(str(path), "it cannot be read, or is not UTF-8", "无法读取，或不是 UTF-8 编码") from error
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError):
        whole = None  # more than one value: a line each
    if isinstance(whole, Mapping) and "answers" in whole:
        return {
            kept.id: kept
            for n, record in enumerate(whole["answers"], 1)
            for kept in [_kept(record, f"{path.name}, item {n}")]
        }
    found: dict[str, Kept | str] = {}
    for n, line in enumerate(text.split("\n"), 1):
        if line.strip():
            id_, said = _line(line, f"{path.name}, line {n}")
            found[id_] = said
    return found


def settings_hash(path: Path) -> str:
    """The hash of the settings under which the answers in a file of `to_json` were written; "" in any other file."""
    try:
        whole = json.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError, RecursionError) as error:
        raise _wrong(str(path), "it cannot be read", "无法读取") from error
    return str(whole.get("settings_hash", "")) if isinstance(whole, Mapping) else ""


def _line(line: str, where: str) -> tuple[str, str]:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise _wrong(where, "not valid JSON", "不是合法的 JSON") from error
    if (
        not isinstance(record, Mapping)
        or not isinstance(record.get("id"), str)
        or not isinstance(record.get("text"), str)
    ):
        raise _wrong(where, "expected an object with id and text", "应为含 id 和 text 的对象")
    return record["id"], record["text"]


def _kept(record: Any, where: str) -> Kept:
    try:
        packed = record["packed"]
        if record["finish"] not in get_args(Finish):
            raise ValueError(record["finish"])
        return Kept(
            str(record["id"]),
            str(record["text"]),
            record["finish"],
            float(record["seconds"]),
            int(record["n_tokens"]),
            None if packed is None else tuple(_piece(piece) for piece in packed),
            None if record.get("gate") is None else float(record["gate"]),
            bool(record.get("refused", False)),
            None if record.get("written") is None else str(record["written"]),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise _wrong(
            where, "not an answer that rag eval --answers --json wrote", "不是 rag eval --answers --json 写出的答案"
        ) from error


def _piece(piece: Mapping[str, Any]) -> Piece:
    spans: Sequence[Sequence[int]] = piece["spans"]
    return Piece(
        str(piece["marker"]), str(piece["chunk_id"]), str(piece["heading"]), tuple((int(a), int(b)) for a, b in spans)
    )


def _wrong(where: str, en: str, zh: str) -> QuestionError:
    from rag.evaluate.questions import place_zh

    return QuestionError(en=f"{where}: {en}.", zh=f"{place_zh(where)}：{zh}。")
