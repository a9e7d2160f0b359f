"""What a handler of the page may let out: messages for the visitor, and nothing about a bug but where it is."""

from __future__ import annotations

import functools
import inspect
import logging
import traceback
from collections.abc import Callable, Iterator
from typing import Any

import gradio as gr

from rag.errors import Language, RagError, Stopped
from rag.ui.panels import notice, phase
from rag.ui.strings import language_of, text

_LOG = logging.getLogger(__name__)


def language(request: gr.Request) -> Language:
    """The visitor's language."""
    return language_of(request.headers.get("accept-language"))


def told(error: Exception, spoken: Language) -> str:
    """The sentence for the visitor; what is no `RagError` is logged by type and place, without its message."""
    if isinstance(error, RagError):
        return error.message(spoken)
    log_bug(error)
    return text("error.bug", spoken)


def log_bug(error: Exception) -> None:
    """Log type and place only: the message of a foreign exception may quote a file or a question."""
    frame = traceback.extract_tb(error.__traceback__)[-1]
    _LOG.error("%s at %s:%s", type(error).__name__, frame.filename, frame.lineno)


def _toast(said: str, spoken: Language) -> gr.Error:
    return gr.Error(said, duration=8, print_exception=False, title=text("error.title", spoken))


def guarded(place: str = "", stopped: str = "error.stopped") -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Turn a handler's errors into one message in the visitor's language.

    `place` names a component of the handler's page (``"tab.component"``) that shows the message too; for
    generator handlers only, which can still write to the page when they fail. `stopped` is what it says of a Stop, a key
    of the strings.
    """

    def wrap(handler: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(handler)
        def plain(self: Any, *args: Any) -> Any:
            spoken = language(next(a for a in args if isinstance(a, gr.Request)))
            try:
                return handler(self, *args)
            except gr.Error:
                raise
            except Exception as error:  # noqa: BLE001 - the one place where a bug ends, logged by told
                raise _toast(told(error, spoken), spoken) from None

        @functools.wraps(handler)
        def streaming(self: Any, *args: Any) -> Iterator[Any]:
            spoken = language(next(a for a in args if isinstance(a, gr.Request)))
            try:
                yield from handler(self, *args)
            except gr.Error:
                raise
            except Stopped:
                if place:
                    yield {_component(self.page, place): phase("stopped", text(stopped, spoken))}
            except Exception as error:  # noqa: BLE001 - the one place where a bug ends, logged by told
                said = told(error, spoken)
                if place:
                    yield {_component(self.page, place): notice(said, "error")}
                raise _toast(said, spoken) from None

        return streaming if inspect.isgeneratorfunction(handler) else plain

    return wrap


def _component(page: Any, place: str) -> Any:
    return functools.reduce(getattr, place.split("."), page)
