"""What is left out of a text is noted: nothing goes away in silence."""

import base64
import json
import random
import re
from collections.abc import Callable

import pytest

from rag.corpus.load import load
from rag.corpus.load.builder import MOST_REMOVED, TextBuilder
from rag.errors import LoadError
from tests.corpus.load.files import checked


def _text(words: list[str]) -> bytes:
    return "\n\n".join(words).encode()


def _page(words: list[str]) -> bytes:
    shapes = ("<p>{}</p>", "<h2>{}</h2>", "<ul><li>{}</ul>", "<table><tr><td>{}<td>x</table>", "<pre>{}</pre>")
    return "".join(shapes[n % len(shapes)].format(word) for n, word in enumerate(words)).encode()


def _items(words: list[str]) -> bytes:
    return json.dumps({"doc_id": "a", "title": "t", "version": "1", "source": "s", "text": "\n".join(words)}).encode()


def _rich(words: list[str]) -> bytes:
    written = "\\par ".join("".join(f"\\u{ord(c)}?" for c in word) for word in words)
    return ("{\\rtf1\\ansi\\ansicpg936\\uc1 " + written + "}").encode()


FORMATS: dict[str, Callable[[list[str]], bytes]] = {
    "a.txt": _text,
    "a.md": lambda words: "\n\n".join(("# " if n % 3 == 1 else "") + word for n, word in enumerate(words)).encode(),
    "a.csv": lambda words: "\n".join(f"{word},x" for word in words).encode(),
    "a.tsv": lambda words: "\n".join(f"{word}\tx" for word in words).encode(),
    "a.json": _items,
    "a.jsonl": _items,
    "a.html": _page,
    "a.xml": lambda words: ("<r>" + "".join(f"<p>{word}</p>" for word in words) + "</r>").encode(),
    "a.eml": lambda words: (
        b"Subject: s\nContent-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: base64\n\n"
        + base64.b64encode(_text(words))
    ),
    "page.eml": lambda words: (
        b"Subject: s\nContent-Type: text/html; charset=utf-8\nContent-Transfer-Encoding: base64\n\n"
        + base64.b64encode(_page(words))
    ),
    "a.rtf": _rich,
}


@pytest.mark.parametrize("name", list(FORMATS))
@pytest.mark.parametrize("character", ["\u200b", "\0", "\u202e", "\xad", "\u2060"])
def test_characters_nobody_can_read_are_noted_wherever_they_stood(
    name: str, character: str, seeds: Callable[[int], range]
) -> None:
    if name == "a.xml" and character == "\0":
        with pytest.raises(LoadError):  # which no XML can hold
            load(name, FORMATS[name]([f"甲{character}乙"]))
        return
    for seed in seeds(50):
        rng = random.Random(seed)
        words = [f"员工享受年假第{n}条" for n in range(rng.randint(2, 7))]
        places = sorted(rng.sample(range(len(words)), rng.randint(1, 2)))
        for n in places:
            at = rng.randint(1, len(words[n]) - 1)
            words[n] = words[n][:at] + character + words[n][at:]
        (document,) = load(name, FORMATS[name](words))
        checked(document)
        assert character not in document.text
        noted = ", ".join(r.text for r in document.removed if r.why == "unreadable")
        number = f"U+{ord(character):04X}"
        counts = re.findall(rf"{re.escape(number)}(?: ×(\d+))?", noted)
        assert sum(int(n or 1) for n in counts) == len(places), (seed, noted)


def test_a_heading_and_a_paragraph_that_goes_on_note_them_at_their_place() -> None:
    builder = TextBuilder()
    builder.heading(1, "第一\u200b章")
    builder.add("甲")
    builder.extend("乙\0")
    parsed = builder.parsed()
    assert parsed.text == "第一章\n\n甲乙"
    assert [(r.at, r.text) for r in parsed.removed] == [(3, "U+200B"), (7, "U+0000")]


@pytest.mark.parametrize("length", [MOST_REMOVED, MOST_REMOVED + 1, 3 * MOST_REMOVED])
def test_what_is_not_kept_of_the_left_out_is_said(length: int) -> None:
    (document,) = load("a.md", f"甲\n\n<!--{'字' * (length - 7)}-->\n\n乙".encode())
    assert sum(len(r.text) for r in document.removed) == MOST_REMOVED
    if length == MOST_REMOVED:
        assert document.warnings == ()
    else:
        (warning,) = document.warnings
        assert (
            "a.md" in warning.en
            and f"{length - MOST_REMOVED:,}" in warning.en
            and f"{length - MOST_REMOVED:,}" in warning.zh
        )
