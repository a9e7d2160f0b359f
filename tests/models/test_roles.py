import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from rag.config import ModelSettings, QuerySettings, SelectSettings, Settings
from rag.errors import Bilingual, ModelLoading, ModelUnavailable, RagError
from rag.models import hub as hub_module
from rag.models import weights as weights_module
from rag.models.roles import Models, Role, needed_roles
from rag.models.weights import Weights


class Quiet:
    """A hub that nobody is to ask."""


@pytest.fixture
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hub_module, "Hub", Quiet)


def weights(role: Role, name: str = "thing") -> Weights:
    return Weights(role, name, name, Path("/nowhere"), "folder", "", "0" * 64, 1, "")


class Fake(Models):
    """Real bookkeeping; the loading itself is replaced by `loads`."""

    loads: Callable[[Role], object] = staticmethod(lambda role: object())  # type: ignore[assignment]

    def _load(self, role: Role, weights: object) -> None:
        thing = self.loads(role)
        if role == "encoder":
            self._encoder = thing  # type: ignore[assignment]
        else:
            self._generator = thing  # type: ignore[assignment]


@pytest.fixture
def found(monkeypatch: pytest.MonkeyPatch, no_network: None) -> list[str]:
    asked: list[str] = []

    def resolve(role: Role, name: str, cache: Path, say: Callable[[Bilingual], None], hub: object) -> Weights:
        asked.append(name)
        say(Bilingual(en=f"{role} 10 %", zh=f"{role} 10 %"))
        if name.startswith("no/"):
            raise ModelUnavailable(en=f"{name}: tried the hub", zh=f"{name}：试过模型库")
        return weights(role, name)

    monkeypatch.setattr(weights_module, "resolve", resolve)
    return asked


def states(models: Models) -> list[str]:
    return [s.state for s in models.status()]


def test_before_loading_both_say_not_yet() -> None:
    models = Models(ModelSettings(encoder="a/b", generator="c/d"))
    assert [(s.role, s.state, s.name) for s in models.status()] == [
        ("encoder", "waiting", "a/b"),
        ("generator", "waiting", "c/d"),
    ]
    for ask, name in ((models.encoder, "a/b"), (models.generator, "c/d")):
        with pytest.raises(ModelLoading) as caught:
            ask()
        assert name in caught.value.message("en")
        assert name in caught.value.message("zh")
    assert models.wait("encoder", 0.01) is False


def test_both_load(found: list[str]) -> None:
    models = Fake(ModelSettings())
    models.start()
    assert models.wait("generator", 5)
    assert models.wait("encoder", 0)
    assert models.encoder() is models.encoder()
    assert states(models) == ["ready", "ready"]
    assert all("SHA-256" in s.note.en and "SHA-256" in s.note.zh for s in models.status())


@pytest.mark.parametrize("bad", ["encoder", "generator"])
def test_a_role_that_cannot_be_had_leaves_the_other(found: list[str], bad: Role) -> None:
    settings = ModelSettings(encoder="ok/e", generator="ok/g")
    settings = ModelSettings(**{"encoder": settings.encoder, "generator": settings.generator, bad: "no/such"})
    models = Fake(settings)
    models.load()
    good: Role = "generator" if bad == "encoder" else "encoder"
    by_role = {s.role: s for s in models.status()}
    assert by_role[bad].state == "failed"
    assert by_role[good].state == "ready"
    assert by_role[bad].note == Bilingual(en="no/such: tried the hub", zh="no/such：试过模型库")
    assert models.wait(bad, 5) is False  # at once, not after 5 s
    ask = {"encoder": models.encoder, "generator": models.generator}
    assert ask[good]()
    with pytest.raises(ModelUnavailable, match="tried the hub") as caught:
        ask[bad]()
    assert not isinstance(caught.value, ModelLoading)


def test_a_folder_that_breaks_the_library_is_a_failed_role_not_a_dead_thread(found: list[str]) -> None:
    models = Fake(ModelSettings(encoder="ok/e", generator="ok/g"))

    def loads(role: Role) -> object:
        if role == "encoder":
            raise KeyError("model_type")
        return object()

    models.loads = loads
    models.load()
    assert states(models) == ["failed", "ready"]
    with pytest.raises(ModelUnavailable) as caught:
        models.encoder()
    for language in ("en", "zh"):
        assert "ok/e" in caught.value.message(language)
        assert "KeyError" in caught.value.message(language)


def test_the_kept_reason_is_a_new_error_for_everyone(found: list[str]) -> None:
    models = Fake(ModelSettings(generator="no/such"))
    models.load()
    raised: list[RagError] = []
    for _ in range(2):
        with pytest.raises(ModelUnavailable) as caught:
            models.generator()
        raised.append(caught.value)
    # one object raised again and again would collect the frames, and with them the questions, of every visitor
    assert raised[0] is not raised[1]
    assert raised[0].text == raised[1].text


def test_progress_is_seen_while_it_loads(found: list[str]) -> None:
    models = Fake(ModelSettings())
    go, seen = threading.Event(), threading.Event()

    def loads(role: Role) -> object:
        if role == "encoder":
            seen.set()
            assert go.wait(5)
        return object()

    models.loads = loads
    models.start()
    assert seen.wait(5)
    assert states(models) == ["loading", "waiting"]
    with pytest.raises(ModelLoading):
        models.encoder()
    waited: list[bool] = []
    waiter = threading.Thread(target=lambda: waited.append(models.wait("encoder", 5)))
    waiter.start()
    go.set()
    waiter.join(5)
    assert waited == [True]


def test_one_role_alone(found: list[str]) -> None:
    models = Fake(ModelSettings(encoder="ok/e", generator="ok/g"))
    models.load(("encoder",))
    assert states(models) == ["ready", "waiting"]
    assert found == ["ok/e"]
    with pytest.raises(ModelLoading):
        models.generator()


@pytest.mark.model
def test_an_unknown_generator_leaves_the_real_encoder_working(rag_cache: Path) -> None:
    models = Models(ModelSettings(generator="nobody/no-such-model", cache=rag_cache))
    models.load()
    assert states(models) == ["ready", "failed"]
    assert models.encoder().encode_query(["年假"]).shape == (1, 384)
    with pytest.raises(ModelUnavailable, match="nobody/no-such-model"):
        models.generator()


@pytest.mark.parametrize(
    ("settings", "prompts", "needed"),
    [
        (Settings(), False, ("encoder",)),
        (Settings(), True, ("encoder", "generator")),
        (Settings(query=QuerySettings(second_round=True)), False, ("encoder", "generator")),
        (Settings(select=SelectSettings(rerank="likelihood")), False, ("encoder", "generator")),
        (Settings(select=SelectSettings(rerank="overlap")), False, ("encoder",)),
        (Settings(select=SelectSettings(rerank="cross")), False, ("encoder", "reranker")),
    ],
)
def test_what_an_evaluation_needs(settings: Settings, prompts: bool, needed: tuple[Role, ...]) -> None:
    assert needed_roles((settings,), prompts) == needed
    assert needed_roles((Settings(), settings), prompts) == needed  # of any variant
