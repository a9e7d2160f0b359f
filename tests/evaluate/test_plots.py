import random
import re
import statistics
import warnings
from concurrent.futures import ThreadPoolExecutor

import pytest
from bs4 import BeautifulSoup
from lxml import etree

from rag.evaluate.drawing import INK, PALETTE, fit, plain, text_width
from rag.evaluate.plots import (
    CurveLabels,
    DistributionLabels,
    LatencyLabels,
    StageBar,
    ThresholdPoint,
    latency,
    score_distributions,
    stage_bars,
    threshold_curve,
)
from rag.evaluate.statistics import Interval
from tests import hostile
from tests.test_imports import HEAVY, imported_by

HARMLESS = {"svg", "title", "defs", "g", "path", "text", "use", "clippath", "rect"}
EVIL = (
    "<script>alert(1)</script>",
    "</text></svg><img src=x onerror=alert(1)>",
    "]]><!--",
    "-->",
    '"><b onload="x">',
    "$\\frac{a}{b}$",
    "$x^2",
    "&lt;i&gt;&amp;",
    "label-0",
    "label-1",
    "\x00\x1b\ufffe\ud800",
    "年假\n天数",
)


def all_plots(names: list[str]) -> list[str]:
    """One plot of each kind with these labels; `names`: at least 6."""
    interval, (a, b, c, d, e, f) = Interval(0.5, 0.4, 0.7, 20), names[:6]
    return [
        stage_bars([StageBar(a, [(b, interval), (c, interval)]), StageBar(d, [(b, interval)])], e),
        score_distributions([0.8, 0.9], [0.3, 0.5], 0.6, DistributionLabels(a, b, c, d, e, f)),
        threshold_curve([ThresholdPoint(t, 1 - t, t, t) for t in (0.0, 0.5, 1.0)], CurveLabels(a, b, c, d, e, f)),
        latency([(a, [0.01, 0.02]), (b, [])], LatencyLabels(c, d, e, f)),
    ]


def texts(svg: str) -> list[tuple[str, float, float]]:
    """Every text with its place."""
    found = etree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")
    return [(e.text or "", float(e.get("x", "nan")), float(e.get("y", "nan"))) for e in found]


def scale(svg: str, low: str, high: str) -> tuple[float, float]:
    """Where the ticks written `low` and `high` stand on the x axis."""
    ticks = {text: x for text, x, _ in texts(svg)}
    return ticks[low], ticks[high]


def paths(svg: str, style: str) -> list[list[tuple[float, float]]]:
    """The corners of every path whose style matches."""
    root = etree.fromstring(svg)
    found = [e for e in root.iter("{http://www.w3.org/2000/svg}path") if re.search(style, e.get("style", ""))]
    return [[(float(x), float(y)) for x, y in re.findall(r"(-?[\d.]+) (-?[\d.]+)", e.get("d", ""))] for e in found]


def assert_harmless(svg: str) -> None:
    root = etree.fromstring(svg)  # well formed, or this raises
    soup = BeautifulSoup(f"<div>{svg}</div>", "html.parser")  # and as a page's parser reads it
    assert {e.name.lower() for e in soup.div.find_all(True)} <= HARMLESS
    assert not list(root.iter(etree.Comment)) and not list(root.iter(etree.ProcessingInstruction))
    for element in root.iter():
        for name, value in element.attrib.items():
            name = etree.QName(name).localname
            assert not name.startswith("on"), name
            assert name != "href" or value.startswith("#"), value
            assert "url(" not in value or re.fullmatch(r"url\(#\w+\)", value), value


def test_hostile_labels_are_text_and_nothing_else(seeds) -> None:
    for seed in seeds(60):
        rng = random.Random(seed)
        names = [rng.choice(EVIL) + hostile.text(rng, 3) if rng.random() < 0.6 else hostile.text(rng) for _ in range(6)]
        for svg in all_plots(names):
            assert_harmless(svg)


@pytest.mark.parametrize("label", EVIL)
def test_a_label_is_shown_as_it_is(label: str) -> None:
    svg = stage_bars([StageBar(label, [(label, Interval(0.5, 0.4, 0.7, 20))])], label)
    shown = [text for text, _, _ in texts(svg)]
    assert plain(label) in shown and fit(label, 0.4 * 480) in shown
    assert etree.fromstring(svg).findtext("{http://www.w3.org/2000/svg}title") == plain(label)


def test_labels_that_look_like_placeholders_do_not_change_places() -> None:
    svg = latency([("label-1", [0.01]), ("label-0", [0.02])], LatencyLabels("", "label-3", "label-2", "label-9"))
    assert [t for t, _, _ in texts(svg) if t.startswith("label")] == [
        "label-3", "label-2", "label-1", "label-0", "label-9",
    ]  # fmt: skip


def test_a_bar_ends_at_its_mean_and_its_whisker_at_the_interval() -> None:
    svg = stage_bars([StageBar("融合", [("召回率", Interval(0.5, 0.25, 0.875, 40))])], "t")
    zero, one = scale(svg, "0", "1")
    (bar,) = paths(svg, rf"fill: {PALETTE[0]}; opacity: 0.4")
    assert (min(x for x, _ in bar), max(x for x, _ in bar)) == pytest.approx((zero, (zero + one) / 2), abs=0.01)
    ends = [[x for x, _ in line] for line in paths(svg, rf"stroke: {PALETTE[0]}; stroke-width: 1.3")]
    wanted = [zero + share * (one - zero) for share in (0.25, 0.875)]
    assert any(len(line) == 2 and line == pytest.approx(wanted, abs=0.01) for line in ends)
    assert "0.50" in [text for text, _, _ in texts(svg)]


def test_the_groups_follow_the_order_given() -> None:
    stages = [StageBar(name, [("m", Interval(0.5, 0.4, 0.6, 9))]) for name in ("dense", "lexical", "fused", "packed")]
    heights = [y for text, _, y in texts(stage_bars(stages, "t")) if text in {s.label for s in stages}]
    assert heights == sorted(heights) and len(heights) == 4


def test_the_threshold_stands_where_it_is() -> None:
    labels = DistributionLabels("t", "relevant", "irrelevant", "threshold", "cosine", "share")
    svg = score_distributions([0.0, 1.0], [0.0, 1.0], 0.25, labels)
    zero, one = scale(svg, "0", "1")
    dotted = [line for line in paths(svg, rf"stroke-dasharray.*stroke: {INK}") if len({x for x, _ in line}) == 1]
    assert [line[0][0] for line in dotted] == pytest.approx([zero + (one - zero) / 4], abs=0.01)
    assert "threshold 0.250" in [text for text, _, _ in texts(svg)]
    without = score_distributions([0.0, 1.0], [0.0, 1.0], None, labels)
    assert not [line for line in paths(without, rf"stroke-dasharray.*stroke: {INK}")]


def test_each_distribution_is_a_share_of_its_own_kind() -> None:
    # one relevant against a thousand irrelevant, all in one bin each: both reach 100 %
    labels = DistributionLabels("t", "r", "i", "", "score", "share")
    svg = score_distributions([1.0], [0.0] * 1000, None, labels)
    tops = [min(y for _, y in p) for p in paths(svg, r"fill-opacity: 0\.3|opacity: 0\.3")]
    assert len(tops) == 2 and tops[0] == pytest.approx(tops[1])


def test_the_curve_goes_through_its_points() -> None:
    labels = CurveLabels("t", "threshold", "share", "evidence", "wrongly", "rightly")
    points = [ThresholdPoint(0.0, 1.0, 0.0, 0.25), ThresholdPoint(1.0, 0.5, 0.5, 1.0)]
    svg = threshold_curve(points, labels)
    assert svg == threshold_curve(points[::-1], labels)
    left, right = scale(svg, "0", "1")
    low, high = (next(y for t, _, y in texts(svg) if t == mark) for mark in ("0%", "100%"))
    offset = low - paths(svg, r"stroke: #b45309")[0][0][1]  # ticks are written a little below their lines
    (line,) = [p for p in paths(svg, r"stroke: #0d9488; stroke-width: 2") if len(p) == 2]
    assert [x for x, _ in line] == pytest.approx([left, right], abs=0.01)
    assert [y + offset for _, y in line] == pytest.approx([high, (low + high) / 2], abs=0.01)


def test_latency_shows_median_and_95th_percentile_in_milliseconds() -> None:
    rng = random.Random(2)
    seconds = [rng.uniform(0.02, 0.9) for _ in range(101)]
    cut = statistics.quantiles([1000 * s for s in seconds], n=20, method="inclusive")
    svg = latency([("dense", seconds), ("never", [])], LatencyLabels("t", "median", "p95", "ms"))
    shown = [text for text, _, _ in texts(svg)]
    assert f"{cut[9]:,.0f} · {cut[18]:,.0f}" in shown and "–" in shown


def test_steps_far_apart_get_a_logarithmic_axis() -> None:
    labels = LatencyLabels("t", "median", "p95", "ms")
    svg = latency([("fast", [0.002] * 3), ("zero", [0.0] * 3), ("slow", [2.0] * 3)], labels)
    ticks = {t: x for t, x, _ in texts(svg) if re.fullmatch(r"[\d,.]+", t)}
    assert ticks["100"] - ticks["10"] == pytest.approx(ticks["1,000"] - ticks["100"], abs=0.01)
    even = {t: x for t, x, _ in texts(latency([("a", [0.002]), ("b", [0.004])], labels))}
    assert even["2"] - even["0"] == pytest.approx(even["4"] - even["2"], abs=0.01)


def test_nothing_to_draw_is_drawn_as_nothing() -> None:
    assert_harmless(stage_bars([], "t"))
    assert_harmless(stage_bars([StageBar("s", [])], "t"))
    assert_harmless(score_distributions([], [], None, DistributionLabels(*"abcdef")))
    assert_harmless(score_distributions([0.5, 0.5], [], 0.5, DistributionLabels(*"abcdef")))
    assert_harmless(threshold_curve([], CurveLabels(*"abcdef")))
    assert_harmless(threshold_curve([ThresholdPoint(0.5, 1, 0, 0)], CurveLabels(*"abcdef")))
    assert_harmless(latency([], LatencyLabels(*"abcd")))
    assert_harmless(latency([("a", []), ("b", [0.0])], LatencyLabels(*"abcd")))


def test_the_same_data_gives_the_same_svg_in_any_thread() -> None:
    names = ["向量", "词面", "融合", "证据", "重排", "标题"]
    first = all_plots(names)
    with ThreadPoolExecutor(4) as pool:
        assert all(again == first for again in pool.map(all_plots, [names] * 8))


def test_it_scales_with_the_page_and_carries_neither_date_nor_maker() -> None:
    for svg in all_plots(["向量", "词面", "融合", "证据", "重排", "标题"]):
        root = etree.fromstring(svg)
        assert svg.startswith("<svg ") and root.get("width") is None and root.get("height") is None
        assert re.fullmatch(r"0 0 480 [\d.]+", root.get("viewBox", "")) and root.get("role") == "img"
        assert (
            "metadata" not in svg and "atplotlib" not in svg and "<style" not in svg and "font-family: 'Dej" not in svg
        )


def test_drawings_on_one_page_share_no_id_and_refer_to_their_own() -> None:
    pages = all_plots(["a", "b", "c", "d", "e", "f"])
    ids = [set(re.findall(r'\bid="([^"]+)"', svg)) for svg in pages]
    assert sum(map(len, ids)) == len(set().union(*ids)) > 0
    for svg, own in zip(pages, ids, strict=True):
        assert {a or b for a, b in re.findall(r'url\(#([^)]+)\)|href="#([^"]+)"', svg)} == own


def test_chinese_labels_draw_without_a_warning() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        all_plots(["向量检索", "词面检索", "融合", "放进提示词", "重排", "各阶段"])


def test_a_long_label_is_cut_to_its_place(seeds) -> None:
    for seed in seeds(300):
        rng = random.Random(seed)
        label, width = hostile.text(rng), rng.uniform(30, 400)
        cut = fit(label, width)
        assert text_width(cut) <= width, seed
        assert cut == plain(label) or (cut.endswith("…") and plain(label).startswith(cut[:-1]))


@pytest.mark.parametrize("color", PALETTE)
def test_colours_can_be_told_from_white_and_from_dark_paper(color: str) -> None:
    def luminance(value: str) -> float:
        parts = [int(value[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    for paper in ("#ffffff", "#0f172a"):
        dark, light = sorted((luminance(color), luminance(paper)))
        assert (light + 0.05) / (dark + 0.05) >= 3, paper


def test_importing_is_light_and_no_window_system_is_asked_for() -> None:
    assert imported_by("rag.evaluate.plots", *HEAVY, "matplotlib", "lxml") == set()
    drawn = (
        "rag.evaluate.plots as p; p.latency([('a', [0.1])], p.LatencyLabels('a', 'b', 'c', 'd')); import rag.evaluate"
    )
    assert imported_by(drawn, *HEAVY, "matplotlib", "matplotlib.pyplot") == {"matplotlib"}
