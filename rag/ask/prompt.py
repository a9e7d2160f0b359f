"""Candidates → the prompt: rules, whole pieces of evidence in rank order, question, within the token budget."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache
from typing import TYPE_CHECKING

from rag.ask import markers
from rag.ask.evidence import evidence, older_versions
from rag.ask.nothing import all_withheld, nothing_fits
from rag.ask.rewrite import Asked
from rag.ask.rules import BUILT_IN, built_in, language_of
from rag.config import Settings
from rag.errors import Language, UnsafePrompt
from rag.types import Candidate, ChatMessage, Chunk, Document, Evidence, Prompt, Segment, SegmentName

if TYPE_CHECKING:  # only annotations: the shell's worked example builds messages with numpy alone
    from rag.models.chat import ChatTokenizer, Rendered

_MATERIAL: Mapping[Language, str] = {"zh": "参考资料：\n\n", "en": "Material:\n\n"}
_EARLIER: Mapping[Language, str] = {"zh": "之前的问题：", "en": "Asked before: "}
_QUESTION: Mapping[Language, str] = {"zh": "问题：", "en": "Question: "}

_Read = Callable[[str, Chunk, tuple[int, int]], Evidence]
"""A piece of evidence: its marker, its chunk, and the stretch of the document that is packed."""


@dataclass(frozen=True, slots=True)
class _Slot:
    """A part of a message's content, in order; the parts joined are the content."""

    name: SegmentName
    marker: str
    text: str


def build_prompt(
    question: str,
    may: Sequence[Candidate],
    documents: Mapping[str, Document],
    settings: Settings,
    chat: ChatTokenizer | None,
    bare: bool = False,
    earlier: Sequence[str] = (),
) -> Prompt:
    """Pack at most ``settings.search.packed`` of `may`, in order, and render.

    A piece that does not fit is dropped whole and the next is tried; what the pieces' clauses run on into comes in after
    all of them, where there is room left. The fully rendered sequence is counted.
    Without `chat` nothing can be counted: the first pieces are taken and the prompt stays unrendered.
    Raises `NothingFits` when there is not a single piece of evidence in the prompt, and `UnsafePrompt`.
    `bare`: no evidence is wanted; rules and question alone are the prompt. `earlier`: questions shown before this one.
    ``settings.generate.refuse``: a gate will weigh the evidence.
    """
    asked = Asked(question, tuple(earlier))
    budget = settings.generate.budget
    language = language_of(question)
    rules = settings.generate.rules.strip() or built_in(language, settings.generate.refuse and not bare)
    if chat is not None:
        rules = chat.break_specials(rules)[0]

    may_be = {candidate.chunk.key: documents[candidate.chunk.key] for candidate in may}
    older = older_versions(may_be.values(), settings.search.as_of or date.today())

    render = cache(chat.render) if chat is not None else None  # what was tried last is mostly what is sent

    def fits(tried: Sequence[Evidence]) -> bool:
        slots = _slots(asked, tried, documents, language, chat)
        return render is None or len(render(_messages(rules, slots)).input_ids) <= budget

    @cache
    def read(marker: str, chunk: Chunk, span: tuple[int, int]) -> Evidence:
        newer = older.get(chunk.key)
        return evidence(marker, chunk, documents[chunk.key], language, span, settings.generate.withhold, newer)

    packed, dropped, withheld = _fill(may, settings.search.packed, read, fits)
    if not packed and not (bare and fits(())):
        raise all_withheld(len(may)) if len(withheld) == len(may) > 0 else nothing_fits(len(may), settings, bare)
    packed = _widened(packed, may, read, fits)
    slots = _slots(asked, packed, documents, language, chat)
    messages = _messages(rules, slots)
    broken = _broken([settings.generate.rules], chat) + _broken(
        [*(_words(piece, documents) for piece in packed), *asked.earlier, asked.question], chat, markers.broken
    )
    written, ids, segments = "", tuple[int, ...](), tuple[Segment, ...]()
    if chat is not None and render is not None:
        rendered = render(messages)
        _check_specials(rendered, chat)
        written, ids, segments = rendered.text, rendered.input_ids, _segments(rendered, messages, slots)
    return Prompt(messages, written, ids, segments, tuple(packed), tuple(dropped), budget, broken, tuple(withheld))


def beginnings(chat: ChatTokenizer, weighed: bool) -> tuple[tuple[int, ...], ...]:
    """The tokens, language by language, that every prompt with the built-in rules begins with: those in front of its evidence."""
    found = []
    for language in BUILT_IN:
        slots = [_Slot("rules", "", _MATERIAL[language]), _Slot("evidence", "S1", "[S1] ")]
        rendered = chat.render(_messages(chat.break_specials(built_in(language, weighed))[0], slots))
        end = rendered.text.rfind("[S1]")
        found.append(tuple(i for i, (_, b) in zip(rendered.input_ids, rendered.offsets, strict=True) if b <= end))
    return tuple(found)


def _fill(
    may: Sequence[Candidate], most: int, read: _Read, fits: Callable[[Sequence[Evidence]], bool]
) -> tuple[list[Evidence], list[str], list[str]]:
    """At most `most` pieces, in order, and the chunk ids of those that were tried and did not fit, or have nothing to say.

    Mostly all of the first ones fit: these are tried together, and one by one only when they do not.
    """
    together = _fill_one_by_one(may, most, read, lambda _: True)
    return together if fits(together[0]) else _fill_one_by_one(may, most, read, fits)


def _fill_one_by_one(
    may: Sequence[Candidate], most: int, read: _Read, fits: Callable[[Sequence[Evidence]], bool]
) -> tuple[list[Evidence], list[str], list[str]]:
    packed: list[Evidence] = []
    dropped: list[str] = []
    withheld: list[str] = []
    for candidate in may:
        if len(packed) == most:
            break
        chunk = candidate.chunk
        piece = read(f"S{len(packed) + 1}", chunk, (chunk.start, chunk.end))
        if not piece.spans:
            withheld.append(chunk.chunk_id)
        elif fits([*packed, piece]):
            packed.append(piece)
        else:
            dropped.append(chunk.chunk_id)
    return packed, dropped, withheld


def _widened(
    packed: list[Evidence],
    may: Sequence[Candidate],
    read: _Read,
    fits: Callable[[Sequence[Evidence]], bool],
) -> list[Evidence]:
    """Each piece with what its clause runs on into, as far as that is not packed anyway: on both sides, else behind it, else before it."""
    reach = {c.chunk.chunk_id: c.reach for c in may if c.reach is not None}
    for i, piece in enumerate(packed):
        own = (piece.chunk.start, piece.chunk.end)
        low, high = _apart(own, reach.get(piece.chunk.chunk_id, own), [*packed[:i], *packed[i + 1 :]], piece.chunk.key)
        for span in dict.fromkeys(((low, high), (own[0], high), (low, own[1]))):
            if span == own:
                continue
            tried = [*packed[:i], read(piece.marker, piece.chunk, span), *packed[i + 1 :]]
            if fits(tried):
                packed = tried
                break
    return packed


def _apart(own: tuple[int, int], wide: tuple[int, int], others: Sequence[Evidence], key: str) -> tuple[int, int]:
    """`wide` as far as it holds nothing of `others` outside `own`."""
    low, high = wide
    for start, end in (span for other in others if other.chunk.key == key for span in other.spans):
        if start < high and end > own[1]:
            high = max(own[1], min(high, start))
        if end > low and start < own[0]:
            low = min(own[0], max(low, end))
    return low, high


def _slots(
    asked: Asked,
    packed: Sequence[Evidence],
    documents: Mapping[str, Document],
    language: Language,
    chat: ChatTokenizer | None,
) -> list[_Slot]:
    """The user message in parts, special-token strings broken in every part that comes from outside."""

    def safe(text: str) -> str:
        plain = markers.broken(text)[0]
        return chat.break_specials(plain)[0] if chat else plain

    slots = [_Slot("rules", "", _MATERIAL[language])]
    for piece in packed:
        slots.append(_Slot("evidence", piece.marker, f"{_mark(piece)}{safe(_words(piece, documents))}\n\n"))
    earlier = "".join(f"{_EARLIER[language]}{safe(before)}\n" for before in asked.earlier)
    slots.append(_Slot("question", "", f"{earlier}{_QUESTION[language]}{safe(asked.question)}"))
    return slots


def _mark(piece: Evidence) -> str:
    return f"[{piece.marker}] "


def _words(piece: Evidence, documents: Mapping[str, Document]) -> str:
    """What stands behind the marker, as it comes from outside: heading, a table's header, the words."""
    text = documents[piece.chunk.key].text
    heading = piece.heading.removeprefix(_mark(piece))
    return "\n".join((heading, *piece.above, "\n".join(text[a:b].strip() for a, b in piece.spans)))


def _broken(
    parts: Sequence[str],
    chat: ChatTokenizer | None,
    first: Callable[[str], tuple[str, tuple[str, ...]]] = lambda text: (text, ()),
) -> tuple[str, ...]:
    """What is broken in `parts`: what `first` breaks, then the special-token strings."""
    found: list[str] = []
    for part in parts:
        text, of_first = first(part)
        found += [*of_first, *(chat.break_specials(text)[1] if chat else ())]
    return tuple(found)


def _messages(rules: str, slots: Sequence[_Slot]) -> tuple[ChatMessage, ...]:
    content = "".join(slot.text for slot in slots).strip()
    return ChatMessage("system", rules), ChatMessage("user", content)


def _check_specials(rendered: Rendered, chat: ChatTokenizer) -> None:
    """The last gate: nothing from outside may have become a special token. A prompt with a word for every slot has the template's own."""
    plain = chat.render((ChatMessage("system", "x"), ChatMessage("user", "x")))
    own = [i for i in plain.input_ids if i in chat.special_ids]
    if [i for i in rendered.input_ids if i in chat.special_ids] != own:
        raise UnsafePrompt(
            en="The prompt would hold special tokens that come from a file or the question; it was not sent. Remove them from the text.",
            zh="提示词中会出现来自文件或问题的特殊标记，因此没有发送。请从文本中去掉它们。",
        )


def _segments(rendered: Rendered, messages: Sequence[ChatMessage], slots: Sequence[_Slot]) -> tuple[Segment, ...]:
    """Partition the rendered string into the template's own parts and ours; each token counts where it begins."""
    edges: list[tuple[int, SegmentName, str]] = [(0, "template", "")]
    system_at = rendered.text.find(messages[0].content)
    user_at = rendered.text.find(messages[1].content, max(0, system_at))
    if system_at >= 0:
        edges += [(system_at, "rules", ""), (system_at + len(messages[0].content), "template", "")]
    if user_at >= 0:  # a template that rewrites contents leaves one segment: all of it is the template's
        at = user_at
        for slot in slots:
            edges.append((at, slot.name, slot.marker))
            at += len(slot.text)
        edges.append((user_at + len(messages[1].content), "template", ""))
    starts = [edge[0] for edge in edges]
    counts = [0] * len(edges)
    for start, _ in rendered.offsets:
        counts[bisect_right(starts, start) - 1] += 1
    ends = [*starts[1:], len(rendered.text)]
    return tuple(
        Segment(name, marker, start, end, n)
        for (start, name, marker), end, n in zip(edges, ends, counts, strict=True)
        if end > start
    )
