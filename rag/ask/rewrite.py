"""A question that follows others → which of these are read with it. Nothing is added that the visitor did not write.

Most questions of a visit stand alone, and reading the last ones with them does harm: of 183 that stand alone, asked after
one or two others, 12 found other evidence. So a question is read with those before it only when it bears a sign that
it follows them, below; one without a sign that follows all the same ("没休完可以留到明年吗？") is searched as it is.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from rag.errors import Bilingual

TURNS: Final = 2
"""Questions before this one that still count."""
CHARACTERS: Final = 300
"""Longest joined text: an encoder of 512 tokens reads it whole."""
SHORT: Final = 14
"""A question of at most so many characters may hold its pronoun anywhere; a longer one explains it mostly itself."""
BARE: Final = 1
"""With at most so many letters besides those by which one asks, a question names no subject; two may be one (年假, 设备)."""

_ASKED = re.compile(
    "什么时候|啥时候|什么|怎么办|咋办|咋整|怎么|咋|多少钱?|多久|多长|多大|哪里|哪儿|哪|谁|如何|为何|为什么|是否|请问|想问|几|啥"
    "|还是|能不能|要不要|是不是|有没有|会不会|行不行|可不可以|[吗么]"
)
# Words of two characters, one of which alone would only help to ask: they name a subject (个税 is no 税).
_SUBJECT = (
    "(?P<subject>个[税体]|会[议计费员场展籍务]|[年工社例晚协]会|用[印车餐工户电水]|[信试]用|前[台厅]|后[勤台厨]|[产售]后|产前"
    "|内[网部审勤控]|还款|条例|[借欠]条|股份|[迟签]到|到岗|就[医业餐诊]|被[盗罚裁]|[在离]岗|所得|再婚|做账|来访|转让|不良|能[源耗]|节能)"
)
_FUNCTION = re.compile(
    _SUBJECT
    + "|可以|应该|需要|一下|[呢吧啊呀嘛不的了在是有要能会得到给之内后前天个张份条次我你们把被让就还再都和与用做去来填]"
)
_TAIL = re.compile(r"呢[\s？?！!。.~]*\Z")
_HEAD = re.compile(r"\s*(?:那(?=么|(?!曲|坡县|拉提)[^些个])|(?:and|then|what about|how about|what if)\b)", re.I)
# 他 but not 其他, 他人, 排他, 吉他 and other words that hold it; 这个 but not 这个月, which means this one
_PRONOUN = re.compile(
    "(?<![其排吉利耳维作])[他她它](?!人|国|乡|项|日|方(?!便))|[这那](?:些|样|种|期间|里面|(?:个|次|笔|款|份|张|边)(?!月|周|星期|季|年|礼拜|学期))|前者|后者|上述"
)
_ALIKE = re.compile("也(?:是|要|能|可以|这么|这样|那样|一样|算|行|适用)")
# Traditional forms of the characters above; the whole table is the lexical index's, with a library behind it
_SIMPLIFIED = str.maketrans(
    "這個樣種間裡裏邊張麼嗎誰還幾會應該點時後們給為請問沒辦長遠兒適條讓稅體議計費員場務協戶電廳臺廚產內網審遲簽崗醫業診盜罰離轉節來",
    "这个样种间里里边张么吗谁还几会应该点时后们给为请问没办长远儿适条让税体议计费员场务协户电厅台厨产内网审迟签岗医业诊盗罚离转节来",
)
_CODE = re.compile(r"[A-Za-z0-9]")
_LETTER = re.compile(r"\w")


@dataclass(frozen=True, slots=True)
class Asked:
    """A `question` and the `earlier` ones that are read with it, oldest first (empty: it is searched alone)."""

    question: str
    earlier: tuple[str, ...] = ()

    @property
    def joined(self) -> str:
        """The earlier questions and this one, a line each; the question itself when there are none."""
        return "\n".join((*self.earlier, self.question))


def rewrite(question: str, history: Sequence[str]) -> Asked:
    """The question with the last `TURNS` of `history` (oldest first), whole, as far as they fit `CHARACTERS`; alone without a `sign`.

    >>> rewrite("那满十五年呢？", ["食堂几点开？", "年假有几天？", " "]).earlier
    ('食堂几点开？', '年假有几天？')
    >>> rewrite("出差住宿能报多少？", ["年假有几天？"]).earlier
    ()
    """
    if sign(question) is None:
        return Asked(question)
    earlier: list[str] = []
    room = CHARACTERS - len(question)
    for before in reversed([text.strip() for text in history if text.strip()][-TURNS:]):
        room -= len(before) + 1
        if room < 0:
            break
        earlier.insert(0, before)
    return Asked(question, tuple(earlier))


def sign(question: str) -> Bilingual | None:
    """By what `question` tells that it follows others; None when by nothing.

    >>> [s and s.en for s in map(sign, ["那上海呢？", "它要谁来批？", "二孩也是这么多吗？", "啥时候到手？", "出差补贴多少？"])]
    ['it begins with 那', 'it has 它', 'it has 也是', 'it names no subject', None]
    """
    text = question.translate(_SIMPLIFIED).strip()
    if head := _HEAD.match(text):
        return _begins(head.group().strip())
    if _TAIL.search(text) and not _ASKED.search(text):
        return Bilingual(en="it asks with 呢 alone", zh="只用「呢」发问")
    for pattern in (_PRONOUN, _ALIKE):
        found = pattern.search(text)
        if found and (len(text) <= SHORT or (pattern is _PRONOUN and found.start() == 0)):
            return Bilingual(en=f"it has {found.group()}", zh=f"含「{found.group()}」")
    rest = _FUNCTION.sub(lambda match: match["subject"] or "", _ASKED.sub("", text))
    if len(_LETTER.findall(rest)) <= BARE and not _CODE.search(text):
        return Bilingual(en="it names no subject", zh="没有说明所问的事")
    return None


def _begins(word: str) -> Bilingual:
    return Bilingual(en=f"it begins with {word}", zh=f"以「{word}」开头")
