import random
import tracemalloc
from dataclasses import replace

import pytest

from rag.corpus import duplicates
from rag.corpus.duplicates import SHINGLE, THRESHOLD, near_duplicates
from rag.corpus.remarks import remarks
from rag.types import Chunk, Document
from tests import hostile


def chunk(text: str) -> Chunk:
    return Chunk("", "d@1", 0, len(text), text, "", 0, None, ())


def brute(texts: list[str]) -> tuple[int | None, ...]:
    """Every pair compared, the sets written out."""
    sets = []
    for text in texts:
        plain = "".join(c for c in text if not c.isspace()).casefold()
        sets.append({plain[i : i + SHINGLE] for i in range(len(plain) - SHINGLE + 1)} or {plain})
    return tuple(
        next((j for j in range(i) if len(sets[i] & sets[j]) / len(sets[i] | sets[j]) >= THRESHOLD), None)
        for i in range(len(sets))
    )


def test_as_every_pair_compared(seeds) -> None:
    found = 0
    for seed in seeds(300):
        rng = random.Random(seed)
        texts = [hostile.text(rng, 8) for _ in range(8)]
        for _ in range(12):  # copies with some characters exchanged, put anywhere
            copy = list(rng.choice(texts) * rng.randint(1, 2))
            for _ in range(rng.choice((0, 1, 1, 2, 5))):
                if copy:
                    copy[rng.randrange(len(copy))] = rng.choice("一二三ABC \n")
            texts.insert(rng.randint(0, len(texts)), "".join(copy))
        twins = near_duplicates([chunk(text) for text in texts])
        assert twins == brute(texts), seed
        found += sum(twin is not None for twin in twins)
    assert found > 20


LEAVE = "员工入职满一年后，每年可享受15天带薪年假。未休完的年假不得跨年累计。应提前3个工作日提交申请，由直属主管审批。"


@pytest.mark.parametrize(
    ("text", "twin"),
    [
        (LEAVE, 0),
        (LEAVE.replace("15", "10"), 0),  # 51 of 57 shingles are in both
        (LEAVE.replace("。", " 。\n"), 0),
        (LEAVE.replace("提交申请", "办理手续"), None),  # 48 of 60
        (LEAVE[:30], None),
        ("", None),
    ],
)
def test_what_is_near(text: str, twin: int | None) -> None:
    assert near_duplicates([chunk(LEAVE), chunk(text)]) == (None, twin)


def test_none_and_those_of_a_few_characters() -> None:
    assert near_duplicates([]) == ()
    few = ["", "a", "aa", "a\x00", "\x00", " A", "\ud800", "aa\n", "\U0010ffff"]
    assert near_duplicates([chunk(text) for text in few]) == (None,) * 5 + (1, None, 2, None)


def test_of_too_many_characters_none_is_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    chunks = [chunk(LEAVE), chunk(LEAVE)]
    monkeypatch.setattr(duplicates, "MOST_CHARACTERS", 2 * len(LEAVE) - 1)
    assert near_duplicates(chunks) is None
    document = Document("d", "1", "d@1", "own", "题", "", LEAVE)
    assert remarks(document, chunks) == ((), ())
    monkeypatch.setattr(duplicates, "MOST_CHARACTERS", 2 * len(LEAVE))
    assert near_duplicates(chunks) == (None, 0)


def test_what_it_holds_is_some_bytes_a_character() -> None:
    rng = random.Random(1)
    chunks = [chunk("".join(chr(0x4E00 + rng.randrange(3000)) for _ in range(240))) for _ in range(1000)]
    near_duplicates(chunks[:10])
    tracemalloc.start()
    near_duplicates(chunks)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 100 * 240_000  # sets of strings take more than twice that


def test_the_context_does_not_count() -> None:
    a = replace(chunk("本制度由人力资源部负责解释。"), context="年假")
    assert near_duplicates([a, replace(a, context="差旅")]) == (None, 0)


def test_ten_thousand_rows_of_one_form_are_compared_with_few() -> None:
    """None is near another; comparing each with all would be fifty million times."""
    rng = random.Random(1)
    form = "姓名：{}；部门：{}；岗位：{}；城市：{}；标准：{}元；审批人：{}；编号：{}"
    rows = [form.format(*("".join(rng.choices("甲乙丙丁戊己庚辛壬癸", k=6)) for _ in range(7))) for _ in range(10_000)]
    assert near_duplicates([chunk(row) for row in rows]).count(None) == 10_000
