"""A small experiment whose figures can be counted by hand: six questions, three documents, a model that follows a script."""

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from rag.ask.rules import NOT_FOUND
from rag.config import GenerateSettings, SearchSettings, Settings
from rag.corpus.index import Corpus, build
from rag.evaluate.experiment import Experiment, Plan, experiment
from rag.evaluate.questions import Label, Question, QuestionSet
from rag.evaluate.run import GIVEN, Bench, Given
from rag.types import Document
from tests.fake_models import SPECIAL_ID, BigramEncoder, FakeModels, Generated, ReplyGenerator

REFUSAL = NOT_FOUND["zh"]
LEAVE = "员工入职满一年后，每年可享受15天带薪年假。"
MONEY = "办公设备报销额度为每人每年3000元，凭发票报销。"
DOCUMENTS = (
    Document("leave", "2026", "leave@2026", "own", "休假制度", "", LEAVE, file="leave.txt"),
    Document("money", "2026", "money@2026", "own", "报销制度", "", MONEY, file="money.txt"),
    Document("parking", "2026", "parking@2026", "own", "停车", "", "停车位先到先得。", file="parking.txt"),
)
QUESTIONS = (
    # the evidence is found and the model reads it
    Question("leave", "带薪年假有几天？", "a", (Label("leave.txt", "15天带薪年假"),), ("15天|十五天",)),
    # the evidence is found and the model misreads it
    Question("money", "办公设备报销额度是多少？", "a", (Label("money.txt", "每人每年3000元"),), ("3000元",)),
    # what is asked for stands in leave.txt, but the words lead to parking.txt: only the first of the list is packed
    Question("lost", "停车位先到先得，那么入职满一年呢？", "b", (Label("leave.txt", "每年可享受15天"),), ("15天",)),
    # the documents do not say: once refused, once answered
    Question("canteen", "食堂停车位几点开？", "b", refuse=True),
    Question("bonus", "年终奖的报销有多少元？", "b", refuse=True),
    # nobody said what is right
    Question("open", "报销凭什么？"),
)


def script(prompt: str) -> str:
    """What the model says: it reads `LEAVE` when it stands in the prompt, misreads `MONEY`, and knows one answer by heart."""
    if "食堂" in prompt:
        return REFUSAL
    if "年终奖" in prompt:
        return "年终奖为1000元。"
    if "报销额度是" in prompt:
        return "每人每年5000元。"
    if "带薪年假有几天" in prompt:  # by heart, evidence or not
        return "每年15天[S1]。"
    if LEAVE in prompt:
        return "每年15天[S1]。"
    return "不清楚[S9]。"


@dataclass
class Scripted(ReplyGenerator):
    """Says what `says` makes of the prompt."""

    says: Callable[[str], str] = script

    def stream(
        self, input_ids: Sequence[int], settings: GenerateSettings, stop: threading.Event, prefix: object = None
    ) -> Iterator[Generated]:
        self.reply = self.says("".join(chr(i) for i in input_ids if i < SPECIAL_ID))
        for generated in super().stream(input_ids, settings, stop, prefix):
            yield replace(generated, seconds_to_first=0.25, seconds=0.5)


def bench(
    documents: Sequence[Document] = DOCUMENTS,
    says: Callable[[str], str] = script,
    search: SearchSettings | None = None,
) -> Bench:
    """Lexical search, one piece of evidence in the prompt, unless `search` says otherwise."""
    settings = Settings(search=search or SearchSettings(mode="lexical", packed=1))
    encoder = BigramEncoder()
    corpus: Corpus = build(documents, settings.split, encoder)
    return Bench(corpus, settings, FakeModels(encoder, Scripted(says=says)))  # type: ignore[arg-type]


def ran(
    questions: Sequence[Question] = QUESTIONS,
    variants: Sequence[Settings] = (),
    given: Sequence[Given] = GIVEN,
    on: Bench | None = None,
    name: str = "kit",
) -> Experiment:
    """The experiment at its end."""
    plan = Plan(QuestionSet(name, tuple(questions)), tuple(variants), tuple(given))
    *_, last = experiment(plan, on or bench(), None, threading.Event())
    return last
