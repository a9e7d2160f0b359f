"""The YAML block at the beginning of a Markdown file: title, version and dates; what else it says stays in the text."""

from __future__ import annotations

import re
from dataclasses import dataclass

import yaml

from rag.corpus.clean import clean_line
from rag.corpus.load.builder import Meta
from rag.corpus.load.metadata import as_date
from rag.errors import Bilingual

_LONGEST = 2000
# As Pandoc has it, no empty line follows the first rule: a text that begins with one is only a text.
_BLOCK = re.compile(r"---[ \t]*\n(?=[^\s])(.*?)\n(?:---|\.\.\.)[ \t]*(?:\n|$)", re.DOTALL)
_A_FIELD = re.compile(r"[\w-][^\n:：]{0,40}:(?:[ \t]|\n|$)")
_NAMES = {
    "title": ("title", "标题", "文件名称", "制度名称"),
    "doc_id": ("doc_id",),
    "version": ("version", "版本", "版本号", "版次", "文件版本", "revision"),
    "source": ("source", "来源"),
    "effective_from": (
        *("effective_from", "effective_date", "valid_from"),
        *(f"{what}{day}" for what in ("生效", "施行", "实施", "执行") for day in ("日期", "时间")),
    ),
    "effective_to": (
        *("effective_to", "effective_until", "valid_until", "expires", "expiry_date", "expiration_date"),
        *(f"{what}{day}" for what in ("失效", "废止", "终止", "到期") for day in ("日期", "时间")),
        *("有效期至", "有效期限至"),
    ),
}


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """What a file says of itself, and its other lines as they are written: `kept` in the text, `comments` left out.

    `end` is where the text behind it begins, 0 where there is none that can be read; `warnings` name what holds no date.
    """

    meta: Meta = Meta()  # noqa: RUF009 - frozen
    kept: tuple[str, ...] = ()
    comments: tuple[str, ...] = ()
    end: int = 0
    warnings: tuple[Bilingual, ...] = ()


def front_matter(name: str, text: str) -> FrontMatter:
    """The front matter of clean Markdown `text`, in English or Chinese names (版本, 生效日期).

    What stands between two rules (---) and is no YAML mapping is text like any other; a warning says so where it begins
    like one. It stays in the text when it cannot be read, refers to its own parts, or has more than 2,000 characters.

    >>> found = front_matter("a.md", "---\\n版本: V3\\n生效日期: 待定\\n负责人: 张三\\n---\\n正文")
    >>> found.meta.version, found.kept, len(found.warnings), found.end
    ('V3', ('生效日期: 待定', '负责人: 张三'), 1, 32)
    """
    block = _BLOCK.match(text)
    if not block:
        return FrontMatter()
    source = block.group(1)
    fields = _fields(source)
    if fields is None:
        return FrontMatter(warnings=(_unreadable(name),) if _A_FIELD.match(source) else ())
    said: dict[str, str] = {}
    spans: list[tuple[int, int]] = []
    warnings: list[Bilingual] = []
    for field, names in _NAMES.items():
        key, value = next((fields[one] for one in names if one in fields), (None, None))
        if key is None or value is None:
            continue
        if field.startswith("effective") and as_date(value.value) is None:
            warnings.append(_no_date(name, clean_line(key.value), clean_line(value.value)[:40]))
            continue
        said[field] = clean_line(value.value)
        spans.append((key.start_mark.index, value.end_mark.index))
    lines = _without(source, spans)
    return FrontMatter(
        meta=Meta(
            title=said.get("title", ""),
            doc_id=said.get("doc_id", ""),
            version=said.get("version", ""),
            source=said.get("source", ""),
            effective_from=as_date(said.get("effective_from", "")),
            effective_to=as_date(said.get("effective_to", "")),
        ),
        kept=tuple(line for line in lines if not line.startswith("#")),
        comments=tuple(line for line in lines if line.startswith("#")),
        end=block.end(),
        warnings=tuple(warnings),
    )


def _fields(source: str) -> dict[str, tuple[yaml.ScalarNode, yaml.ScalarNode]] | None:
    """The fields that have one value, by name; None when `source` is no mapping, cannot be read, or is too long."""
    if len(source) > _LONGEST:
        return None
    try:
        # An alias inside a list is how a few bytes become gigabytes; front matter needs none.
        if any(isinstance(event, yaml.AliasEvent) for event in yaml.parse(source, Loader=yaml.SafeLoader)):
            return None
        # Only nodes: every value is as it is written (version 2.10 is not 2.1), and nothing is made of a tag.
        root = yaml.compose(source, Loader=yaml.SafeLoader)
    except (yaml.YAMLError, ValueError, RecursionError):
        return None
    if not isinstance(root, yaml.MappingNode):
        return None
    found: dict[str, tuple[yaml.ScalarNode, yaml.ScalarNode]] = {}
    for key, value in root.value:
        if isinstance(key, yaml.ScalarNode) and isinstance(value, yaml.ScalarNode):
            if clean_line(value.value) not in ("", "null", "~"):
                found.setdefault(re.sub(r"[\s-]+", "_", clean_line(key.value).lower()), (key, value))
    return found


def _without(source: str, spans: list[tuple[int, int]]) -> list[str]:
    """The lines of `source` that still hold words without what stands at `spans`."""
    rest, at = "", 0
    for start, end in sorted(spans):
        rest, at = rest + source[at:start], end + len(source[end:]) - len(source[end:].lstrip(" \t"))
    return [line.rstrip() for line in (rest + source[at:]).split("\n") if re.search(r"\w", line)]


def _unreadable(name: str) -> Bilingual:
    return Bilingual(
        en=f"{name}: the YAML front matter cannot be read and was kept as text. Check it between the two --- lines.",
        zh=f"{name}：开头的 YAML 元数据无法解析，已当作正文保留。请检查两条 --- 之间的内容。",
    )


def _no_date(name: str, field: str, value: str) -> Bilingual:
    return Bilingual(
        en=f"{name}: “{field}” is no date ({value}) and was kept as text. Write it as 2026-10-01, or enter it here.",
        zh=f"{name}：“{field}”不是日期（{value}），已作为文字保留。请写成 2026-10-01，或在页面上填写。",
    )
