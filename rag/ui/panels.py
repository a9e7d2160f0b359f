"""The small panels of the page as escaped HTML: model status, files, budget, prompt parts, steps. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from rag.errors import Bilingual, Language
from rag.intake import joined
from rag.types import Answer, Chunk, Document, Prompt, Stated, Trace
from rag.ui.render import escape, preview
from rag.ui.strings import text

if TYPE_CHECKING:
    from rag.corpus.index import Progress
    from rag.models.roles import RoleStatus
    from rag.ui.pace import Speed
    from rag.workspace import FileReport


GUESSED: frozenset[Stated] = frozenset(("text", "name"))
"""Who is only a witness: what stands in a line of the text or in the name was guessed from there."""


def notice(message: str, tone: str = "info") -> str:
    """One sentence in a box; `tone`: info, warning or error."""
    if not message:
        return ""
    role = "alert" if tone == "error" else "status"
    return f'<p class="notice {escape(tone)}" role="{role}">{escape(message)}</p>'


def earlier(questions: Sequence[str], language: Language) -> str:
    """The questions before the next one, oldest first, with what becomes of them; nothing when there are none."""
    if not questions:
        return ""
    items = " ".join(f"<q>{escape(preview(question, 60))}</q>" for question in questions)
    return f'<p class="caption" role="status">{escape(text("ask.earlier", language))} {items}</p>'


def table(head: Iterable[str], rows: Iterable[Sequence[str]], css: str = "") -> str:
    """A table; `head` is text, the cells of `rows` are HTML already."""
    top = "".join(f'<th scope="col">{escape(h)}</th>' for h in head)
    body = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    return f'<div class="scroll" tabindex="0"><table class="plain {css}"><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table></div>'


def columns(key: str, language: Language) -> list[str]:
    """The column heads stored in the table of strings under `key`, separated by ``|``."""
    return text(key, language).split("|")


def model_status(
    roles: Sequence[RoleStatus], samples_ready: bool, problem: Bilingual | None, language: Language
) -> str:
    """The line on models and samples: a dot, name and remark for each, and what is missing when a role failed."""
    items = []
    for role in roles:
        note = escape(role.note.of(language))
        head = (
            f'<span class="dot" aria-hidden="true"></span><b>{escape(text(f"role.{role.role}", language))}</b> '
            f'<span class="name">{escape(role.name)}</span> '
            f'<span class="state">{escape(text(f"state.{role.state}", language))}</span>'
        )
        # while it is on its way the remark is the news; afterwards it is one click away
        settled = role.state in ("ready", "failed")
        body = (
            f"<details><summary>{head}</summary>{note}</details>"
            if settled
            else f'{head} <span class="note">{note}</span>'
        )
        items.append(f'<li class="{escape(role.state)}">{body}</li>')
        if role.state == "failed":
            items.append(f'<li class="failed consequence">{escape(text(f"without.{role.role}", language))}</li>')
    state = "ready" if samples_ready else ("failed" if problem else "loading")
    note = problem.of(language) if problem else text(f"state.{state}", language)
    items.append(
        f'<li class="{state}"><span class="dot" aria-hidden="true"></span>'
        f"<b>{escape(text('role.samples', language))}</b> "
        f'<span class="state">{escape(note)}</span></li>'
    )
    return f'<div role="status"><ul class="models">{"".join(items)}</ul></div>'


def badge(state: str, language: Language) -> str:
    """A file's state as a small label."""
    return f'<span class="badge {escape(state)}">{escape(text(f"file.{state}", language))}</span>'


def document_table(
    documents: Sequence[Document],
    chunks: Sequence[Chunk],
    reports: Sequence[FileReport],
    others: Mapping[str, str],
    relations: Mapping[str, Sequence[Bilingual]],
    language: Language,
) -> str:
    """One row per document, after one row for every file of the last upload that gave none.

    The row of a document of the last upload says what its file's report says (which includes the document's warnings);
    that of a key among `others`, why it is not searched; that of one among `relations`, which others it belongs to.
    """
    counts: dict[str, int] = {}
    for chunk in chunks:
        counts[chunk.key] = counts.get(chunk.key, 0) + 1
    rows: list[tuple[str, ...]] = []
    for report in reports:
        if not report.keys:
            remark = escape(report.message.of(language))
            rows.append((badge(report.state, language), escape(report.name), remark, *("–",) * 7))
    reported = {key: report for report in reports for key in report.keys}
    for document in documents:
        report_ = reported.get(document.key) if document.origin == "own" else None
        state = report_.state if report_ else ("warning" if document.warnings else "ok")
        remark = (
            report_.message.of(language) if report_ else joined([w.of(language) for w in document.warnings], language)
        )
        for relation in relations.get(document.key, ()):
            state = "warning" if state == "ok" else state
            if relation.of(language) not in remark:
                remark = joined([remark, relation.of(language)], language)
        if document.key in others:
            remark = f"{text(f'docs.not_{others[document.key]}', language)} {remark}".strip()
        since = document.effective_from.isoformat() if document.effective_from else "–"
        if document.effective_to:
            since += f" → {document.effective_to.isoformat()}"
        dated = "effective_from" if document.effective_from else "effective_to"
        title = f"<b>{escape(document.title)}</b>{stated(document, 'title', language)}"
        rows.append(
            (
                badge(state, language),
                f'{title}<span class="source">{escape(document.source)}</span>',
                escape(remark),
                _read(document, language),
                escape(text(f"origin.{document.origin}", language)),
                escape(document.version or "–") + stated(document, "version", language),
                escape(since) + stated(document, dated, language),
                str(len(document.pages) or "–"),
                f"{len(document.text):,}",
                str(counts.get(document.key, 0)),
            )
        )
    return table(columns("head.documents", language), rows, "documents")


def stated(document: Document, field: str, language: Language) -> str:
    """Who states a document's title, version or date, a guess marked; empty when nobody does."""
    said = dict(document.stated).get(field)
    if said is None:
        return ""
    css = "stated guess" if said in GUESSED else "stated"
    return f'<span class="{css}">{escape(text(f"stated.{said}", language))}</span>'


def _read(document: Document, language: Language) -> str:
    """How the file was read, and how much was left out."""
    n = len(document.removed)
    left_out = (
        f'<span class="source">{escape(text("docs.left_out" if n > 1 else "docs.left_out_one", language, n=n))}</span>'
        if n
        else ""
    )
    said = document.reading.of(language)
    why = explained(said, language)
    shown = f'<span title="{escape(why)}">{escape(said)}</span>' if why else escape(said)
    return shown + left_out or "–"


def explained(reading: str, language: Language) -> str:
    """What the programs are that a reading names; empty when it names none."""
    return text("docs.pdf_readers", language) if "pdfminer" in reading or "PDFium" in reading else ""


def progress_bar(progress: Progress, language: Language, speed: Speed | None = None) -> str:
    """The stage that runs now, how far it is, how fast, and on what."""
    share = progress.done / progress.total if progress.total else 0.0
    label = text(f"step.{progress.step}", language)
    detail = f"{progress.done} / {progress.total}" if progress.total else ""
    if progress.waits:
        label, detail = text("progress.waits", language), ""
    if progress.reused:
        detail += " " + text("progress.reused", language, n=f"{progress.reused:,}")
    if speed is not None:
        detail += " " + speed.said(language)
    if progress.ahead:
        detail += " " + text("progress.ahead", language, n=f"{progress.ahead:,}")
    return (
        f'<div class="progress" role="status"><span><b>{escape(label)}</b> {escape(detail)} '
        f"{escape(preview(progress.detail, 80))}</span>"
        f'<div class="bar"><i style="width:{min(max(share, 0), 1):.1%}"></i></div></div>'
    )


def budget(prompt: Prompt, answer_tokens: int, language: Language) -> str:
    """Tokens used of the budget, by part, and what is kept for the answer, as a meter."""
    used, whole = len(prompt.input_ids), prompt.budget + answer_tokens
    sums: dict[str, int] = {}
    for segment in prompt.segments:
        sums[segment.name] = sums.get(segment.name, 0) + segment.n_tokens
    parts = [(name, n) for name, n in sums.items() if n]
    stripes = "".join(
        f'<i class="{escape(name)}" style="width:{n / whole:.2%}" title="{escape(text(f"part.{name}", language))} {n}"></i>'
        for name, n in parts
    )
    free = max(prompt.budget - used, 0)
    stripes += f'<i class="free" style="width:{free / whole:.2%}"></i>'
    stripes += f'<i class="kept" style="width:{answer_tokens / whole:.2%}"></i>'
    legend = "".join(
        f'<li><span class="swatch {escape(name)}"></span>{escape(text(f"part.{name}", language))} <b>{n}</b></li>'
        for name, n in [*parts, ("free", free), ("kept", answer_tokens)]
    )
    line = text("prompt.budget", language, used=used, budget=prompt.budget, kept=answer_tokens, limit=whole)
    return (
        f'<p class="budget-line">{escape(line)}</p><div class="meter" role="meter" aria-valuemin="0" '
        f'aria-valuenow="{used}" aria-valuemax="{prompt.budget}" aria-label="{escape(line)}">{stripes}</div>'
        f'<ul class="legend">{legend}</ul>'
    )


def prompt_parts(prompt: Prompt, documents: Mapping[str, Document], language: Language) -> str:
    """The parts of the prompt with their tokens, then what was dropped and what was broken."""
    rows = [
        (
            f'<span class="swatch {escape(s.name)}"></span>{escape(text(f"part.{s.name}", language))}',
            escape(s.marker or "–"),
            f"{s.start}–{s.end}",
            str(s.n_tokens),
            escape(preview(prompt.text[s.start : s.end], 80)),
        )
        for s in prompt.segments
        if s.end > s.start
    ]
    html = table(columns("head.segments", language), rows, "segments") if rows else ""
    if prompt.dropped:
        # chunk ids are "key:start-end"
        names = [(documents[k].title if (k := d.rsplit(":", 1)[0]) in documents else "", d) for d in prompt.dropped]
        items = "".join(f"<li><b>{escape(title)}</b> <code>{escape(d)}</code></li>" for title, d in names)
        html += f'<p class="sub">{escape(text("prompt.dropped", language))}</p><ul class="list">{items}</ul>'
    if prompt.broken:
        codes = " ".join(f"<code>{escape(b)}</code>" for b in prompt.broken)
        html += f'<p class="sub">{escape(text("prompt.broken", language))} {codes}</p>'
    return html


def steps(trace: Trace, language: Language) -> str:
    """The trace: one row per step with its time, what went in and out, and the settings' hash."""
    rows = [
        (
            f'<span class="{"skipped" if s.skipped else ""}">{escape(text(f"step.{s.name}", language))}</span>',
            f"{s.seconds * 1000:,.0f} ms" if s.seconds < 10 else f"{s.seconds:.1f} s",
            f"{s.n_in:,}",
            f"{s.n_out:,}",
            escape((text("step.skipped", language) if s.skipped else "") + s.note.of(language)),
        )
        for s in trace.steps
    ]
    settings = "".join(f"<dt>{escape(k)}</dt><dd>{escape(v)}</dd>" for k, v in trace.settings)
    title = escape(text("answer.settings", language, hash=trace.settings_hash))
    return (
        table(columns("head.steps", language), rows, "steps")
        + f'<details class="used"><summary>{title}</summary><dl>{settings}</dl></details>'
    )


def answer_line(answer: Answer, language: Language, stopped: bool = False) -> str:
    """One line on how the answer stands: phase, tokens, tokens per second, time to the first token."""
    finish = "stopped" if stopped else answer.finish
    n_read, first = len(answer.prompt.input_ids), answer.seconds_to_first
    if finish == "running" and answer.ahead:
        return phase("waiting", text("answer.ahead", language, n=answer.ahead))
    if finish == "running" and answer.n_tokens == 0:
        return phase("reading", text("answer.reading", language, n=n_read, s=f"{answer.seconds:.1f}"))
    if answer.gate is not None and not (answer.gate.enough or answer.gate.written):
        return phase(finish, text("finish.refused", language))
    told, wrote = ("quoted" if answer.quoted else finish), ("undone" if answer.withdrawn else "tokens")
    parts = [text(f"finish.{told}", language), text(f"answer.{wrote}", language, n=answer.n_tokens)]
    if answer.trace.steps and answer.trace.steps[-1].name == "cache":
        parts.append(text("answer.kept", language))
    if first is not None:
        parts.append(text("answer.first", language, s=f"{first:.2f}"))
        if answer.n_tokens > 1 and answer.seconds > first:
            parts.append(text("answer.speed", language, v=f"{(answer.n_tokens - 1) / (answer.seconds - first):.1f}"))
    if finish == "running" and answer.gate is not None:
        parts.append(text("answer.to_check", language))  # what it shows may be replaced then
    if finish != "running":
        markers = [c for c in answer.citations if c.chunk_id is not None]
        ours, invalid = sum(c.by == "system" for c in markers), len(answer.citations) - len(markers)
        bare = sum(s.support == "none" for s in answer.sentences)
        parts.append(text("answer.markers", language, model=len(markers) - ours, system=ours, invalid=invalid))
        if bare:
            parts.append(text("answer.bare", language, n=bare))
        if answer.says_nothing:
            parts.append(text("answer.nothing", language))
        if bare or invalid or answer.says_nothing:  # the dot's colour: complete, but not to be taken as it stands
            return phase(f"{finish} doubt", " · ".join(parts))
    return phase(finish, " · ".join(parts))


def phase(state: str, line: str) -> str:
    """The status line of the Answer tab: a dot that moves while work runs, and a sentence."""
    running = "busy" if state in ("running", "reading", "waiting", "searching") else escape(state)
    return f'<p class="phase {running}" role="status"><span class="dot" aria-hidden="true"></span>{escape(line)}</p>'
