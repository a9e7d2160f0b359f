"""One document on the page: what was left out stands where it stood, who says what is said, nothing runs."""

import random
import re
from collections.abc import Callable
from typing import get_args

from rag.errors import Bilingual
from rag.types import Document, Removed, Why
from rag.ui import document_details, panels
from rag.ui.documents import choices_of
from tests.hostile import line
from tests.hostile import text as hostile_text
from tests.ui.markup import PAYLOADS, harmless, pieces, untagged


def made(rng: random.Random) -> Document:
    source = hostile_text(rng, 20)
    removed = sorted(rng.randint(0, len(source)) for _ in range(rng.randrange(12)))
    return Document(
        "d", "", "d@1", "own", rng.choice(PAYLOADS), line(rng), source,
        pages=(0,),
        removed=tuple(
            Removed(at, hostile_text(rng, 3) + rng.choice(PAYLOADS), rng.choice(get_args(Why)), rng.choice((None, 1, 7)))
            for at in removed
        ),
        stated=(("title", rng.choice(("file", "text", "name", "visitor"))),),
    )  # fmt: skip


def test_as_read_every_removed_text_stands_in_its_place(seeds: Callable[[int], range]) -> None:
    for seed in seeds(300):
        shown = made(random.Random(seed))
        # as the type says: put back one by one, from the last to the first
        whole = shown.text
        for removed in reversed(shown.removed):
            whole = whole[: removed.at] + removed.text + whole[removed.at :]
        source, places = document_details.as_read(shown)
        assert source == whole
        assert [source[a:b] for a, b, _ in places] == [r.text for r in shown.removed]
        kept, last = "", 0
        for a, b, _ in places:
            kept, last = kept + source[last:a], b
        assert kept + source[last:] == shown.text


def test_both_views_show_the_text_and_mark_what_was_left_out(seeds: Callable[[int], range]) -> None:
    for seed in seeds(200):
        rng = random.Random(seed)
        shown = made(rng)
        for view, source in (("cleaned", shown.text), ("as_read", document_details.as_read(shown)[0])):
            markup = document_details.shown_text(shown, view, rng.choice((0, 10**9, -4)), rng.choice(("zh", "en")))  # type: ignore[arg-type]
            harmless(markup)
            body = re.search(r'<div class="doc"[^>]*>(.*)</div>$', markup, re.S)
            assert body and untagged(body[1]) == source
            gone = "".join(said for css, said in pieces(body[1]) if "gone" in css.split())
            assert gone == ("".join(r.text for r in shown.removed) if view == "as_read" else "")
        harmless(document_details.known(shown, "zh"))
        harmless(document_details.left_out(shown, "en"))
        harmless(panels.document_table([shown], [], [], {}, {}, "zh"))


def test_a_long_document_as_read_is_shown_in_parts() -> None:
    shown = Document(
        "d",
        "",
        "d@1",
        "own",
        "t",
        "f",
        "字" * 50_000,
        removed=tuple(Removed(i * 100, "页眉", "running_line", i) for i in range(400)),
    )
    whole, seen, at = document_details.as_read(shown)[0], "", 0
    while len(seen) < len(whole):
        markup = document_details.shown_text(shown, "as_read", at, "zh")
        piece = untagged(re.search(r'<div class="doc"[^>]*>(.*)</div>$', markup, re.S)[1])  # type: ignore[index]
        assert len(piece) <= document_details.PART_CHARACTERS
        start = min(at, len(whole) - document_details.PART_CHARACTERS)
        assert whole[start : start + len(piece)] == piece
        seen += piece[len(seen) - start :]
        at = max(int(x) for x in re.findall(r'data-at="(\d+)"', markup))
    assert seen == whole


def test_what_was_left_out_is_counted_by_reason_with_its_pages() -> None:
    headers = [Removed(i, "内部资料", "running_line", i + 1) for i in range(3)] + [
        Removed(9, "内部资料", "running_line", 7)
    ]
    shown = Document(
        "d", "", "d@1", "own", "t", "f", "字" * 10, removed=(*headers, Removed(10, "第 1 页", "page_number", 1))
    )
    said = document_details.left_out(shown, "zh")
    assert "<b>页眉页脚</b> × 4" in said and "<b>页码</b> × 1" in said
    assert "<td>1–3, 7</td><td>4</td><td>内部资料</td>" in said
    assert "没有剔除" in document_details.left_out(Document("d", "", "d@1", "own", "t", "f", "字"), "zh")


def test_a_guess_is_marked_and_every_reason_and_witness_has_words() -> None:
    shown = Document(
        "d", "2026", "d@2026", "own", "年假", "f", "字", stated=(("title", "file"), ("version", "name"))
    )  # fmt: skip
    assert panels.stated(shown, "version", "zh") == '<span class="stated guess">据文件名推测</span>'
    assert panels.stated(shown, "title", "zh") == '<span class="stated">文件注明</span>'
    assert panels.stated(shown, "effective_from", "zh") == "" == document_details.who(shown, "effective_from", "zh")
    assert "不参与检索" in panels.document_table([shown], [], [], {shown.key: "version"}, {}, "zh")
    row = panels.document_table([shown], [], [], {}, {}, "zh")
    assert "不参与检索" not in row
    assert "据文件名推测" in row and "文件注明" in row


def test_documents_that_share_title_and_version_are_told_apart() -> None:
    one, two = (Document("d", "", f"d@{n}", "own", "宿舍", "f", "字") for n in "ab")
    other = Document("e", "2026", "e@2026", "own", "年假", "f", "字")
    assert choices_of([one, two, other]) == [("宿舍 · d@a", "d@a"), ("宿舍 · d@b", "d@b"), ("年假 · 2026", "e@2026")]


def test_the_programs_that_read_a_pdf_are_explained_and_one_is_not_several() -> None:
    reading = Bilingual(en="PDF (pdfminer)", zh="PDF（pdfminer）")
    shown = Document("d", "", "d@1", "own", "t", "f", "字", reading=reading, removed=(Removed(0, "xx", "hidden"),))
    assert "读取 PDF 的程序" in document_details.known(shown, "zh")
    table = panels.document_table([shown], [], [], {}, {}, "en")
    assert 'title="pdfminer and PDFium are programs' in table and "1 passage left out" in table
    assert "1 passage, 2 characters" in document_details.left_out(shown, "en")
    assert "programs" not in document_details.known(Document("d", "", "d@1", "own", "t", "f", "字"), "en")


def test_remarks_are_joined_without_double_stops() -> None:
    notes = (Bilingual(en="Read as text.", zh="已按内容处理。"), Bilingual(en="the same as B", zh="与《乙》相同"))
    shown = Document("d", "", "d@1", "own", "t", "f", "字", warnings=notes)
    for language, said in (("en", "Read as text. the same as B"), ("zh", "已按内容处理。与《乙》相同")):
        assert said in panels.document_table([shown], [], [], {}, {}, language)
