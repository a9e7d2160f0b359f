"""What the tests of the pipeline share: four policies, shorthands."""

import threading
from datetime import date

from rag import pipeline
from rag.config import SearchSettings, Settings
from rag.corpus.index import Corpus
from rag.types import Answer, Document, Retrieval
from tests.fake_models import FakeModels

QUESTION = "入职满一年，每年有多少天带薪年假？"
TEXTS = {
    "leave": "员工入职满一年后，每年可享受15天带薪年假。未休完的年假不跨年累计。" * 8,
    "process": "年假应提前3个工作日提交申请，由直属主管审批。" * 12,
    "equipment": "办公设备报销额度为每人每年3000元，凭发票报销。" * 12,
    "account": "忘记密码后联系IT服务台，验证身份再申请重置。" * 12,
}


def document(doc_id: str, text: str, version: str = "2026", begins: date | None = None) -> Document:
    key = f"{doc_id}@{version}"
    return Document(doc_id, version, key, "own", doc_id, f"{doc_id}.txt", text, effective_from=begins)


def with_search(**changes: object) -> Settings:
    return Settings(search=SearchSettings(**changes))  # type: ignore[arg-type]


def run(corpus: Corpus, models: FakeModels, settings: Settings | None = None, question: str = QUESTION) -> Retrieval:
    return pipeline.retrieve(question, corpus, settings or Settings(), models)  # type: ignore[arg-type]


def stream(found: Retrieval, corpus: Corpus, models: FakeModels, settings: Settings | None = None) -> list[Answer]:
    return list(pipeline.answer(found, corpus, settings or Settings(), models, threading.Event()))  # type: ignore[arg-type]


def steps(found: Retrieval | Answer) -> list[str]:
    return [s.name for s in found.trace.steps]


def skipped(found: Retrieval) -> list[str]:
    return [s.name for s in found.trace.steps if s.skipped]


def note(found: Retrieval | Answer, name: str, language: str = "en") -> str:
    return next(s.note.of(language) for s in found.trace.steps if s.name == name)  # type: ignore[arg-type]
