"""What is asked when speed is measured: sample questions that want an explanation, a list or a comparison, with their packed evidence.

    python tests/bench/prompts.py --log FILE.jsonl [--seconds 150]     choose them once more; repeat until it says that it is done

Whoever is asked for more than a word writes more than a word: `long_answers.txt` holds, one a line, the first `MOST` questions of a
shuffled list (sample questions that the documents answer, each with one of `TAILS`, then all with the next) to which the plain float32 model's greedy answer has
at least `LEAST` tokens by itself. Nothing else was looked at. `--log` keeps what was tried, so that it can be done in pieces.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from rag import pipeline  # noqa: E402
from rag.config import GenerateSettings, Settings, from_environment  # noqa: E402
from rag.corpus.index import Corpus  # noqa: E402
from rag.corpus.samples import Samples  # noqa: E402
from rag.evaluate.question_files import sample_set  # noqa: E402
from rag.models.roles import Models  # noqa: E402
from rag.types import Role  # noqa: E402

if TYPE_CHECKING:  # torch comes with these
    from rag.models.chat import ChatTokenizer
    from rag.models.encoder import Encoder

CHOSEN: Final = Path(__file__).with_name("long_answers.txt")
MOST: Final = 40
LEAST: Final = 40
TAILS: Final = ("请详细解释相关规定。", "请逐条列出相关规定。", "请比较不同情况下的规定。")
ENGLISH_TAILS: Final = (
    " Explain the rules in detail.",
    " List all rules on this.",
    " Compare the rules for different cases.",
)
ANOTHER: Final = "以上规定由哪个部门负责？有哪些例外？"


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, its prompt, and the prompt of one that asks something else of the same evidence."""

    question: str
    ids: tuple[int, ...]
    again: tuple[int, ...]


def chosen() -> tuple[str, ...]:
    """The questions that are measured with, whole, in the order they were chosen."""
    return tuple(CHOSEN.read_text(encoding="utf-8").splitlines())


def possible() -> tuple[str, ...]:
    """Every question that could be chosen, in the order they are tried."""
    fit = [q.question for q in sample_set().questions if not (q.refuse or q.history or q.groups or q.as_of)]
    random.Random(0).shuffle(fit)
    turns = [(q, i + turn) for turn in range(len(TAILS)) for i, q in enumerate(fit)]
    return tuple(q + (ENGLISH_TAILS if q.isascii() else TAILS)[turn % len(TAILS)] for q, turn in turns)


def prompts(questions: Sequence[str], models: Models | Counting, corpus: Corpus) -> Iterator[Asked]:
    """The prompts of `questions` by the line with the shipped settings; one without evidence is left out."""
    for question in questions:
        found = pipeline.retrieve(question, corpus, Settings(), models)
        if found.prompt is None or not found.prompt.rendered or not found.prompt.packed:
            continue
        chunks = [evidence.chunk for evidence in found.prompt.packed]
        again = pipeline.given(ANOTHER, chunks, corpus, Settings(), models)
        if again.prompt is not None and again.prompt.rendered:
            yield Asked(question, found.prompt.input_ids, again.prompt.input_ids)


def loaded(roles: tuple[Role, ...] = ("encoder", "generator")) -> tuple[Models, Corpus]:
    """The models of the environment, which have read what the app's have before somebody asks, and the sample corpus."""
    models = Models(from_environment())
    models.load(roles)
    pipeline.read_ahead(models, threading.Event())
    samples = Samples(models)
    samples.prepare()
    return models, samples.corpus()


class Counting:
    """Models for the line up to the prompt: of the generator there is the tokenizer alone."""

    def __init__(self, models: Models, chat: ChatTokenizer) -> None:
        self._models, self.chat = models, chat

    def encoder(self) -> Encoder:
        return self._models.encoder()

    def generator(self) -> Counting:
        return self


def choose(log: Path, seconds: float) -> bool:
    """Try questions for `seconds`; whether `MOST` are chosen now."""
    from tests.bench.engines import Plain  # torch comes with it

    known = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()] if log.exists() else []
    tried = {row["question"] for row in known}
    good = [row["question"] for row in known if row["long"]]
    models, corpus = loaded(("encoder",))
    plain = Plain(models, "float32")
    until = time.monotonic() + seconds
    rest = [q for q in possible() if q not in tried]
    with log.open("a", encoding="utf-8") as out:
        for ask in prompts(rest, Counting(models, plain.chat), corpus):
            if len(good) == MOST or time.monotonic() > until:
                break
            # an answer that has not ended after so many tokens has at least so many
            long = plain.exact(ask.ids, GenerateSettings(answer_tokens=LEAST)).tokens == LEAST
            print(json.dumps({"question": ask.question, "long": long}, ensure_ascii=False), file=out, flush=True)
            good += [ask.question] if long else []
    CHOSEN.write_text("".join(f"{question}\n" for question in good), encoding="utf-8")
    return len(good) == MOST


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--log", type=Path, required=True)
    parser.add_argument("--seconds", type=float, default=150, help="begin no other after so many")
    arguments = parser.parse_args()
    print("done" if choose(arguments.log, arguments.seconds) else "go on")


if __name__ == "__main__":
    main()
