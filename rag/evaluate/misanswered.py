"""The evidence was in the prompt: what the model did with it, and whether the answer says truly where it stands."""

from __future__ import annotations

import re

from rag.corpus.index import Corpus
from rag.errors import Bilingual
from rag.evaluate.diagnosis import Cause, Diagnosis, quoted, titled
from rag.evaluate.judge import cited_chunks, plain, without_markers
from rag.evaluate.labels import spans_of
from rag.evaluate.run import Answered, Outcome
from rag.types import Answer, Gate

_NUMBER = re.compile(r"\d+(?:\.\d+)?")


def evidence_text(answer: Answer) -> str:
    """What the model could read of the documents: headings, and the packed pieces."""
    return "\n".join(f"{e.heading}\n{e.chunk.passage}" for e in answer.prompt.packed)


def misanswered(outcome: Outcome, answered: Answered, answer: Answer) -> Diagnosis:
    """Why an answer is not the one the question expects."""
    question, judged = outcome.question, answered.judged
    if answer.finish == "stopped":
        return Diagnosis(
            "answer",
            "stopped",
            None,
            Bilingual(
                en=f"Writing was stopped after {answer.n_tokens} tokens; what there is lacks {_missing(outcome, answered).en}.",
                zh=f"写到 {answer.n_tokens} 个 token 时被停止，缺少{_missing(outcome, answered).zh}。",
            ),
            Bilingual(en="Ask again and let it finish; see the Answer tab.", zh="请重新提问并等它写完；见「回答」页。"),
        )
    if question.expects == "refusal":
        return _answered_anyway(answer)
    if answer.gate is not None and not answer.gate.enough:
        return _gated(answer.gate)
    if answer.finish == "length" and judged.verdict == "wrong" and not judged.forbidden:
        return _cut(outcome, answered)
    return _misread(outcome, answered, answer)


def _missing(outcome: Outcome, answered: Answered) -> Bilingual:
    """The points that were not said, as a list in a sentence."""
    pairs = zip(outcome.question.points, answered.judged.points, strict=True)
    missing = [quoted(point.split("|")[0]) for point, hit in pairs if not hit]
    return Bilingual(en=", ".join(missing) or "its end", zh="、".join(missing) or "结尾")


def _answered_anyway(answer: Answer) -> Diagnosis:
    return Diagnosis(
        "answer",
        "answered_anyway",
        None,
        Bilingual(
            en=f"The documents do not hold the answer, so refusing is right; it said {quoted(answer.text)}.",
            zh=f"文档中没有答案，应当拒答，却回答了{quoted(answer.text)}。",
        ),
        Bilingual(
            en="Raise refuse_below, or set a threshold, so that passages which do not fit are not packed (the threshold curve shows what that costs), or take "
            "a larger generator (RAG_GENERATOR); see the Answer tab.",
            zh="请调高拒答阈值 refuse_below，或设置最低余弦 threshold，使不相关的段落不进入提示词（代价见阈值曲线），或换用更大的生成模型（RAG_GENERATOR）；见「回答」页。",
        ),
    )


def _gated(gate: Gate) -> Diagnosis:
    """It was the gate that refused."""
    p, below = f"{gate.p:.2f}", f"{gate.below:.2f}"
    en, zh = (
        ("an answer was written and withdrawn", "回答写出后被撤回")
        if gate.written
        else ("nothing was written", "未生成回答")
    )
    return Diagnosis(
        "answer",
        "refused",
        None,
        Bilingual(
            en=f"The evidence was in the prompt, but the gate held it to answer with probability {p} only, under {below}: {en}.",
            zh=f"证据已在提示词中，但把关判断其足以回答的概率仅为 {p}，低于 {below}：{zh}。",
        ),
        Bilingual(
            en=f"Lower refuse_below (now {below}) or switch refuse off, which lets more unfounded answers through; see the Answer tab.",
            zh=f"请调低拒答阈值 refuse_below（现为 {below}）或关闭 refuse，但会放过更多无据的回答；见「回答」页。",
        ),
    )


def _cut(outcome: Outcome, answered: Answered) -> Diagnosis:
    settings, missing = outcome.settings.generate, _missing(outcome, answered)
    wanted = min(2 * settings.answer_tokens, settings.context_limit - 64)
    return Diagnosis(
        "answer",
        "cut_at_limit",
        None,
        Bilingual(
            en=f"The answer was cut at {settings.answer_tokens} tokens, before it said {missing.en}.",
            zh=f"回答在 {settings.answer_tokens} 个 token 处被截断，缺少{missing.zh}。",
        ),
        Bilingual(
            en=f"Set answer_tokens (now {settings.answer_tokens}) to {wanted}; see the Answer tab.",
            zh=f"请把回答长度 answer_tokens（现为 {settings.answer_tokens}）调到 {wanted}；见「回答」页。",
        ),
    )


def _misread(outcome: Outcome, answered: Answered, answer: Answer) -> Diagnosis:
    """Complete, and not right: refused, contradicted, or left something out."""
    judged, missing = answered.judged, _missing(outcome, answered)
    strange = _strange_numbers(answer, "\n".join((*outcome.question.history, outcome.question.question)))
    cause: Cause
    if judged.verdict == "refused":
        cause = "refused"
        words = Bilingual(en="the answer is that the material does not say", zh="却回答资料中没有")
    elif judged.forbidden:
        cause = "said_forbidden"
        words = Bilingual(
            en=f"the answer says {quoted(judged.forbidden[0])}, which it must not",
            zh=f"但回答中出现了不应有的{quoted(judged.forbidden[0])}",
        )
    elif strange:
        cause = "wrong_number"
        words = Bilingual(
            en=f"the answer lacks {missing.en} and says {', '.join(strange)}, which stands in no source",
            zh=f"但回答缺少{missing.zh}，写的 {'、'.join(strange)} 不见于任何来源",
        )
    else:
        cause = "points_missing"
        words = Bilingual(
            en=f"the answer lacks {missing.en}; it says {quoted(answer.text)}{_in_place_of(answer).en}",
            zh=f"但回答缺少{missing.zh}，写的是{quoted(answer.text)}{_in_place_of(answer).zh}",
        )
    return Diagnosis(
        "answer",
        cause,
        None,
        Bilingual(en=f"The evidence was in the prompt, but {words.en}.", zh=f"证据已在提示词中，{words.zh}。"),
        _other_model(outcome),
    )


def _in_place_of(answer: Answer) -> Bilingual:
    """What the model wrote, where a quotation took its place; else nothing."""
    if answer.quoted is None or answer.withdrawn is None:
        return Bilingual(en="", zh="")
    was = quoted(answer.withdrawn.text)
    return Bilingual(
        en=f", quoted in the place of what the model wrote ({was})", zh=f"（摘自原文，代替模型所写的{was}）"
    )


def _strange_numbers(answer: Answer, asked: str) -> list[str]:
    """Numbers of the answer, its markers aside, that neither evidence nor the questions `asked` hold."""
    known = set(_numbers(evidence_text(answer) + "\n" + asked))
    return [number for number in dict.fromkeys(_numbers(without_markers(answer))) if number not in known]


def _numbers(text: str) -> list[str]:
    return _NUMBER.findall(plain(text))


def _other_model(outcome: Outcome) -> Bilingual:
    """What to do about a model that misuses its evidence; its answer from the labelled passages alone tells more."""
    packed, settings, gold = outcome.settings.search.packed, outcome.settings.generate, outcome.answered("gold")
    look = Bilingual(en="see the Answer tab", zh="见「回答」页")
    if gold is not None and not outcome.question.points and gold.judged.verdict != "refused":
        return Bilingual(
            en=f"With the labelled passages alone it does not refuse, so the others distract it: lower packed (now {packed}) or set a "
            f"threshold; {look.en}.",
            zh=f"只给标注的段落时不拒答，说明其余证据造成干扰：请减小证据数 packed（现为 {packed}）或设置最低余弦 threshold；{look.zh}。",
        )
    if gold is not None and gold.judged.correct:
        return Bilingual(
            en=f"With the labelled passages alone it answers rightly, so the others distract it: lower packed (now {packed}) or set a "
            f"threshold; {look.en}.",
            zh=f"只给标注的段落时回答正确，说明其余证据造成干扰：请减小证据数 packed（现为 {packed}）或设置最低余弦 threshold；{look.zh}。",
        )
    if gold is not None and not outcome.question.points:
        return Bilingual(
            en=f"With the labelled passages alone it refuses too: take a larger generator (RAG_GENERATOR); {look.en}.",
            zh=f"只给标注的段落时同样拒答：请换用更大的生成模型（RAG_GENERATOR）；{look.zh}。",
        )
    if gold is not None and gold.judged.correct is False:
        return Bilingual(
            en=f"With the labelled passages alone it fails too: take a larger generator (RAG_GENERATOR), or check that the points are not too strict; {look.en}.",
            zh=f"只给标注的段落时同样不对：请换用更大的生成模型（RAG_GENERATOR），或检查要点是否过严；{look.zh}。",
        )
    if settings.temperature > 0 or settings.repetition_penalty != 1:
        return Bilingual(
            en=f"Set temperature to 0 and repetition_penalty to 1, so that it copies the evidence; {look.en}.",
            zh=f"请把温度 temperature 设为 0、重复惩罚 repetition_penalty 设为 1，使其照录证据；{look.zh}。",
        )
    return Bilingual(
        en=f"Answer from the labelled passages alone (gold) to see whether the others distract it; if not, take a larger generator (RAG_GENERATOR); {look.en}.",
        zh=f"请只用标注的段落再评测一次（gold），看其余证据是否造成干扰；若不是，请换用更大的生成模型（RAG_GENERATOR）；{look.zh}。",
    )


def miscited(outcome: Outcome, answered: Answered, answer: Answer, corpus: Corpus) -> Diagnosis | None:
    """What is wrong with the citations of an answer that is right, or has no points to tell by; None: nothing."""
    relevant, judged, cited = outcome.relevant, answered.judged, cited_chunks(answer)
    met = relevant.met(spans_of(cited))
    need = next((n for n in relevant.needs if n not in met), None)
    names = list(dict.fromkeys(titled(corpus.documents[c.key]) for c in cited))
    cause: Cause
    if judged.invalid:
        cause = "invalid_marker"
        invalid = dict.fromkeys(c.marker for c in answer.citations if c.chunk_id is None)
        words = Bilingual(
            en=f"The answer cites {', '.join(invalid)}, but the prompt holds {len(answer.prompt.packed)} pieces of evidence only.",
            zh=f"回答引用了 {'、'.join(invalid)}，而提示词中只有 {len(answer.prompt.packed)} 条证据。",
        )
        advice = Bilingual(
            en="Take a larger generator (RAG_GENERATOR), or read it without that marker",
            zh="请换用更大的生成模型（RAG_GENERATOR），或忽略该标注",
        )
    elif judged.stale:
        cause = "version_cited"
        words = Bilingual(
            en=f"The answer cites another version of a labelled policy; cited: {', '.join(names)}.",
            zh=f"回答引用了标注制度的另一版本；所引为{'、'.join(names)}。",
        )
        advice = Bilingual(
            en="Search the newest versions only (scope: newest)", zh="请只检索现行版本（版本范围 scope 设为 newest）"
        )
    elif need is None:
        return None
    elif not cited:
        cause = "nothing_cited"
        words = Bilingual(
            en="The answer cites nothing, and none of its sentences shares enough with a piece of evidence for one to be found.",
            zh="回答没有引用，各句与证据的相同之处也不足以补上来源。",
        )
        advice = Bilingual(
            en="Take a larger generator (RAG_GENERATOR), which keeps to the rule to cite",
            zh="请换用更能遵守引用要求的生成模型（RAG_GENERATOR）",
        )
    else:
        cause = "need_uncited" if met else "unlabelled_cited"
        words = Bilingual(
            en=f"No sentence cites a labelled passage (need {need}); cited: {', '.join(names)}.",
            zh=f"没有一句引用标注的段落（需求 {need}）；所引为{'、'.join(names)}。",
        )
        advice = Bilingual(
            en="Compare the cited passage: if it says the same, label it too; if not, lower packed",
            zh="请对照所引段落：内容相同则一并标注，不同则减小证据数 packed",
        )
    look = Bilingual(
        en=f"{advice.en}; click the citation on the Answer tab.", zh=f"{advice.zh}；在「回答」页点击引用可对照。"
    )
    about = need if cause in ("need_uncited", "unlabelled_cited") else None
    return Diagnosis("citation", cause, about, words, look)
