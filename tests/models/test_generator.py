import functools
import json
import math
import queue
import random
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from rag.config import GenerateSettings, ModelSettings
from rag.corpus.samples import FOLDER
from rag.errors import Stopped
from rag.models.generator import Generated, Generator
from rag.models.plain import config_of
from rag.models.prefix import PrefixCache
from rag.models.roles import Models
from rag.models.turns import Turns
from rag.models.weights import Weights, resolve
from rag.types import ChatMessage

pytestmark = pytest.mark.model

QUESTIONS = (
    "资料：员工入职满一年后，每年可享受15天带薪年假。\n问题：入职满一年，每年有多少天带薪年假？",
    "What is the capital of France? One word.",
    "请原样重复：🙂🎉𠮷龘 第3条",
)


@pytest.fixture(scope="module")
def generator(models: Models) -> Generator:
    return models.generator()


@pytest.fixture(scope="module")
def weights(rag_cache: Path) -> Weights:
    return resolve("generator", ModelSettings().generator, rag_cache, lambda _: None, fetch=False)


def prompt(generator: Generator, question: str) -> tuple[int, ...]:
    return generator.chat.render([ChatMessage("system", "简短回答。"), ChatMessage("user", question)]).input_ids


def long_prompt(generator: Generator, n: int) -> tuple[int, ...]:
    ids = prompt(generator, "年假制度：" + "员工入职满一年后，每年可享受15天带薪年假，须提前申请。" * (n // 10))
    assert len(ids) > n
    return ids[:n]


def run(generator: Generator, ids: Sequence[int], n: int = 12, **settings: float) -> list[Generated]:
    options = GenerateSettings(answer_tokens=n, **settings)  # type: ignore[arg-type]
    return list(generator.stream(ids, options, threading.Event()))


def free_within(turns: Turns, seconds: float) -> float:
    """Seconds until nobody holds the turn."""
    began = time.perf_counter()
    while turns._held:
        assert time.perf_counter() - began < seconds, f"the turn is still held after {seconds} s"
        time.sleep(0.002)
    return time.perf_counter() - began


# ---- the same answer as the plain library's


def library(plain: Generator, ids: Sequence[int], n: int) -> tuple[tuple[int, ...], Sequence[torch.Tensor]]:
    """Tokens of the library's greedy ``generate``, and the logits it chose each from."""
    config = config_of(GenerateSettings(answer_tokens=n), plain._ends)
    plain._local.stop = threading.Event()
    with torch.inference_mode():
        out = plain._model.generate(
            torch.tensor([list(ids)], device=plain.device),
            generation_config=config,
            return_dict_in_generate=True,
            output_logits=True,
        )
    return tuple(out.sequences[0, len(ids) :].tolist()), [step[0].float() for step in out.logits]


def bf16_step(value: float) -> float:
    """The distance of bf16 numbers (8 bits) of the size of `value`."""
    return 2.0 ** (math.floor(math.log2(abs(value))) - 7)


def policy_prompt(generator: Generator, seed: int) -> tuple[int, ...]:
    """A stretch of a sample policy, and a question that asks for more than a word."""
    rng = random.Random(seed)
    text = rng.choice(policies())
    at = rng.randrange(max(1, len(text) - 700))
    ask = rng.choice(("请逐条列出以上规定。", "请详细说明以上内容。", "Summarise the rules above, one by one."))
    return prompt(generator, f"资料：{text[at : at + rng.randint(200, 700)]}\n{ask}")


@functools.cache
def policies() -> list[str]:
    return [path.read_text(encoding="utf-8") for path in sorted(FOLDER.glob("*.md"))]


def test_greedy_is_the_librarys_own_greedy_or_beside_it_by_two_steps(
    weights: Weights, request: pytest.FixtureRequest
) -> None:
    """In the model's own dtype, without packed weights: a draft is read in other shapes, so sums may round another way."""
    fast = Generator(weights, Turns(), eight=False)
    plain = Generator(weights, Turns(), fast=False)
    differ = tokens = 0
    prompts = [prompt(fast, question) for question in QUESTIONS]
    prompts += [policy_prompt(fast, seed) for seed in range(100 if request.config.getoption("--full") else 3)]
    for ids in prompts:
        expected, logits = library(plain, ids, 64)
        found = run(fast, ids, 64)[-1].ids
        tokens += len(expected)
        if found == expected:
            continue
        differ += 1
        at = next(i for i in range(min(len(found), len(expected))) if found[i] != expected[i])
        best, second = logits[at].topk(2).values.tolist()
        assert fast.dtype == "bfloat16", "in float32 every token has to be the same"
        assert best - second <= 2 * bf16_step(best)
        assert best - float(logits[at][found[at]]) <= 2 * bf16_step(best)
    print(f"{differ} of {len(prompts)} answers ({tokens} tokens) differ from the library's, each at a near tie")


def test_of_the_next_question_on_the_same_evidence_only_what_is_new_is_read(generator: Generator) -> None:
    prefix = PrefixCache()
    evidence = policy_prompt(generator, 1)[:200]
    for n, question in enumerate(QUESTIONS[:2]):
        ids = (*evidence, *prompt(generator, question))
        *_, found = generator.stream(ids, GenerateSettings(answer_tokens=4), threading.Event(), prefix)
        assert found.ids and prefix.tokens == len(ids)
        assert (found.reused >= 200) == (n > 0)


def test_a_folders_repetition_penalty_changes_nothing(
    generator: Generator, weights: Weights, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "penalty"
    folder.mkdir()
    for path in weights.folder.iterdir():
        if path.name != "generation_config.json":
            (folder / path.name).symlink_to(path)
    theirs = json.loads((weights.folder / "generation_config.json").read_text(encoding="utf-8"))
    theirs |= {"repetition_penalty": 1.1, "do_sample": True, "temperature": 0.7, "top_p": 0.8, "top_k": 20}
    (folder / "generation_config.json").write_text(json.dumps(theirs), encoding="utf-8")
    other = Generator(replace(weights, folder=folder), Turns())
    for language in ("en", "zh"):
        assert "repetition_penalty=1.1" in other.taken.of(language)  # type: ignore[arg-type]
        assert "<|im_end|>" in other.taken.of(language)  # type: ignore[arg-type]
    repeats = prompt(generator, "请原样抄写：年假年假年假年假年假年假年假年假年假年假。")
    first = run(generator, repeats, 16)[-1].ids
    assert run(other, repeats, 16)[-1].ids == first
    # the visitor's own penalty does count
    assert run(other, repeats, 16, repetition_penalty=1.8)[-1].ids != first


# ---- the stream


def check_stream(generator: Generator, stream: Sequence[Generated]) -> None:
    for before, after in zip(stream, stream[1:], strict=False):
        assert after.text.startswith(before.text)
        assert after.ids[: len(before.ids)] == before.ids
        assert after.seconds >= before.seconds
    assert all(g.finish == "running" for g in stream[:-1])
    final = stream[-1]
    assert final.finish != "running"
    whole = generator.chat.decode(final.ids)
    # an answer that was cut may stop within a character, whose first bytes are not shown
    assert final.text == (whole if final.finish == "end" else whole.rstrip("\ufffd"))


@pytest.mark.parametrize("question", QUESTIONS)
def test_texts_grow_and_end_as_the_decoded_ids(generator: Generator, question: str) -> None:
    stream = run(generator, prompt(generator, question), 24)
    check_stream(generator, stream)
    final = stream[-1]
    assert final.finish in ("end", "length")
    assert (final.finish == "length") == (len(final.ids) == 24 and not set(final.ids) & set(generator._ends))
    assert final.seconds_to_first is not None
    assert 0 < final.seconds_to_first <= final.seconds
    assert not any(special in final.text for special in generator.chat.special_strings)


def _pretend(generator: Generator, monkeypatch: pytest.MonkeyPatch, ids: Sequence[int]) -> None:
    def generate(input_ids: Any, streamer: Any, **options: Any) -> None:
        streamer.put(input_ids)
        for token in ids:
            streamer.put(torch.tensor([token]))
        streamer.end()

    monkeypatch.setattr(generator, "_decoder", None)
    monkeypatch.setattr(generator._model, "generate", generate)


@pytest.mark.parametrize("seed", range(30))
def test_any_ids_stream_by_whole_characters(generator: Generator, monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    rng = random.Random(seed)
    if seed % 2:  # real text, in tokens that split its characters
        text = "".join(rng.choice("聪明🙂‍↕️𠮷龘é́ 年假15天\n<|>ﷺ\u202e") for _ in range(60))
        ids = generator.chat._tokenizer(text, add_special_tokens=False)["input_ids"]
    else:  # and anything at all, invalid UTF-8 among it
        ids = [rng.choice([rng.randrange(256), rng.randrange(151643)]) for _ in range(40)]
    _pretend(generator, monkeypatch, ids)
    stream = run(generator, [1, 2, 3])
    check_stream(generator, stream)
    assert stream[-1].ids == tuple(ids)
    assert not any(g.text.endswith("\ufffd") for g in stream[:-1])
    if seed % 2:
        assert stream[-1].text == text


# ---- stop


@pytest.mark.parametrize("how", ["stop", "close"])
def test_it_ends_within_half_a_second_in_prefill(models: Models, generator: Generator, how: str) -> None:
    ids = long_prompt(generator, 1500)
    stop = threading.Event()
    stream = generator.stream(ids, GenerateSettings(), stop)
    began = time.perf_counter()
    for g in stream:
        assert g.ids == (), "the prompt was read before it could be stopped"
        if models.turns._held and time.perf_counter() - began > 0.4:
            break
    _end(models, stream, stop, how)


@pytest.mark.parametrize("how", ["stop", "close"])
def test_it_ends_within_half_a_second_in_decode(models: Models, generator: Generator, how: str) -> None:
    stop = threading.Event()
    stream = generator.stream(prompt(generator, "写一篇很长的文章。"), GenerateSettings(), stop)
    for g in stream:
        if len(g.ids) == 3:
            break
    _end(models, stream, stop, how, at_least=3)


def _end(models: Models, stream: Iterator[Generated], stop: threading.Event, how: str, at_least: int = 0) -> None:
    after: list[int] = []  # layers that were through after the stop; one may be under way and is finished
    decoder = models.generator()._decoder
    assert decoder is not None
    through = decoder._through
    decoder._through = lambda *given: (through(*given), after.append(1))[0]  # type: ignore[method-assign]
    began = time.perf_counter()
    if how == "stop":
        stop.set()
        *_, final = stream
        assert final.finish == "stopped"
        assert len(final.ids) >= at_least
        check_stream(models.generator(), [final])
    else:
        stream.close()  # type: ignore[attr-defined]
        assert stop.is_set()
    told = time.perf_counter() - began
    free = told + free_within(models.turns, 5)
    decoder._through = through  # type: ignore[method-assign]
    print(f"{how}: told after {told:.3f} s, the turn free after {free:.3f} s")
    assert told <= 0.5
    assert len(after) <= 1  # which bounds the time, whatever else the machine does
    assert run(models.generator(), prompt(models.generator(), "你好"), 2)[-1].finish in ("length", "end")


def test_a_stop_that_was_set_before_costs_nothing(models: Models, generator: Generator) -> None:
    stop = threading.Event()
    stop.set()
    began = time.perf_counter()
    (final,) = generator.stream(long_prompt(generator, 800), GenerateSettings(), stop)
    assert (final.finish, final.ids, final.text) == ("stopped", (), "")
    assert time.perf_counter() - began < 0.5
    free_within(models.turns, 5)


def test_a_heartbeat_while_somebody_else_computes(models: Models, generator: Generator) -> None:
    stop = threading.Event()
    with models.turns.turn():
        stream = generator.stream(prompt(generator, "你好"), GenerateSettings(answer_tokens=2), stop)
        began = time.perf_counter()
        for _ in range(3):
            assert next(stream).finish == "running"
        assert time.perf_counter() - began < 1.5
        began = time.perf_counter()
        stop.set()  # lands although the turn is not its own
        *_, final = stream
        assert final.finish == "stopped"
        assert time.perf_counter() - began <= 0.5
    free_within(models.turns, 1)


# ---- failure


def test_an_error_of_the_model_reaches_the_reader(models: Models, generator: Generator) -> None:
    seen: queue.SimpleQueue[BaseException | None] = queue.SimpleQueue()

    def read() -> None:
        try:
            run(generator, [10**7])  # no such token
        except BaseException as error:  # noqa: BLE001 - examined below
            seen.put(error)
        else:
            seen.put(None)

    threading.Thread(target=read, daemon=True).start()
    error = seen.get(timeout=10)
    assert isinstance(error, IndexError)
    free_within(models.turns, 5)
    assert run(generator, prompt(generator, "你好"), 2)[-1].ids


def test_sampling_follows_the_settings(generator: Generator) -> None:
    ids = prompt(generator, "随便写一句话。")
    drawn = {run(generator, ids, 5, temperature=2.0)[-1].ids for _ in range(3)}
    assert len(drawn) > 1
    config = config_of(GenerateSettings(temperature=0.5, top_p=0.9), [0])
    assert (config.do_sample, config.temperature, config.top_p, config.top_k) == (True, 0.5, 0.9, 0)
    greedy = config_of(GenerateSettings(), [0])
    assert (greedy.do_sample, greedy.num_beams, greedy.repetition_penalty) == (False, 1, 1.0)
    assert (greedy.temperature, greedy.top_p, greedy.top_k) == (None, None, None)


# --- how likely a text is


def test_the_likelihood_is_that_of_each_prompt_read_alone_in_whatever_batch(generator: Generator) -> None:
    question = generator.chat.encode("入职满一年，每年有多少天带薪年假？")
    prompts = [prompt(generator, "条文：" + "员工入职满一年后，每年可享受15天带薪年假。" * n) for n in (1, 30, 2, 0)]
    prompts.append(prompt(generator, "食堂几点开饭？"))
    found = generator.likelihoods(prompts, question, threading.Event())
    alone = []
    for ids in prompts:
        with torch.inference_mode():
            logits = read_alone(generator, [*ids, *question]).float()
        likely = torch.log_softmax(logits[len(ids) - 1 : -1], dim=-1)
        alone.append(float(likely[range(len(question)), list(question)].mean()))
    # in bf16 the sums differ in their last digits with the batch
    assert found == pytest.approx(alone, abs=0.06 if generator.dtype != "float32" else 1e-3)


def read_alone(generator: Generator, ids: list[int]) -> torch.Tensor:
    generator._local.stop = threading.Event()
    return generator._model(input_ids=torch.tensor([ids], device=generator.device)).logits[0]


def test_reading_stops_within_a_layer_and_others_get_their_turn(generator: Generator) -> None:
    question, prompts = generator.chat.encode("年假？"), [long_prompt(generator, 900)] * 3
    stop, went = threading.Event(), threading.Event()

    def shortly() -> None:
        with generator._turns.turn(short=True):
            went.set()
            stop.set()

    threading.Timer(0.05, shortly).start()
    with pytest.raises(Stopped):
        generator.likelihoods(prompts, question, stop)
    assert went.is_set()
    free_within(generator._turns, 1.0)
