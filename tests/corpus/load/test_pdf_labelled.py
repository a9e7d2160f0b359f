"""What is left out of PDF files, against labels: lines drawn as part of the page, and lines of the text that repeat."""

import re
from collections import Counter
from collections.abc import Callable

from rag.corpus.load import load
from rag.types import Document
from tests.corpus.load.files import checked
from tests.corpus.load.labelled import Drawn, made

GOAL = 0.98


def squeezed(text: str) -> str:
    return re.sub(r"\s+", "", text)


def removed(document: Document) -> Counter[tuple[int | None, str]]:
    """What was left out, by page; the same words several times on a page, as of a watermark, count once."""
    found = Counter(
        (part.page, squeezed(re.sub(r" ×\d+$", "", part.text))) for part in document.removed if part.why != "overprint"
    )
    return found


def to_remove(lines: list[Drawn]) -> Counter[tuple[int | None, str]]:
    return Counter((line.page, squeezed(line.text)) for line in lines if line.label != "text")


def kept_headers(document: Document, lines: list[Drawn]) -> Counter[tuple[int | None, str]]:
    """Headers that stand in the text where they come first, which is what they should do once."""
    first: dict[str, tuple[int, str]] = {}
    for line in lines:
        if line.label == "header":
            first.setdefault(re.sub(r"\d+", "#", squeezed(line.text)), (line.page, squeezed(line.text)))
    gone = removed(document)
    return Counter(spot for spot in first.values() if not gone[spot])


def test_precision_and_recall_of_what_is_left_out(seeds: Callable[[int], range]) -> None:
    right = n_removed = n_expected = 0
    wrong: list[str] = []
    for seed in seeds(100):
        file = made(seed)
        (document,) = load("a.pdf", file.data)
        checked(document)
        found, expected = removed(document), to_remove(file.lines) - kept_headers(document, file.lines)
        right += (found & expected).total()
        n_removed += found.total()
        n_expected += expected.total()
        wrong += [f"{seed}: left out, though text: {spot}" for spot in found - expected]
        wrong += [f"{seed}: kept: {spot}" for spot in expected - found]
    precision, recall = right / n_removed, right / n_expected
    print(f"left out {n_removed} lines: precision {precision:.4f}, recall {recall:.4f} of {n_expected}")
    assert min(precision, recall) >= GOAL, "\n".join(wrong)


def test_every_line_of_the_text_is_there_once_and_in_order(seeds: Callable[[int], range]) -> None:
    whole = 0
    bad: list[str] = []
    for seed in seeds(100):
        file = made(seed)
        (document,) = load("a.pdf", file.data)
        text = squeezed(document.text)
        for _, header in kept_headers(document, file.lines):
            text = text.replace(header, "", 1)
        expected = squeezed("".join(line.text for line in file.lines if line.label == "text"))
        whole += text == expected
        if text != expected:
            at = next(
                (i for i, (a, b) in enumerate(zip(text, expected, strict=False)) if a != b),
                min(len(text), len(expected)),
            )
            bad.append(f"{seed}: …{text[at - 20 : at + 30]}… for …{expected[at - 20 : at + 30]}…")
    assert whole >= GOAL * len(seeds(100)), "\n".join(bad)
