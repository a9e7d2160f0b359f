import random

import pytest

from rag.ask.rewrite import CHARACTERS, TURNS, Asked, rewrite
from tests import hostile


def test_a_question_without_others_is_searched_as_it_is() -> None:
    for history in ([], ["", " \n"]):
        asked = rewrite("年假几天？", history)
        assert asked == Asked("年假几天？") and asked.joined == "年假几天？"


def test_the_last_ones_go_in_front_in_the_order_they_were_asked() -> None:
    asked = rewrite("丁？", ["甲？", "乙？", "丙？"])
    assert TURNS == 2 and asked.earlier == ("乙？", "丙？")
    assert asked.joined == "乙？\n丙？\n丁？"


@pytest.mark.parametrize(("before", "kept"), [(CHARACTERS - 4, 1), (CHARACTERS - 3, 0)])
def test_what_does_not_fit_is_left_out_whole(before: int, kept: int) -> None:
    asked = rewrite("谁批？", ["年" * before])
    assert len(asked.earlier) == kept and len(asked.joined) <= CHARACTERS


def test_nothing_is_said_that_was_not_asked(seeds) -> None:
    for seed in seeds(300):
        rng = random.Random(seed)
        history = [hostile.text(rng, rng.randint(0, 6)) for _ in range(rng.randint(0, 5))]
        question = hostile.text(rng, rng.randint(1, 6)) * rng.choice((1, 1, 30))
        asked = rewrite(question, history)
        assert asked.question == question, seed
        said = [text.strip() for text in history if text.strip()]
        assert list(asked.earlier) == said[len(said) - len(asked.earlier) :]
        assert not asked.earlier or len(asked.joined) <= CHARACTERS
        assert asked == rewrite(question, history)
