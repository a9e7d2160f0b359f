"""XML as the text of its elements, without entities and external references."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Any
from xml.parsers import expat

from lxml import etree

from rag.corpus.clean import clean_line
from rag.corpus.load import xml_book
from rag.corpus.load.builder import Meta, Parsed, TextBuilder
from rag.corpus.load.container import damaged
from rag.corpus.load.decoded import Decoded
from rag.corpus.load.encoding import decode
from rag.corpus.load.table import plain_grid, render
from rag.corpus.load.web import MAX_TAGS, add_page
from rag.errors import Bilingual, LoadError, UnsafeFile, UnsupportedFormat

_DECLARATION = re.compile(r"\s*<\?xml[^>]{0,200}\?>")
_ENCODING = re.compile(rb"<\?xml[^>]{0,100}?encoding\s*=\s*[\"']\s*([\w\-]+)")
_MARKUP = re.compile(r"</?(?:p|br|div|a|b|i|ul|li|table|span|strong|em|img|font)\b[^>]{0,500}>", re.I)
_TITLES = frozenset(("title", "heading", "head", "标题"))
_SHORT = 200
_BARE = re.compile(r"&(?!#?\w{1,32};)")
_TAG = re.compile(r"<[^<>]*>")
_RECOVERED = 0.95
_WORD = re.compile(r"progid\s*=\s*[\"']Word\.Document")


def parse(name: str, data: bytes) -> tuple[Parsed, ...]:
    """An XML file: a line for every element that holds words, a section where one has a title.

    Raises:
        UnsafeFile: it declares entities, or more than 100,000 elements.
        UnsupportedFormat: a Word document saved as XML.
        LoadError: it is not well formed, naming the line.
    """
    declared = _ENCODING.search(data[:400])
    decoded = decode(name, data, declared.group(1).decode("ascii") if declared else "")
    text = decoded.text.lstrip("\ufeff")
    if text.count("<") > 2 * MAX_TAGS:
        raise UnsafeFile(
            en=f"{name}: more than {MAX_TAGS:,} elements. Split the file.",
            zh=f"{name}：元素超过 {MAX_TAGS:,} 个，请拆分文件。",
        )
    if _WORD.search(text[:2000]):
        raise UnsupportedFormat(
            en=f"{name}: a Word document saved as XML. Save it as .docx.",
            zh=f"{name}：以 XML 格式保存的 Word 文档，请另存为 .docx。",
        )
    root, notes = _root(name, text)
    decoded = replace(decoded, warnings=(*decoded.warnings, *notes))
    if root.tag == xml_book.ROOT:
        return (xml_book.parsed(name, root, decoded),)
    return (_as_text(name, root, decoded),)


def _as_text(name: str, root: etree._Element, decoded: Decoded) -> Parsed:
    builder = TextBuilder()
    builder.source("\n".join(map(str, root.itertext())))
    _note(builder, [*root.itersiblings(etree.Comment, preceding=True)][::-1])
    _add(name, builder, root, 1)
    _note(builder, root.itersiblings(etree.Comment))
    title = next((clean_line(_words(e)) for e in root.iter(etree.Element) if _name(e) in _TITLES and not len(e)), "")
    return builder.parsed(
        Meta(title=title if len(title) <= _SHORT else ""),
        warnings=decoded.warnings,
        reading=decoded.as_kind("XML", "XML"),
    )


def _root(name: str, text: str) -> tuple[etree._Element, tuple[Bilingual, ...]]:
    """The root element; with a warning where the XML is not well formed and nearly all its words are there all the same."""
    _refuse_declarations(name, text)
    # as characters: the declaration names the encoding of bytes that are decoded already
    text = _DECLARATION.sub("", text, count=1)
    try:
        return etree.fromstring(text, _parser()), ()
    except etree.XMLSyntaxError as error:
        return _mended(name, text, error.lineno), (_not_well_formed(name, error.lineno),)
    except ValueError as error:  # characters that XML does not allow
        raise damaged(name) from error


def _mended(name: str, text: str, line: int | None) -> etree._Element:
    """The root of XML that is not well formed, when nearly all its words are under it."""
    text = _BARE.sub("&amp;", text)  # the fault met most: 「R&D」
    root = etree.fromstring(text, _parser(recover=True))
    own: Any = root.getroottree().docinfo.internalDTD if root is not None else None
    if own is not None and next(own.iterentities(), None) is not None:
        raise _declares(name)
    words = html.unescape(_TAG.sub("", text))
    if root is None or _length("".join(map(str, root.itertext()))) < _RECOVERED * _length(words):
        raise LoadError(
            en=f"{name}: not well-formed XML at line {line}. Correct it there, or save it as .txt.",
            zh=f"{name}：第 {line} 行不是合法的 XML，请在该处改正，或另存为 .txt。",
        )
    return root


def _length(text: str) -> int:
    return len("".join(text.split()))


def _parser(recover: bool = False) -> etree.XMLParser:
    return etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, remove_pis=True, recover=recover
    )


def _not_well_formed(name: str, line: int | None) -> Bilingual:
    return Bilingual(
        en=f"{name}: not well-formed XML at line {line}; it was read as far as it goes, and may be incomplete. Check the text.",
        zh=f"{name}：第 {line} 行不是合法的 XML，已尽量读取，内容可能不完整，请检查。",
    )


def _refuse_declarations(name: str, text: str) -> None:
    """Refuse a document type with declarations of its own, before anything of it is read."""
    parser = expat.ParserCreate("utf-8")
    parser.StartDoctypeDeclHandler = lambda _name, _system, _public, own: _stop(bool(own))
    parser.StartElementHandler = lambda _name, _attributes: _stop(False)
    try:
        parser.Parse(text.encode("utf-8", "surrogatepass"), True)
    except _Prolog as prolog:
        if prolog.declares:
            raise _declares(name) from None
    except expat.ExpatError:
        return  # not well formed before the root element: `_mended` looks at what came of it


class _Prolog(Exception):
    """What stands before the root element ends; whether its document type has declarations."""

    def __init__(self, declares: bool) -> None:
        super().__init__()
        self.declares = declares


def _stop(declares: bool) -> None:
    raise _Prolog(declares)


def _declares(name: str) -> UnsafeFile:
    return UnsafeFile(
        en=f"{name}: refused, because its XML declares entities. Save it without a document type.",
        zh=f"{name}：已拒绝，其中的 XML 声明了实体。请去掉文档类型声明后再上传。",
    )


def _add(name: str, builder: TextBuilder, element: etree._Element, level: int) -> None:
    children = [child for child in element if isinstance(child.tag, str)]
    if not children or _is_mixed(element):
        _paragraph(name, builder, _words(element))
        _note(builder, element.iter(etree.Comment))
        return
    titled = next((c for c in children if _name(c) in _TITLES and not len(c)), None)
    if titled is not None and 0 < len(clean_line(_words(titled))) <= _SHORT:
        builder.heading(level, _words(titled))
        children = [child for child in children if child is not titled]
        level += 1
    records = _records(children)
    if records:
        names = list(dict.fromkeys(_name(c) for record in children for c in record))
        rows = [[_field(record, field) for field in names] for record in children]
        rendered = render(plain_grid([names, *rows]))
        builder.table(rendered.lines, rendered.heading)
        _note(builder, element.iter(etree.Comment))
        return
    _note(builder, element.iterchildren(etree.Comment))
    lines: list[str] = []
    for child in [*children, None]:
        line = _line(child)
        if line:
            lines.append(line)
            continue
        builder.lines(lines)
        lines = []
        if child is not None:
            _add(name, builder, child, level)


def _line(element: etree._Element | None) -> str:
    """An element's words where they are a short line: it stands in one block with others of its kind; else empty."""
    if element is None or len(element) or _MARKUP.search(element.text or ""):
        return ""
    words = clean_line(element.text or "")
    return words if len(words) <= _SHORT else ""


def _records(elements: list[etree._Element]) -> bool:
    """Whether elements are the rows of a table: of one name, two or more, each of short fields that occur once."""
    if len(elements) < 2 or len({element.tag for element in elements}) > 1:
        return False
    for element in elements:
        fields = [field for field in element if isinstance(field.tag, str)]
        names = [_name(field) for field in fields]
        if len(fields) < 2 or len(set(names)) < len(names) or _is_mixed(element) or _TITLES & set(names):
            return False
        if any(len(field) or len(field.text or "") > _SHORT for field in fields):
            return False
    return True


def _field(record: etree._Element, name: str) -> str:
    return next((_words(field) for field in record if isinstance(field.tag, str) and _name(field) == name), "")


def _note(builder: TextBuilder, comments: Iterable[etree._Element]) -> None:
    for comment in comments:
        builder.remove(comment.text or "", "comment")


def _paragraph(name: str, builder: TextBuilder, words: str) -> None:
    """A text; one that holds HTML, as feeds do, is read as the page it is."""
    if _MARKUP.search(words):
        add_page(name, builder, words)
        return
    builder.add("\n".join(line.strip() for line in words.strip().split("\n")))


def _is_mixed(element: etree._Element) -> bool:
    """Whether words stand between the element's children, so that all of it is one paragraph."""
    between = [element.text, *(child.tail for child in element)]
    return len(element) > 0 and any(text and text.strip() for text in between)


def _words(element: etree._Element) -> str:
    """The element's words; a reference to an entity of HTML (``&nbsp;``) as its character, another as it is written."""
    parts = [element.text or ""]
    for child in element:
        if isinstance(child, etree._Entity):
            parts.append(html.unescape(child.text or ""))
        elif isinstance(child.tag, str):
            parts.append(_words(child))
        parts.append(child.tail or "")
    return "".join(parts)


def _name(element: etree._Element) -> str:
    return etree.QName(element).localname.lower()
