"""Words in cells of a Word table that a merged cell covers are shown nowhere, and noted."""

from rag.corpus.load import load
from tests.corpus.load.ooxml import document


def cell(text: str, properties: str = "") -> str:
    return f"<w:tc><w:tcPr>{properties}</w:tcPr><w:p><w:r><w:t>{text}</w:t></w:r></w:p></w:tc>"


def test_words_of_covered_cells_are_noted_as_hidden_behind_their_row() -> None:
    rows = [
        cell("城市") + cell("标准"),
        cell("北京", '<w:vMerge w:val="restart"/>') + cell("600"),
        cell("旧名", "<w:vMerge/>") + cell("450"),
        cell("杭州", '<w:hMerge w:val="restart"/>') + cell("旧值", "<w:hMerge/>"),
    ]
    (read,) = load("a.docx", document(f"<w:tbl>{''.join(f'<w:tr>{row}</w:tr>' for row in rows)}</w:tbl>"))
    assert read.text == "城市: 北京；标准: 600\n城市: 北京；标准: 450\n杭州"
    assert [(one.text, one.why, read.text[: one.at].split("\n")[-1]) for one in read.removed] == [
        ("旧名", "hidden", "城市: 北京；标准: 450"),
        ("旧值", "hidden", "杭州"),
    ]


def test_in_a_table_inside_a_cell_too() -> None:
    inner = cell("甲", '<w:vMerge w:val="restart"/>') + "</w:tr><w:tr>" + cell("乙", "<w:vMerge/>")
    outer = f"<w:tc><w:tbl><w:tr>{inner}</w:tr></w:tbl><w:p/></w:tc>" + cell("丙")
    (read,) = load("a.docx", document(f"<w:tbl><w:tr>{outer}</w:tr></w:tbl>"))
    assert [(one.text, one.why) for one in read.removed] == [("乙", "hidden")]
    assert "乙" not in read.text
