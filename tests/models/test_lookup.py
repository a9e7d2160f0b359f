"""Drafts beside a search through everything, token by token."""

import random
from collections.abc import Callable, Sequence

from rag.models.lookup import LONGEST, SHORTEST, Lookup


def searched(ids: Sequence[int], most: int) -> list[int]:
    """The longest run of last tokens that stands further up, where it stood last, and what came behind it."""
    for n in range(min(LONGEST, len(ids)), SHORTEST - 1, -1):
        for at in range(len(ids) - 1, n - 1, -1):
            if list(ids[at - n : at]) == list(ids[-n:]):
                return list(ids[at : at + max(most, 0)])
    return []


def test_a_draft_is_what_a_search_finds(seeds: Callable[[int], range]) -> None:
    found = 0
    for seed in seeds(300):
        rng = random.Random(seed)
        letters = rng.choice([2, 4, 30])
        ids = [rng.randrange(letters) for _ in range(rng.randint(0, 80))]
        lookup = Lookup(ids)
        for _ in range(20):
            most = rng.randint(-1, 8)
            assert lookup.draft(most) == searched(ids, most)
            found += bool(searched(ids, most))
            token = rng.randrange(letters)
            ids.append(token)
            lookup.add(token)
        assert lookup.ids == ids
    assert found > 100


def test_a_draft_is_never_longer_than_asked_for_and_never_reaches_beyond_what_is_known() -> None:
    lookup = Lookup([1, 2, 1, 2])
    assert lookup.draft(0) == []
    assert lookup.draft(1) == [1]
    assert lookup.draft(9) == [1, 2]


def test_after_what_never_stood_there_nothing_is_guessed() -> None:
    assert Lookup([]).draft(3) == []
    assert Lookup([7]).draft(3) == []
    assert Lookup([1, 2, 3, 4]).draft(3) == []
    assert Lookup([3, 9, 3]).draft(3) == []  # one token alike is too few
