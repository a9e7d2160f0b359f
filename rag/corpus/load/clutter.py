"""What of a web page is not its content: scripts, what is hidden, navigation."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from bs4.element import NavigableString, PageElement, PreformattedString, Tag

from rag.types import Why

_SCRIPTS = frozenset("script style noscript template iframe object svg canvas".split())
_CONTROLS = frozenset("nav footer select button textarea".split())
_ROLES = frozenset("navigation banner contentinfo search menu menubar".split())
_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_UNSEEN = re.compile(
    r"(?<![\w-])(?:(?:opacity|font-size)\s*:\s*0(?:\.0{0,9})?(?:px|pt|em|rem|%)?\s*(?:[;!]|$)"
    r"|(?:left|top|text-indent)\s*:\s*-\d{4,6}(?:px|pt|em)?\s*(?:[;!]|$))",
    re.IGNORECASE,
)
_STRUCK = frozenset("del s strike".split())
_STRUCK_STYLE = re.compile(r"text-decoration(?:-line)?\s*:[^;]{0,80}line-through", re.IGNORECASE)
# Ids and classes that name navigation; believed of elements that hold little of the page's text.
_NAMED = frozenset(
    "nav navbar navigation breadcrumb breadcrumbs menu footer foot copyright pagination pager sidebar toolbar".split()
)
_LITTLE = 0.1
_LISTS = frozenset("div ul ol dl section aside header center".split())
_MIN_LINKS, _LINK_SHARE, _LINK_LENGTH = 4, 0.85, 24
_MAIN_SHARE = 0.3


@dataclass(slots=True)
class _Size:
    """Characters that are seen in an element, those of them in links, the links, the links to places on the page, and the
    elements in it that navigation does not hold."""

    seen: int = 0
    linked: int = 0
    links: int = 0
    inward: int = 0
    headings: int = 0
    tables: int = 0


class Clutter:
    """What is left out of one page. With `careful` only what the page itself marks is, not lists of links."""

    def __init__(self, page: Tag, careful: bool = False) -> None:
        self._careful = careful
        self._sizes = _measured(page)
        self._whole = max(self._of(page).seen, 1)
        self._main = None if careful else self._only_main(page)

    def why(self, tag: Tag) -> Why | None:
        """Why an element is left out; None for content."""
        if tag.name in _SCRIPTS:
            return "script"
        if _is_hidden(tag):
            return "hidden"
        if tag.name in _STRUCK or _STRUCK_STYLE.search(str(tag.get("style") or "")):
            return "deletion"
        if tag.name in _CONTROLS or str(tag.get("role") or "") in _ROLES:
            return "navigation"
        if self._careful:
            return None
        if self._main is not None and self._beside_main(tag):
            return "navigation"
        return self._of_links(tag)

    def _of_links(self, tag: Tag) -> Why | None:
        size = self._of(tag)
        if size.headings:
            return None
        if _NAMED.intersection(_names(tag)) and size.seen <= _LITTLE * self._whole:
            return "navigation"
        if tag.name not in _LISTS or size.links < _MIN_LINKS or size.tables:
            return None
        if size.linked < _LINK_SHARE * size.seen or size.linked > _LINK_LENGTH * size.links:
            return None
        return "contents" if size.inward == size.links else "navigation"

    def _of(self, tag: Tag) -> _Size:
        return self._sizes.get(id(tag)) or _Size()

    def _only_main(self, page: Tag) -> Tag | None:
        mains = [tag for tag in page.find_all(["main", "div", "section"]) if isinstance(tag, Tag) and _is_main(tag)]
        return mains[0] if len(mains) == 1 and self._of(mains[0]).seen >= _MAIN_SHARE * self._whole else None

    def _beside_main(self, tag: Tag) -> bool:
        """Whether an element stands neither in the main one nor around it, and holds no heading."""
        main = self._main
        if main is None or tag.name not in _LISTS | {"p", "table", "form", "span", "a"}:
            return False
        if self._of(tag).headings or tag is main:
            return False
        return not any(parent is main for parent in tag.parents) and not any(parent is tag for parent in main.parents)


def is_text(node: PageElement) -> bool:
    """Whether a node is text: comments, declarations and the like are strings too."""
    return isinstance(node, NavigableString) and not isinstance(node, PreformattedString)


def _is_hidden(tag: Tag) -> bool:
    if tag.has_attr("hidden") or str(tag.get("aria-hidden") or "").lower() == "true":
        return True
    style = str(tag.get("style") or "")
    if _HIDDEN.search(style):
        return True
    # of an element that holds others, those may have a size, and scripts let it appear
    return bool(_UNSEEN.search(style)) and tag.find(True) is None


def _is_main(tag: Tag) -> bool:
    return tag.name == "main" or tag.get("role") == "main"


def _names(tag: Tag) -> Iterable[str]:
    classes = tag.get("class")
    listed = classes if isinstance(classes, list) else str(classes or "").split()
    return [str(name).lower() for name in (*listed, tag.get("id") or "")]


def _measured(page: Tag) -> dict[int, _Size]:
    """The size of every element, from the last to the first: what an element holds stands behind it."""
    sizes: dict[int, _Size] = {}
    for node in reversed(list(page.descendants)):
        parent = sizes.setdefault(id(node.parent), _Size())
        if is_text(node):
            parent.seen += len("".join(str(node).split()))
        elif isinstance(node, Tag):
            size = sizes.get(id(node)) or _Size()
            if node.name in _SCRIPTS or _is_hidden(node):
                continue
            if node.name == "a" and node.has_attr("href") and size.seen:
                size.linked, size.links = size.seen, 1
                size.inward = int(str(node["href"]).startswith("#"))
            parent.seen += size.seen
            parent.linked += size.linked
            parent.links += size.links
            parent.inward += size.inward
            parent.headings += size.headings + bool(re.fullmatch("h[1-6]|main", node.name))
            parent.tables += size.tables + (node.name == "table")
    return sizes
