"""Which retrievals of a visit are compared: the one on the page, the one before it, and one the visitor keeps."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rag.asking import Asked


class Beside:
    """At most three retrievals. `kept`: the one before is not compared with, but the one the visitor kept."""

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        """Nothing was retrieved."""
        self._now: Asked | None = None
        self._before: Asked | None = None
        self._kept: Asked | None = None

    @property
    def kept(self) -> bool:
        """Whether the visitor keeps one."""
        return self._kept is not None

    def show(self, asked: Asked) -> Asked | None:
        """`asked` is on the page from now on; returns what it is compared with."""
        if self._now is None or self._now.retrieval is not asked.retrieval:
            self._before, self._now = self._now, asked
        return self.other()

    def other(self) -> Asked | None:
        """What the one on the page is compared with; None when there is nothing."""
        return self._kept or self._before

    def keep(self) -> None:
        """The one on the page is what later ones are compared with."""
        self._kept = self._now

    def drop(self) -> None:
        """The one before is compared with again."""
        self._kept = None

    def let_go(self, gone: Callable[[Asked], bool]) -> None:
        """Forget those of which `gone` is true: a document of theirs was removed."""
        for name in ("_now", "_before", "_kept"):
            asked = getattr(self, name)
            if asked is not None and gone(asked):
                setattr(self, name, None)
