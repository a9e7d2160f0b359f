"""Other words of the same stated version, where the visitor wants both."""

import hashlib
import random
from collections.abc import Callable
from dataclasses import replace
from datetime import date

import pytest

from rag.corpus.current import in_force
from rag.edits import Edit
from rag.errors import SettingError
from rag.types import Document
from rag.versions import Own, with_edit
from tests.test_versions import holding, made, put


def text_of(own: Own) -> dict[str, str]:
    return {key: held.document.text for key, held in own.items()}


def apart(document: Document) -> str:
    return f"{document.key}+{hashlib.sha256(document.text.encode()).hexdigest()[:8]}"


def test_other_words_of_a_stated_version_stand_beside_it_under_a_key_of_their_own() -> None:
    first, second = made("年假5天", version="V1"), made("年假7天", version="V1")
    own = holding(first)
    said = put(own, second, beside=True)
    assert text_of(own) == {"年假@V1": "年假5天", apart(second): "年假7天"}
    assert {h.document.version for h in own.values()} == {"V1"}
    assert "标注的版本相同但内容不同" in said and "替换" not in said
    # the one that came last is searched, as the note says
    assert in_force((h.document for h in own.values()), date.today()) == {apart(second)}
    third = made("年假9天", version="V1")
    put(own, third, beside=True)
    assert list(own) == ["年假@V1", apart(second), apart(third)]


@pytest.mark.parametrize("beside", [True, False])
def test_each_of_them_is_known_when_it_comes_again(beside: bool) -> None:
    first, second = made("甲", version="V1"), made("乙", version="V1")
    own = holding(first)
    put(own, second, beside=True)
    for again in (first, second, first, first, second):
        assert "已在，内容相同" in put(own, again, beside=beside)
        assert text_of(own) == {"年假@V1": "甲", apart(second): "乙"}
    del own["年假@V1"]
    put(own, second, beside=beside)
    assert text_of(own) == {apart(second): "乙"}


def test_replacing_takes_the_place_of_the_first() -> None:
    first, second, third = (made(text, version="V1") for text in "甲乙丙")
    own = holding(first)
    put(own, second, beside=True)
    assert "已替换" in put(own, third)
    assert text_of(own) == {apart(second): "乙", "年假@V1": "丙"}


def test_corrections_of_the_second_leave_its_key_and_another_version_gives_it_a_plain_one() -> None:
    first, second = made("甲", version="V1"), made("乙", version="V1")
    own = holding(first)
    put(own, second, beside=True)
    own, renamed = with_edit(own, apart(second), Edit("年休假", "V1"))
    assert (renamed.key, renamed.title) == (apart(second), "年休假")
    own, moved = with_edit(own, renamed.key, Edit("年休假", "V2"))
    assert moved.key == "年假@V2"
    assert "已在，内容相同" in put(own, second)
    assert text_of(own) == {"年假@V1": "甲", "年假@V2": "乙"}
    with pytest.raises(SettingError, match="already"):
        with_edit(own, "年假@V2", Edit("年休假", "V1"))


def test_without_a_stated_version_nothing_changes() -> None:
    first, second = made("甲"), made("乙")
    own = holding(first)
    put(own, second, beside=True)
    assert list(own) == [first.key, second.key]


def test_whatever_is_put_beside_nothing_is_lost_and_every_id_is_of_one_text(seeds: Callable[[int], range]) -> None:
    for seed in seeds(300):
        rng, own = random.Random(seed), Own()
        seen: set[str] = set()
        for _ in range(8):
            text, version = rng.choice("甲乙丙"), rng.choice(("", "V1", "V1", "V2"))
            put(own, made(text, version=version), beside=True)
            seen.add(text + version)
            if rng.random() < 0.3:
                key = rng.choice(list(own))
                own, _ = with_edit(
                    own, key, replace(Edit(own[key].document.title, own[key].document.version), title="名")
                )
            assert {h.document.text + h.document.version for h in own.values()} == seen
            assert len(own) == len(seen)
            assert all(key == held.document.key for key, held in own.items())
