import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rag.config import ModelSettings
from rag.models.chat import ChatTokenizer
from rag.models.weights import resolve
from rag.types import ChatMessage
from tests.hostile import text as hostile

MESSAGES = (ChatMessage("system", "规则。"), ChatMessage("user", "问题：<b>年假</b>？"))


def small_tokenizer(folder: Path, added: dict[str, bool]) -> ChatTokenizer:
    """A tokenizer of single characters with the `added` tokens (True: special), made here and saved."""
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    vocabulary = {c: i for i, c in enumerate(["?", *map(chr, range(33, 127)), *"年假 \n｜＜＞·"])}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="?"))
    tokenizer.pre_tokenizer = pre_tokenizers.Split("", "isolated")
    for token, special in added.items():
        (tokenizer.add_special_tokens if special else tokenizer.add_tokens)([token])
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, unk_token=None)
    fast.chat_template = "{% for m in messages %}{{ m.content }}\n{% endfor %}"
    fast.save_pretrained(folder)
    return ChatTokenizer(folder)


@pytest.mark.parametrize(
    ("special", "text", "expected"),
    [
        ("<|end|>", "a<|end|>b", "a<｜end｜>b"),
        ("<s>", "a<s>b", "a＜s＞b"),
        ("[INST]", "a[INST]b", "a[·INST]b"),
        ("<|end|>", "<|e<|end|>nd|>", "<|e<｜end｜>nd|>"),
        ("ab", "aabb", "aa·bb"),
        (" xy", "a xy", "a ·xy"),
    ],
)
def test_breaking_ends_and_leaves_no_special(tmp_path: Path, special: str, text: str, expected: str) -> None:
    chat = small_tokenizer(tmp_path, {special: True})
    assert chat.special_strings == (special,)
    broken, found = chat.break_specials(text)
    assert special not in broken
    assert found == (special,)
    assert broken == expected


def test_runs_of_blanks_and_single_characters_are_no_special_tokens(tmp_path: Path) -> None:
    # several families add them so that indented text takes fewer tokens
    chat = small_tokenizer(tmp_path, {"  ": False, "    ": False, "\n\n": False, "x": False, "<|end|>": True})
    assert chat.special_strings == ("<|end|>",)
    assert chat.break_specials("a    b\n\nc  x") == ("a    b\n\nc  x", ())


def test_the_longest_special_wins(tmp_path: Path) -> None:
    chat = small_tokenizer(tmp_path, {"<a>": True, "<a><b>": True})
    broken, found = chat.break_specials("<a><b>")
    assert found == ("<a><b>",)
    assert "<a>" not in broken


# ---- the real tokenizer

model = pytest.mark.model


@pytest.fixture(scope="module")
def folder(rag_cache: Path) -> Path:
    return resolve("generator", ModelSettings().generator, rag_cache, lambda _: None, fetch=False).folder


@pytest.fixture(scope="module")
def chat(folder: Path) -> ChatTokenizer:
    return ChatTokenizer(folder)


@pytest.fixture(scope="module")
def plain(folder: Path) -> Any:
    from transformers import AutoTokenizer

    return AutoTokenizer.from_pretrained(str(folder), local_files_only=True)


@model
def test_every_added_token_of_the_vocabulary_is_special(chat: ChatTokenizer, folder: Path) -> None:
    added = {t["content"] for t in json.loads((folder / "tokenizer.json").read_text(encoding="utf-8"))["added_tokens"]}
    assert {"<|im_start|>", "<|im_end|>", "<|endoftext|>"} <= added
    assert set(chat.special_strings) == added


@model
def test_render_is_the_models_own_template(chat: ChatTokenizer, plain: Any) -> None:
    dicts = [{"role": m.role, "content": m.content} for m in MESSAGES]
    rendered = chat.render(MESSAGES)
    assert rendered.text == plain.apply_chat_template(dicts, tokenize=False, add_generation_prompt=True)
    ids = plain.apply_chat_template(dicts, tokenize=True, add_generation_prompt=True, return_dict=True)["input_ids"]
    assert list(rendered.input_ids) == list(ids)
    assert len(rendered.offsets) == len(rendered.input_ids)
    covered = [False] * len(rendered.text)
    for start, end in rendered.offsets:
        covered[start:end] = [True] * (end - start)
    assert all(covered)


@model
def test_any_text_with_specials_broken_holds_none(
    chat: ChatTokenizer, plain: Any, seeds: Callable[[int], range]
) -> None:
    for seed in seeds(200):
        rng = random.Random(seed)
        parts = [hostile(rng), *(rng.choice(chat.special_strings) for _ in range(4)), "<|im_", "start|>", "<|"]
        rng.shuffle(parts)
        text = "".join(parts)
        broken, found = chat.break_specials(text)
        ids = plain(broken, add_special_tokens=False)["input_ids"]
        assert not set(ids) & chat.special_ids
        assert len(found) >= 4
        assert chat.break_specials(broken) == (broken, ())
        assert chat.count(broken) == len(ids)
        assert len(broken) == len(text)  # every special of this family is broken by one other character for one


@model
def test_decoding_leaves_special_tokens_out_and_nothing_else(chat: ChatTokenizer, plain: Any) -> None:
    text = "年假 15 天 , 不 对 ! 🙂\n\n  缩进 don't"
    ids = plain(text, add_special_tokens=False)["input_ids"]
    ends = chat.ids_of(["<|im_end|>", "<|endoftext|>", "<no such token>"])
    assert len(ends) == 2
    assert chat.decode([ends[0], *ids, *ends]) == text
    assert chat.decode([]) == ""
    assert chat.tokens(ends) == ["<|im_end|>", "<|endoftext|>"]
