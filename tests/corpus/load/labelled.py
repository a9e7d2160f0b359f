"""PDF files drawn line by line, each line with a label that says whether it belongs to the text or to the page."""

import io
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from reportlab.lib.pagesizes import A4, A5, LETTER, landscape
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfgen.canvas import Canvas

from rag.types import Why

FONT = "STSong-Light"
Label = Literal["text", "header"] | Why
_SUBJECTS = ("差旅", "休假", "设备", "保密", "培训", "采购", "印章", "考勤", "合同", "档案")
_CLAUSES = (
    "员工应当在事项发生之日起五个工作日内提交申请，并附上原始凭证，由直属主管审核后报人力资源部备案。",
    "本办法所称费用，是指因公务发生的交通、住宿、伙食以及其他经批准的支出，不含个人消费。",
    "未经批准的事项一律不予报销；情况紧急的，可以先行办理，但应当在返回后两日内补办手续。",
    "各部门负责人对本部门的执行情况负责，每季度末将汇总表送交财务部，逾期未送的视为没有。",
    "符合下列条件之一的，可以申请延长期限：因病住院；遇不可抗力；经总经理书面同意。",
    "额度按职级确定，P1 至 P6 每晚不超过 450 元，P7 以上每晚不超过 600 元，旺季可以上浮百分之二十。",
)
_REPEATED = ("本条自发布之日起施行。", "详见附件。", "由人力资源部负责解释。", "审批人：________ 日期：________")
_TITLES = ("适用范围", "职责分工", "申请与审批", "标准与额度", "监督检查", "附则")
_FORM_HEADS = (
    "表单编号：HR-F-{:03d}",
    "附件{}",
    "附件 {}：",
    "附表{}",
    "表{} 明细",
    "附录 {}",
    "第{}讲",
    "生效日期：2026年{}月1日",
)
_NUMERALS = "一二三四五六七八九十"


@dataclass(frozen=True, slots=True)
class Drawn:
    """A line as drawn on page `page` (1-based)."""

    page: int
    text: str
    label: Label


@dataclass(frozen=True, slots=True)
class Made:
    """A file and its lines in reading order; lines of one label on one page stand in the order of the page."""

    data: bytes
    lines: list[Drawn]


@dataclass
class _Pen:
    """Draws lines down the page and notes what each is."""

    rng: random.Random
    size: tuple[float, float]
    body: float
    leading: float
    margin: float
    columns: int
    furniture: Callable[["_Pen"], None]
    stream: io.BytesIO = field(default_factory=io.BytesIO)
    lines: list[Drawn] = field(default_factory=list)
    page: int = 1
    column: int = 0
    chapter: str = ""

    def __post_init__(self) -> None:
        self.canvas = Canvas(self.stream, pagesize=self.size, invariant=True)
        self.y = self.top = self.size[1] - self.margin
        self.gutter = 24.0
        self.width = (self.size[0] - 2 * self.margin - (self.columns - 1) * self.gutter) / self.columns

    def at(self, x: float, y: float, text: str, size: float, label: Label, align: str = "left") -> None:
        """One line at a fixed place."""
        width = pdfmetrics.stringWidth(text, FONT, size)
        x -= {"left": 0, "center": width / 2, "right": width}[align]
        self.canvas.setFont(FONT, size)
        self.canvas.drawString(x, y, text)
        self.lines.append(Drawn(self.page, text, label))

    def line(self, text: str, size: float = 0.0, label: Label = "text", indent: float = 0.0) -> None:
        """The next line of the column."""
        if self.y < self.margin + self.leading:
            self.next_column()
        x = self.margin + self.column * (self.width + self.gutter) + indent
        self.at(x, self.y, text, size or self.body, label)
        self.y -= self.leading * max(1.0, (size or self.body) / self.body)

    def paragraph(self, text: str) -> None:
        """Wrapped to the column, its first line indented by two characters."""
        room, line = self.width - 2 * self.body, ""
        indent = 2 * self.body
        for character in text:
            if pdfmetrics.stringWidth(line + character, FONT, self.body) > room and character not in "，。；、：）":
                self.line(line, indent=indent)
                line, indent, room = "", 0.0, self.width
            line += character
        self.line(line, indent=indent)

    def gap(self, share: float = 0.5) -> None:
        self.y -= share * self.leading

    def next_column(self) -> None:
        self.column += 1
        self.y = self.top
        if self.column == self.columns:
            self.next_page()

    def next_page(self) -> None:
        self.furniture(self)
        self.canvas.showPage()
        self.page += 1
        self.column, self.y = 0, self.top

    def done(self) -> Made:
        self.furniture(self)
        self.canvas.save()
        return Made(self.stream.getvalue(), self.lines)


@dataclass(frozen=True, slots=True)
class _Furniture:
    """How the pages of one file are furnished."""

    header: Literal["none", "fixed", "two parts", "with number", "odd and even", "chapter"]
    header_size: float
    from_page: int
    has_rule: bool
    footer: str
    number: Literal["none", "3", "- 3 -", "第 3 页", "第 3 页 共 99 页", "3 / 99", "Page 3", "iii", "in the header"]
    number_at: Literal["left", "center", "right"]
    first_number: int
    watermark: Literal["none", "slanted", "tiled", "pale"]
    company: str

    def __call__(self, pen: _Pen) -> None:
        width, height = pen.size
        if self.watermark != "none":
            self._watermark(pen)
        number = pen.page - 1 + self.first_number
        y = height - 0.55 * pen.margin
        if pen.page >= self.from_page:
            if self.header == "fixed":
                pen.at(width / 2, y, self.company, self.header_size, "header", "center")
            elif self.header in ("two parts", "with number"):
                right = "内部资料 注意保密" if self.header == "two parts" else f"第 {number} 页"
                pen.at(pen.margin, y, self.company, self.header_size, "header")
                pen.at(width - pen.margin, y, right, self.header_size, "header", "right")
                pen.lines[-2:] = [Drawn(pen.page, self.company + right, "header")]
            elif self.header == "odd and even":
                odd = pen.page % 2 == 1
                text, align, x = (
                    (self.company, "right", width - pen.margin)
                    if odd
                    else ("管理制度汇编（2026版）", "left", pen.margin)
                )
                pen.at(x, y, text, self.header_size, "header", align)
            elif self.header == "chapter" and pen.chapter:
                pen.at(width / 2, y, pen.chapter, self.header_size, "header", "center")
            if self.number == "in the header":
                pen.at(width - pen.margin, y - 14, f"第 {number} 页", self.header_size, "page_number", "right")
            if self.has_rule:
                pen.canvas.line(pen.margin, y - 4, width - pen.margin, y - 4)
        if self.footer:
            pen.at(pen.margin, 0.6 * pen.margin, self.footer, 8, "running_line")
        x = {"left": pen.margin, "center": width / 2, "right": width - pen.margin}[self.number_at]
        styles = {"Page 3": "Page {}", "iii": "{r}", "第 3 页 共 99 页": "第 {} 页 共 99 页", "3 / 99": "{} / 99"}
        if self.number not in ("none", "in the header"):
            style = styles.get(self.number, self.number.replace("3", "{}"))
            pen.at(x, 0.4 * pen.margin, style.format(number, r=_roman(number)), 9, "page_number", self.number_at)

    def _watermark(self, pen: _Pen) -> None:
        canvas, (width, height) = pen.canvas, pen.size
        canvas.saveState()
        canvas.setFillGray(0.8)
        text = "内部资料"
        if self.watermark == "pale":
            canvas.setFont(FONT, 60)
            canvas.drawCentredString(width / 2, height / 2, text)
        else:
            size, places = (72, [(width / 2, height / 2)])
            if self.watermark == "tiled":
                size, places = 14, [(x, y) for x in (0.2 * width, 0.6 * width) for y in (0.25 * height, 0.7 * height)]
            for x, y in places:
                canvas.saveState()
                canvas.translate(x, y)
                canvas.rotate(40)
                canvas.setFont(FONT, size)
                canvas.drawCentredString(0, 0, text)
                canvas.restoreState()
        canvas.restoreState()
        pen.lines.append(Drawn(pen.page, text, "watermark"))


def _roman(number: int) -> str:
    tens, ones = divmod(number, 10)
    return "x" * tens + ("", "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix")[ones]


def _furniture(rng: random.Random, company: str) -> _Furniture:
    return _Furniture(
        rng.choice(("none", "fixed", "fixed", "two parts", "with number", "odd and even", "chapter")),
        rng.choice((8, 9, 10.5)),
        rng.choice((1, 1, 2)),
        rng.random() < 0.5,
        rng.choice(("", "", "地址：东湖市高新区云衡路 18 号", "文件编号：YH-A-012　版本：B/1")),
        rng.choice(("none", "3", "- 3 -", "第 3 页", "第 3 页 共 99 页", "3 / 99", "Page 3", "iii", "in the header")),
        rng.choice(("left", "center", "center", "right")),
        rng.choice((1, 1, 1, 3)),
        rng.choice(("none", "none", "slanted", "tiled", "pale")),
        company,
    )


def made(seed: int) -> Made:
    """A policy of several pages; layout, furniture and length are drawn from `seed`."""
    rng = random.Random(seed)
    if FONT not in pdfmetrics.getRegisteredFontNames():
        pdfmetrics.registerFont(UnicodeCIDFont(FONT))
    subject = rng.choice(_SUBJECTS)
    company = f"云衡科技{subject}管理办法"
    body = rng.choice((9, 10.5, 12))
    size = rng.choice((A4, A4, A5, LETTER, landscape(A4)))
    columns = 2 if size in (landscape(A4), A4) and rng.random() < 0.3 else 1
    pen = _Pen(
        rng, size, body, body * rng.choice((1.3, 1.5, 1.8)), rng.choice((54, 72)), columns, _furniture(rng, company)
    )
    chapters = rng.randint(3, 6)
    names = [f"第{_NUMERALS[n]}章 {_TITLES[n]}" for n in range(chapters)]
    if rng.random() < 0.4:
        _contents(pen, names)
    article = 0
    for name in names:
        if rng.random() < 0.5 and pen.y < pen.top:
            pen.next_page()
        pen.chapter = name
        pen.gap()
        pen.line(name, body * rng.choice((1.0, 1.3)))
        pen.gap()
        for _ in range(rng.randint(4, 14)):
            article += 1
            pen.paragraph(f"第{article}条 " + "".join(rng.choices(_CLAUSES, k=rng.randint(1, 3))))
            if rng.random() < 0.3:
                pen.line(rng.choice(_REPEATED), indent=2 * body)
    head, first, foot = rng.choice(_FORM_HEADS), rng.choice((1, 1, 3)), rng.choice(("", "本表保存期限：{}年"))
    for number in range(rng.choice((0, 2, 3, 8))):
        _form(pen, head.format(first + number), foot.format(first + number))
    return pen.done()


def _contents(pen: _Pen, names: list[str]) -> None:
    pen.line(pen.rng.choice(("目录", "目 录")), 1.2 * pen.body, "contents")
    has_leaders = pen.rng.random() < 0.6
    for number, name in enumerate(names):
        page = str(2 + number)
        if has_leaders:
            room = pen.width - pdfmetrics.stringWidth(name + page, FONT, pen.body) - pen.body
            dots = "." * int(room / pdfmetrics.stringWidth(".", FONT, pen.body))
            pen.line(f"{name}{dots}{page}", label="contents")
        else:
            pen.canvas.setFont(FONT, pen.body)
            x = pen.margin + pen.column * (pen.width + pen.gutter) + pen.width
            pen.canvas.drawRightString(x, pen.y, page)
            pen.line(name, label="contents")
            pen.lines[-1] = Drawn(pen.page, name + page, "contents")
    pen.next_page()


def _form(pen: _Pen, head: str, foot: str) -> None:
    """A form on a page of its own: its number, which rises as those of the pages do, and the lines to sign stand on every
    form at the same place."""
    pen.next_page()
    pen.line(head)
    pen.line("申请表", 1.4 * pen.body)
    for name in ("申请人：", "部门：", "事由：", "起止日期："):
        pen.gap()
        pen.line(f"{name}________________")
    pen.gap(2)
    pen.line("审批人：________ 日期：________")
    if foot:
        pen.at(pen.margin, pen.margin + 2, foot, pen.body, "text")
