"""The chunks of a document as a file to keep: JSON with all that is known of them, CSV for a spreadsheet. Pure."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Sequence
from dataclasses import asdict

from rag.config import SplitSettings
from rag.corpus.remarks import Remark
from rag.errors import Language
from rag.types import Chunk, Document
from rag.ui.chunk_views import remarked
from rag.ui.panels import columns

# What a spreadsheet program takes for a formula, behind blanks and in full width too.
_FORMULA = re.compile(r"[\s'\"]*[=+\-@＝＋－＠]|[\t\r]")


def file_name(document: Document, suffix: str) -> str:
    """A name for the file that every system takes.

    >>> file_name(Document("年假/2026", "v1", "年假/2026@v1", "own", "", "", ""), "csv")
    'chunks-年假_2026_v1.csv'
    """
    safe = re.sub(r"[^\w.-]+", "_", document.key).strip("._")[:80]
    return f"chunks-{safe or 'document'}.{suffix}"


def to_json(
    document: Document, chunks: Sequence[Chunk], remarks: Sequence[Sequence[Remark]], split: SplitSettings
) -> bytes:
    """The document's facts, the split and every chunk with its remarks; a chunk's text is ``text[start:end]`` of the document."""
    facts = {
        "key": document.key,
        "doc_id": document.doc_id,
        "version": document.version,
        "title": document.title,
        "source": document.source,
        "file": document.file,
        "characters": len(document.text),
        "pages": len(document.pages),
    }
    rows = [
        {
            "number": n,
            "chunk_id": c.chunk_id,
            "start": c.start,
            "end": c.end,
            "n_tokens": c.n_tokens,
            "page": c.page,
            "section": list(c.section),
            "remarks": list(found),
            "context": c.context,
            "text": c.text,
        }
        for n, (c, found) in enumerate(zip(chunks, remarks, strict=True), 1)
    ]
    whole = {"document": facts, "split": asdict(split), "chunks": rows}
    return json.dumps(whole, ensure_ascii=False, indent=1).encode("utf-8")


def to_csv(chunks: Sequence[Chunk], remarks: Sequence[Sequence[Remark]], language: Language) -> bytes:
    """A row per chunk; UTF-8 with a mark, so that spreadsheet programs read Chinese, and no cell is a formula."""
    stream = io.StringIO(newline="")
    writer = csv.writer(stream)
    writer.writerow(columns("head.chunk_file", language))
    for n, (c, found) in enumerate(zip(chunks, remarks, strict=True), 1):
        words = (" › ".join(c.section), remarked(found, language), c.context, c.text)
        row = (n, guarded(c.chunk_id), c.start, c.end, len(c.text), c.n_tokens, c.page or "")
        writer.writerow((*row, *map(guarded, words)))
    return stream.getvalue().encode("utf-8-sig")


def guarded(cell: str) -> str:
    """`cell` with an apostrophe in front where a spreadsheet program would compute it.

    >>> guarded("=1+1"), guarded("第一条")
    ("'=1+1", '第一条')
    """
    return f"'{cell}" if _FORMULA.match(cell) else cell
