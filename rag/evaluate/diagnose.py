"""Why a question failed, in words: the first step of the line that did not do its part, and what to change."""

from __future__ import annotations

from rag.corpus.index import Corpus
from rag.errors import Bilingual
from rag.evaluate.diagnosis import Diagnosis, quoted
from rag.evaluate.judge import plain, says
from rag.evaluate.lost import lost
from rag.evaluate.misanswered import evidence_text, misanswered, miscited
from rag.evaluate.run import Answered, Outcome
from rag.evaluate.summary import failed
from rag.types import Answer

__all__ = ["Diagnosis", "diagnose"]


def diagnose(outcome: Outcome, corpus: Corpus, groups: frozenset[str]) -> Diagnosis | None:
    """What went wrong with one question: in its evidence, else in its answer, else in its citations; None: nothing.

    Sees the outcome and the corpus only. `groups` are those of the person who ran the set; a document they may not see
    is spoken of exactly like one that does not exist.
    """
    question = outcome.question
    groups = groups if question.groups is None else groups & question.groups
    corpus = corpus.seen_by(groups)
    found = lost(outcome, corpus, groups)
    answered = outcome.answered("retrieved")
    if found is not None or answered is None:
        return found
    if answered.answer is None:
        return _no_answer(answered) if question.expects == "answer" else None
    if failed(outcome):
        return _unlabelled(outcome, answered.answer) or misanswered(outcome, answered, answered.answer)
    if question.expects == "answer" and answered.judged.verdict != "refused":
        return miscited(outcome, answered, answered.answer, corpus)
    return None


def _no_answer(answered: Answered) -> Diagnosis:
    problem = answered.problem or Bilingual(en="no reason was given", zh="未说明原因")
    return Diagnosis(
        "prompt",
        "nothing_packed",
        None,
        Bilingual(en=f"There was nothing to answer from: {problem.en}", zh=f"没有可供回答的内容：{problem.zh}"),
        Bilingual(
            en="See the Candidates tab for what was found, and the Prompt tab for why none of it was used.",
            zh="找到了什么见「候选」页，为何没有用上见「提示词」页。",
        ),
    )


def _unlabelled(outcome: Outcome, answer: Answer) -> Diagnosis | None:
    """Without labels nobody knows where the evidence is, unless the prompt holds every answer point word for word."""
    question = outcome.question
    if question.relevant or question.expects != "answer":
        return None
    evidence = plain(evidence_text(answer))
    absent = [point for point in question.points if not says(evidence, point)]
    if not absent:
        return None
    return Diagnosis(
        "label",
        "nothing_labelled",
        None,
        Bilingual(
            en=f"No passage is labelled, and the evidence in the prompt does not hold {quoted(absent[0])} word for word, so it "
            "cannot be told whether search or answer failed.",
            zh=f"没有标注依据，提示词的证据中也没有字面上的{quoted(absent[0])}，因此无法判断是检索还是回答出了问题。",
        ),
        Bilingual(
            en="Label the passage that answers the question (relevant); the Chunks tab shows the texts.",
            zh="请标注能回答该问题的段落（relevant）；各文档的文本见「切块」页。",
        ),
    )
