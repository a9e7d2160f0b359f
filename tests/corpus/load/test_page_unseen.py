"""Words of a web page that its style lets nobody see are left out and noted; small and pale ones stay."""

import pytest

from rag.corpus.load import load


@pytest.mark.parametrize(
    "style",
    [
        *("opacity:0", "color:red; Opacity : 0.0;", "font-size:0", "font-size: 0px !important"),
        *("position:absolute;left:-9999px", "text-indent:-99999px;", "top:-10000px"),
    ],
)
def test_what_nobody_sees_is_hidden(style: str) -> None:
    document = load("a.html", f"<p>看得见<span style='{style}'>看不见</span>的文字</p>".encode())[0]
    assert document.text == "看得见的文字"
    assert [(one.why, one.text) for one in document.removed] == [("hidden", "看不见")]


@pytest.mark.parametrize(
    "style", ["opacity:0.5", "fill-opacity:0", "font-size:0.8em", "font-size:80%", "left:-20px", "margin-left:-9999px"]
)
def test_what_is_pale_small_or_moved_is_seen(style: str) -> None:
    assert load("a.html", f"<p>看得见<span style='{style}'>也看见</span></p>".encode())[0].text == "看得见也看见"


def test_what_holds_other_elements_may_show_them() -> None:
    assert "甲" in load("a.html", "<div style='font-size:0'><p style='font-size:14px'>甲</p></div>".encode())[0].text
