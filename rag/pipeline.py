"""The straight line: question → search → fuse → select → pack, and prompt → generate → cite."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol, get_args

from rag.ask import select
from rag.ask.choose import Chosen, choose, select_step
from rag.ask.cite import Cited, Citing, settled, sources
from rag.ask.conflicts import told
from rag.ask.draft import second_round
from rag.ask.evidence import said_of_orders
from rag.ask.gate import refusal, unable, weigh
from rag.ask.neighbours import with_neighbours
from rag.ask.outcome import outcome
from rag.ask.outside import outside, superseded
from rag.ask.prompt import beginnings, build_prompt
from rag.ask.query import formulate, query_step
from rag.ask.rerank import rerank
from rag.ask.search import QueryEncoder, search
from rag.config import Settings
from rag.corpus.index import Corpus
from rag.errors import AllWithheld, Bilingual, ModelUnavailable, NothingFits, Stopped, UnsafePrompt
from rag.types import PUBLIC, Answer, Candidate, Chunk, Prompt, Retrieval, Status, Step, Support, Trace

if TYPE_CHECKING:  # torch comes with these: it is imported where the models are loaded, behind the page
    from rag.models.generator import Generated, Generator
    from rag.models.prefix import PrefixCache
    from rag.models.reranker import Reranker


class Loaded(Protocol):
    """The models as the line needs them (`rag.models.roles.Models`); each accessor raises `ModelUnavailable`."""

    def encoder(self) -> QueryEncoder:
        """The encoder."""

    def generator(self) -> Generator:
        """The generator."""

    def reranker(self) -> Reranker:
        """The cross-encoder."""


def retrieve(
    question: str,
    corpus: Corpus,
    settings: Settings,
    models: Loaded,
    groups: frozenset[str] = PUBLIC,
    history: Sequence[str] = (),
    stop: threading.Event | None = None,
) -> Retrieval:
    """The line up to the prompt, over what somebody in `groups` may see; nothing is generated.

    `history`: the questions before this one, oldest first; those that it follows are searched and shown with it (`rag.ask.query`).
    Runs without an encoder (lexical search only) and without a generator (messages only): the trace says so. Raises
    `Stopped` when `stop` is set while a model reads or writes or a graph is built.
    """
    corpus = corpus.seen_by(groups)
    began = time.perf_counter()
    query = formulate(question, history, settings.query)
    formulated = query_step(time.perf_counter() - began, query, len(history))
    runs = search(query, corpus, settings.search, _encoder(corpus, models), groups, stop)
    looked = runs.steps
    if settings.query.second_round:
        found = select.candidates(runs, corpus, settings.search)
        query, drafted = second_round(query, found, corpus, settings, models.generator, stop or threading.Event())
        looked = (*looked, drafted)
        if not drafted.skipped:
            runs = search(query, corpus, settings.search, _encoder(corpus, models), groups, stop)
            looked = (*looked, *runs.steps)
    began = time.perf_counter()
    found = select.candidates(runs, corpus, settings.search)
    fused = time.perf_counter()
    hidden, second = outside(query, runs, corpus, settings.search, groups)
    searched = "\n".join((*query.earlier, question))
    found, reread = rerank(searched, found, settings, models, stop or threading.Event())
    ranked = time.perf_counter()
    chosen = choose(searched, found, corpus, settings)
    steps = (
        *formulated,
        *looked,
        select.fuse_step(fused - began, runs, len(found), settings.search),
        *second,
        *reread,
        select_step(time.perf_counter() - ranked, chosen, settings, (runs.query is not None, corpus.dense is not None)),
    )
    trace = Trace(steps, settings.lines(), settings.hash())
    unpacked = Retrieval(question, corpus.corpus_id, chosen.found, None, trace, outside=hidden, query=query)
    return _pack(unpacked, chosen, corpus, settings, models, earlier=query.earlier)


def given(
    question: str,
    chunks: Sequence[Chunk],
    corpus: Corpus,
    settings: Settings,
    models: Loaded,
    history: Sequence[str] = (),
) -> Retrieval:
    """As `retrieve`, with `chunks` in this order instead of a search; none gives a prompt without evidence.

    All of them may be packed, however many the settings would pack, but those of a version in whose place another of the
    given ones is in force: the scope leaves them out, as it does in a search.
    """
    older = superseded({chunk.key for chunk in chunks}, corpus, settings.search)
    kept = [chunk for chunk in chunks if chunk.key not in older]
    found = tuple(Candidate(chunk, {}, {}, rank, Status("not_packed")) for rank, chunk in enumerate(kept, 1))
    left = [chunk for chunk in chunks if chunk.key in older]
    hidden = tuple(Candidate(c, {}, {}, n, Status("out_of_scope", of=older[c.key])) for n, c in enumerate(left, 1))
    note = Bilingual(en="the evidence was given, not searched", zh="证据是给定的，未经检索")
    if left:
        en, zh = f"of other versions, left out: {len(left)}", f"非现行版本的 {len(left)} 条不放入"
        note = Bilingual(en=f"{note.en}; {en}", zh=f"{note.zh}；{zh}")
    step = Step("select", 0.0, len(chunks), len(found), note, skipped=True)
    query = replace(formulate(question, history, settings.query), legs=())
    trace = Trace((step,), settings.lines(), settings.hash())
    unpacked = Retrieval(question, corpus.corpus_id, found, None, trace, outside=hidden, query=query)
    every = replace(settings, search=replace(settings.search, packed=max(1, min(50, len(kept)))))
    return _pack(unpacked, Chosen(found, found, {}), corpus, every, models, not chunks, query.earlier)


def _pack(
    unpacked: Retrieval,
    chosen: Chosen,
    corpus: Corpus,
    settings: Settings,
    models: Loaded,
    bare: bool = False,
    earlier: tuple[str, ...] = (),
) -> Retrieval:
    """`unpacked` with the prompt made of what may be packed, and what became of each candidate."""
    began = time.perf_counter()
    may = with_neighbours(chosen.may, corpus) if settings.select.neighbours else chosen.may
    chat, prompt, problem, found = None, None, None, unpacked.candidates
    try:
        chat = models.generator().chat
    except ModelUnavailable as error:
        problem = error.text
    try:
        prompt = build_prompt(unpacked.question, may, corpus.documents, _able(settings, models), chat, bare, earlier)
        found = select.settle(found, chosen.left, prompt.packed, prompt.dropped, prompt.withheld)
        step = _pack_step(time.perf_counter() - began, len(may), prompt)
    except (NothingFits, UnsafePrompt) as error:  # a prompt that cannot be built is a problem to show, not an end
        if isinstance(error, NothingFits):
            all_of_it = [c.chunk.chunk_id for c in may]
            withheld = isinstance(error, AllWithheld)
            found = select.settle(found, chosen.left, (), () if withheld else all_of_it, all_of_it if withheld else ())
        problem = error.text
        step = Step("pack", time.perf_counter() - began, len(may), 0, error.text)
    trace = replace(unpacked.trace, steps=(*unpacked.trace.steps, step))
    return replace(unpacked, candidates=found, prompt=prompt, trace=trace, problem=problem)


def _able(settings: Settings, models: Loaded) -> Settings:
    """`settings` as they can be carried out: without the gate where nothing can be weighed, so that the rules ask the model to refuse."""
    if not settings.generate.refuse or unable(models) is None:
        return settings
    return replace(settings, generate=replace(settings.generate, refuse=False))


def _encoder(corpus: Corpus, models: Loaded) -> QueryEncoder | None:
    if corpus.dense is None:
        return None
    try:
        return models.encoder()
    except ModelUnavailable:
        return None  # search() records the skipped step


def _pack_step(seconds: float, n_in: int, prompt: Prompt) -> Step:
    if prompt.rendered:
        n = len(prompt.input_ids)
        note = Bilingual(en=f"{n} of {prompt.budget} tokens", zh=f"{n} 个 token，预算 {prompt.budget}")
    else:
        note = Bilingual(en="no generator: messages only, nothing counted", zh="没有生成器：只有消息，未计 token")
    if orders := said_of_orders(prompt).en:
        note = Bilingual(en=f"{note.en}; {orders}", zh=f"{note.zh}；{said_of_orders(prompt).zh}")
    return Step("pack", seconds, n_in, len(prompt.packed), note, skipped=not prompt.rendered)


def read_ahead(models: Loaded, stop: threading.Event) -> None:
    """Have the generator read what prompts begin with, the built-in rules, before somebody asks; nothing where there is none, or once `stop` is set.

    Never the rules of a visitor, which nobody else may know: a prompt with these shares only what comes before them.
    """
    try:
        generator = models.generator()
        for ids in beginnings(generator.chat, unable(models) is None):
            generator.share(ids, stop)
    except (ModelUnavailable, Stopped):
        return


def answer(
    retrieval: Retrieval,
    corpus: Corpus,
    settings: Settings,
    models: Loaded,
    stop: threading.Event,
    prefix: PrefixCache | None = None,
    anyway: bool = False,
) -> Iterator[Answer]:
    """Generate from a retrieval's prompt; yields growing answers, at least every fifth of a second, the last one `done`.

    `prefix`: keys and values of the last prompt of the same visitor, which are used and replaced. `anyway`: no gate weighs the evidence. Raises `NothingFits` when there is no prompt and `ModelUnavailable` when there is no generator.
    """
    generator = models.generator()
    prompt = retrieval.prompt
    if prompt is None or not prompt.rendered:
        why = retrieval.problem or Bilingual(en="There is no prompt.", zh="没有提示词。")
        raise NothingFits(en=why.en, zh=why.zh)
    unwritten = Trace(retrieval.trace.steps, settings.lines(), settings.hash())
    nothing = Answer("", (), (), prompt, unwritten, True, "stopped", 0, None, 0.0)
    try:
        weighed, row = weigh(retrieval, corpus.documents, settings, models, stop, anyway)
    except Stopped:
        yield nothing
        return
    before = (*retrieval.trace.steps, *row)
    if weighed is not None and not weighed.enough:
        yield refusal(replace(nothing, finish="end"), retrieval.question, weighed, replace(unwritten, steps=before))
        return
    citing = Citing(sources(prompt.packed, corpus.documents), retrieval.question)
    for generated in generator.stream(prompt.input_ids, settings.generate, stop, prefix):
        done = generated.finish != "running"
        began = time.perf_counter()
        text = generated.text if done else settled(generated.text)
        cited = citing.cite(text, done)
        steps = [*before]
        if done:
            steps.append(_generate_step(generated, len(prompt.input_ids), generator))
            steps.append(_cite_step(cited, time.perf_counter() - began))
        written = Answer(
            text=text,
            citations=cited.citations,
            sentences=cited.sentences,
            prompt=prompt,
            trace=Trace(tuple(steps), settings.lines(), settings.hash()),
            done=done,
            finish=generated.finish,
            n_tokens=len(generated.ids),
            seconds_to_first=generated.seconds_to_first,
            seconds=generated.seconds,
            gate=weighed,
        )
        if done:
            written = told(outcome(written, retrieval.question, corpus.documents), retrieval, corpus.documents, stop)
        yield written


def _generate_step(generated: Generated, n_in: int, generator: Generator) -> Step:
    g, n = generated, len(generated.ids)
    en, zh = [], []
    if g.reused or g.passes:  # the plain library's way does not count them
        en += [f"{g.reused} of {n_in} prompt tokens were read before"]
        zh += [f"提示词 {n_in} 个 token 中有 {g.reused} 个此前已读"]
    if g.passes:
        en += [f"{g.passes} passes, {g.accepted} of {g.drafted} drafted tokens right"]
        zh += [f"前向 {g.passes} 次，草稿 {g.drafted} 个 token 中 {g.accepted} 个采用"]
    if g.seconds_to_first is not None and n > 1 and g.seconds > g.seconds_to_first:
        rate = (n - 1) / (g.seconds - g.seconds_to_first)
        en, zh = [*en, f"{rate:.1f} tokens/s"], [*zh, f"每秒 {rate:.1f} 个 token"]
    en += [f"{generator.name}, {generator.dtype} on {generator.device}", generator.taken.en]
    zh += [f"{generator.name}，{generator.dtype}，{generator.device}", generator.taken.zh]
    return Step("generate", g.seconds, n_in, n, Bilingual(en="; ".join(en), zh="；".join(zh)))


def _cite_step(cited: Cited, seconds: float) -> Step:
    model = sum(c.by == "model" and c.chunk_id is not None for c in cited.citations)
    invalid = sum(c.chunk_id is None for c in cited.citations)
    system = sum(c.by == "system" for c in cited.citations)
    of = {name: sum(s.support == name for s in cited.sentences) for name in get_args(Support)}
    note = Bilingual(
        en=f"markers by the model: {model}, by the system: {system}, invalid: {invalid}; sentences that the cited source carries: {of['cited']}, "
        f"only another one: {of['other']}, none: {of['none']}, without a claim: {of['no_claim']}, refusing: {of['refusal']}",
        zh=f"模型标注 {model} 处，系统标注 {system} 处，无效 {invalid} 处；所引来源支持 {of['cited']} 句，仅其他来源支持 {of['other']} 句，"
        f"无来源支持 {of['none']} 句，未作陈述 {of['no_claim']} 句，表示未找到 {of['refusal']} 句",
    )
    return Step("cite", seconds, len(cited.sentences), len(cited.citations), note)
