"""The own way of generating beside the library's, on small random models in float32: the same tokens, whatever is asked."""

import random
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import torch
from transformers import AutoModelForCausalLM

from rag.config import GenerateSettings
from rag.models import decode
from rag.models.generator import SHARED, Generated, Generator, best_dtype
from rag.models.layers import product_dtype
from rag.models.lookup import Lookup
from rag.models.packed import Eight, Head
from rag.models.prefix import PrefixCache
from rag.models.turns import Turns
from tests import hostile
from tests.models import tiny

Seeds = Callable[[int], range]


@dataclass(frozen=True)
class Pair:
    fast: Generator
    plain: Generator


def pair(folder: Path, kind: str, draft: int = 3, **options: object) -> Pair:
    weights = tiny.weights(folder, kind, wide=0.1, **options)  # type: ignore[arg-type]
    return Pair(
        Generator(weights, Turns(), eight=False, dtype=torch.float32, draft=draft),
        Generator(weights, Turns(), fast=False, dtype=torch.float32),
    )


@pytest.fixture(scope="module", params=["qwen2", "llama", "tied"])
def both(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Pair:
    kind = request.param
    folder = tmp_path_factory.mktemp("tiny") / kind
    return pair(folder, "qwen2", draft=7, tied=True, seed=3) if kind == "tied" else pair(folder, kind)


@pytest.fixture(scope="module")
def qwen(tmp_path_factory: pytest.TempPathFactory) -> Pair:
    return pair(tmp_path_factory.mktemp("tiny") / "qwen2", "qwen2")


def run(
    generator: Generator, ids: tuple[int, ...], prefix: PrefixCache | None = None, n: int = 48, **settings: float
) -> Generated:
    options = GenerateSettings(answer_tokens=n, **settings)  # type: ignore[arg-type]
    *_, last = generator.stream(ids, options, threading.Event(), prefix)
    return last


def alike(a: Generated, b: Generated) -> None:
    assert (a.ids, a.text, a.finish) == (b.ids, b.text, b.finish)


def prompt(generator: Generator, rng: random.Random) -> tuple[int, ...]:
    """Hostile text, or tokens at random, special ones among them; often with a part said again."""
    if rng.random() < 0.5:
        text = "".join(hostile.text(rng) for _ in range(rng.randint(1, 3)))
        ids = list(generator.chat.encode(text))[: rng.randint(1, 700)] or [1]
    else:
        ids = [rng.randrange(272) for _ in range(rng.choice([1, 2, 3, 30, 200, 513]))]
    if rng.random() < 0.5:
        at = rng.randrange(len(ids))
        ids += ids[at : at + 40]
    return tuple(ids)


@pytest.mark.parametrize(
    ("there", "bf16", "expected"),
    [
        (True, True, ("cuda", torch.bfloat16)),
        (True, False, ("cuda", torch.float16)),
        (False, False, ("cpu", product_dtype())),
    ],
)
def test_the_device_is_cuda_where_there_is_one(
    there: bool, bf16: bool, expected: tuple[str, torch.dtype], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What runs there is tested by all of this file, on a machine that has one: a generator is on the device that it finds."""
    monkeypatch.setattr(torch.cuda, "is_available", lambda: there)
    monkeypatch.setattr(torch.cuda, "is_bf16_supported", lambda including_emulation: bf16 and not including_emulation)
    assert best_dtype() == expected


# --- the same tokens


def test_greedy_tokens_are_the_librarys(both: Pair, seeds: Seeds) -> None:
    drafted = accepted = 0
    for seed in seeds(120):
        ids = prompt(both.fast, random.Random(seed))
        expected = run(both.plain, ids)
        found = run(both.fast, ids)
        alike(found, expected)
        assert found.accepted <= found.drafted
        assert found.passes + found.accepted + 1 >= len(found.ids) > found.passes
        drafted, accepted = drafted + found.drafted, accepted + found.accepted
    assert drafted > accepted > 0  # guesses were made, some right and some wrong


def guess(
    monkeypatch: pytest.MonkeyPatch, rng: random.Random, prompt: int, answer: tuple[int, ...], wrong: float
) -> None:
    """From now on drafts come from somebody who knows the answer behind `prompt` tokens, and is wrong now and then."""

    class Prophet(Lookup):
        def draft(self, most: int) -> list[int]:
            at = len(self.ids) - prompt
            ahead = answer[at : at + rng.randint(0, max(most, 0))]
            return [rng.randrange(272) if rng.random() < wrong else token for token in ahead]

    monkeypatch.setattr(decode, "Lookup", Prophet)


def test_whatever_is_guessed_the_tokens_are_the_same(both: Pair, seeds: Seeds, monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in seeds(60):
        rng = random.Random(seed)
        ids = prompt(both.fast, rng)
        wrong = rng.choice([0.0, 0.2, 0.5, 1.0])
        n = rng.choice([1, 2, 3, 8, 9, 10, 48])
        expected = run(both.plain, ids, n=n)
        guess(monkeypatch, rng, len(ids), run(both.plain, ids).ids, wrong)  # it guesses beyond the end, too
        found = run(both.fast, ids, n=n)
        alike(found, expected)
        if wrong == 0:
            assert found.accepted == found.drafted


@pytest.mark.parametrize("penalty", [0.8, 1.3, 2.0])
def test_a_repetition_penalty_is_applied_within_drafts_too(both: Pair, seeds: Seeds, penalty: float) -> None:
    for seed in seeds(30):
        ids = prompt(both.fast, random.Random(seed))
        alike(run(both.fast, ids, repetition_penalty=penalty), run(both.plain, ids, repetition_penalty=penalty))


@pytest.mark.parametrize(
    "settings", [{"temperature": 0.7}, {"temperature": 1.5, "top_p": 0.8, "repetition_penalty": 1.2}]
)
def test_the_same_dice_draw_the_same_tokens(both: Pair, seeds: Seeds, settings: dict[str, float]) -> None:
    for seed in seeds(20):
        ids = prompt(both.fast, random.Random(seed))
        torch.manual_seed(seed)
        expected = run(both.plain, ids, **settings)
        torch.manual_seed(seed)
        found = run(both.fast, ids, **settings)
        alike(found, expected)
        assert found.drafted == 0


# --- where an answer ends


def test_an_end_token_ends_it_also_within_a_draft(qwen: Pair, seeds: Seeds, monkeypatch: pytest.MonkeyPatch) -> None:
    within = 0
    for seed in seeds(60):
        rng = random.Random(seed)
        ids = prompt(qwen.fast, rng)
        said = run(qwen.plain, ids).ids
        ends = [said[rng.randrange(len(said))]]
        for generator in (qwen.fast, qwen.plain):
            monkeypatch.setattr(generator, "_ends", ends)
        guess(monkeypatch, rng, len(ids), said, rng.choice([0.0, 0.3]))
        expected, found = run(qwen.plain, ids), run(qwen.fast, ids)
        alike(found, expected)
        assert found.finish == "end"
        monkeypatch.undo()
        # the last token was a guess that was right: no pass of its own
        within += found.passes + found.accepted == len(found.ids) and found.accepted > 0
    assert within > 0


def test_never_more_than_asked_for_whatever_was_guessed(qwen: Pair, seeds: Seeds) -> None:
    for seed in seeds(30):
        ids = prompt(qwen.fast, random.Random(seed))
        for n in (1, 2, 3, 4, 5, 7, 11):
            expected, found = run(qwen.plain, ids, n=n), run(qwen.fast, ids, n=n)
            alike(found, expected)
            assert len(found.ids) <= n


def test_up_to_the_last_place_of_the_context(qwen: Pair) -> None:
    settings = GenerateSettings(answer_tokens=40, context_limit=600)
    ids = tuple(random.Random(1).randrange(256) for _ in range(settings.budget // 4)) * 4
    prefix = PrefixCache()
    expected, found = run(qwen.plain, ids, n=40), run(qwen.fast, ids, prefix, n=40)
    alike(found, expected)
    assert prefix.tokens == len(ids) == settings.budget


# --- what was read before is not read again


def visit(generator: Generator, rng: random.Random) -> Iterator[tuple[int, ...]]:
    """Prompts as they come: the same rules, evidence that stays, grows, changes or is gone, another question, the same prompt."""
    rules = prompt(generator, rng)[:150]
    evidence = [prompt(generator, rng)[:200] for _ in range(3)]
    for _ in range(6):
        packed = [part for i in rng.sample(range(3), rng.randint(0, 3)) for part in evidence[i]]
        ids = (*rules, *packed, *prompt(generator, rng)[:60])
        yield ids
        if rng.random() < 0.3:
            yield ids
        if rng.random() < 0.3:
            yield ids[: rng.randint(1, len(ids))]


def test_what_is_reused_changes_no_token(both: Pair, seeds: Seeds) -> None:
    reused = 0
    for seed in seeds(30):
        rng = random.Random(seed)
        prefix = PrefixCache(most=rng.choice([50, 300, 4096]))
        before: tuple[int, ...] = ()
        for ids in visit(both.fast, rng):
            found = run(both.fast, ids, prefix, n=20)
            alike(found, run(both.plain, ids, n=20))
            same = 0
            while same < min(len(before), len(ids)) and before[same] == ids[same]:
                same += 1
            assert found.reused == min(same, len(ids) - 1)
            before = ids[: prefix._most]
            assert prefix.tokens == len(before)
            reused += found.reused
    assert reused > 0


def test_what_is_shared_serves_everybody_and_changes_no_token(qwen: Pair, seeds: Seeds) -> None:
    for seed in seeds(20):
        rng = random.Random(seed)
        rules = [(*(seed, i, 3), *prompt(qwen.fast, rng)[:100]) for i in range(2)]
        for text in (*rules, rules[0]):
            qwen.fast.share(text, threading.Event())
        assert [tuple(kept.ids) for kept in qwen.fast._shared[-2:]] == rules
        assert len(qwen.fast._shared) <= SHARED
        prefix = rng.choice([None, PrefixCache()])
        for text in rules:
            asked = tuple(rng.randrange(256) for _ in range(rng.randint(1, 60)))
            for ids in ((*text, *asked), text[: rng.randint(1, len(text))], (*text, *asked, 5)):
                found = run(qwen.fast, ids, prefix, n=10)
                alike(found, run(qwen.plain, ids, n=10))
                assert found.reused >= min(len(text), len(ids) - 1)
        assert [tuple(kept.ids) for kept in qwen.fast._shared[-2:]] == rules


@pytest.mark.parametrize("piece", [1, 3, 64])
def test_a_prompt_read_in_pieces_is_the_same_prompt(
    qwen: Pair, seeds: Seeds, monkeypatch: pytest.MonkeyPatch, piece: int
) -> None:
    monkeypatch.setattr(decode, "PIECE", piece)
    for seed in seeds(20):
        ids = prompt(qwen.fast, random.Random(seed))[:200]
        alike(run(qwen.fast, ids, n=12), run(qwen.plain, ids, n=12))


def test_stopped_before_any_layer_it_leaves_a_cache_that_can_be_used(
    qwen: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(decode, "PIECE", 20)
    rng = random.Random(5)
    ids = prompt(qwen.fast, rng)[:70] * 2
    other = (*ids[:90], *prompt(qwen.fast, rng)[:30])
    expected = run(qwen.plain, ids, n=12)
    expected_other = run(qwen.plain, other, n=12)
    between = qwen.fast._between_layers
    layers = [0]
    monkeypatch.setattr(qwen.fast._decoder, "_between", lambda: (layers.__setitem__(0, layers[0] + 1), between())[1])
    run(qwen.fast, ids, n=12)
    all_layers = layers[0]
    assert all_layers > 3 * 7  # the pieces of the prompt, and tokens behind it
    for at in range(1, all_layers + 1):
        stop, prefix = threading.Event(), PrefixCache()
        run(qwen.fast, other, prefix, n=2)
        layers[0] = 0

        def step(at: int = at, stop: threading.Event = stop) -> None:
            layers[0] += 1
            if layers[0] == at:
                stop.set()
            between()

        monkeypatch.setattr(qwen.fast._decoder, "_between", step)
        *_, last = qwen.fast.stream(ids, GenerateSettings(answer_tokens=12), stop, prefix)
        assert (last.finish == "stopped") == (layers[0] == at)
        assert expected.ids[: len(last.ids)] == last.ids
        _free(qwen.fast)
        monkeypatch.setattr(qwen.fast._decoder, "_between", between)
        assert prefix.tokens >= 70
        alike(run(qwen.fast, other, prefix, n=12), expected_other)
        alike(run(qwen.fast, ids, prefix, n=12), expected)


def test_a_page_that_is_closed_ends_it_within_a_layer(qwen: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    ids = prompt(qwen.fast, random.Random(5))[:70] * 3
    begun, decoder, through = [0], qwen.fast._decoder, qwen.fast._decoder._through  # type: ignore[union-attr]

    def slowly(*given: object) -> object:
        begun[0] += 1
        time.sleep(0.003)  # so that the reader comes in the middle of the work
        return through(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(decoder, "_through", slowly)

    class Marking(threading.Event):
        at = 0

        def set(self) -> None:
            self.at = self.at or begun[0]  # the first time counts
            super().set()

    for tokens in range(8):
        stop = Marking()
        stream = qwen.fast.stream(ids, GenerateSettings(answer_tokens=40), stop)
        if tokens:
            next(g for g in stream if len(g.ids) >= tokens)
        else:  # while the prompt is read: an iterator that was never asked has not begun
            monkeypatch.setattr("rag.models.generator.HEARTBEAT_S", 0.001)
            next(stream)
        stream.close()  # type: ignore[attr-defined]
        _free(qwen.fast)
        assert stop.is_set() and begun[0] - stop.at <= 1  # the one that was under way, or about to be
        monkeypatch.undo()
        monkeypatch.setattr(decoder, "_through", slowly)


def _free(generator: Generator) -> None:
    """Until the worker is through."""
    with generator._turns.turn():
        pass


def test_two_at_once_share_a_cache_and_get_their_own_answers(qwen: Pair) -> None:
    rng = random.Random(9)
    prompts = [prompt(qwen.fast, rng) for _ in range(4)]
    expected = [run(qwen.plain, ids, n=20) for ids in prompts]
    prefix, found = PrefixCache(), dict[int, list[Generated]]()

    def ask(i: int) -> None:
        found[i] = [run(qwen.fast, prompts[i], prefix, n=20) for _ in range(5)]

    threads = [threading.Thread(target=ask, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    for i in range(4):
        assert len(found[i]) == 5
        for answer in found[i]:
            alike(answer, expected[i])


# --- other models


def test_a_model_of_another_kind_is_left_to_the_library_and_says_so(tmp_path: Path) -> None:
    found = pair(tmp_path / "qwen3", "qwen3")
    ids = tuple(range(30))
    alike(run(found.fast, ids), run(found.plain, ids))
    assert "model_type=qwen3" in found.fast.taken.en and "model_type=qwen3" in found.fast.taken.zh
    assert found.fast._decoder is None


def test_the_way_is_said(qwen: Pair) -> None:
    assert "float32" in qwen.fast.taken.en and "float32" in qwen.fast.taken.zh
    assert "plain transformers" in qwen.plain.taken.en and "transformers" in qwen.plain.taken.zh


def test_how_likely_a_text_is_does_not_depend_on_the_way(both: Pair) -> None:
    rng = random.Random(2)
    prompts = [prompt(both.fast, rng)[:100] for _ in range(5)]
    asked = tuple(range(40, 60))
    assert both.fast.likelihoods(prompts, asked, threading.Event()) == pytest.approx(
        both.plain.likelihoods(prompts, asked, threading.Event()), abs=1e-4
    )


# --- packed weights


@pytest.mark.parametrize("tied", [True, False])
def test_tokens_with_packed_weights_are_those_of_a_model_that_has_such_weights(
    tmp_path: Path, seeds: Seeds, tied: bool
) -> None:
    """A plain model whose weights are what the packed ones stand for reads the answer; the prompt is read with the weights as they are."""
    weights = tiny.weights(tmp_path / "packed", "qwen2", tied=tied, wide=0.1)
    fast = Generator(weights, Turns(), eight=True, dtype=torch.float32)
    reference, packed_model = (AutoModelForCausalLM.from_pretrained(weights.folder) for _ in range(2))
    with torch.no_grad():
        for module in packed_model.modules():
            if isinstance(module, torch.nn.Linear):
                module.weight = torch.nn.Parameter(stood_for(module.weight.detach()))
    for seed in seeds(20):
        ids = prompt(fast, random.Random(seed))[:300]
        found = run(fast, ids, n=20).ids
        with torch.inference_mode():
            read = reference.get_decoder()(torch.tensor([ids]), use_cache=True)
            logits = packed_model.lm_head(read.last_hidden_state[:, -1:])
            for at, token in enumerate(found):
                best = logits[0, -1].topk(2)
                near = float(best.values[0] - best.values[1]) < 1e-3
                assert token == int(best.indices[0]) or near, (seed, at)
                out = packed_model(torch.tensor([[token]]), cache=read.cache, use_cache=True)
                logits = out.logits


def stood_for(weight: torch.Tensor) -> torch.Tensor:
    return Eight(weight)(torch.eye(weight.shape[1])).T.contiguous()


def test_the_head_of_a_packed_model_is_held_once_unless_it_is_the_embedding_too(tmp_path: Path) -> None:
    for tied in (True, False):
        weights = tiny.weights(tmp_path / f"head{tied}", "qwen2", tied=tied)
        fast = Generator(weights, Turns(), eight=True, dtype=torch.float32)
        plain = Generator(weights, Turns(), fast=False, dtype=torch.float32)
        assert isinstance(fast._model.lm_head, Head) != tied
        prompts, asked = [tuple(range(20)), tuple(range(7))], (5, 6, 7)
        assert fast.likelihoods(prompts, asked, threading.Event()) == pytest.approx(
            plain.likelihoods(prompts, asked, threading.Event()), abs=0.1
        )
