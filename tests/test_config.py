from dataclasses import fields, replace
from datetime import date
from pathlib import Path

import pytest

from rag.config import (
    DEFAULT_ENCODER,
    DEFAULT_GENERATOR,
    GenerateSettings,
    ModelSettings,
    QuerySettings,
    SearchSettings,
    SelectSettings,
    Settings,
    SplitSettings,
    from_environment,
)
from rag.errors import SettingError


def test_the_defaults_are_those_on_the_page() -> None:
    settings = Settings()
    assert (settings.split.strategy, settings.split.size, settings.split.overlap) == ("recursive", 240, 40)
    assert (settings.search.depth, settings.search.packed, settings.search.rrf_c) == (30, 5, 10)
    assert (settings.search.mode, settings.search.fusion, settings.search.threshold) == ("fused", "rrf", None)
    assert (settings.generate.answer_tokens, settings.generate.temperature) == (160, 0)
    assert settings.generate.budget == 2048 - 160 == 1888


@pytest.mark.parametrize(
    ("make", "name", "value"),
    [
        (SplitSettings, "strategy", "magic"),
        (SplitSettings, "size", 19),
        (SplitSettings, "size", 4001),
        (SplitSettings, "overlap", -1),
        (SplitSettings, "overlap", 240),
        (SearchSettings, "mode", "both"),
        (SearchSettings, "fusion", ""),
        (SearchSettings, "scope", "old"),
        (SearchSettings, "depth", 0),
        (SearchSettings, "depth", 201),
        (SearchSettings, "packed", 0),
        (SearchSettings, "rrf_c", 0),
        (SearchSettings, "alpha", -0.01),
        (SearchSettings, "alpha", 1.01),
        (SearchSettings, "alpha", float("nan")),
        (SearchSettings, "threshold", 1.5),
        (SearchSettings, "threshold", float("nan")),
        (SearchSettings, "nearest", "guess"),
        (SelectSettings, "rerank", "magic"),
        (SelectSettings, "rerank_top", 1),
        (SelectSettings, "mmr", 1.1),
        (SelectSettings, "per_document", -1),
        (GenerateSettings, "context_limit", 255),
        (GenerateSettings, "context_limit", float("inf")),
        (GenerateSettings, "answer_tokens", 0),
        (GenerateSettings, "answer_tokens", 2048 - 63),
        (GenerateSettings, "temperature", -0.1),
        (GenerateSettings, "temperature", float("nan")),
        (GenerateSettings, "top_p", 0),
        (GenerateSettings, "repetition_penalty", 2.1),
    ],
)
def test_out_of_range_names_the_setting_and_the_value_in_both_languages(make, name: str, value: object) -> None:
    with pytest.raises(SettingError) as caught:
        make(**{name: value})
    for language in ("en", "zh"):
        assert name in caught.value.message(language) and str(value) in caught.value.message(language)


@pytest.mark.parametrize(
    ("name", "value"),
    [("section", "章" * 101), ("documents", ("a",) * 201), ("documents", ("a" * 2001,))],
)
def test_a_scope_has_a_limit(name: str, value: object) -> None:
    with pytest.raises(SettingError, match=name):
        SearchSettings(**{name: value})  # type: ignore[arg-type]


def test_the_ends_of_every_range_are_allowed() -> None:
    SplitSettings("recursive", 20, 19)
    SplitSettings(size=4000, overlap=0)
    SearchSettings("dense", "weighted", 1, 1, 1, 0, -1, "all")
    SearchSettings("lexical", "rrf", 200, 50, 1000, 1, 1, "newest", date(2026, 1, 1))
    assert GenerateSettings(192, 0, 0.01, 0.5, 256).budget == 64
    GenerateSettings(1, 2, 1, 2, 32768)


def test_lines_name_every_setting_once() -> None:
    lines = Settings().lines()
    named = [
        f"{part}.{f.name}"
        for part, kind in (
            ("split", SplitSettings),
            ("query", QuerySettings),
            ("search", SearchSettings),
            ("select", SelectSettings),
            ("generate", GenerateSettings),
        )
        for f in fields(kind)
    ]
    assert [name for name, _ in lines] == named
    assert dict(lines)["search.rrf_c"] == "10"


def test_the_hash_changes_with_every_setting_and_with_nothing_else() -> None:
    plain = Settings()
    other = "fixed" if plain.split.strategy == "recursive" else "recursive"
    changed = [
        *(replace(plain, split=s) for s in (SplitSettings(other), SplitSettings(size=241), SplitSettings(overlap=41))),
        *(
            replace(plain, search=replace(plain.search, **change))
            for change in (
                {"mode": "dense"},
                {"fusion": "weighted"},
                {"depth": 21},
                {"packed": 4},
                {"rrf_c": 61},
                {"alpha": 0.4},
                {"threshold": 0.5},
                {"scope": "all"},
                {"as_of": date(2026, 1, 1)},
                {"documents": ("leave",)},
                {"section": "第三章"},
                {"nearest": "approximate"},
            )
        ),
        *(
            replace(plain, query=replace(plain.query, **{name: not getattr(plain.query, name)}))
            for name in ("normalise", "follow_up", "glossary", "parts", "second_round")
        ),
        replace(plain, query=replace(plain.query, synonyms="年假 = 带薪年休假")),
        *(
            replace(plain, select=replace(plain.select, **change))
            for change in (
                {"rerank": "overlap"},
                {"rerank_top": 13},
                {"near_duplicates": not plain.select.near_duplicates},
                {"mmr": 0.7},
                {"per_document": 2},
                {"neighbours": not plain.select.neighbours},
            )
        ),
        *(
            replace(plain, generate=replace(plain.generate, **change))
            for change in (
                {"answer_tokens": 161},
                {"temperature": 0.1},
                {"top_p": 0.9},
                {"repetition_penalty": 1.1},
                {"context_limit": 2049},
                {"rules": "简短。"},
                {"withhold": False},
                {"refuse": not plain.generate.refuse},
                {"refuse_below": 0.6},
            )
        ),
    ]
    hashes = {s.hash() for s in (plain, *changed)}
    assert len(hashes) == 1 + len(changed) == 1 + len(plain.lines())
    assert Settings().hash() == plain.hash() and len(plain.hash()) == 8
    names = [("a", "b"), ("a | b",), ("a |", "b"), ("a\\", "b")]
    chosen = [Settings(search=SearchSettings(documents=some)) for some in names]
    assert len({settings.hash() for settings in chosen}) == len(names)


def test_the_environment_chooses_models_and_what_is_empty_keeps_the_default() -> None:
    assert from_environment({}) == ModelSettings()
    assert (
        from_environment({"RAG_ENCODER": "", "RAG_GENERATOR": "", "RAG_RERANKER": "", "RAG_CACHE": ""})
        == ModelSettings()
    )
    assert (ModelSettings().encoder, ModelSettings().generator) == (DEFAULT_ENCODER, DEFAULT_GENERATOR)
    chosen = from_environment(
        {
            "RAG_ENCODER": "a/b",
            "RAG_GENERATOR": "./model",
            "RAG_CACHE": "~/weights",
            "RAG_QUERY_PREFIX": "",
            "RAG_DOCUMENT_PREFIX": "文档：",
            "RAG_RERANKER": "c/d",
        }
    )
    # an empty prefix is a choice: this encoder takes none
    assert chosen == ModelSettings("a/b", "./model", Path.home() / "weights", "", "文档：", "c/d")


def test_the_environment_switches_the_fast_way_off_and_nothing_else_does() -> None:
    assert from_environment({"RAG_FAST": "0"}) == ModelSettings(fast=False)
    assert from_environment({"RAG_FAST": "1"}).fast and from_environment({"RAG_FAST": ""}).fast
    for value in ("no", "2", "false"):
        with pytest.raises(SettingError, match="RAG_FAST") as error:
            from_environment({"RAG_FAST": value})
        assert "RAG_FAST" in error.value.message("zh") and value in error.value.message("zh")


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        (SplitSettings, "size"),
        (SplitSettings, "overlap"),
        (SearchSettings, "depth"),
        (SearchSettings, "packed"),
        (SearchSettings, "rrf_c"),
        (GenerateSettings, "answer_tokens"),
        (GenerateSettings, "context_limit"),
    ],
)
@pytest.mark.parametrize("value", [300.0, "300", True, None])
def test_counts_are_whole_numbers(kind: type, name: str, value: object) -> None:
    with pytest.raises(SettingError, match=name):
        kind(**{name: value})


def test_a_chinese_message_names_the_setting_in_chinese() -> None:
    with pytest.raises(SettingError) as caught:
        SplitSettings(size=5)
    assert caught.value.text.zh == "设置「块大小」（size）：5 超出范围 20–4000，请改为范围内的值。"


def test_rules_have_a_limit() -> None:
    assert GenerateSettings(rules="规" * 2000).rules
    with pytest.raises(SettingError, match="rules"):
        GenerateSettings(rules="规" * 2001)
