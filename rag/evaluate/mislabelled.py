"""Labels that point to nothing: the document is not there, or the quote is not in its text."""

from __future__ import annotations

import difflib
import unicodedata
from collections.abc import Sequence
from itertools import accumulate

from rag.corpus.folding import fold
from rag.corpus.index import Corpus
from rag.errors import Bilingual
from rag.evaluate.diagnosis import Diagnosis, quoted, titled
from rag.evaluate.labels import Resolver, Solid
from rag.evaluate.questions import Label, Question
from rag.types import Document


def mislabelled(label: Label, corpus: Corpus, permitted: frozenset[str]) -> Diagnosis:
    """Why `label` points to nothing in the documents `permitted` names; the others are not there at all."""
    visible = [document for key, document in corpus.documents.items() if key in permitted]
    whole = Question("", "", relevant=(Label(label.document),))
    named = [corpus.documents[place.key] for place in Resolver(corpus, permitted).resolve(whole).places]
    if not named:
        return _no_document(label, visible)
    if label.quote:
        return _no_quote(label, named, visible)
    pages = len(named[0].pages)
    return Diagnosis(
        "label",
        "no_page",
        label.need,
        Bilingual(
            en=f"The label names page {label.page} of {titled(named[0])}, which has {pages or 'no'} pages.",
            zh=f"标注指向{titled(named[0])}的第 {label.page} 页，而该文档{f'共 {pages} 页' if pages else '没有页码'}。",
        ),
        Bilingual(
            en="Name a page that is there, or quote the passage instead; the Documents tab shows the pages of each file.",
            zh="请改为存在的页码，或改用引文标注；各文件的页数见「文档」页。",
        ),
    )


def _no_document(label: Label, visible: Sequence[Document]) -> Diagnosis:
    names = {name for d in visible for name in (d.file, d.key, d.doc_id, d.title) if name}
    near = difflib.get_close_matches(label.document, sorted(names), n=1)
    return Diagnosis(
        "label",
        "no_document",
        label.need,
        Bilingual(
            en=f"The label names {label.document!r}, and no document here has that file name, key, id or title."
            + (f" The nearest name is {near[0]!r}." if near else ""),
            zh=f"标注指向「{label.document}」，但这里没有文档以它为文件名、键、编号或标题。"
            + (f"最接近的名称是「{near[0]}」。" if near else ""),
        ),
        Bilingual(
            en="Add the file, or correct the name in the label; the Documents tab lists what is there.",
            zh="请添加该文件，或更正标注中的名称；现有文档见「文档」页。",
        ),
    )


def _no_quote(label: Label, named: Sequence[Document], visible: Sequence[Document]) -> Diagnosis:
    document, (start, end, share) = max(
        ((d, most_similar(label.quote, d.text)) for d in named), key=lambda found: found[1][2]
    )
    passage = quoted(document.text[start:end])
    other = _holding(label.quote, [d for d in visible if d not in named])
    return Diagnosis(
        "text",
        "quote_absent",
        label.need,
        Bilingual(
            en=f"{quoted(label.quote)} is not in the text of {titled(document)}. The most similar passage there, at {start}–{end}, "
            f"is {passage}, with {share:.0%} of its character pairs."
            + (f" {titled(other)} does hold the quote." if other else ""),
            zh=f"{titled(document)}的文本中没有{quoted(label.quote)}。其中最相似的是 {start}–{end} 处的{passage}，含引文 {share:.0%} 的字对。"
            + (f"{titled(other)}中有这段引文。" if other else ""),
        ),
        Bilingual(
            en="Compare with the file. Is the passage there, it was lost in reading: try the file in another format (the Chunks tab "
            "shows the text as it was read). Is it not, correct the label.",
            zh="请与原文件对照：原文件中有，说明读取时丢失，请换一种格式上传（「切块」页显示读到的文本）；原文件中没有，请更正标注。",
        ),
    )


def _holding(quote: str, documents: Sequence[Document]) -> Document | None:
    """The first document with the quote in its text. `Solid` is slow on all of a corpus, so it only confirms."""
    wanted = _rough(quote)
    return next((d for d in documents if wanted in _rough(d.text) and Solid(d.text).find(quote)), None)


def _rough(text: str) -> str:
    return "".join(unicodedata.normalize("NFKC", text).lower().split())


def most_similar(quote: str, text: str) -> tuple[int, int, float]:
    """The stretch ``[start, end)`` of `text`, as long as `quote`, with most of its character pairs, and the share it has.

    >>> most_similar("每年15天", "员工每年有15天年假")
    (2, 7, 0.5)
    """
    wanted, there = fold(quote), fold(text)
    pairs = {wanted[i : i + 2] for i in range(max(1, len(wanted) - 1))}
    sums = [0, *accumulate(there[i : i + 2] in pairs for i in range(len(there)))]
    starts = range(max(1, len(there) - len(wanted) + 1))
    start = max(starts, key=lambda i: sums[min(i + len(wanted) - 1, len(there))] - sums[i])
    stretch = there[start : start + len(wanted)]
    return start, start + len(stretch), sum(pair in stretch for pair in pairs) / len(pairs)
