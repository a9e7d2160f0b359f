"""What the Chunks tab says, in both languages; a part of the table in `rag.ui.strings`."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from rag.errors import Bilingual

_B = Bilingual
# fmt: off
CHUNKS: Final[Mapping[str, Bilingual]] = MappingProxyType({
    "chunks.document": _B("Document", "文档"),
    # the text
    "view.part": _B("Characters {low}–{high} of {n} are shown.", "显示第 {low}–{high} 个字符，共 {n} 个。"),
    "view.earlier": _B("◂ earlier", "◂ 前面"),
    "view.later": _B("later ▸", "后面 ▸"),
    "chunks.legend": _B(
        "numbers: chunks, in alternating shades · orange: overlap · yellow: what you chose · underlined: what you search for",
        "数字：切块编号，底色交替 · 橙色：重叠 · 黄色：所选位置 · 下划线：搜索的词",
    ),
    # search and jump
    "chunks.search": _B("Search in this document", "在本文档中搜索"),
    "chunks.match": _B("Match", "第几处"),
    "chunks.before": _B("Previous", "上一处"),
    "chunks.after": _B("Next", "下一处"),
    "chunks.found": _B("Match {i} of {n}.", "第 {i} 处，共 {n} 处。"),
    "chunks.more_found": _B(" More are not counted.", "更多的不再计数。"),
    "chunks.not_found": _B("These words are not in this document.", "本文档中没有这些字。"),
    "chunks.page": _B("Page", "页"),
    "chunks.section": _B("Section", "章节"),
    "chunks.pick": _B("Chunk", "切块"),
    "chunks.of": _B(" (of {n})", "（共 {n}）"),
    "chunks.sections_cut": _B("The first {n} of {all}.", "共 {all} 个，列出前 {n} 个。"),
    "chunks.no_chunk": _B("There is no such chunk; this document has {n}.", "没有这个切块，本文档共 {n} 个。"),
    "chunks.no_page": _B("There is no such page; this document has {n}.", "没有这一页，本文档共 {n} 页。"),
    # one chunk
    "chunk.size": _B("{n} characters", "{n} 字符"),
    "chunk.tokens": _B(", {n} of {limit} tokens", "，{n} / {limit} 个 token"),
    "chunk.context": _B("In front of it, when it is encoded and packed:", "编码和装填时放在前面的上下文："),
    # figures
    "chunks.count": _B("{n} chunks; {overlap} characters are in two of them.", "{n} 个切块；{overlap} 个字符同属两块。"),
    "chunks.characters": _B("characters", "字符"),
    "chunks.tokens": _B("tokens", "token"),
    "chunks.no_tokens": _B("Without an encoder tokens are not counted.", "没有编码模型，未计 token。"),
    "head.chunk_sizes": _B("Length|Mean|Median|Least|Most", "长度|平均|中位数|最小|最大"),
    "histogram.tokens": _B("Chunks by tokens", "切块长度分布（token）"),
    "histogram.characters": _B("Chunks by characters", "切块长度分布（字符）"),
    "histogram.bin": _B("{low}–{high}: {n}", "{low}–{high}：{n} 个"),
    "histogram.limit": _B("The encoder reads {n} tokens", "编码模型最多读取 {n} 个 token"),
    "list.between": _B(", ", "、"),
    # the table
    "chunks.table": _B("Chunks in the index", "索引中的切块"),
    "chunks.remarked": _B("Only chunks with remarks", "只看有提示的切块"),
    "chunks.rows": _B("Rows", "行"),
    "head.chunks": _B(
        "#|Text|Start|End|Chars|Tokens / limit|Page|Remarks|Section", "#|内容|起|止|字符|Token / 上限|页|提示|章节"
    ),
    # remarks
    "chunks.no_remarks": _B("No chunk is too short, cut or without its heading.", "没有过短、断句或丢失标题的切块。"),
    "chunks.remark_counts": _B("Worth a look: {counts}.", "值得留意：{counts}。"),
    "chunks.not_compared": _B(
        "Near-identical chunks were not looked for: the chunks have more than {n} characters.",
        "没有查找近似重复：切块合计超过 {n} 个字符。",
    ),
    "chunks.remark_count": _B("{remark} × {n}", "{remark} × {n}"),
    "remark.too_short": _B("too short", "过短"),
    "remark.cuts_sentence": _B("cuts a sentence", "断句"),
    "remark.lost_heading": _B("lost its heading", "丢失标题"),
    "remark.near_identical": _B("near-identical", "近似重复"),
    "remark.near_limit": _B("near the limit", "接近上限"),
    "remark.too_short_why": _B("Too short to say much by itself.", "过短，单独看信息很少。"),
    "remark.cuts_sentence_why": _B("It begins or ends within a sentence.", "开头或结尾断在一句话中间。"),
    "remark.lost_heading_why": _B("The heading it belongs to is not with it.", "所属标题不在其中，也不在上下文中。"),
    "remark.near_identical_why": _B("It says nearly the same as chunk {n}.", "与第 {n} 个切块几乎相同。"),
    "remark.near_limit_why": _B("It nearly fills what the encoder reads.", "接近编码模型的读取上限。"),
    # other splits
    "chunks.try": _B("Try another split (nothing is rebuilt until you apply it)", "试试其他切分（应用之前不会重建）"),
    "chunks.now": _B("Now", "现在"),
    "chunks.tried": _B("Tried, not in the index", "试用，尚未写入索引"),
    "chunks.apply": _B("Apply and re-index", "应用并重建索引"),
    "chunks.applied": _B("Re-indexed.", "已重建索引。"),
    # files
    "chunks.save_json": _B("Chunks as JSON", "下载切块（JSON）"),
    "chunks.save_csv": _B("Chunks as CSV", "下载切块（CSV）"),
    "head.chunk_file": _B(
        "number|chunk_id|start|end|characters|tokens|page|section|remarks|context|text",
        "编号|切块标识|起|止|字符|token|页|章节|提示|上下文|内容",
    ),
})
