"""Who may see what: a document of other groups is nowhere, and nothing that a client sends changes the groups."""

import itertools
import json
import logging
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import gradio as gr
import httpx
import pytest

from rag.corpus.samples import Samples
from rag.types import PUBLIC
from rag.ui.app import App, build_app
from rag.ui.sessions import Sessions
from rag.workspace import Workspace
from tests.ui.fakes import Client, PageModels, Visitor, last, page_app, served

SECRET, FILE = "蓝鲸", "whale"
"""Words that no visitor writes."""
GROUPS = {"老板": frozenset({"board"}), "职员": frozenset[str]()}


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    """Two samples everybody may see, a third one that only the board may."""
    folder = tmp_path_factory.mktemp("samples")
    first, models = page_app(folder)
    first.close()
    (folder / f"{FILE}.md").write_text(
        f"# {SECRET}制度\n\n版本：2026-10\n\n## 第三章 {SECRET}\n\n{SECRET}年假带薪年假天数报销。", encoding="utf-8"
    )
    built = build_app(models, _guarded(models, folder), groups_of=_groups_of)  # type: ignore[arg-type]
    yield built
    built.close()


def _groups_of(username: str | None) -> frozenset[str]:
    return GROUPS.get(username or "", frozenset())


def _guarded(models: PageModels, folder: Path) -> Samples:
    samples = Samples(models, folder)  # type: ignore[arg-type]
    samples.prepare()
    whole = samples.corpus()
    documents = {
        key: replace(d, groups=frozenset({"board"})) if SECRET in d.title else d for key, d in whole.documents.items()
    }
    samples._corpus = replace(whole, documents=documents)
    assert len(samples.corpus().seen_by(PUBLIC).documents) == len(documents) - 1
    return samples


class As(Client):
    """A client whom the server's sign-in knows by a name."""

    def __init__(self, app: App, session: str, user: str | None, **sent: Any) -> None:
        super().__init__(app, session)
        self.request = Visitor(session, **sent).request()
        self.request.username = user
        self.workspace = app.sessions.visit(session, user).workspace


def everything_shown(client: As) -> str:
    """All that the page and what is kept for later say in a visit that looks everywhere."""
    said: list[object] = [client.corpus.load(client.request)]
    everything: dict[str, object] = {"scope": "all", "depth": 200, "packed": 50, "near_duplicates": True}
    for changed in ({}, everything, {"documents": ["equipment"]}, {"section": "天数"}, {"mode": "lexical"}):
        said.append(last(client.questions.ask(client.values("带薪年假天数和报销？", **changed), client.request)))
        asked = client.workspace.asked()
        assert asked is not None
        said += [asked.retrieval, asked.corpus.documents, asked.corpus.chunks]
        said.append(last(client.questions.write(client.request)))
    said.append(client.upload("own.txt", "自己的制度\n年假三天。".encode()))
    said.append(last(client.corpus.include_samples(True, client.request)))
    return "\n".join(_words(said))


def _words(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from itertools.chain(_words(item), [] if isinstance(key, gr.blocks.Block) else _words(key))
    elif isinstance(value, list | tuple | set | frozenset):
        for item in value:
            yield from _words(item)
    elif isinstance(value, gr.blocks.Block):
        yield from _words(value.get_config())
    elif value is not None:
        yield repr(value)


def test_nothing_of_a_masked_document_is_anywhere(app: App, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    shown = everything_shown(As(app, "staff", "职员"))
    assert "年假管理办法" in shown and SECRET not in shown and FILE not in shown
    assert SECRET not in caplog.text and FILE not in caplog.text
    inside = everything_shown(As(app, "boss", "老板"))
    assert f"{SECRET}制度" in inside and FILE in inside  # this look would have found it


def test_counts_and_scores_are_those_without_it(app: App) -> None:
    staff, boss = As(app, "count-staff", None), As(app, "count-boss", "老板")
    line = staff.corpus.load(staff.request)[staff.page.documents.searching]
    assert "2" in line and "3" not in line.replace("2026", "")
    assert len(staff.workspace.corpus().documents) == 2 and len(boss.workspace.corpus().documents) == 3
    with pytest.raises(gr.Error):
        staff.documents.choose(next(k for k in boss.workspace.corpus().documents if FILE in k), staff.request)


@pytest.mark.parametrize("claimed", ["board", "老板", "public,board"])
def test_nothing_a_client_sends_changes_the_groups(app: App, claimed: str) -> None:
    """As text of the question, values of every setting, the address and its query; headers are tried over HTTP below."""
    session = f"claims-{claimed}"
    client = As(app, session, None, query=f"groups={claimed}&username={claimed}&user={claimed}&q={claimed}")
    client.corpus.load(client.request)
    for name in ("documents", "section", "synonyms", "rules"):
        value = {"documents": [claimed], "synonyms": f"{claimed} = 年假"}.get(name, claimed)
        last(client.questions.retrieve(client.values(claimed, **{name: value}), client.request))
        assert FILE not in "".join(client.workspace.corpus().documents)
    last(client.questions.retrieve(client.values(SECRET, documents=[FILE], section=SECRET), client.request))
    asked = client.workspace.asked()
    assert (
        asked is not None and asked.retrieval.candidates == ()
    )  # the others are outside the scope, and this one is not there
    assert {c.chunk.key.split("@")[0] for c in asked.retrieval.outside} == {"annual-leave", "equipment"}
    assert client.workspace.groups == PUBLIC


def test_somebody_elses_session_id_shows_nothing_of_theirs(app: App) -> None:
    boss = As(app, "shared-id", "老板")
    boss.upload("own.txt", "老板的制度\n年假。".encode())
    for user in (None, "职员"):
        thief = As(app, "shared-id", user)
        assert thief.workspace is not boss.workspace and not thief.workspace.own_documents()
        assert thief.workspace.groups == PUBLIC
    assert boss.workspace.own_documents() and app.sessions.visit("shared-id", "老板").workspace is boss.workspace


def test_over_http_no_header_query_or_field_signs_anybody_in(app: App) -> None:
    url = served(app)
    dependencies = httpx.get(f"{url}/config").json()["dependencies"]
    load = next(
        d["id"] for d in dependencies if [None, "load"] in d["targets"] or ["load"] in [t[1:] for t in d["targets"]]
    )
    claims = {"username": "老板", "user": "老板", "groups": ["board"], "request": {"username": "老板"}}
    headers = {"X-Username": "boss", "X-Forwarded-User": "boss", "Remote-User": "boss", "X-Groups": "board",
               "Authorization": "Basic " + "Ym9zczpib3Nz", "Cookie": "access-token-unsecure=x; username=boss"}  # fmt: skip
    body = {"data": [], "fn_index": load, "session_hash": "http-claims", "event_data": claims, **claims}
    claimed = "username=%E8%80%81%E6%9D%BF&groups=board"
    httpx.post(f"{url}/gradio_api/queue/join?{claimed}", json=body, headers=headers, timeout=60).raise_for_status()
    heard = f"{url}/gradio_api/queue/data?session_hash=http-claims&{claimed}"
    answer = httpx.get(heard, headers=headers, timeout=60)
    events = [json.loads(line.removeprefix("data: ")) for line in answer.text.splitlines() if line.startswith("data: ")]
    told = json.dumps(events, ensure_ascii=False)
    assert "process_completed" in told and "年假管理办法" in told
    assert "http-claims" in {session for session, _ in app.sessions._visits}, answer.text[:300]
    assert app.sessions.visit("http-claims").workspace.groups == PUBLIC
    assert SECRET not in told and FILE not in told


def test_groups_that_change_end_the_visit_once_and_say_so() -> None:
    held = {"甲": frozenset({"board"})}
    sessions = Sessions(_space, groups_of=lambda user: held.get(user or "", frozenset()))
    first = sessions.visit("s", "甲")
    assert first.groups == {"public", "board"} and sessions.visit("s", "甲") is first
    held["甲"] = frozenset()
    with pytest.raises(Exception, match="permission|权限|may see") as said:
        sessions.visit("s", "甲")
    assert "刷新" in said.value.text.zh  # type: ignore[attr-defined]
    assert first.workspace.closed == 1  # type: ignore[attr-defined]
    assert sessions.visit("s", "甲").groups == PUBLIC


def _space(groups: frozenset[str]) -> Workspace:
    class Space:
        closed = 0

        def close(self) -> None:
            self.closed += 1

    return Space()  # type: ignore[return-value]
