"""The nouns of the line, one frozen dataclass each.

All offsets are indices of Unicode code points into a Python ``str``, half-open ``[start, end)``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Final, Literal

from rag.errors import Bilingual

Origin = Literal["sample", "own"]
Role = Literal["encoder", "generator", "reranker"]
PUBLIC: Final = frozenset({"public"})
"""The groups of somebody who has not signed in, and of a document that says nothing about groups."""
Say = Callable[[Bilingual], None]
"""How long work tells what it is doing."""
By = Literal["model", "system"]


@dataclass(frozen=True, slots=True)
class Section:
    """A heading's reach: from `start` to the next section's start (or the end of the text)."""

    start: int
    path: tuple[str, ...]
    """The headings from the outermost to this one, for example ``("第三章 休假", "第十二条 年假")``."""


Why = Literal[
    "running_line",
    "page_number",
    "watermark",
    "contents",
    "overprint",
    "comment",
    "deletion",
    "hidden",
    "navigation",
    "script",
    "duplicate",
    "unreadable",
]
"""Why words of a file are not in its document's text."""


@dataclass(frozen=True, slots=True)
class Removed:
    """Words that stand in the file and were left out: they stood at offset `at` of the document's text.

    ``text[:at] + removed + text[at:]``, from the last to the first, puts them where they stood in running text. What a
    table's cell held goes behind its row's line in Word and Excel files (column names have none: above the rows), in
    others behind the table. Unreadable characters are named (``U+200B``), behind their block or where reading ended.
    `page` is 1-based, None without pages.
    """

    at: int
    text: str
    why: Why
    page: int | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """A table's rows in a document's text, one per line: ``text[start:end]``.

    `header` is its caption and its column names, joined by a line break; empty when there are none. A chunk of its rows
    carries it in `context`.
    """

    start: int
    end: int
    header: str


Stated = Literal["file", "text", "name", "visitor"]
"""Who says what is known of a document: the format's own fields, a line of its text, its name, or the visitor."""


@dataclass(frozen=True, slots=True)
class Document:
    """One version of one policy, as clean text.

    `doc_id` groups the versions of one policy; `key` is ``f"{doc_id}@{version or sha256(text)[:8]}"``, with
    ``+{sha256(text)[:8]}`` behind it where other words of that version are kept beside it: unique in a workspace.
    `pages` holds the start offset of every page (``pages[0] == 0``; empty when the format has no pages); `sections` are
    sorted by start. `warnings` are what the loader wants a person to know.
    """

    doc_id: str
    version: str
    key: str
    origin: Origin
    title: str
    source: str
    text: str
    pages: tuple[int, ...] = ()
    sections: tuple[Section, ...] = ()
    effective_from: date | None = None
    effective_to: date | None = None
    groups: frozenset[str] = PUBLIC
    file: str = ""
    """The name of the file it came in; several documents can come in one."""
    warnings: tuple[Bilingual, ...] = ()
    tables: tuple[Table, ...] = ()
    """Sorted by start, apart from each other."""
    removed: tuple[Removed, ...] = ()
    """Sorted by place."""
    reading: Bilingual = field(default=Bilingual(en="", zh=""))
    """How the file was read, for example ``Word`` or ``text, GB18030 (certain)``."""
    stated: tuple[tuple[str, Stated], ...] = ()
    """Who says each of title, version, effective_from and effective_to, where it is known."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """A slice of a document: ``text == document.text[start:end]`` and ``chunk_id == f"{key}:{start}-{end}"``.

    `context` (title, section path, and the header of a table it lies in) goes in front of `text` when it is encoded, packed and shown; it is
    not part of the slice. `n_tokens` counts context and text with the encoder's own tokenizer, prefix and
    special tokens included; 0 when there is no encoder. `page` is 1-based, None without pages.
    """

    chunk_id: str
    key: str
    start: int
    end: int
    text: str
    context: str
    n_tokens: int
    page: int | None
    section: tuple[str, ...]

    @property
    def passage(self) -> str:
        """What the encoder reads: the context, a line break, the text."""
        return f"{self.context}\n{self.text}" if self.context else self.text

    @property
    def wording(self) -> str:
        """What BM25 counts words in: the passage with its context twice, since a word of a heading says more."""
        return f"{self.context}\n{self.passage}" if self.context else self.text


Fate = Literal[
    "packed",
    "over_budget",
    "beyond_k",
    "below_threshold",
    "duplicate",
    "per_document",
    "out_of_scope",
    "not_packed",
    "withheld",
]


@dataclass(frozen=True, slots=True)
class Status:
    """What became of a candidate: in the prompt under `marker`, or left out and why.

    `of`: the chunk id of the better one that a duplicate repeats, or the key of the version in force in place of one that is not.
    """

    fate: Fate
    marker: str = ""
    of: str = ""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A chunk some retriever returned. `scores` and `ranks` (1-based) have one entry per stage that returned it.

    Stages: ``dense`` (cosine, −1…1), ``lexical`` (BM25, > 0), ``fused`` (RRF or the weighted sum), ``rerank`` (what the
    reranker gave; the trace says which) and what it was made of: ``overlap`` (share of the question's terms, 0…1) or ``likelihood`` (mean
    log-probability of the question after the passage, ≤ 0); ``mmr`` (marginal relevance, −1…1). Of two ranks that RRF counted twice, repeated here: ``cross``, the dense one, for the chunk is in another
    language than the question; ``named``, the lexical one, for it holds a code or a clause that the question names.
    With more than one leg (`Query`), ``dense`` and ``lexical`` are those of the whole question, every leg (``whole``, ``part1``, ``part2``, ``part3``, ``draft``)
    is a stage with its own fused score and rank, and ``fused`` merges these.
    `rank` is the final, 1-based rank. `cosine` is that of question and passage whichever retriever returned the chunk,
    None when there is no vector of either.
    """

    chunk: Chunk
    scores: Mapping[str, float]
    ranks: Mapping[str, int]
    rank: int
    status: Status
    cosine: float | None = None
    reach: tuple[int, int] | None = None
    """How far its clause runs on into the chunks beside it, a slice of the document that holds its own; None: not looked for."""


Reason = Literal[
    "override", "role", "markup", "reveal", "dictate", "citing", "act", "address", "comment", "hidden", "encoded"
]
"""By what a sentence speaks to the machine: it lays aside its instructions, gives it another role, imitates the chat's own marks,
asks for what it was told, dictates the answer, forbids or fakes sources, asks for an action, addresses it, or hides (`rag.ask.orders`)."""


@dataclass(frozen=True, slots=True)
class Flagged:
    """A sentence ``[start, end)`` that speaks to the machine that reads it and not to the staff (`rag.ask.suspicious`).

    `points` is at least 4; less beside such a sentence, or where one leads on to it. `signs`: the words that gave them, as spans within it, in order.
    """

    start: int
    end: int
    reasons: tuple[Reason, ...]
    points: int
    signs: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Evidence:
    """What is packed under `marker` (``S1``…): slices ``[start, end)`` of the chunk's document, in order.

    The chunk's own, or more of the document around it where its clause runs on, less the sentences that are withheld.
    """

    marker: str
    chunk: Chunk
    heading: str
    """The line in front: ``[S1] title | version | section | page`` (parts that are unknown are left out)."""
    spans: tuple[tuple[int, int], ...]
    above: tuple[str, ...] = ()
    """The lines between heading and words: a table's caption and column names."""
    flagged: tuple[Flagged, ...] = ()
    """Sentences of it, as offsets in the document, that speak to the machine; withheld where no span holds them."""
    names: tuple[str, ...] = ()
    """Words of its title, version, sections or table header that speak to the machine; withheld with the sentences."""


SegmentName = Literal["template", "rules", "evidence", "question"]


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch ``[start, end)`` of ``Prompt.text`` and its tokens; segments partition the text in order."""

    name: SegmentName
    marker: str
    start: int
    end: int
    n_tokens: int


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """One message as the chat template gets it."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class Prompt:
    """What the generator is given. `input_ids` are exactly the ids passed to ``generate`` and the tokens of `text`.

    `budget` is context limit − answer tokens; ``len(input_ids) <= budget``. Without a generator's tokenizer
    only `messages`, `packed` and `dropped` are filled and `rendered` is False.
    """

    messages: tuple[ChatMessage, ...]
    text: str
    input_ids: tuple[int, ...]
    segments: tuple[Segment, ...]
    packed: tuple[Evidence, ...]
    dropped: tuple[str, ...]
    """Chunk ids that were tried and did not fit, in rank order."""
    budget: int
    broken: tuple[str, ...] = ()
    """Special-token strings and markers that were found in a slot and broken visibly, as they were written."""
    withheld: tuple[str, ...] = ()
    """Chunk ids that were tried and hold nothing but sentences that speak to the machine, in rank order."""

    @property
    def rendered(self) -> bool:
        """Whether the chat template was applied and the ids are known."""
        return bool(self.input_ids)


@dataclass(frozen=True, slots=True)
class Citation:
    """A marker in an answer.

    ``answer.text[start:end]`` is the marker as the model wrote it; for ``by == "system"`` start == end, the place
    where the marker is to be shown. `chunk_id` is None when the marker names nothing that was packed (invalid);
    otherwise `span` is the passage ``document.text[span[0]:span[1]]`` that comes closest to the sentence, and
    `support` (0…1) the share of the sentence's terms that stand in it, rare ones and numbers counting more
    (`rag.ask.attribute`). A citation says where to look; whether the sentence is carried is said by `Sentence`.
    """

    marker: str
    start: int
    end: int
    chunk_id: str | None
    span: tuple[int, int] | None
    support: float
    by: By


ClueKind = Literal[
    "number",
    "date",
    "limit",
    "negation",
    "condition",
    "name",
    "place",
    "words",
    "terms",
    "asked",
    "far",
    "fewer",
    "less",
]
"""What a clue is about: a number with its unit, rate or code; a date or time; which side of a number is meant (以上, 以下, 之前);
不得 and 可以; 仅, 必须, 除外; a name or thing; whether what stands together in the answer stands together in the source. Of the
sentence as a whole: how many of its ``words``, of its weighed ``terms``, of the question's (``asked``) stand there; and of another
passage, that it comes nearer (this one is ``far``), holds more of its words (this one ``fewer``), or more of its terms and
says otherwise (this one ``less``); these name the passage."""


@dataclass(frozen=True, slots=True)
class Clue:
    """Something in a sentence, ``answer.text[start:end]``, that was looked for in the sources.

    `chunk_id` and `span` say where the source has it, or has what it says instead: a slice of the document's text. `span` None with a
    `chunk_id`: in the title or heading of that chunk; both None: in no packed source. `agrees`: the source that the sentence was
    compared with says the same; every sentence that has a clue which does not agree is unsupported.
    """

    kind: ClueKind
    start: int
    end: int
    chunk_id: str | None
    span: tuple[int, int] | None
    agrees: bool
    share: tuple[float, float] | None = None
    """Of the sentence as a whole: the share (0…1) that was found and the least that is asked for."""


Support = Literal["cited", "other", "none", "no_claim", "refusal"]


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence ``answer.text[start:end]``. `support`: what stands behind it.

    ``cited``: a source cited in it, by the model or by the system, carries it; ``other``: not what the model cites, but another packed source,
    which the system cites beside it; ``none``: no packed source carries it, what is cited is only the closest;
    ``no_claim``: it says nothing that a source could carry (no words, or a phrase such as "I hope this helps");
    ``refusal``: the fixed not-found sentence. `clues`: what decided, in text order; empty for the last two.
    """

    start: int
    end: int
    support: Support
    clues: tuple[Clue, ...] = ()


StepName = Literal[
    "cache",
    "rewrite",
    "draft",
    "embed",
    "dense",
    "lexical",
    "fuse",
    "outside",
    "rerank",
    "select",
    "pack",
    "wait",
    "gate",
    "generate",
    "cite",
    "quote",
    "compare",
    "load",
    "split",
    "encode",
    "index",
]


@dataclass(frozen=True, slots=True)
class Step:
    """One row of a trace. `n_in` and `n_out` count what the step took and gave (chunks, candidates, tokens).

    `seconds` is wall time. `skipped` is True when the step was skipped or replaced; `note` says why.
    """

    name: StepName
    seconds: float
    n_in: int
    n_out: int
    note: Bilingual = field(default=Bilingual(en="", zh=""))
    skipped: bool = False


@dataclass(frozen=True, slots=True)
class Trace:
    """What ran, in order, and under which settings (`settings` is ``Settings.lines()``, `settings_hash` its hash)."""

    steps: tuple[Step, ...]
    settings: tuple[tuple[str, str], ...]
    settings_hash: str


Wording = Literal["question", "earlier", "synonyms", "part", "draft"]


@dataclass(frozen=True, slots=True)
class Sought:
    """A text that is searched for, and where its words come from.

    `dense`: its weight in the vector that is searched (weighted mean, scaled to length 1); `lexical`: what its BM25 score
    is multiplied by before the texts of a leg are added up. Both ≥ 0; 0: that retriever does not read it. `why`: the
    question as asked (or in half-width, simplified characters), behind the earlier questions, its synonyms, one of its
    parts, or a draft of the answer.
    """

    text: str
    why: Wording
    dense: float
    lexical: float


LegName = Literal["whole", "part1", "part2", "part3", "draft"]


@dataclass(frozen=True, slots=True)
class Leg:
    """One search: texts that are read together, at least one; with several legs, each gives a list, and these are merged."""

    name: LegName
    texts: tuple[Sought, ...]


@dataclass(frozen=True, slots=True)
class Query:
    """What is looked for when `question` is asked: the first leg is the whole question. No legs: evidence was given, not searched.

    `earlier`: the questions before it that are searched and shown to the generator with it, oldest first. `draft`: the
    draft of an answer that was searched too, or "".
    """

    question: str
    earlier: tuple[str, ...] = ()
    legs: tuple[Leg, ...] = ()
    draft: str = ""


@dataclass(frozen=True, slots=True)
class Retrieval:
    """A question's way up to the prompt. `problem` says why there is no rendered prompt, when there is none."""

    question: str
    corpus_id: str
    """Identity of the corpus searched, to tell a fresh retrieval from a stale one."""
    candidates: tuple[Candidate, ...]
    prompt: Prompt | None
    trace: Trace
    problem: Bilingual | None = None
    outside: tuple[Candidate, ...] = ()
    """What would have been found if the scope hid nothing, less what it does not hide, with the ranks it would have had
    (`rag.ask.outside`); none of it is ever packed."""
    query: Query | None = None
    """What was searched for; None for a retrieval made without a question's way (tests)."""


SignalName = Literal["closest", "least", "held", "carried"]
"""What speaks for or against the evidence (`rag.ask.gate`): how similar its closest sentence is that meets the question's
constraints, how well that sentence holds the quarter of the question's tokens that it holds worst, and, of a written answer, the share of
its own words that one of the closest sentences holds, and the share of its sentences that claim something which a source carries."""


@dataclass(frozen=True, slots=True)
class Signal:
    """A signal's `value`, and what it `gives` to the log-odds that the evidence answers: below 0 it speaks for a refusal."""

    name: SignalName
    value: float
    gives: float


@dataclass(frozen=True, slots=True)
class Near:
    """A sentence of the evidence, with the one before it: `span` of the text of the document that the chunk of `marker` is of.

    `sentence`: the sentence by itself, the end of `span`.
    """

    marker: str
    chunk_id: str
    span: tuple[int, int]
    sentence: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Gate:
    """Whether the packed evidence was held to answer the question: with probability `p` (0…1), `enough` when it is at least `below`.

    `nearest`: at most three sentences, the closest first. `written`: whether the answer was looked at too. `close`: all sentences that are
    about as close as the closest (`rag.ask.gate.FAR`).
    """

    enough: bool
    p: float
    below: float
    signals: tuple[Signal, ...]
    nearest: tuple[Near, ...]
    written: bool = False
    close: tuple[Near, ...] = ()


Fault = Literal["unsupported", "echo", "elsewhere"]
"""Why an answer does not hold: no sentence of it is carried by a source; nothing but the question's words; carried, but by no sentence close to the question."""


@dataclass(frozen=True, slots=True)
class Quoted:
    """Sentences of the evidence that stand in an answer's place, word for word, a line each, in the order of the prompt; and why."""

    why: Fault
    near: tuple[Near, ...]


@dataclass(frozen=True, slots=True)
class Side:
    """One of two sentences that say different things: ``[start, end)`` of the document `key`; `marks`: where in it they differ."""

    key: str
    start: int
    end: int
    marks: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Difference:
    """A packed sentence and what stands in its place in another version of the policy, or in another packed source (`other`: its marker).

    `here` is of the piece `marker`. `by_value`: a number or date differs; else only words do.
    """

    kind: Literal["version", "source"]
    marker: str
    here: Side
    there: Side
    by_value: bool
    other: str = ""


Finish = Literal["running", "end", "length", "stopped"]


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer, while it streams (`done` False) and when it is complete.

    `text` is what the model wrote, decoded from the new tokens only, or what stands in its place (`quoted`, a refusal).
    `finish`: ``running``, ``end`` (end token), ``length`` (answer tokens used up) or ``stopped``.
    """

    text: str
    citations: tuple[Citation, ...]
    sentences: tuple[Sentence, ...]
    prompt: Prompt
    trace: Trace
    done: bool
    finish: Finish
    n_tokens: int
    seconds_to_first: float | None
    """Seconds from the start of generation to the first token; None before it."""
    seconds: float
    gate: Gate | None = None
    """How the evidence was weighed, and the answer with it once it is complete; None when it was not."""
    differences: tuple[Difference, ...] = ()
    """Where other versions, or other packed sources, say otherwise; of a complete answer only (`rag.ask.conflicts`)."""
    ahead: int = 0
    """Answers of others that are written before this one; nothing of it is computed until there is none."""
    withdrawn: Answer | None = None
    """What was written, where the not-found sentence or a quotation took its place."""
    quoted: Quoted | None = None
    """What the text is taken from, where it is a quotation."""

    @property
    def says_nothing(self) -> bool:
        """Whether it is complete and neither claims anything nor refuses: markers alone, or nothing at all."""
        return self.done and all(s.support == "no_claim" for s in self.sentences)
