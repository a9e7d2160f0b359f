"""Forms: tables whose cells alternate, label | value | label | value, as in the block that says what a file is."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from rag.corpus.load.cell import Grid
from rag.corpus.load.value import kind

_LONGEST_FORM = 200

_LONGEST_LABEL = 16
_LONGEST_LATIN = 40
_ENDS = tuple("。；;，,！？!?")
# How labels and column names are called. Evidence only: where it stands says what a cell is.
_CONTROL = re.compile(
    r"(?:文件|文档|制度|标准|体系|程序|记录|表单)?(?:编号|编码|文号|名称|标题|版本|版本号|版次|修订号|修订状态)"
    r"|(?:文件)?(?:生效|发布|实施|施行|编制|编写|起草|拟制|制定|制订|修订|校对|审核|复核|会签|审批|批准|核准|颁布|签发|失效|废止)"
    r"(?:日期|时间|部门|单位|人|者)?"
    r"|(?:归口|责任|主管|主办|发文|适用|保管)(?:管理)?(?:部门|单位|范围)|密级|保密级别|保密等级|受控状态|总?页数|页码|页次|分发号|保存期限"
    r"|(?:(?:document|doc|file|form|policy|procedure)\.? *)?(?:number|no\.?|id|code|title|name|type|status|owner|ref(?:erence)?\.?)"
    r"|(?:\w+ )?(?:version|revision|rev\.?|issue|date|author|approver|reviewer|department|dept\.?|pages?|classification)"
    r"|(?:prepared|written|drafted|reviewed|checked|approved|issued|authori[sz]ed|created|owned|signed) by"
    r"|effective(?: from)?|supersedes|confidentiality|approval",
    re.IGNORECASE,
)
_NAMES = re.compile(
    r".{0,10}(?:编号|编码|代码|文号|序号|型号|工号|名称|姓名|标题|主题|版本|版次|日期|时间|期限|有效期|部门|科室|单位|公司|级别|等级|类别"
    r"|类型|种类|分类|状态|地址|地点|电话|手机|邮箱|职务|职位|岗位|职称|性别|年龄|学历|关键词|范围|数量|人数|天数|次数|金额|标准|内容|说明|备注"
    r"|要求|事项|项目|条件|流程|依据|职责|津贴|比例|额度|上限|下限|材料|方式|频率|结果|措施|意见|单价|合计|小计|摘要|原因|事由|内线|分机)"
    r"|(?:申请|负责|经办|联系|责任|修改|签发|归口|使用)人|phone|e-?mail|address|subject|scope|amount|description|remarks?|notes?|category",
    re.IGNORECASE,
)
_STATED = re.compile(r"([^:：]{1,20}[:：])\s*(\S.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Field:
    """A cell of a form row: its text, and whether the file marks it as a header cell."""

    text: str
    head: bool = False


Row = Sequence[Field]
"""A row's cells from the left, a merged one once, empty ones too. A row of one cell is a title or a remark."""


@dataclass(frozen=True, slots=True)
class Form:
    """The rows of a form at the top of a table, and the text of cells beside them that reach over all of the table."""

    rows: tuple[Row, ...]
    aside: tuple[str, ...]


def find_form(grid: Grid) -> Form | None:
    """The form that the first rows of a table are (see `form_rows`); None when they are none, or are too many."""
    looked_at = grid[:_LONGEST_FORM]
    ends = zip(looked_at[0], looked_at[-1], strict=True) if len(looked_at) > 1 else ()
    tall = {a.anchor: a.text for a, b in ends if a.anchor == b.anchor}
    cells = [{cell.anchor: cell for cell in row if cell.anchor not in tall} for row in looked_at]
    rows = [[Field(cell.text, cell.head) for cell in row.values()] for row in cells]
    height = form_rows(rows)
    return Form(tuple(rows[:height]), tuple(tall.values())) if 0 < height < _LONGEST_FORM else None


def form_rows(rows: Sequence[Row]) -> int:
    """How many of the first rows are a form, 0 when the table is none.

    In all of them labels (short, without digits) and what is filled in alternate. That it is no row of column names
    with rows below is said by the file's own marks, by colons, or by several things together: codes and dates in the
    first row where names would stand, labels called as labels are, and columns in which every row holds another kind.

    >>> form_rows([[Field("编号"), Field("HR-001"), Field("版本"), Field("V2.0")]])
    1
    """
    if not all(rows):  # a cell over all rows is in each of them, and nothing else
        return 0
    if all(map(_stated, rows)) and any(len(row) > 1 for row in rows):
        return len(rows)
    count = 0
    while count < len(rows) and (_is_lone(rows[count]) or _pairs(rows[count]) and not _is_names(rows[count])):
        count += 1
    if 0 < count < len(rows) and _heads(rows[count - 1], rows[count]):
        count -= 1
    while count and count < len(rows) and _is_lone(rows[count - 1]):  # a title of what comes below
        count -= 1
    pairs = [_pairs(row) for row in rows[:count] if not _is_lone(row)]
    return count if pairs and _is_form(pairs) else 0


def form_line(row: Row) -> str:
    """「标签: 值；标签: 值」; a label with nothing beside it stands alone, and so do words that have no label."""
    if _is_lone(row):
        return row[0].text
    pairs = _stated(row) or _pairs(row)
    if not pairs:
        return " | ".join(cell.text for cell in row if cell.text)
    return "；".join(f"{label.text.rstrip(' :：')}: {value.text}".rstrip() for label, value in pairs)


_Pairs = list[tuple[Field, Field]]


def _is_lone(row: Row) -> bool:
    """Whether it is a title or a remark: one cell, or words in the first alone that no label would be."""
    return len(row) == 1 or not any(cell.text for cell in row[1:]) and not _is_named(row[0].text)


def _pairs(row: Row) -> _Pairs:
    """The row's labels with what stands beside them; empty when it is not made of labels and values."""
    if len(row) % 2 or not row[0].text:
        return []
    pairs = list(zip(row[::2], row[1::2], strict=True))
    if any(label.text and not _like_label(label.text) or value.text and not label.text for label, value in pairs):
        return []
    return [pair for pair in pairs if pair[0].text]


def _stated(row: Row) -> _Pairs:
    """What a row says whose cells each hold a label, a colon and a value; empty when one does not."""
    found = [_STATED.fullmatch(cell.text) for cell in row if cell.text]
    return [(Field(one[1]), Field(one[2])) for one in found if one] if all(found) else []


def _like_label(text: str) -> bool:
    """Whether it can be a label: short, no value, no sentence."""
    longest = _LONGEST_LATIN if text.isascii() else _LONGEST_LABEL
    return len(text) <= longest and not any(c.isdigit() for c in text) and not text.endswith(_ENDS)


def _is_names(row: Row) -> bool:
    """Whether a row holds column names: all of its cells are called so, or are marked so."""
    if all(cell.head for cell in row if cell.text):
        return True
    return all(cell.text and _is_named(cell.text) and not _with_colon(cell.text) for cell in row)


def _heads(row: Row, below: Row) -> bool:
    """Whether a row that could be labels and values is the column names of the rows that follow."""
    words = all(cell.text and kind(cell.text) == "words" and not _with_colon(cell.text) for cell in row)
    return words and len(row) == len(below) and any(kind(cell.text) != "words" for cell in below if cell.text)


def _is_form(rows: list[_Pairs]) -> bool:
    labels = [label.text for row in rows for label, _ in row]
    if any(cell.head for row in rows for pair in row for cell in pair):
        return all(label.head and not value.head for row in rows for label, value in row)
    if all(map(_with_colon, labels)):
        return True
    first, beside = [label.text for label, _ in rows[0]], [value.text for _, value in rows[0]]
    if any(map(_is_named, beside)):
        return False
    known = sum(map(_is_named, labels))
    control = sum(_matches(_CONTROL, label) for label in labels)
    coded = any(kind(text) in ("code", "date") for text in beside)
    if len(first) == 1:  # the first column of an ordinary table may well hold names
        filled = {kind(value.text) for row in rows for _, value in row if value.text}
        if control < 2 or not filled & {"code", "date"}:
            return False
        return control * 2 >= len(labels) and (coded or known == len(labels))
    enough = known == len(labels) or known * 2 >= len(labels) and any(_matches(_CONTROL, label) for label in first)
    if coded and (enough or _is_mixed(rows)):
        return True
    return known * 3 >= len(labels) * 2 and all(map(_is_named, first))


def _is_mixed(rows: list[_Pairs]) -> bool:
    """Whether below the first row no column of values holds one kind alone, as a column with a name would."""
    columns: dict[int, list[str]] = {}
    for row in rows:
        for column, (_, value) in enumerate(row):
            if value.text:
                columns.setdefault(column, []).append(kind(value.text))
    return all(len(kinds) > 2 and len(set(kinds[1:])) > 1 for kinds in columns.values())


def _is_named(text: str) -> bool:
    return _matches(_CONTROL, text) or _matches(_NAMES, text)


def _matches(names: re.Pattern[str], text: str) -> bool:
    plain = text.strip(" :：") if text.isascii() else re.sub(r"\s+", "", text).rstrip(":：")
    return len(plain) <= _LONGEST_LATIN and names.fullmatch(plain) is not None


def _with_colon(text: str) -> bool:
    return text.endswith((":", "："))
