"""What the page says of versions and sources that differ; a part of the table in `rag.ui.strings`."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from rag.errors import Bilingual

_B = Bilingual
# fmt: off
CONFLICTS: Final[Mapping[str, Bilingual]] = MappingProxyType({
    "conflict.title": _B("Remarks by the system (not written by the model):", "系统说明（非模型所写）："),
    "conflict.value": _B(
        "Version {version} of “{title}” has {there} here; the answer rests on version {mine}: {here} [{marker}].",
        "《{title}》{version} 版此处为 {there}；本回答依据 {mine} 版：{here} [{marker}]。",
    ),
    "conflict.words": _B(
        "Version {version} of “{title}” words this otherwise: {there}; version {mine}, on which the answer rests: {here} [{marker}].",
        "《{title}》{version} 版此处写法不同：{there}；本回答依据的 {mine} 版：{here} [{marker}]。",
    ),
    "conflict.source": _B(
        "Two sources do not agree; please check: [{marker}] “{own}” says {here}, [{other}] “{title}” says {there}.",
        "两个来源说法不一致，请核对：[{marker}]《{own}》为 {here}，[{other}]《{title}》为 {there}。",
    ),
    "conflict.another": _B("another", "另一份"),
    "conflict.here": _B("see what was used", "看所依据的"),
    "conflict.there": _B("see the other", "看另一处"),
    "conflict.opened_here": _B("What the answer rests on; underlined: what differs.", "回答所依据的句子；下划线为不同之处。"),
    "conflict.opened_there": _B("The other version, which was not used; underlined: what differs.", "另一版本，未作为依据；下划线为不同之处。"),
    "conflict.opened_source": _B("One of two sources that do not agree; underlined: what differs.", "说法不一致的来源之一；下划线为不同之处。"),
})
# fmt: on
