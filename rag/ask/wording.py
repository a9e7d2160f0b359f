"""The words of a sentence that carry its meaning, and whether a source has them, in these or in other words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Final

import rjieba

from rag.ask import glossary

FILE: Final = Path(__file__).with_suffix(".txt")

# Parts of speech of the segmenter: what names something, and what else says something.
_NAMES: Final = ("n", "s", "b", "j", "l", "i", "eng", "t")
_OTHERS: Final = ("v", "a", "z", "x")
_PROPER: Final = ("nr", "ns", "nt", "nz", "nrt", "nrfg", "j")
FRAME: Final = frozenset(
    "根据 按照 依据 依照 规定 制度 办法 情况 时候 时间 内容 方面 问题 资料 参考资料 材料 文件 文档 答案 回答 要求 标准 条款 规则 政策 具体 相关 "
    "有关 天数 金额 数额 数量 次数 期限 时长 总共 一共 共计 共 总计 合计 分别 以及 其中 另外 此外 同时 因此 所以 但是 如果 如 若 则 即 也就是说 是 为 有 在 会 将 到 由 给 进行 属于 "
    "包括 包含 作为 成为 表示 指出 显示 提到 说明 称 据 来说 而言 方式 部分 范围 结果 名称 事项 一般 通常 方可 才能 才 就 都 也 还 并 且 或 和 与 及 以 按 凭 从 向 对 于 被 把 个 种 次 "
    "关于 对于 至于 您 你 我们 他们 自己 上述 以上 以下 如下 下列 所有 任何 需 应 可 能 要 得 须 做 后 前 内 外 中 上 下 时 起 的话 情形 意思 含义 经 本 该 此 这 那 其 之 者 所 地 里 间 处 "
    "the a an of to in on at by for with from and or as is are be been was were it its this that these those which who whom whose there their they them he she his her you your we our i "
    "has have had do does did will would if then than so but about into per each every all any some such also only just according document material policy policies company employee employees "
    "rule rules answer question based states says following".split()
)  # fmt: skip
"""Words that any answer may use: they frame what is said and name nothing of it."""
_DOERS: Final = tuple("审批人 保管人 经办人 申请人 联系人 责任人".split())
_OFTEN: Final = 20_000
"""How often the segmenter is to think a word occurs: often enough that 审批人为 is 审批人 and 为, not 审批 and 人为."""
# What the segmenter's dictionary lacks besides the words of the lists.
_TERMS: Final = "部门负责人 分管副总 人力资源部 信息安全委员会 直属主管 陪产假 育儿假 工牌 餐补 跨年 司龄 自然日 工作日 休息日 试用期 服务期 有效期 质保期 访客网 差旅报销单 借款单".split()
_LATIN: Final = re.compile(r"[a-z0-9]")
_HALF: Final = re.compile("[\ud800-\udfff]")
_WORD: Final = re.compile(r"[a-z]+(?:'[a-z]+)?|[\u3400-\u9fff]")
_ENDING: Final = re.compile(r"(?:ing|ies|ied|ed|es|s|ly|d|e)$")


PARTIES: Final = frozenset(
    "公司 单位 员工 职工 人员 本人 雇员 规定 制度 办法 情况 时间 内容 方面 问题 资料 材料 文件 文档 标准 要求 条款 规则 政策 天数 金额 数额 数量 次数 期限 时长 范围 结果 名称 事项 情形 部分 company employee employees policy policies rules".split()
)
"""What is meant almost everywhere: said or not, it makes no difference, but one in the place of another word does."""
# Nouns of a kind of which there are many beside each other: units and roles, leaves, forms, payments, places.
_KIND: Final = re.compile(
    "(?:部|处|科|室|组|局|厅|院|所|主管|经理|总监|副总|总裁|主任|负责人|专员|助理|秘书|董事|委员会|工会|服务台|前台|中心|银行|假|表|单|证|卡|书|费|补贴|津贴|金|票|险|合同|协议|系统|平台|省|市|区|县|国|州|生|类|舱|座|费用)$"
)


@dataclass(frozen=True, slots=True)
class Word:
    """A word ``text[start:end]`` that says something. `name`: it names a thing, person or place; `proper`: one of its own, or one of a
    kind (直属主管, 年假).
    """

    word: str
    start: int
    end: int
    name: bool
    proper: bool


def words(text: str, taken: Iterable[tuple[int, int]] = ()) -> tuple[Word, ...]:
    """The words of a folded and simplified text that say something, in order; none where it is `taken` by facts and operators.

    >>> [(w.word, w.name) for w in words("员工应提前3个工作日提交年假申请单。", [(2, 9)])]
    [('员工', False), ('提交', False), ('年假', True), ('申请单', True)]
    """
    blank = list(text)
    for start, end in taken:
        blank[start:end] = " " * (end - start)
    out, at = [], 0
    for word, tag in _segmenter().tag(_paired("".join(blank)), False):
        start, at = at, at + len(word)
        if (word in FRAME and word not in PARTIES) or not _WORD.search(word):
            continue
        latin = bool(_LATIN.match(word))
        name = tag.startswith(_NAMES) and not latin and word not in PARTIES
        if name or tag.startswith(_OTHERS) or latin or word in PARTIES:
            out.append(Word(word, start, at, name, tag in _PROPER or (name and _KIND.search(word) is not None)))
    return tuple(out)


def cut(text: str) -> list[tuple[int, int]]:
    """The spans of all words of a folded and simplified text, as the segmenter cuts it.

    >>> cut("供应商应提前")
    [(0, 3), (3, 4), (4, 6)]
    """
    out, at = [], 0
    for word in _segmenter().cut(_paired(text), False):
        out.append((at, at + len(word)))
        at += len(word)
    return out


def _paired(text: str) -> str:
    """`text` for the segmenter, which reads UTF-8: half of a surrogate pair, which has none, becomes U+FFFD."""
    return _HALF.sub("\ufffd", text)


def held(word: str, text: str) -> int:
    """Where a folded and simplified `text` has `word` or another word for it; -1 when it has none.

    >>> held("递交", "应提前提交申请"), held("主管", "由直属主管审批"), held("病假", "年假15天"), held("days", "15 day")
    (3, 3, -1, 3)
    """
    at = _find(word, text)
    if at >= 0:
        return at
    for other in synonyms().get(word, ()):
        at = _find(other, text)
        if at >= 0:
            return at
    if "职工" in word:
        return text.find(word.replace("职工", "员工"))  # 女职工
    if word in _DOERS:
        return text.find(word[:-1])  # 审批人 is who 审批
    return _parts(word, text)


def _find(word: str, text: str) -> int:
    if not _LATIN.match(word):
        return text.find(word)
    stem = _ENDING.sub("", word) if len(word) > 4 or word.endswith("s") else word
    match = re.search(rf"(?<![a-z0-9]){re.escape(stem)}(?:{_ENDING.pattern[3:-2]}|ting)?(?![a-z0-9])", text)
    return match.start() if match else -1


def _parts(word: str, text: str) -> int:
    """A compound that the source writes apart, or with more between (年假天数, 天数为年假的): every part of it, two characters each."""
    if len(word) < 4 or _LATIN.match(word):
        return -1
    places = [text.find(word[i : i + 2]) for i in range(0, len(word) - 1, 2)]
    if len(word) % 2:
        places.append(text.find(word[-2:]))
    return min(places) if min(places) >= 0 else -1


@cache
def _segmenter() -> rjieba.Jieba:
    """The segmenter with the words that policies use and its dictionary lacks in part (年假)."""
    segmenter = rjieba.Jieba()
    known = (word for group in glossary.built_in() for word in group.words)
    for word in (*synonyms(), *known, *_TERMS):
        if len(word) > 1 and not segmenter.has_word(word):
            segmenter.add_word(word, None, "n")
    for word in _DOERS:
        segmenter.add_word(word, _OFTEN, "n")
    return segmenter


@cache
def synonyms() -> Mapping[str, tuple[str, ...]]:
    """Word → the other words of its groups in this package's list. The glossary of the search is wider (工牌, 门禁卡)."""
    written = FILE.read_text(encoding="utf-8")
    out: dict[str, tuple[str, ...]] = {}
    for group in glossary.parse(written, FILE.name, FILE.name):
        for word in group.words:
            others = tuple(w for w in group.words if w != word)
            out[word] = (*out.get(word, ()), *others)
    return MappingProxyType(out)
