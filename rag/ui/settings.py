"""The settings accordion: its components, and from their values to `Settings`."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields
from datetime import date
from typing import Any, NamedTuple, cast, get_args

import gradio as gr

from rag.config import (
    MOST_RULES,
    Fusion,
    GenerateSettings,
    Mode,
    Scope,
    SearchSettings,
    Settings,
    SplitSettings,
    Strategy,
)
from rag.errors import Language, SettingError
from rag.ui.strings import both, text


class SettingsPanel(NamedTuple):
    """One component per setting, named as in `rag.config`, and the line that says what they mean now."""

    strategy: gr.Radio
    size: gr.Number
    overlap: gr.Number
    mode: gr.Radio
    fusion: gr.Radio
    depth: gr.Number
    packed: gr.Number
    rrf_c: gr.Number
    alpha: gr.Slider
    threshold: gr.Textbox
    scope: gr.Radio
    as_of: gr.Textbox
    answer_tokens: gr.Number
    temperature: gr.Number
    top_p: gr.Number
    repetition_penalty: gr.Number
    context_limit: gr.Number
    rules: gr.Textbox
    note: gr.HTML

    def inputs(self) -> set[Any]:
        """The components whose values are the settings."""
        return set(self) - {self.note}


CHOICES = {"strategy": Strategy, "mode": Mode, "fusion": Fusion, "scope": Scope}
WHOLE = ("size", "overlap", "depth", "packed", "rrf_c", "answer_tokens", "context_limit")


def build_settings(label: gr.I18n) -> SettingsPanel:
    """Build the accordion inside the current layout; the values are the defaults of `rag.config`."""
    plain = Settings()
    with gr.Accordion(label("set.title"), open=False, elem_id="settings"):
        gr.Markdown(label("set.group_split"))
        with gr.Row():
            made = _components(plain.split, label)
        gr.Markdown(label("set.group_search"))
        with gr.Row():
            made |= _components(plain.search, label)
        gr.Markdown(label("set.group_generate"))
        with gr.Row():
            made |= _components(plain.generate, label)
        note = gr.HTML(js_on_load=None, elem_id="settings-note")
    return SettingsPanel(**made, note=note)


def _components(part: SplitSettings | SearchSettings | GenerateSettings, label: gr.I18n) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for f in fields(part):
        value, common = getattr(part, f.name), {"label": label(f"set.{f.name}"), "elem_id": f"set-{f.name}"}
        if f.name in CHOICES:
            made[f.name] = gr.Radio(choices(f.name, "en"), value=value, min_width=260, **common)
        elif f.name in ("as_of", "threshold"):
            # a text field: an empty number field shows 0, which would mean something else
            made[f.name] = gr.Textbox(value="", max_length=20, min_width=200, **common)
        elif f.name == "rules":
            made[f.name] = gr.Textbox(value="", lines=2, max_lines=8, max_length=MOST_RULES, min_width=320, **common)
        elif f.name == "alpha":
            made[f.name] = gr.Slider(0, 1, value, step=0.05, min_width=200, **common)
        else:
            precision = 0 if f.name in WHOLE else None
            made[f.name] = gr.Number(
                value, precision=precision, step=1 if precision == 0 else 0.05, min_width=150, **common
            )
    return made


def choices(name: str, language: Language) -> list[tuple[str, str]]:
    """The options of a setting: what is shown, and its value."""
    return [(text(f"option.{value}", language), value) for value in get_args(CHOICES[name])]


def in_language(panel: SettingsPanel, language: Language) -> dict[Any, Any]:
    """The options in the visitor's language."""
    return {getattr(panel, name): gr.Radio(choices=choices(name, language)) for name in CHOICES}


def read_settings(panel: SettingsPanel, values: Mapping[Any, object]) -> Settings:
    """The settings on the screen; raises `SettingError` when one is missing, unreadable or out of range."""

    def number(name: str) -> float:
        value = values[getattr(panel, name)]
        # a number field that was emptied gives None; anything else that is no number was not sent by the page
        odd = isinstance(value, bool) or (isinstance(value, float) and not math.isfinite(value))
        if odd or not isinstance(value, int | float):
            said = both("set.missing", name=name)
            raise SettingError(en=said.en, zh=said.zh)
        # a browser sends 1 for 1.0, which would give the same settings another hash; what no float holds is out of range
        return float(value) if abs(value) < 1e15 else value

    def whole(name: str) -> int:
        return int(number(name))

    def word(name: str) -> Any:
        return str(values[getattr(panel, name)])

    return Settings(
        SplitSettings(cast(Strategy, word("strategy")), whole("size"), whole("overlap")),
        SearchSettings(
            mode=word("mode"),
            fusion=word("fusion"),
            depth=whole("depth"),
            packed=whole("packed"),
            rrf_c=whole("rrf_c"),
            alpha=number("alpha"),
            threshold=_cosine(values[panel.threshold]),
            scope=word("scope"),
            as_of=_day(values[panel.as_of]),
        ),
        GenerateSettings(
            answer_tokens=whole("answer_tokens"),
            temperature=number("temperature"),
            top_p=number("top_p"),
            repetition_penalty=number("repetition_penalty"),
            context_limit=whole("context_limit"),
            rules=str(values[panel.rules] or ""),
        ),
    )


def show_settings(panel: SettingsPanel, settings: Settings) -> dict[Any, Any]:
    """The panel set to `settings`: `read_settings` of it gives the same again."""
    shown: dict[Any, Any] = {}
    for part in (settings.split, settings.search, settings.generate):
        for f in fields(part):
            value = getattr(part, f.name)
            optional = f.name in ("as_of", "threshold")
            shown[getattr(panel, f.name)] = ("" if value is None else str(value)) if optional else value
    return shown


def _day(value: object) -> date | None:
    written = str(value or "").strip()
    if not written:
        return None
    try:
        return date.fromisoformat(written)
    except ValueError as error:
        said = both("set.bad_date", value=repr(written))
        raise SettingError(en=said.en, zh=said.zh) from error


def _cosine(value: object) -> float | None:
    written = str(value if value is not None else "").strip()
    if not written:
        return None
    try:
        return float(written)
    except ValueError as error:
        said = both("set.bad_number", name="threshold", value=repr(written))
        raise SettingError(en=said.en, zh=said.zh) from error
