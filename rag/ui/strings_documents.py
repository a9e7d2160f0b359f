"""What the Documents tab says, in both languages; a part of the table in `rag.ui.strings`."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from rag.errors import Bilingual

_B = Bilingual
# fmt: off
DOCUMENTS: Final[Mapping[str, Bilingual]] = MappingProxyType({
    # files
    "docs.upload": _B("Your policy files", "上传制度文件"),
    "docs.kinds": _B(
        "Word, PDF, Excel, PowerPoint, HTML, Markdown, text, CSV, JSON, XML …",
        "支持 Word、PDF、Excel、PowerPoint、HTML、Markdown、文本、CSV、JSON、XML 等",
    ),
    "docs.again": _B("A file that was here before, changed", "同名文件再次上传、内容有变时"),
    "docs.again_info": _B(
        "Files that state a version always stand beside each other.", "写明了版本号的文件总是并存。"
    ),
    "docs.again_replace": _B("replaces the earlier one", "替换旧的"),
    "docs.again_beside": _B("stands beside it", "与旧的并存"),
    "docs.include": _B("Also search the sample policies", "同时检索示例制度"),
    "docs.include_info": _B("If off, your own files, once there are any, are searched alone.", "不勾选：上传自己的文件后，只检索自己的文件。"),
    "docs.which": _B("Document", "文档"),
    "docs.remove": _B("Remove", "移除"),
    "docs.remove_really": _B("Really remove “{name}”? Corrections you made to it are lost too.", "确定移除「{name}」吗？您对它的更正也会丢失。"),
    "docs.remove_yes": _B("Yes, remove it", "确定移除"),
    "docs.remove_no": _B("Keep it", "保留"),
    "docs.remove_other": _B("Nothing was removed: another document is chosen by now. Press Remove again.", "没有移除：当前选中的已是另一份文档，请重新按「移除」。"),
    "docs.searching_samples": _B(
        "Questions search the sample policies: {n} documents, {chunks} chunks.", "当前检索示例制度：{n} 份文档，{chunks} 个切块。"
    ),
    "docs.searching_own": _B(
        "Questions search your own files only: {n} documents, {chunks} chunks.", "当前只检索您上传的文件：{n} 份文档，{chunks} 个切块。"
    ),
    "docs.searching_both": _B(
        "Questions search your own files and the samples: {n} documents, {chunks} chunks.",
        "当前检索您的文件和示例制度：{n} 份文档，{chunks} 个切块。",
    ),
    "docs.others": _B(
        " Not searched of them (setting Versions): {parts}.",
        "其中不参与检索的（见设置「版本范围」）：{parts}。",
    ),
    "docs.others_version": _B("{n} because another version is in force", "{n} 份另有现行版本"),
    "docs.others_later": _B("{n} not in force yet", "{n} 份尚未生效"),
    "docs.not_version": _B("Not searched: another version is in force.", "不参与检索：另有现行版本。"),
    "docs.not_later": _B("Not searched: not in force yet.", "不参与检索：尚未生效。"),
    "docs.back_to_samples": _B(
        "Your last own document was removed; questions search the sample policies again.",
        "最后一份自己的文档已移除，现在重新检索示例制度。",
    ),
    "docs.removed": _B("Removed; it is no longer searched.", "已移除，不再参与检索。"),
    "docs.vanished": _B("{name}: the upload is no longer there. Please choose the file again.", "{name}：上传的文件已失效，请重新选择文件。"),
    "docs.unknown": _B("That document is no longer there. Choose another one.", "该文档已不存在，请另选一份。"),
    "docs.done": _B("{ok} of {n} files were taken in.", "已收入 {n} 个文件中的 {ok} 个。"),
    "head.documents": _B(
        "State|Document|Remark|Read as|Origin|Version|In force|Pages|Characters|Chunks",
        "状态|文档|说明|读取方式|来源|版本|生效|页数|字符|切块",
    ),
    "docs.pdf_readers": _B("pdfminer and PDFium are programs that read PDF files.", "pdfminer 和 PDFium 是读取 PDF 的程序。"),
    "docs.left_out_one": _B("1 passage left out", "剔除 1 处"),
    "docs.left_out": _B("{n} passages left out", "剔除 {n} 处"),
    # who says so
    "stated.file": _B("stated in the file", "文件注明"),
    "stated.text": _B("guessed from the text", "据正文推测"),
    "stated.name": _B("guessed from the file's name", "据文件名推测"),
    "stated.visitor": _B("entered by you", "您填写的"),
    # one document
    "details.heading": _B("### One document", "### 查看一份文档"),
    "details.title": _B("Title", "标题"),
    "details.version": _B("Version", "版本"),
    "details.effective_from": _B("In force from", "生效日期"),
    "details.effective_to": _B("In force until", "失效日期"),
    "details.save": _B("Save and index again", "保存并重建索引"),
    "details.saved": _B("Saved: questions search the document with what you entered.", "已保存，检索时按您填写的内容。"),
    "details.sample": _B(
        "A sample policy is everybody's: it cannot be changed. You can correct your own documents here.",
        "示例制度由所有访问者共用，不能修改；自己的文档可以在这里更正。",
    ),
    "details.file": _B("File", "文件"),
    "details.reading": _B("Read as", "读取方式"),
    "details.readers": _B("That is", "说明"),
    "details.key": _B("Key", "标识"),
    "details.source": _B("Source", "出处"),
    "details.size": _B("Length", "篇幅"),
    "details.reach": _B("{n} characters, pages: {pages}", "{n} 字符，页数：{pages}"),
    "details.tables": _B("Tables", "表格"),
    "details.sections": _B("Sections", "章节"),
    "details.left_out_one": _B("1 passage, {characters} characters:", "共 1 处，{characters} 字符："),
    "details.left_out": _B("{n} passages, {characters} characters:", "共 {n} 处，{characters} 字符："),
    "details.left_out_heading": _B("### Left out, and why", "### 剔除了什么，为什么"),
    "details.nothing": _B("Nothing was left out: the text is all that was read.", "没有剔除内容，文本与读到的一致。"),
    "details.times": _B("× {n}", "× {n}"),
    "details.more": _B("and {n} other texts of this kind", "另有 {n} 种此类文字"),
    "details.view": _B("Text", "文本"),
    "details.cleaned": _B("cleaned, as it is searched", "清理后（参与检索）"),
    "details.as_read": _B("as it was read", "原样（含剔除内容）"),
    "head.removed": _B("Pages|Times|Text", "页|次数|内容"),
    "left.running_line": _B("header or footer", "页眉页脚"),
    "left.page_number": _B("page number", "页码"),
    "left.watermark": _B("watermark", "水印"),
    "left.contents": _B("table of contents", "目录"),
    "left.overprint": _B("drawn twice", "重复绘制"),
    "left.comment": _B("comment", "批注"),
    "left.deletion": _B("deleted in revision", "修订中删除"),
    "left.hidden": _B("hidden text", "隐藏文字"),
    "left.navigation": _B("navigation", "导航"),
    "left.script": _B("script", "脚本"),
    "left.duplicate": _B("said before", "重复内容"),
    "left.unreadable": _B("unreadable characters", "不可见字符"),
})
