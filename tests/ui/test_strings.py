"""One table of strings: both languages say the same things, and the page uses all of them and no others."""

import ast
import json
import string
from pathlib import Path
from typing import get_args

import pytest

import rag.ui
from rag.ask import prompt
from rag.errors import Bilingual, Language
from rag.models.roles import RoleStatus, State
from rag.types import Fate, Role, StepName
from rag.ui import examples, panels, strings

ROOT = Path(__file__).parents[2]
SOURCES = [p for p in Path(rag.ui.__file__).parent.glob("*.py") if not p.name.startswith("strings")]
FUNCTIONS = {"text", "both", "mistake", "columns", "label"}


def placeholders(said: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(said) if name}


def test_both_languages_have_text_and_the_same_placeholders() -> None:
    for key, said in strings.TABLE.items():
        assert said.en.strip() and said.zh.strip(), key
        assert placeholders(said.en) == placeholders(said.zh), key


def test_column_heads_are_equally_many_and_distinct() -> None:
    for key in (k for k in strings.TABLE if k.startswith("head.")):
        english, chinese = panels.columns(key, "en"), panels.columns(key, "zh")
        assert len(english) == len(chinese), key
        assert len(set(english)) == len(english) and len(set(chinese)) == len(chinese), key


def used() -> tuple[set[str], set[str], set[str]]:
    """Keys given to the string functions, all other string constants, and the constant beginnings of f-strings."""
    keys, constants, beginnings = set(), set(), set()
    for source in SOURCES:
        for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                constants.add(node.value)
            if isinstance(node, ast.JoinedStr) and isinstance(node.values[0], ast.Constant):
                beginnings.add(str(node.values[0].value))
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in FUNCTIONS:
                keys |= {a.value for a in node.args if isinstance(a, ast.Constant) and "." in str(a.value)}
    return keys, constants, beginnings


def test_every_key_used_is_there_and_every_key_there_is_used() -> None:
    keys, constants, beginnings = used()
    assert keys and keys <= strings.TABLE.keys(), keys - strings.TABLE.keys()
    groups = {k.split(".")[0] for k in strings.TABLE}
    families = tuple(b for b in beginnings if b.endswith((".", "_")) and b.split(".")[0] in groups)
    assert {k for k in strings.TABLE if k not in constants and not k.startswith(families)} == set()


def test_every_fate_and_step_has_a_word() -> None:
    assert {f"fate.{f}" for f in get_args(Fate)} <= strings.TABLE.keys()
    assert {f"step.{s}" for s in get_args(StepName)} <= strings.TABLE.keys()


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_model_status_knows_every_role_in_every_state(language: Language) -> None:
    for role in get_args(Role):
        for state in get_args(State):
            status = RoleStatus(role, state, "a-name", Bilingual(en="a remark", zh="a remark"))
            shown = panels.model_status((status,), True, None, language)
            assert strings.text(f"role.{role}", language) in shown and "a-name" in shown and "a remark" in shown
            assert (strings.text(f"without.{role}", language) in shown) == (state == "failed")


@pytest.mark.parametrize(
    ("accepted", "language"),
    [
        ("zh-CN,zh;q=0.9,en;q=0.8", "zh"),
        ("zh-TW", "zh"),
        ("zh-Hant-HK", "zh"),
        ("ZH", "zh"),
        ("en-US,en;q=0.9,zh;q=0.1", "en"),
        ("fr", "en"),
        ("zha", "en"),  # Zhuang, not Chinese
        ("", "en"),
        (None, "en"),
    ],
)
def test_language_of(accepted: str | None, language: str) -> None:
    assert strings.language_of(accepted) == language


def test_the_browser_gets_chinese_for_every_kind_of_chinese() -> None:
    table = strings.translations()
    for locale in ("zh", "zh-CN", "zh-TW", "zh-HK"):
        assert table[locale]["tab.answer"] == "回答"
    assert table["en"]["tab.answer"] == "Answer"


def test_the_examples_of_the_page_are_the_twenty_of_the_question_sets() -> None:
    folder = Path(__file__).parents[1] / "questions"
    files = sorted((ROOT / "rag" / "evaluate" / "samples").glob("*.jsonl"))
    rows = [json.loads(line) for file in files for line in file.read_text("utf-8").splitlines()]
    known = {row["id"]: row for row in rows}
    chosen = [known[i] for i in json.loads((folder / "examples.json").read_text("utf-8"))]
    assert not [row["id"] for row in chosen if row.get("history")]  # a button has no conversation before it
    for language in ("zh", "en"):
        mine = [row["question"] for row in chosen if prompt.language_of(row["question"]) == language]
        others = [row["question"] for row in chosen if prompt.language_of(row["question"]) != language]
        assert mine and examples.examples(language) == [*mine, *others]
    assert len(examples.examples("zh")) == 20 and 0 < examples.SHOWN < 10
