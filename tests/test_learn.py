import numpy as np
import pytest

from rag.ask.rules import NOT_FOUND
from rag.learn import POLICIES, QUESTION, masked_mean, normalise, softmax, toy


def test_the_cosines_and_the_two_best() -> None:
    example = toy()
    # by hand: 3·4 + 4·3 = 24 of 25, 4·5 = 20 of 25, 3·5 = 15 of 25, −25 of 25
    assert example.scores.tolist() == pytest.approx([24 / 25, 20 / 25, 15 / 25, -25 / 25])
    assert example.query.tolist() == pytest.approx([0.6, 0.8])
    assert example.best == ("leave-days", "leave-process")


def test_the_messages_hold_the_two_best_and_nothing_of_the_others() -> None:
    system, user = toy().messages
    texts = {doc_id: text for doc_id, _, text in POLICIES}
    assert texts["leave-days"] in user.content and texts["leave-process"] in user.content
    assert texts["equipment"] not in user.content and texts["account-reset"] not in user.content
    assert user.content.index("[S1]") < user.content.index("[S2]") < user.content.index(QUESTION)
    assert NOT_FOUND["zh"] in system.content


def test_masked_mean_leaves_padding_out() -> None:
    states = np.array([[1.0, 0], [0, 2], [2, 1], [9, 9]])
    assert masked_mean(states, np.array([1, 1, 1, 0])).tolist() == [1, 1]
    assert masked_mean(states, np.array([0, 0, 0, 1])).tolist() == [9, 9]


def test_softmax_by_hand_and_for_large_logits() -> None:
    assert softmax(np.array([2.0, 1.0, 0.0])).round(4).tolist() == [0.6652, 0.2447, 0.0900]
    assert softmax(np.array([1002.0, 1001.0, 1000.0])) == pytest.approx(softmax(np.array([2.0, 1.0, 0.0])))
    assert softmax(np.zeros(4)).tolist() == [0.25] * 4


def test_normalised_rows_have_length_one() -> None:
    rows = normalise(np.random.default_rng(0).standard_normal((50, 7)))
    assert np.linalg.norm(rows, axis=1) == pytest.approx(np.ones(50))
