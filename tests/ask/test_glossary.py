import random
import re

import pytest

from rag.ask.glossary import FILE, LONGEST, MOST, Group, built_in, expand, parse, substituted
from rag.config import MOST_SYNONYMS
from rag.corpus.folding import SIMPLIFIED, fold
from rag.errors import SettingError
from tests import hostile

LEAVE = Group(("年假", "年休假", "带薪年休假"))
PLACE = Group(("work from home", "remote work"))


def plain(text: str) -> str:
    return fold(text).translate(SIMPLIFIED)


def test_lines_are_groups_and_remarks_say_nothing() -> None:
    written = "# 假期\n\n年假 = 年休假＝带薪年休假\n  # 其他\nVPN=虚拟专用网 = VPN\n"
    assert parse(written, "x", "x") == (LEAVE, Group(("VPN", "虚拟专用网")))


@pytest.mark.parametrize(
    "line",
    [
        "年假",
        "年假 = ",
        "= 年假",
        "年假 = 年假",
        "年假 == 带薪年休假",
        "年假 = …",
        f"年假 = {'长' * (LONGEST + 1)}",
        "<script>",
    ],
)
def test_an_error_names_the_line(line: str) -> None:
    with pytest.raises(SettingError) as caught:
        parse(f"# 一\n年假 = 年休假\n{line}\n", "Setting synonyms", "设置「同义词」（synonyms）")
    assert "Setting synonyms, line 3 " in caught.value.text.en and "（synonyms）第 3 行" in caught.value.text.zh
    assert line.strip()[:60] in caught.value.text.zh


def test_the_file_of_the_package_is_well_formed() -> None:
    groups = built_in()
    assert len(groups) >= 40 and len(FILE.read_text(encoding="utf-8")) < MOST_SYNONYMS
    words = [plain(word) for group in groups for word in group.words]
    assert any(word.isascii() for word in words) and any(not word.isascii() for word in words)


def test_the_synonyms_of_a_word_however_it_is_written() -> None:
    for asked in ("年假有几天？", "請問年假有幾天"):
        (found,) = expand(asked, [LEAVE])
        assert asked[found.start : found.end] == "年假" and found.synonyms == ("年休假", "带薪年休假")
    assert expand("加班怎么算？", [LEAVE]) == ()


def test_of_words_inside_each_other_the_longest_counts() -> None:
    (found,) = expand("带薪年休假有几天？", [LEAVE])
    assert (found.start, found.end, found.synonyms) == (0, 5, ("年假",))
    assert expand("年假（年休假、带薪年休假）", [LEAVE]) == ()  # it holds them all


def test_latin_words_stand_by_themselves() -> None:
    assert expand("Can I Work From Home?", [PLACE])[0].synonyms == ("remote work",)
    assert expand("homework from homes", [PLACE]) == ()
    assert expand("VPN怎么开", [Group(("VPN", "虚拟专用网"))])[0].synonyms == ("虚拟专用网",)


def test_substitution_by_hand() -> None:
    groups = [LEAVE, Group(("报销", "核销"))]
    asked = "年假和报销"
    assert substituted(asked, expand(asked, groups)) == "年休假和核销"


def outermost(text: str, groups: list[Group]) -> list[tuple[int, int, Group]]:
    """Every place of every word, less those inside a longer one, by comparing each with each."""
    places = [
        (at, at + len(word), group)
        for group in groups
        for word in group.words
        for at in (m.start() for m in re.finditer(re.escape(word), text))
    ]
    inside = [p for p in places if any(o[0] <= p[0] and p[1] <= o[1] and o[1] - o[0] > p[1] - p[0] for o in places)]
    return sorted((p for p in places if p not in inside), key=lambda p: p[:2])


def test_of_random_words_it_finds_what_comparing_each_with_each_finds(seeds) -> None:
    for seed in seeds(300):
        rng = random.Random(seed)
        groups = []
        for _ in range(rng.randint(1, 12)):
            words = ["".join(rng.choices("甲乙丙丁", k=rng.randint(1, 4))) for _ in range(rng.randint(2, 3))]
            if len(set(words)) == len(words):
                groups.append(Group(tuple(words)))
        text = "".join(rng.choices("甲乙丙", k=rng.randint(0, 14)))
        expected: list[tuple[int, int, tuple[str, ...]]] = []
        added: list[str] = []
        for start, end, group in outermost(text, groups):
            fresh = [w for w in group.words if w not in text and w not in added][: MOST - len(added)]
            added += fresh
            if fresh:
                expected.append((start, end, tuple(fresh)))
        assert [(e.start, e.end, e.synonyms) for e in expand(text, groups)] == expected, seed


def test_a_word_that_stands_everywhere_in_many_lines_takes_no_longer() -> None:
    groups = parse("\n".join(f"的=x{i}" for i in range(600)), "x", "x")  # each of 600 lines at each of 1,000 places
    assert expand("的" * 1000, groups)[-1].synonyms == ("x7",)


def test_nothing_is_added_that_the_glossary_does_not_hold(seeds) -> None:
    for seed in seeds(400):
        rng = random.Random(seed)
        asked = "年假" + hostile.text(rng, rng.randint(1, 6))
        pieces = [asked[i : i + rng.randint(1, 4)] for i in (rng.randrange(len(asked)) for _ in range(6))]
        groups = [Group((piece, f"同义{i}")) for i, piece in enumerate(pieces) if re.search(r"\w", piece)]
        found = expand(asked, [*groups, *built_in()])
        known = {word for group in (*groups, *built_in()) for word in group.words}
        added = [synonym for expansion in found for synonym in expansion.synonyms]
        assert set(added) <= known and len(added) <= MOST, seed
        assert len(added) == len(set(added)) and not any(plain(word) in plain(asked) for word in added), seed
        for expansion in found:
            word = plain(asked)[expansion.start : expansion.end]
            group = next(g for g in (*groups, *built_in()) if set(expansion.synonyms) <= set(g.words))
            assert word, (seed, group)
        rest = substituted(asked, found)
        for synonym in sorted(set(added), key=len, reverse=True):
            rest = rest.replace(synonym, "")
        assert found or rest == asked, seed


def test_hostile_lines_are_a_glossary_or_an_error(seeds) -> None:
    for seed in seeds(400):
        rng = random.Random(seed)
        written = "".join(
            rng.choice((hostile.text(rng, 1)[:60], " = ", "\n", "年假")) for _ in range(rng.randint(0, 20))
        )
        try:
            groups = parse(written, "x", "x")
        except SettingError as error:
            assert ", line " in error.text.en and "行" in error.text.zh
        else:
            assert all(len(g.words) >= 2 and all(word in written for word in g.words) for g in groups), seed
