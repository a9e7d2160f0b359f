"""The small words that turn a rule round: 不得 and 可以, 必须 and 无需, 仅限, 除外, 之前 and 之后, and the words they govern."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final, Literal

Turn = Literal["forbidden", "needless", "not", "must", "may", "only", "except", "before", "after", "inside", "outside"]

NEGATIVE: Final[frozenset[Turn]] = frozenset({"forbidden", "needless", "not", "except"})

# The first that matches at a place counts.
_WRITTEN: Final[tuple[tuple[Turn, str], ...]] = (
    ("except", r"(?<=.)(?:除外|例外)|(?<![解免排清扣删开废消根去拆剔撤铲破驱祛卸])(?:除了?(?=[^，,。；;！？!?\n除]{1,12}(?:[以之]外|外(?=[，,、的均所其皆都一]))(?![，,]?[^。；;，,\n]{0,16}[还也另]))|除了(?=[^，,。；;！？!?\n除]{1,12}[，,](?![^。；;\n]{0,16}[还也另])))|(?:except(?: for)?|unless|excluding|other than)(?![a-z])"),
    ("only", r"仅仅?限?于?|只(?:能|可|可以|限|限于|有)?(?!要)|限于|(?<![a-z])only(?![a-z])"),
    ("forbidden", r"不(?:得|可以?|能够?|准|许|允许|应该?|应当|宜)(?!不|少)|禁止|严禁|不予|谢绝|切勿|请勿|杜绝|无法|拒(?:绝|不|(?=[收付签接赔报]))"),
    ("forbidden", r"(?<![a-z])(?:(?:must|may|can|shall|should|could) ?not|cannot|can't|mustn't|(?:is|are|be) (?:not (?:allowed|permitted)|forbidden|prohibited|blocked)|never)(?![a-z])"),
    ("needless", r"(?:不|无|毋)(?:需要?|须|必|用|要求)|免(?:于|予|除|收|交|费)?(?!疫|得)"),
    ("needless", r"(?<![a-z])(?:(?:need|do|does) not (?:need|have to)|need not|no need|without (?:a|any)|free of)(?![a-z])"),
    ("not", r"(?:并|从|尚)?(?:不(?!同|少|论|管|仅|但|断|足|良|当|动产|锈|便|利|日|可抗|必|久|明|合格|低|超|大于|小于|限|止)|没有?|未(?!来|婚|成年)|非(?!常|洲|遗)|(?<!是|能|可|与)否(?!则)|无(?!论|锡|线|人机|形|缝|纸|名|法|菌|障碍|偿|效|故))"),
    ("not", r"(?<![a-z])(?:not|no|none|neither|nor|without|isn't|aren't|doesn't|don't|didn't|won't)(?![a-z])"),
    ("must", r"必须|务必|(?<!无|毋|不)须(?!知)|应(?:当(?![场天日月年地])|该)?(?!用|届|急|聘|付|对|收|酬|届|变|答|税|纳|有尽|得)|(?<!不|无|毋|所|按|急)需(?:要)?(?!求)|一律|一定要|(?<!不|只)要(?!求|么|点|素|闻|是|件|好)"),
    ("must", r"(?<![a-z])(?:must|shall|required to|has to|have to|needs? to)(?![a-z])"),
    ("may", r"(?<!不|只|无|即)(?:可以|可(?!能|靠|见|持续|选|疑|观|变|行|用|比|转|乐|穿)|能够?(?!力|源|效|耗|源|级|见度)|允许|准许|有权|予以|准予)"),
    ("may", r"(?<![a-z])(?:may|can|could|allowed to|entitled to)(?![a-z])"),
    ("before", r"(?<![a-z])before(?![a-z])|(?:之|以)前|(?<=[\u3400-\u9fff])(?<!目)(?<!当)前(?![台往提后者景任途沿年]|\d+(?!\d|个?(?:工作日|自然日|小时|分钟|月|[天日周年])))|事前"),
    ("after", r"(?<![a-z])after(?![a-z])|(?:之|以)后|(?<=[\u3400-\u9fff])(?<!最)(?<!先)后(?![勤台续期者面果备代])|事后"),
    ("inside", r"(?:之|以)内|(?<=[期间司室区部])内(?!容|部|网|科)|期间"),
    ("outside", r"(?:之|以)外|(?<=期)外"),
)  # fmt: skip
_TURNS: Final = tuple((turn, re.compile(pattern)) for turn, pattern in _WRITTEN)
_FIRSTS: Final = frozenset(
    "除例仅只限不禁严谢切请杜无拒免毋并从尚没未非否必务须应需一要可能允准有予之以前事后内期eumcsinfrwdobl"
)
_STOP: Final = re.compile(r"[，,。；;：:！？!?\n（）()《》「」、]|\.\s")
_RELATIVE: Final = re.compile(rf"{_STOP.pattern}|(?<!目)的(?!话)")
"""What 未 denies ends with its clause: of 未经批准的加班 the approval, not the work."""
REACH: Final = 8
"""Characters that such a word governs at most."""
_FARTHEST: Final = 24
"""And a Latin one."""


@dataclass(frozen=True, slots=True)
class Operator:
    """A word ``text[start:end]`` that turns what it governs, ``text[reach[0]:reach[1]]``."""

    turn: Turn
    start: int
    end: int
    reach: tuple[int, int]

    @property
    def negative(self) -> bool:
        """Whether it says that something is not so."""
        return self.turn in NEGATIVE


def operators(
    text: str, taken: Iterable[tuple[int, int]] = (), words: Iterable[tuple[int, int]] = ()
) -> tuple[Operator, ...]:
    """The operators of a folded and simplified text, in order; not where it is `taken` by numbers and their limits, nor inside
    one of its `words` (供应商).

    >>> [(o.turn, "年假不得跨年，无需审批"[slice(*o.reach)]) for o in operators("年假不得跨年，无需审批")]
    [('forbidden', '跨年'), ('needless', '审批')]
    """
    blocked = [False] * (len(text) + 1)
    for start, end in taken:
        blocked[start:end] = [True] * (end - start)
    inner = {(a, b) for a, b in words if b - a > 2}
    found = [
        (turn, a, b)
        for turn, a, b in _found(text)
        if not any(blocked[a:b]) and not any(low < a and b < high for low, high in inner)
    ]
    out = []
    for i, (turn, a, b) in enumerate(found):
        low = found[i - 1][2] if i else 0
        high = found[i + 1][1] if i + 1 < len(found) else len(text)
        out.append(Operator(turn, a, b, _reach(text, turn, (a, b), (low, high))))
    return tuple(out)


def _found(text: str) -> Iterator[tuple[Turn, int, int]]:
    at = 0
    while at < len(text):
        if text[at] in _FIRSTS:
            for turn, pattern in _TURNS:
                match = pattern.match(text, at)
                if match is not None and match.end() > at:
                    yield turn, at, match.end()
                    at = match.end() - 1
                    break
        at += 1


def _reach(text: str, turn: Turn, own: tuple[int, int], free: tuple[int, int]) -> tuple[int, int]:
    """What an operator governs: what follows it, or what stands before it for one that follows (转正之前, 周末除外)."""
    behind = not text[own[0]].isascii() and (
        turn in ("before", "after", "inside", "outside") or text[own[0] : own[1]] in ("除外", "例外")
    )
    if behind:
        low = max([free[0], own[0] - REACH, *(m.end() for m in _STOP.finditer(text, max(0, own[0] - REACH), own[0]))])
        return low, own[0]
    stop = (_RELATIVE if re.search("[未没]", text[own[0] : own[1]]) else _STOP).search(text, own[1], own[1] + _FARTHEST)
    if free[1] == own[1] or (stop.start() if stop else len(text)) == own[1]:  # 离开办公室的不可以，
        return max(
            [free[0], own[0] - REACH, *(m.end() for m in _STOP.finditer(text, max(0, own[0] - REACH), own[0]))]
        ), own[0]
    return own[1], min(
        free[1], own[1] + (REACH if not text[own[0]].isascii() else _FARTHEST), stop.start() if stop else len(text)
    )
