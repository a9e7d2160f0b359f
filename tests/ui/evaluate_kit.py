"""A visitor of the Evaluate tab, who checks of every update that its event may write it."""

import base64
import json
from collections.abc import Iterator
from typing import Any

import gradio as gr

from rag.ui.app import App
from rag.ui.evaluate_handlers import EvaluateHandlers
from rag.ui.set_handlers import SetHandlers
from tests.ui.fakes import QUESTION, Client

GOOD = {"id": "leave", "question": QUESTION, "category": "plain", "points": ["15天"],
        "relevant": [{"document": "annual-leave.md", "quote": "每年可享受15天带薪年假"}]}  # fmt: skip
PAID = {"id": "paid", "question": "办公设备每年最多报销多少元？", "category": "plain", "points": ["3000"],
        "relevant": [{"document": "equipment.md", "quote": "每年最多报销3000元"}]}  # fmt: skip
ABSENT = {"id": "absent", "question": "年假可以跨年吗？", "category": "odd", "points": ["不可以"],
          "relevant": [{"document": "annual-leave.md", "quote": "年假不得跨年累计"}]}  # fmt: skip
REFUSED = {"id": "pets", "question": "公司有宠物津贴吗？", "category": "odd", "refuse": True}
ROWS = (GOOD, PAID, ABSENT, REFUSED)
"""Two questions whose evidence is in the sample documents, one whose is not, and one that is to be refused."""


def jsonl(*rows: dict[str, Any]) -> bytes:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


class Evaluator(Client):
    """One visitor who calls the handlers of the Evaluate tab directly."""

    def __init__(self, app: App, name: str = "one", accept: str = "zh-CN") -> None:
        super().__init__(app, name, accept)
        owners = {type(getattr(f.fn, "__self__", None)): getattr(f.fn, "__self__", None) for f in app.demo.fns.values()}
        self.runs: EvaluateHandlers = owners[EvaluateHandlers]
        self.sets: SetHandlers = owners[SetHandlers]
        self.tab = self.page.evaluate
        self.visit = app.sessions.visit(name)

    def written(self, name: str) -> set[Any]:
        """The components that the event whose handler is called `name` may write."""
        found = [f for f in self.app.demo.fns.values() if getattr(f.fn, "__name__", "") == name]
        assert found, name
        return set().union(
            *(set(f.outputs) for f in found if isinstance(f.fn.__self__, EvaluateHandlers | SetHandlers))
        )

    def checked(self, name: str, updates: dict[Any, Any]) -> dict[Any, Any]:
        """`updates`, after a look that Gradio would take all of them."""
        assert set(updates) <= self.written(name), name
        return updates

    def streamed(self, name: str, updates: Iterator[dict[Any, Any]]) -> dict[Any, Any]:
        """The last of the updates, after a look at all."""
        shown: dict[Any, Any] = {}
        for shown in updates:
            self.checked(name, shown)
        return shown

    def plan(self, **changed: Any) -> dict[Any, Any]:
        """What the page sends to run: the settings and the tab's own fields."""
        fields = {
            "what": "retrieval", "categories": [], "most": 1000, "k": 10,
            "first": "", "first_values": "", "second": "", "second_values": "",
        }  # fmt: skip
        settings = {k: v for k, v in changed.items() if k not in fields}
        fields |= {k: v for k, v in changed.items() if k in fields}
        return self.values(**settings) | {getattr(self.tab, name): value for name, value in fields.items()}

    def run(self, **changed: Any) -> dict[Any, Any]:
        """Press Run and wait; the last update."""
        return self.streamed("run", self.runs.run(self.plan(**changed), self.request))

    def bring(self, data: bytes, name: str = "set.jsonl") -> dict[Any, Any]:
        """Upload a question set."""
        place = self.app.uploads.path / f"{id(data) + len(data):064x}"
        place.mkdir()
        (place / "f").write_bytes(data)
        sent = {"path": str(place / "f"), "orig_name": name}
        return self.checked("upload", self.sets.upload(sent, self.request))

    def saved(self, updates: dict[Any, Any]) -> bytes:
        """The bytes of a download."""
        return base64.b64decode(updates[self.tab.download]["base64"])

    def row(self, number: int) -> gr.SelectData:
        """A click on a row of the table of questions."""
        event = gr.SelectData(None, {"index": [0, 0], "value": None})
        event.row_value = [number]
        return event
