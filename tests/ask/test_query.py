import random
import re

import pytest

from rag.ask.glossary import built_in
from rag.ask.query import DENSE_SYNONYMS, LEXICAL_SYNONYMS, formulate, is_plain, plain, query_step
from rag.config import QuerySettings
from rag.corpus.folding import SIMPLIFIED, fold
from rag.errors import SettingError
from rag.types import Leg, Query, Sought
from tests import hostile

NOTHING = QuerySettings(normalise=False, follow_up=False, glossary=False, parts=False)


def test_with_everything_off_the_question_is_searched_as_it_is() -> None:
    asked = "請問年假幾天？加班費怎麼算？"
    query = formulate(asked, ["甲？"], NOTHING)
    assert query == Query(asked, (), (Leg("whole", (Sought(asked, "question", 1.0, 1.0),)),)) and is_plain(query)
    assert query_step(0.0, query, 0) == ()
    (step,) = query_step(0.0, query, 1)
    assert "as asked" in step.note.en and "按原问题" in step.note.zh and step.n_out == 0


def test_each_setting_adds_its_texts_and_the_trace_says_them_all() -> None:
    settings = QuerySettings(glossary=False, synonyms="年假 = 带薪年休假", parts=True, follow_up=True, normalise=True)
    query = formulate("那年假几天？ＶＰＮ怎麼開？", ["上海呢？"], settings)
    whole = (
        Sought("那年假几天？VPN怎么开？", "question", 1.0, 1.0),
        Sought("上海呢？\n那年假几天？VPN怎么开？", "earlier", 1.0, 1.0),
    )
    assert query.earlier == ("上海呢？",) and [leg.name for leg in query.legs] == ["whole", "part1", "part2"]
    assert query.legs[0].texts == (
        *whole,
        Sought("那带薪年休假几天？VPN怎么开？", "synonyms", DENSE_SYNONYMS, 0.0),
        Sought("带薪年休假", "synonyms", 0.0, LEXICAL_SYNONYMS),
    )
    assert query.legs[1].texts[:3] == (Sought("那年假几天？", "part", 1.0, 1.0), *whole)
    assert query.legs[2].texts == (Sought("VPN怎么开？", "part", 1.0, 1.0), *whole)
    (step,) = query_step(0.0, query, 1)
    for said in (step.note.en, step.note.zh):
        assert all(" / ".join(sought.text.split("\n")) in said for leg in query.legs for sought in leg.texts)
    assert "begins with 那" in step.note.en and "第 2 问" in step.note.zh


def test_own_synonyms_count_without_the_glossary_and_a_wrong_line_is_named() -> None:
    only = formulate("报销多久到账？", [], QuerySettings(glossary=False, synonyms="到账 = 打款"))
    assert [s.text for s in only.legs[0].texts] == ["报销多久到账？", "报销多久打款？", "打款"]
    with pytest.raises(SettingError, match="line 2"):
        formulate("？", [], QuerySettings(synonyms="甲 = 乙\n丙"))


def test_plain_changes_width_and_characters_only() -> None:
    assert plain("ＶＰＮ－４０３１　報銷，３０００元？") == "VPN-4031 报销，3000元？"
    for seed in range(200):
        text = hostile.text(random.Random(seed), 4)
        assert len(plain(text)) == len(text) and plain(plain(text)) == plain(text), seed
        assert fold(plain(text)).translate(SIMPLIFIED) == fold(text).translate(SIMPLIFIED), seed  # the same terms


def test_nothing_is_searched_that_nobody_wrote(seeds) -> None:
    """Every text is made of the question, the ones before it, and words of the glossary."""
    words = [plain(word) for group in built_in() for word in group.words]
    pieces = ["年假几天", "没休完怎么办", "？", "，", "那上海呢", "北京和上海的标准分别是多少", "它", "加班", "\n"]
    for seed in seeds(400):
        rng = random.Random(seed)

        def drawn(rng: random.Random = rng) -> str:
            return "".join(rng.choice((*pieces, hostile.text(rng, 1)[:40])) for _ in range(rng.randint(1, 6)))

        asked, history = drawn(), [drawn() for _ in range(rng.randint(0, 3))]
        settings = QuerySettings(
            rng.random() < 0.5, rng.random() < 0.5, rng.random() < 0.5, "", rng.random() < 0.5, False
        )
        query = formulate(asked, history, settings)
        assert query.question == asked and query == formulate(asked, history, settings), seed
        said = plain("\n".join((*history, asked)))
        for leg in query.legs:
            assert leg.texts[0].dense == leg.texts[0].lexical == 1.0
            for sought in leg.texts:
                text = plain(sought.text)
                if sought.why == "synonyms":
                    assert settings.glossary
                    for word in sorted(words, key=len, reverse=True):
                        text = text.replace(word, "")
                left = re.sub(r"\s", "", text)
                assert set(left) <= set(said), (seed, sought)
                if sought.why == "question":
                    assert plain(sought.text) == plain(asked), seed
                if sought.why == "part":
                    rest = iter(plain(asked))
                    assert all(c in rest for c in text), (seed, sought)
