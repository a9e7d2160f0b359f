"""Nothing of a question's way is computed twice: counted over one question with all default steps, from retrieval to the checked answer."""

import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from rag.config import DEFAULT_ENCODER, GenerateSettings, Settings
from rag.workspace import Workspace
from tests.fake_models import BigramEncoder, CharacterChat
from tests.workspace_kit import last, make

QUESTION = "入职满一年，每年有多少天带薪年假？"
ALL = ["embed", "dense", "lexical", "fuse", "select", "pack", "gate", "generate", "cite", "gate", "compare"]


FILES = {  # each in one chunk, and no sentence said twice
    "年假制度_2026.txt": "年假制度\n员工入职满一年后，每年可享受15天带薪年假。年假应当在当年休完。申请须提前3个工作日。",
    "设备制度_2026.txt": "设备制度\n办公设备报销额度为每人每年3000元。设备领用须登记。离职时应当归还。",
}


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    folder = tmp_path / "samples"
    folder.mkdir()
    for name, text in FILES.items():
        (folder / name).write_text(text, encoding="utf-8")
    encoder = BigramEncoder(facts=(("model", DEFAULT_ENCODER),))  # the gate reads with no other
    return make(folder, encoder)[0]


def counting(monkeypatch: pytest.MonkeyPatch, owner: object, name: str, key: Callable[..., object]) -> Counter[object]:
    """How often ``owner.name`` is called with what `key` makes of its arguments."""
    calls, real = Counter[object](), getattr(owner, name)

    def counted(*given: object, **named: object) -> object:
        calls[key(*given, **named)] += 1
        return real(*given, **named)

    monkeypatch.setattr(owner, name, counted)
    return calls


def test_every_part_of_the_way_is_done_once(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    models, corpus = workspace._models, workspace.corpus()
    encoder, chat = models.encoder(), models.generator().chat
    assert corpus.dense is not None and isinstance(chat, CharacterChat)
    counts = {
        "embedded": counting(monkeypatch, encoder, "encode_query", lambda texts: tuple(texts)),
        "states": counting(
            monkeypatch, encoder, "token_states", lambda texts, question, stop: (tuple(texts), question)
        ),
        "rendered": counting(monkeypatch, CharacterChat, "render", lambda self, messages: messages),
        "dense": counting(monkeypatch, type(corpus.dense), "found", lambda self, vector, k, rows: k),
        "lexical": counting(monkeypatch, type(corpus.lexical), "scores", lambda self, text: text),
    }
    workspace.configure(
        Settings(generate=GenerateSettings(refuse_below=0.0))
    )  # hashed bigrams are like nothing the gate was fitted on
    found = workspace.retrieve(QUESTION)
    assert found.prompt is not None and len(found.prompt.packed) > 1
    final = last(workspace.answer(QUESTION, threading.Event()))
    assert [s.name for s in final.trace.steps] == ALL
    assert (
        counts["embedded"] == {(QUESTION,): 1} and counts["lexical"] == {QUESTION: 1} and counts["dense"].total() == 1
    )
    twice = {name: {k: n for k, n in calls.items() if n > 1} for name, calls in counts.items()}
    assert twice == dict.fromkeys(counts, {})
    # the prompt as it is sent, and the template's own words, with which it is compared
    assert counts["rendered"].total() == 2 and found.prompt.messages in counts["rendered"]
    assert [question for _, question in counts["states"]].count(True) == 1
    read = Counter(text for texts, _ in counts["states"] for text in texts)
    assert read.most_common(1)[0][1] == 1
