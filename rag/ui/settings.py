"""The settings accordion: its components, and from their values to `Settings`."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import fields
from datetime import date
from typing import Any, NamedTuple, cast, get_args

import gradio as gr

from rag.config import (
    MOST_RULES,
    MOST_SECTION,
    MOST_SYNONYMS,
    Fusion,
    GenerateSettings,
    Mode,
    Nearest,
    QuerySettings,
    Rerank,
    Scope,
    SearchSettings,
    SelectSettings,
    Settings,
    SplitSettings,
    Strategy,
)
from rag.errors import Language, SettingError
from rag.types import Document
from rag.ui.strings import TABLE, text


class SettingsPanel(NamedTuple):
    """One component per setting, named as in `rag.config`, and the line that says what they mean now."""

    strategy: gr.Radio
    size: gr.Number
    overlap: gr.Number
    normalise: gr.Checkbox
    follow_up: gr.Checkbox
    glossary: gr.Checkbox
    synonyms: gr.Textbox
    parts: gr.Checkbox
    second_round: gr.Checkbox
    mode: gr.Radio
    fusion: gr.Radio
    depth: gr.Number
    packed: gr.Number
    rrf_c: gr.Number
    alpha: gr.Slider
    threshold: gr.Textbox
    scope: gr.Radio
    as_of: gr.Textbox
    documents: gr.Dropdown
    section: gr.Textbox
    nearest: gr.Radio
    rerank: gr.Radio
    rerank_top: gr.Number
    near_duplicates: gr.Checkbox
    mmr: gr.Textbox
    per_document: gr.Number
    neighbours: gr.Checkbox
    answer_tokens: gr.Number
    temperature: gr.Number
    top_p: gr.Number
    repetition_penalty: gr.Number
    context_limit: gr.Number
    rules: gr.Textbox
    withhold: gr.Checkbox
    refuse: gr.Checkbox
    refuse_below: gr.Number
    note: gr.HTML

    def inputs(self) -> set[Any]:
        """The components whose values are the settings."""
        return set(self) - {self.note}


Part = SplitSettings | QuerySettings | SearchSettings | SelectSettings | GenerateSettings

CHOICES = {
    "strategy": Strategy,
    "mode": Mode,
    "fusion": Fusion,
    "scope": Scope,
    "nearest": Nearest,
    "rerank": Rerank,
}
WHOLE = (
    "size",
    "overlap",
    "depth",
    "packed",
    "rrf_c",
    "rerank_top",
    "per_document",
    "answer_tokens",
    "context_limit",
)
OPTIONAL = ("as_of", "threshold", "mmr")
LONG = {"rules": MOST_RULES, "synonyms": MOST_SYNONYMS}


def build_settings(label: gr.I18n) -> SettingsPanel:
    """Build the accordion inside the current layout; the values are the defaults of `rag.config`."""
    plain = Settings()
    made: dict[str, Any] = {}
    with gr.Accordion(label("set.title"), open=False, elem_id="settings"):
        for part in ("split", "query", "search", "select", "generate"):
            gr.Markdown(label(f"set.group_{part}"))
            with gr.Row():
                made |= _components(getattr(plain, part), label)
        note = gr.HTML(js_on_load=None, elem_id="settings-note")
    return SettingsPanel(**made, note=note)


def _components(part: Part, label: gr.I18n) -> dict[str, Any]:
    return {f.name: _component(f.name, getattr(part, f.name), label) for f in fields(part)}


def _component(name: str, value: Any, label: gr.I18n) -> Any:
    common: dict[str, Any] = {"label": label(f"set.{name}"), "elem_id": f"set-{name}"}
    if name in CHOICES:
        return gr.Radio(choices(name, "en"), value=value, min_width=260, **common)
    if isinstance(value, bool):
        return gr.Checkbox(value, min_width=200, **common)
    if name == "documents":
        return gr.Dropdown([], value=[], multiselect=True, min_width=320, **common)
    if name in LONG:
        return gr.Textbox(value="", lines=2, max_lines=8, max_length=LONG[name], min_width=320, **common)
    if name in OPTIONAL or name == "section":
        # a text field: an empty number field shows 0, which would mean something else
        return gr.Textbox(value="", max_length=MOST_SECTION if name == "section" else 20, min_width=200, **common)
    if name == "alpha":
        return gr.Slider(0, 1, value, step=0.05, min_width=200, **common)
    precision = 0 if name in WHOLE else None
    return gr.Number(value, precision=precision, step=1 if precision == 0 else 0.05, min_width=150, **common)


def choices(name: str, language: Language) -> list[tuple[str, str]]:
    """The options of a setting: what is shown, and its value."""
    return [(text(f"option.{value}", language), value) for value in get_args(CHOICES[name])]


def policies(documents: Iterable[Document]) -> list[tuple[str, str]]:
    """What the list of policies shows, and the doc_id, by title: that of the version that came last, with the doc_id where several share it."""
    titles = {document.doc_id: document.title for document in documents}
    several = Counter(titles.values())
    shown = [(f"{title} · {name}" if several[title] > 1 else title, name) for name, title in titles.items()]
    return sorted(shown)


def in_language(panel: SettingsPanel, language: Language) -> dict[Any, Any]:
    """The options in the visitor's language."""
    return {getattr(panel, name): gr.Radio(choices=choices(name, language)) for name in CHOICES}


def read_settings(panel: SettingsPanel, values: Mapping[Any, object]) -> Settings:
    """The settings on the screen; raises `SettingError` when one is missing, unreadable or out of range."""

    def number(name: str) -> float:
        return _finite(name, values[getattr(panel, name)])

    def whole(name: str) -> int:
        return int(number(name))

    def word(name: str) -> Any:
        return str(values[getattr(panel, name)])

    def line(name: str) -> str:
        return str(values[getattr(panel, name)] or "")

    def on(name: str) -> bool:
        return bool(values[getattr(panel, name)])

    return Settings(
        SplitSettings(cast(Strategy, word("strategy")), whole("size"), whole("overlap")),
        QuerySettings(
            normalise=on("normalise"),
            follow_up=on("follow_up"),
            glossary=on("glossary"),
            synonyms=line("synonyms"),
            parts=on("parts"),
            second_round=on("second_round"),
        ),
        SearchSettings(
            mode=word("mode"),
            fusion=word("fusion"),
            depth=whole("depth"),
            packed=whole("packed"),
            rrf_c=whole("rrf_c"),
            alpha=number("alpha"),
            threshold=_number("threshold", values[panel.threshold]),
            scope=word("scope"),
            as_of=_day(values[panel.as_of]),
            documents=_names(values[panel.documents]),
            section=line("section").strip(),
            nearest=word("nearest"),
        ),
        SelectSettings(
            rerank=word("rerank"),
            rerank_top=whole("rerank_top"),
            near_duplicates=on("near_duplicates"),
            mmr=_number("mmr", values[panel.mmr]),
            per_document=whole("per_document"),
            neighbours=on("neighbours"),
        ),
        GenerateSettings(
            answer_tokens=whole("answer_tokens"),
            temperature=number("temperature"),
            top_p=number("top_p"),
            repetition_penalty=number("repetition_penalty"),
            context_limit=whole("context_limit"),
            rules=line("rules"),
            withhold=on("withhold"),
            refuse=on("refuse"),
            refuse_below=number("refuse_below"),
        ),
    )


def show_settings(panel: SettingsPanel, settings: Settings) -> dict[Any, Any]:
    """The panel set to `settings`: `read_settings` of it gives the same again."""
    shown: dict[Any, Any] = {}
    for part in (settings.split, settings.query, settings.search, settings.select, settings.generate):
        for f in fields(part):
            value = getattr(part, f.name)
            if f.name in OPTIONAL:
                value = "" if value is None else str(value)
            shown[getattr(panel, f.name)] = list(value) if isinstance(value, tuple) else value
    return shown


def _finite(name: str, value: object) -> float:
    # a number field that was emptied gives None; anything else that is no number was not sent by the page
    odd = isinstance(value, bool) or (isinstance(value, float) and not math.isfinite(value))
    if odd or not isinstance(value, int | float):
        raise _wrong("set.missing", name)
    # a browser sends 1 for 1.0, which would give the same settings another hash; what no float holds is out of range
    return float(value) if abs(value) < 1e15 else value


def _day(value: object) -> date | None:
    written = str(value or "").strip()
    if not written:
        return None
    try:
        return date.fromisoformat(written)
    except ValueError as error:
        raise _wrong("set.bad_date", "as_of", repr(written)) from error


def _number(name: str, value: object) -> float | None:
    written = str(value if value is not None else "").strip()
    if not written:
        return None
    try:
        return float(written)
    except ValueError as error:
        raise _wrong("set.bad_number", name, repr(written)) from error


def name_of(setting: str, language: Language) -> str:
    """What the panel calls a setting, without the remarks in brackets behind it; the setting's own name where it has none.

    >>> name_of("as_of", "en"), name_of("threshold", "zh")
    ('In force on', '最低余弦')
    """
    key = f"set.{setting}"
    return re.split(r"[（(]| · ", text(key, language))[0].strip() if key in TABLE else setting


def value_of(setting: str, written: str, language: Language) -> str:
    """A setting's value as `Settings.lines` writes it, in the words of the panel where it has some.

    >>> value_of("rerank", "overlap", "en"), value_of("threshold", "None", "en"), value_of("depth", "30", "en")
    ('shared words', '–', '30')
    """
    if setting in CHOICES and written in get_args(CHOICES[setting]):
        return text(f"option.{written}", language)
    switches = {"True": "set.on", "False": "set.off"}
    if written in switches:
        return text(switches[written], language)
    return "–" if written in ("", "None") else written


def _wrong(key: str, setting: str, value: str = "") -> SettingError:
    """The error `key` of the strings about a setting, named as the panel names it."""
    said = {
        spoken: text(key, spoken, name=name_of(setting, spoken), setting=setting, value=value)
        for spoken in get_args(Language)
    }
    return SettingError(en=said["en"], zh=said["zh"])


def chosen_documents(panel: SettingsPanel, values: Mapping[Any, object]) -> tuple[str, ...]:
    """The policies chosen on the screen, whatever the other settings are."""
    return _names(values[panel.documents])


def _names(value: object) -> tuple[str, ...]:
    return tuple(str(name) for name in value) if isinstance(value, list | tuple) else ()
