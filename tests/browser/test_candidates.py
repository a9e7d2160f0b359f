"""The Candidates tab in Chromium: filters, keys, tokens, the comparison, the map."""

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.browser import steps
from tests.ui.fakes import page_app, served

pytestmark = pytest.mark.browser
QUESTION = "入职满一年，每年有多少天带薪年假？"
OTHER = "办公设备每年可以报销多少元？"


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("samples")
    for i in range(4):
        text = f"# 补充规定{i}\n\n第{i}条 员工每年可享受{i}天福利假，与年假分开计算。\n"
        (folder / f"more{i}.md").write_text(text, encoding="utf-8")
    app, _ = page_app(folder)
    yield served(app)
    app.close()


@pytest.fixture(params=[False, True], ids=["desktop", "phone"])
def page(url: str, visit: Callable[..., Any], request: pytest.FixtureRequest) -> Any:
    page = visit(url, phone=request.param)
    steps.open_tab(page, "candidates")
    steps.retrieve(page, QUESTION)
    page.locator("#cand-table [data-testid='cell-0-0']").wait_for()
    return page


def test_rows_are_filtered_and_opened_with_the_keys(page: Any) -> None:
    page.locator("#cand-filter textarea, #cand-filter input").fill("设备")
    page.locator("#cand-count", has_text="6 行中的 1 行").wait_for()
    assert page.locator("#cand-table .virtual-row").count() == 1
    page.locator("#cand-filter textarea, #cand-filter input").fill("")
    page.wait_for_function("document.querySelectorAll('#cand-table .virtual-row').length === 6")
    pick = page.locator("#cand-pick input")
    pick.focus()
    page.wait_for_timeout(300)  # the list opens with the focus
    page.keyboard.type("2. ")
    page.wait_for_timeout(300)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.locator("#cand-view .why", has_text="第 2 名").wait_for()
    page.locator("#cand-pairs table.pairs").wait_for()
    assert page.locator("#cand-reasons table.terms td b").first.inner_text() == "合计"


def test_outcome_and_order_are_chosen_from_lists(page: Any) -> None:
    page.locator("#cand-sort input").click()
    page.get_by_role("option", name="文档与位置").click()
    page.wait_for_function(
        "document.querySelectorAll('#cand-table .virtual-row')[1].innerText.split('\\n')[0].trim() === '6'"
    )
    page.locator("#cand-outcome input").click()
    page.get_by_role("option").nth(1).click()
    page.locator("#cand-count p").wait_for()
    assert page.locator("#cand-table .virtual-row").count() in range(1, 6)


def test_two_questions_stand_side_by_side(page: Any) -> None:
    page.locator("#cand-compare button").first.click()
    page.locator("#cand-keep").click()
    page.locator("#cand-beside", has_text="已留下").wait_for()
    steps.retrieve(page, OTHER)
    page.locator("#cand-beside table.two").wait_for()
    seen = page.locator("#cand-beside").inner_text()
    assert QUESTION in seen and OTHER in seen
    assert steps.fits_its_width(page) and steps.pale(page) == []


def test_a_point_of_the_map_opens_its_candidate_by_mouse_and_key(page: Any) -> None:
    page.locator("#cand-map-part button").first.click()
    page.locator("#cand-draw").click()
    page.locator("#cand-map svg .asked").wait_for()
    assert page.locator("#cand-map .point").count() == 6
    page.locator("#cand-map .point[data-rank='3']").focus()
    page.keyboard.press("Enter")
    page.locator("#cand-view .why", has_text="第 3 名").wait_for()
    steps.still(page)
    page.locator("#cand-map .point[data-rank='2'] circle.field").click(force=True)
    page.locator("#cand-view .why", has_text="第 2 名").wait_for()
    page.locator("#cand-pairs table.pairs").wait_for()
    assert steps.fits_its_width(page) and steps.pale(page) == []


def test_a_row_that_is_pressed_brings_its_candidate_into_sight(page: Any) -> None:
    scrolled = page.evaluate("window.scrollY")
    assert (scrolled > 0) is (page.viewport_size["width"] < 800)  # a search moves only a phone, to what it found
    page.locator("#cand-table [data-testid='cell-2-1']").click()
    page.locator("#cand-view .why", has_text="第 3 名").wait_for()
    page.wait_for_function(
        "(() => { const top = document.querySelector('#cand-view').getBoundingClientRect().top;"
        " return top > -40 && top < window.innerHeight * 0.6; })()"
    )


def test_scores_are_read_with_four_decimals(page: Any) -> None:
    cells = [page.locator(f"#cand-table [data-testid='cell-{n}-2']").inner_text().strip() for n in range(4)]
    assert all(re.fullmatch(r"\d\.\d{4}", cell) for cell in cells), cells
    assert page.locator("#cand-table [data-testid='cell-0-0']").inner_text().strip() == "1"


def test_the_map_names_the_candidate_of_the_point_that_was_pressed(page: Any) -> None:
    page.locator("#cand-map-part button").first.click()
    page.locator("#cand-draw").click()
    page.locator("#cand-map svg .asked").wait_for()
    size = page.locator("#cand-map .point circle.field").first.bounding_box()
    assert size["width"] >= 20
    page.locator("#cand-map .point[data-rank='3']").focus()
    page.keyboard.press("Enter")
    page.locator("#cand-map .opened", has_text="3. ").wait_for()
    page.locator("#cand-view .why", has_text="第 3 名").wait_for()
    page.locator("#cand-pairs table.pairs").wait_for()


def test_what_can_be_folded_is_large_enough_to_be_pressed(page: Any) -> None:
    low = page.locator("summary, button.label-wrap").evaluate_all(
        "all => all.map(e => e.getBoundingClientRect()).filter(r => r.height && r.height < 24).length"
    )
    assert low == 0
