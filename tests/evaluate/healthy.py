"""A small healthy line for the fault planter: policies made of facts, a question about them, models that do their part."""

import random
import re
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date

from rag.ask.rules import NOT_FOUND
from rag.config import GenerateSettings, QuerySettings, SearchSettings, Settings, SplitSettings
from rag.corpus.index import Corpus, build
from rag.evaluate.questions import Label, Question
from rag.evaluate.run import Bench, Given, Outcome, evaluate
from rag.types import PUBLIC, Document
from tests.fake_models import SPECIAL_ID, BigramEncoder, FakeModels, Generated, ReplyGenerator

# A subject, and what people call it: the encoder knows that they mean the same, the lexical index does not.
SUBJECTS = {
    "年假": "歇班",
    "差旅": "跑外勤",
    "报销": "要回垫款",
    "印章": "盖戳",
    "采购": "买东西",
    "培训": "上课学习",
    "车辆": "派车",
    "宿舍": "住处床位",
    "档案": "旧材料",
    "访客": "来串门",
}
ASPECTS = {
    "提前申请期限": "个工作日",
    "年度费用上限": "元",
    "主管审批时限": "小时",
    "资料保存年限": "年",
    "复核抽查比例": "%",
    "违规扣罚分值": "分",
}
FILLERS = (
    "各部门应当妥善安排人员，保证日常工作不受影响。",
    "经办人须如实填写表单，并对内容的真实性负责。",
    "未尽事宜由人力资源部会同行政部解释。",
    "特殊情形须书面说明原因，经分管领导同意后办理。",
    "相关记录应当及时归入系统，供审计时查阅。",
    "新员工入职时由所在部门讲解本条要求。",
)
REFUSAL = NOT_FOUND["zh"]
_BLOCK = re.compile(r"\[(S\d+)\] ([^\n]*)\n(.*?)(?=\n\n\[S|\n\n问题：|\Z)", re.S)


@dataclass(frozen=True)
class Fact:
    subject: str
    aspect: str
    amount: int

    @property
    def point(self) -> str:
        return f"{self.amount}{ASPECTS[self.aspect]}"

    @property
    def sentence(self) -> str:
        return f"{self.subject}的{self.aspect}为{self.point}，由综合办公室负责落实。"


@dataclass
class KnowingEncoder(BigramEncoder):
    """Bigrams, in which a subject's nickname counts as the subject."""

    def _vector(self, text: str):
        for subject, nickname in SUBJECTS.items():
            text = text.replace(nickname, subject * 3)
        return super()._vector(text)


Twist = Callable[[str, str], str]
"""Prompt and the honest reply → what is said instead."""


@dataclass
class Reader(ReplyGenerator):
    """Copies the sentences it is to find from the evidence, each with its marker; refuses when one is not there."""

    wanted: tuple[str, ...] = ()
    twist: Twist = lambda prompt, reply: reply
    stops: bool = False

    def stream(
        self, input_ids: Sequence[int], settings: GenerateSettings, stop: threading.Event, prefix: object = None
    ) -> Iterator[Generated]:
        prompt = "".join(chr(i) for i in input_ids if i < SPECIAL_ID)
        self.reply = self.twist(prompt, self._read(prompt))
        for generated in super().stream(input_ids, settings, stop, prefix):
            if self.stops and generated.text:
                yield replace(generated, finish="stopped")
                return
            yield generated

    def _read(self, prompt: str) -> str:
        found = [next((m for m, _, body in blocks(prompt) if sentence in body), None) for sentence in self.wanted]
        if not found or None in found:
            return REFUSAL
        return "".join(f"{sentence[:-1]}[{marker}]。" for sentence, marker in zip(self.wanted, found, strict=True))


def blocks(prompt: str) -> list[tuple[str, str, str]]:
    """Marker, heading and body of each piece of evidence in a prompt."""
    return [m.groups() for m in _BLOCK.finditer(prompt)]


@dataclass(frozen=True)
class Line:
    """All that a run needs. `corpus` is set when it is not simply what `documents` make."""

    documents: tuple[Document, ...]
    settings: Settings
    question: Question
    facts: tuple[Fact, ...]
    reader: Reader
    encoder: KnowingEncoder = field(default_factory=KnowingEncoder)
    corpus: Corpus | None = None

    def built(self) -> Corpus:
        return self.corpus or build(self.documents, self.settings.split, self.encoder)

    def run(self, given: tuple[Given, ...] = ("retrieved",)) -> tuple[Outcome, Corpus]:
        corpus = self.built()
        bench = Bench(corpus, self.settings, FakeModels(self.encoder, self.reader), PUBLIC)  # type: ignore[arg-type]
        (outcome,) = evaluate([self.question], bench, given, 10, threading.Event())
        return outcome, corpus

    def labelled(self) -> list[int]:
        """Which documents hold a fact that is asked for."""
        return [i for i, d in enumerate(self.documents) if any(fact.sentence in d.text for fact in self.facts)]


def healthy(rng: random.Random) -> Line:
    """A line drawn at random; most of them answer their question, and `Line.run` tells."""
    subjects = rng.sample(sorted(SUBJECTS), rng.randint(5, 8))
    facts = {
        s: [Fact(s, a, rng.randint(2, 4000)) for a in rng.sample(sorted(ASPECTS), rng.randint(3, 6))] for s in subjects
    }
    documents = tuple(policy(rng, subject, facts[subject]) for subject in subjects)
    split = SplitSettings(rng.choice(("fixed", "recursive")), rng.choice((90, 120, 160)), rng.choice((0, 30, 45)))
    search = SearchSettings(
        mode=rng.choice(("fused", "fused", "dense", "lexical")),
        fusion=rng.choice(("rrf", "weighted")),
        packed=rng.randint(3, 6),
    )
    asked = [rng.choice(facts[subject]) for subject in rng.sample(subjects, rng.choice((1, 1, 2)))]
    question = about(rng, asked)
    reader = Reader(wanted=tuple(fact.sentence for fact in asked))
    return Line(documents, Settings(split, QuerySettings(parts=False), search), question, tuple(asked), reader)


def policy(rng: random.Random, subject: str, facts: Sequence[Fact], version: str = "2020-01") -> Document:
    """One version of a policy: its facts in any order, between sentences that say nothing."""
    sentences = [fact.sentence for fact in facts]
    for _ in range(rng.randint(4, 10)):
        sentences.insert(rng.randint(0, len(sentences)), rng.choice(FILLERS))
    paragraphs, text = [], ""
    for sentence in sentences:
        if text and rng.random() < 0.3:
            paragraphs.append(len(text) + 1)
            text += "\n"
        text += sentence
    name = f"{subject}管理办法"
    return Document(
        doc_id=name,
        version=version,
        key=f"{name}@{version}",
        origin="own",
        title=name,
        source=f"{name}_{version}.docx",
        text=text,
        pages=(0, *paragraphs[1::2]) if rng.random() < 0.5 else (),
        effective_from=date.fromisoformat(f"{version}-01"),
        file=f"{name}_{version}.docx",
    )


def about(rng: random.Random, facts: Sequence[Fact]) -> Question:
    """A question about the facts: in the policy's words or in others, labelled by quotes."""
    words = [SUBJECTS[fact.subject] if rng.random() < 0.3 else fact.subject for fact in facts]
    asked = "，".join(f"{word}的{fact.aspect}是多少" for word, fact in zip(words, facts, strict=True)) + "？"
    labels = tuple(
        Label(f"{fact.subject}管理办法_2020-01.docx", quote=fact.sentence, need=need)
        for need, fact in enumerate(facts, 1)
    )
    return Question("q", asked, relevant=labels, points=tuple(fact.point for fact in facts))
