"""Everything the page shows of a text is escaped, and is exactly the text."""

import random
import re
from collections.abc import Callable

from rag.types import (
    Answer,
    Citation,
    Prompt,
    Sentence,
    Trace,
)
from rag.ui import panels, render
from tests.hostile import text as hostile_text
from tests.ui.markup import PAYLOADS, document, harmless, pieces, untagged


def layers(rng: random.Random, n: int) -> list[render.Layer]:
    made = []
    for css in rng.choices(("odd", "even", "overlap", "hit", "word"), k=rng.randrange(8)):
        a, b = sorted((rng.randint(-3, n + 3), rng.randint(-3, n + 3)))
        made.append(render.Layer(a, b, css))
    return made


def test_shade_keeps_the_text_and_marks_exactly_the_layers(seeds: Callable[[int], range]) -> None:
    for seed in seeds(400):
        rng = random.Random(seed)
        source = hostile_text(rng) + rng.choice(PAYLOADS)
        a, b = sorted((rng.randint(0, len(source)), rng.randint(0, len(source))))
        over = layers(rng, len(source))
        ticks = [render.Tick(rng.randint(0, len(source)), rng.choice(PAYLOADS)) for _ in range(3)]
        markup = render.shade(source, a, b, over, ticks)
        # attributes are escaped, so no ">" is inside a tag and the tags can be cut out by a pattern
        assert untagged(markup) == source[a:b]
        # character by character: marked when and only when a layer is over it
        inside = [bool(m) for m, t in pieces(markup) for _ in t]
        expected = [any(x.start <= i < x.end for x in over) for i in range(a, b)]
        assert inside == expected
        harmless(markup)


def test_layers_over_each_other_give_both_classes() -> None:
    markup = render.shade("abcdef", 0, 6, [render.Layer(0, 4, "odd"), render.Layer(2, 6, "even")])
    assert pieces(markup) == [("odd", "ab"), ("even odd", "cd"), ("even", "ef")]


def test_window_holds_the_range_and_never_leaves_the_text(seeds: Callable[[int], range]) -> None:
    for seed in seeds(1000):
        rng = random.Random(seed)
        n = rng.randint(0, 500)
        a, b = sorted((rng.randint(0, n), rng.randint(0, n)))
        low, high = render.window(n, a, b, size=rng.randint(1, 200))
        assert 0 <= low <= a <= b <= high <= n


def test_panels_escape_what_comes_from_files_and_questions() -> None:
    for payload in PAYLOADS:
        harmless(panels.notice(payload))
        harmless(panels.table([payload], [[render.escape(payload)]]))
        shown = document(payload, title=payload, version=payload)
        harmless(panels.document_table([shown], [], [], {}, {}, "zh"))
        broken = Prompt((), "", (), (), (), (f"{payload}:0-1",), 10, broken=(payload,))
        harmless(panels.prompt_parts(broken, {}, "en"))
        harmless(panels.steps(Trace((), ((payload, payload),), payload), "zh"))
        harmless(panels.phase(payload, payload))


def answer(text: str, citations: tuple[Citation, ...], sentences: tuple[Sentence, ...] = ()) -> Answer:
    prompt = Prompt((), "", (), (), (), (), 10)
    return Answer(text, citations, sentences, prompt, Trace((), (), ""), True, "end", 1, 0.1, 0.2)


def test_answer_pieces_join_to_the_answer(seeds: Callable[[int], range]) -> None:
    for seed in seeds(400):
        rng = random.Random(seed)
        written = hostile_text(rng)
        citations = []
        for m in re.finditer(r"\[S(\d)\]", written):
            valid = rng.random() < 0.5
            citations.append(Citation(f"S{m[1]}", *m.span(), "d@v:0-1" if valid else None, (0, 1), 0.5, "model"))
        cuts = sorted(rng.sample(range(len(written) + 1), min(4, len(written) + 1)))
        for at in cuts:
            citations.append(Citation("S1", at, at, "d@v:0-1", (0, 1), 0.5, "system"))
        sentences = tuple(
            Sentence(a, b, rng.choice(("cited", "other", "none", "no_claim", "refusal")))
            for a, b in zip(cuts, cuts[1:], strict=False)
        )
        made = render.answer_segments(answer(written, tuple(citations), sentences), "zh")
        assert "".join(p["t"] for p in made if p["k"] not in ("system", "closest", "mark")) == written
        assert sum(p["k"] in ("system", "closest") for p in made) == len(cuts)
        marked = [s for s in sentences if s.support in ("cited", "other", "none")]
        assert [p["at"] for p in made if p["k"] == "mark"] == [str(s.start) for s in marked]


def test_an_invalid_marker_is_never_a_button() -> None:
    written = "十五天。[S9][S1]"
    made = render.answer_segments(
        answer(
            written,
            (
                Citation("S9", 4, 8, None, None, 0.0, "model"),
                Citation("S1", 8, 12, "d@v:0-1", (0, 1), 0.9, "model"),
            ),
        ),
        "zh",
    )
    assert [(p["k"], p["t"]) for p in made] == [("text", "十五天。"), ("invalid", "[S9]"), ("model", "[S1]")]
    assert "m" not in made[1] and made[1]["why"]
