"""What a sentence of an answer claims: nothing (希望对您有帮助。 规定如下：), what its question asks (是的。), or what it says itself."""

from __future__ import annotations

import re
from typing import Final

from rag.ask.reading import Reading
from rag.corpus.folding import plain

_IF: Final = "(?:如果?|若|假如|要是)?(?:您|你|大家)?(?:还|仍|对此|对以上内容)?有?(?:任何|其他|其它|更多|进一步的?|什么)?(?:疑问|问题|需要)(?:的话)?"
_ASK: Final = "(?:请|欢迎|您?可以?|你可以?)?(?:随时|继续|再|直接|在此)*(?:[向与和跟]我们?)?(?:联系|咨询|告诉|告知|提问|询问|提出|说明)(?:我们?)?"
_HOPE: Final = "希望(?:以上|这些|上述|我的|本)?(?:内容|信息|回答|解答|说明|资料)?(?:能够?|可以)?对?(?:您|你)?(?:能|有所?)?(?:帮助|帮到|有用)(?:您|你)?"
_IF_EN: Final = r"if you (?:have|need) (?:any|more|other|further|anything)(?: (?:other|further|more|else))?(?: (?:questions?|help|information|details))?"
_ASK_EN: Final = r"(?:please |just )?(?:feel free to (?:ask|contact me|contact us|reach out)|let me know|ask me)"
_POLITE: Final = re.compile(
    rf"\W*(?:好的|当然|您好|你好|谢谢|不客气|sure|of course|hello|thanks?|thank you|you.re welcome)\W*"
    rf"|\W*(?:{_HOPE}|{_IF}\W*{_ASK}|(?:欢迎|请)随时{_ASK})\W*"
    rf"|\W*(?:i )?hope (?:this|that|it) helps(?: you)?\W*|\W*(?:{_ASK_EN}\W*(?:{_IF_EN})?|{_IF_EN}\W*{_ASK_EN})\W*"
)
# Of what ends in a colon: what only announces.
_ANNOUNCES: Final = re.compile("如下|以下|下列|following|below|as follows")
_SHORT: Final = 12
"""Characters of a heading before a colon (报销流程：), at most."""
_WEIGHTY: Final = frozenset({"forbidden", "needless", "not", "must", "only", "except"})
_YES: Final = re.compile(
    r"\W*(?:是|是的|对|对的|没错|有|有的|会|会的|嗯|当然|当然是|当然有|当然会|yes|of course|sure|certainly|correct)\W*"
)
_WHETHER: Final = re.compile(
    r"[吗么]\W*$|是否|[能可]否|(?P<twice>[\u3400-\u9fff])[不没](?P=twice)|^\W*(?:is|are|was|were|am|do|does|did|can|could|may|must|should|shall|will|would|has|have)(?![a-z])"
)
_SENTENCE: Final = re.compile(r"[。！!；;\n]|[？?](?=.)")


def says_nothing(said: Reading) -> bool:
    """Whether a sentence is only polite, or only announces what follows. Whom to ask is something said.

    >>> from rag.ask.reading import read
    >>> [says_nothing(read(text)) for text in ("如有疑问，请随时联系我们。", "如有疑问请联系王五。", "规定如下：", "须由董事长审批：")]
    [True, False, True, False]
    """
    text = said.text.strip()
    if said.facts:
        return False
    if _POLITE.fullmatch(text):
        return True
    turns = {operator.turn for operator in said.operators}
    if not text.endswith((":", "：")) or turns & _WEIGHTY or "由" in text.replace("理由", ""):
        return False
    return _ANNOUNCES.search(text) is not None or (len(text) <= _SHORT and not turns)


def whether(question: str) -> bool:
    """Whether a question is answered by yes or no, or by its own words as a statement.

    >>> whether("在家办公可以吗？"), whether("年假可不可以跨年累计"), whether("Is leave paid?"), whether("年假几天？")
    (True, True, True, False)
    """
    return _WHETHER.search(_asked(question)) is not None


def _asked(question: str) -> str:
    """The last of a question's sentences, folded."""
    return _SENTENCE.split(plain(question).strip())[-1]


def affirmed(answer: str, question: str) -> str | None:
    """What a bare 是的。 or "Yes." claims: the statement that its question asks about; None for any other answer or question.

    >>> affirmed("是的。", "试用期员工是否有年假？"), affirmed("有的。", "年假可不可以跨年累计？"), affirmed("是的。", "年假几天？")
    ('试用期员工有年假', '年假可以跨年累计', None)
    """
    if not _YES.fullmatch(plain(answer)):
        return None
    asked = _asked(question)
    if not whether(question):
        return None
    asked = re.sub(r"是否|请问", "", asked)
    asked = re.sub(r"([能可])否", r"\1", re.sub(r"([\u3400-\u9fff])[不没]\1", r"\1", asked))
    return re.sub(r"[吗么呢吧\W]+$", "", asked)
