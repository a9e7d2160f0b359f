"""The report's words: each is used, none is missing, and both languages take the same facts."""

import re
import string
from pathlib import Path
from typing import get_args

import rag.evaluate.report as report
from rag.evaluate.diagnosis import STEPS
from rag.evaluate.judge import Verdict
from rag.evaluate.run import GIVEN, STAGES
from rag.evaluate.summary import MEASURES
from rag.evaluate.words import WORDS
from rag.types import StepName


def test_every_word_is_used_and_none_is_missing() -> None:
    dynamic = {
        "stage": STAGES,
        "measure": (*MEASURES, "correct"),
        "given": GIVEN,
        "verdict": get_args(Verdict),
        "step": get_args(StepName),
        "failed": (*STEPS, "unknown"),
        "answers": (*report._COUNTS, *report._MEANS, *report._FAULTS, *report._MEDIANS),
    }
    wanted = {f"{group}.{name}" for group, names in dynamic.items() for name in names}
    folder = Path(report.__file__).parent
    source = (folder / "report.html.j2").read_text("utf-8") + (folder / "report.py").read_text("utf-8")
    used = set(re.findall(r'"(report\.\w+)"', source)) - {"report.html"}
    used |= {
        f"report.{name}" for names in re.findall(r"names = \((.+)\)", source) for name in re.findall(r'"(\w+)"', names)
    }
    assert wanted | used == set(WORDS)


def test_both_languages_have_the_same_placeholders() -> None:
    def fields(text: str) -> set[str | None]:
        return {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}

    for key, words in WORDS.items():
        assert fields(words.en) == fields(words.zh), key
        assert words.en and words.zh, key
