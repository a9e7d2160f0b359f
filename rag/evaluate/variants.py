"""Settings beside settings: one value changed by name, small grids, and the corpus each of them needs."""

from __future__ import annotations

import itertools
import re
import threading
import types
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date
from typing import Any, Union, get_args, get_origin, get_type_hints

from rag.config import Settings, SplitSettings
from rag.corpus.index import Corpus, PassageEncoder, Progress, build
from rag.errors import SettingError

MOST_VARIANTS = 12


def setting_names() -> tuple[str, ...]:
    """Every setting by its full name, as `Settings.lines` has it.

    >>> setting_names()[:2]
    ('split.strategy', 'split.size')
    """
    return tuple(name for name, _ in Settings().lines())


def with_value(settings: Settings, name: str, written: str) -> Settings:
    """`settings` with the setting `name` changed to what `written` says; "None" or nothing turns an optional one off.

    Raises `SettingError` when there is no such setting, or the value cannot be read or is out of range.

    >>> with_value(Settings(), "search.packed", "8").search.packed
    8
    """
    if name not in setting_names():
        raise SettingError(
            en=f"Setting {name!r} does not exist. Choose one of: {', '.join(setting_names())}.",
            zh=f"没有设置 {name!r}，可选：{'、'.join(setting_names())}。",
        )
    part_name, field_name = name.split(".", 1)
    part = getattr(settings, part_name)
    value = _read(name, written.strip(), get_type_hints(type(part))[field_name])
    return replace(settings, **{part_name: replace(part, **{field_name: value})})


def grid(base: Settings, choices: Sequence[tuple[str, Sequence[str]]]) -> tuple[Settings, ...]:
    """Every combination of the values given for the named settings, `base` itself left out.

    Raises `SettingError`; there may be at most `MOST_VARIANTS` of them.

    >>> [s.search.packed for s in grid(Settings(), [("search.packed", ["2", "8"])])]
    [2, 8]
    """
    names = [name for name, _ in choices]
    # one of them may be the base's own; more would be tried in vain for as long as they are spelt differently
    if any(len(set(written)) > MOST_VARIANTS + 1 for _, written in choices):
        raise _too_many()
    variants: list[Settings] = []
    for values in itertools.product(*(dict.fromkeys(written) for _, written in choices)):
        settings = base
        for name, value in zip(names, values, strict=True):
            settings = with_value(settings, name, value)
        if settings != base and settings not in variants:
            variants.append(settings)
        if len(variants) > MOST_VARIANTS:
            raise _too_many()
    return tuple(variants)


def _too_many() -> SettingError:
    return SettingError(
        en=f"More than {MOST_VARIANTS} combinations of settings. Give fewer values.",
        zh=f"设置组合超过 {MOST_VARIANTS} 种，请减少取值。",
    )


def changes(base: Settings, other: Settings) -> tuple[tuple[str, str, str], ...]:
    """Name, value in `base` and value in `other` of every setting that differs.

    >>> changes(Settings(), with_value(Settings(), "search.packed", "8"))[0][0]
    'search.packed'
    """
    pairs = zip(base.lines(), other.lines(), strict=True)
    return tuple((name, a, b) for (name, a), (_, b) in pairs if a != b)


def corpus_for(
    settings: Settings,
    corpus: Corpus,
    encoder: PassageEncoder | None,
    stop: threading.Event,
    progress: Callable[[Progress], None] = lambda _: None,
    check: Callable[[int, SplitSettings], None] = lambda _n, _split: None,
) -> Corpus:
    """`corpus`, or the same documents split as `settings` ask; passages that stay the same are not encoded again.

    `check` gets the number of chunks before they are encoded, and raises when they are too many.
    """
    if settings.split == corpus.split:
        return corpus
    documents = list(corpus.documents.values())
    return build(documents, settings.split, encoder, corpus.known(), stop, progress, lambda n: check(n, settings.split))


def _read(name: str, written: str, kind: Any) -> Any:
    options = get_args(kind) if get_origin(kind) in (Union, types.UnionType) else (kind,)
    if type(None) in options and written in ("", "None"):
        return None
    wanted = next(option for option in options if option is not type(None))
    try:
        if get_origin(wanted) is tuple:
            parts = re.split(r"(?<!\\)\|", written)  # a sign that is part of a name is marked, see `Settings.lines`
            return tuple(name for part in parts if (name := part.replace("\\|", "|").strip()))
        if wanted is bool:
            return {"true": True, "false": False}[written.lower()]
        if wanted is date:
            return date.fromisoformat(written)
        return wanted(written) if wanted in (int, float) else written
    except (KeyError, ValueError) as error:
        kind_name = getattr(wanted, "__name__", str(wanted))
        raise SettingError(
            en=f"Setting {name}: {written!r} cannot be read as {kind_name}.",
            zh=f"设置 {name}：{written!r} 无法读作 {kind_name}。",
        ) from error


def describe(base: Settings, other: Settings) -> str:
    """What `other` changes, in one line.

    >>> describe(Settings(), with_value(Settings(), "search.packed", "8"))
    'packed 5 → 8'
    """
    return ", ".join(f"{name.split('.', 1)[1]} {a} → {b}" for name, a, b in changes(base, other))
