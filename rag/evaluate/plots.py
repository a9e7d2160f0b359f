"""The evaluation's plots, as SVG text. Every word comes from the caller, in the visitor's language."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from rag.evaluate.drawing import AMBER, EDGE, INK, LINE, PALETTE, TEAL, WIDTH, Drawing, legend_height, text_width
from rag.evaluate.statistics import Interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_BAR: Final = 16.0
_GAP: Final = 8.0
_BINS: Final = 30
_LOG_FROM: Final = 50.0
"""Times of which the longest is so many times the shortest get a logarithmic axis."""


@dataclass(frozen=True, slots=True)
class StageBar:
    """One stage (dense, lexical, fused …) and its measures (0…1), in the order they are drawn."""

    label: str
    measures: Sequence[tuple[str, Interval]]


@dataclass(frozen=True, slots=True)
class ThresholdPoint:
    """What a threshold does. All but `threshold` are shares, 0…1."""

    threshold: float
    evidence: float
    """Of the answerable questions: evidence kept."""
    refused_answerable: float
    """Of the answerable questions: refused, wrongly."""
    refused_unanswerable: float
    """Of the unanswerable questions: refused, rightly."""


@dataclass(frozen=True, slots=True)
class DistributionLabels:
    """The words of `score_distributions`; `score` and `share` name the axes."""

    title: str
    relevant: str
    irrelevant: str
    threshold: str
    score: str
    share: str


@dataclass(frozen=True, slots=True)
class CurveLabels:
    """The words of `threshold_curve`; `threshold` and `share` name the axes."""

    title: str
    threshold: str
    share: str
    evidence: str
    refused_answerable: str
    refused_unanswerable: str


@dataclass(frozen=True, slots=True)
class LatencyLabels:
    """The words of `latency`; `unit` names its axis, milliseconds."""

    title: str
    median: str
    p95: str
    unit: str


def stage_bars(stages: Sequence[StageBar], title: str) -> str:
    """A group of bars for each stage, a bar for each measure: its mean (the upright stroke), interval and figure."""
    names = list(dict.fromkeys(name for stage in stages for name, _ in stage.measures))
    colors = {name: PALETTE[i % len(PALETTE)] for i, name in enumerate(names)}
    top, left = legend_height(names) + _GAP, _label_column([stage.label for stage in stages])
    height = sum(len(stage.measures) * _BAR + _GAP for stage in stages)
    drawing = Drawing(top + height + 2 * LINE)
    drawing.legend(list(colors.items()), 0)
    axes = _rows(drawing, left, top, height)
    highest = max((i.high for stage in stages for _, i in stage.measures), default=1.0)
    axes.set_xlim(0, max(1.0, highest))
    y = _GAP / 2
    for stage in stages:
        drawing.text(left - EDGE, top + y + len(stage.measures) * _BAR / 2, stage.label, left - 2 * EDGE, "right")
        for name, interval in stage.measures:
            middle, color = y + _BAR / 2, colors[name]
            axes.barh(middle, interval.mean, height=_BAR - 4, color=color, alpha=0.4)
            axes.plot([interval.mean] * 2, [middle - _BAR / 2 + 2, middle + _BAR / 2 - 2], color=color, linewidth=2.5)
            axes.plot([interval.low, interval.high], [middle] * 2, color=color, linewidth=1.3, marker="|", markersize=6)
            drawing.text(WIDTH - EDGE, top + middle, f"{interval.mean:.2f}", 48, "right")
            y += _BAR
        y += _GAP
    return drawing.svg(title)


def score_distributions(
    relevant: Sequence[float], irrelevant: Sequence[float], threshold: float | None, labels: DistributionLabels
) -> str:
    """Two histograms over the same 30 bins, each as shares of its own kind, and the threshold as a dashed line."""
    runs = [np.asarray(run, dtype=np.float64) for run in (relevant, irrelevant)]
    shown = np.concatenate([*runs, [] if threshold is None else [threshold]])
    low, high = (float(shown.min()), float(shown.max())) if len(shown) else (0.0, 1.0)
    if high - low < 1e-6:
        low, high = low - 0.05, high + 0.05
    edges = np.linspace(low, high, _BINS + 1)
    mark = "" if threshold is None else f"{labels.threshold} {threshold:.3f}"
    entries = [(labels.relevant, TEAL), (labels.irrelevant, AMBER), *([(mark, INK)] if mark else [])]
    drawing, axes = _graph(entries, labels.share, labels.score)
    for run, color, dash in zip(runs, (TEAL, AMBER), ("-", "--"), strict=True):
        shares = np.histogram(run, edges)[0] / max(1, len(run))
        axes.stairs(shares, edges, fill=True, color=color, alpha=0.3)
        axes.stairs(shares, edges, color=color, linewidth=1.6, linestyle=dash)
    if threshold is not None:
        axes.axvline(threshold, color=INK, linewidth=1.6, linestyle=":")
    axes.set_xlim(low, high)
    axes.set_ylim(0, None)
    return drawing.svg(labels.title)


def threshold_curve(points: Sequence[ThresholdPoint], labels: CurveLabels) -> str:
    """Evidence kept, and refusals of answerable and of unanswerable questions, against the threshold."""
    points = sorted(points, key=lambda p: p.threshold)
    at = [p.threshold for p in points]
    entries = [(labels.evidence, TEAL), (labels.refused_answerable, AMBER), (labels.refused_unanswerable, PALETTE[2])]
    drawing, axes = _graph(entries, labels.share, labels.threshold)
    lines = (
        ([p.evidence for p in points], TEAL, "-"),
        ([p.refused_answerable for p in points], AMBER, "--"),
        ([p.refused_unanswerable for p in points], PALETTE[2], "-."),
    )
    for values, color, dash in lines:
        axes.plot(at, values, color=color, linestyle=dash, linewidth=2, marker="o" if len(at) <= 15 else "", ms=4)
    axes.set_ylim(-0.02, 1.02)
    if at and at[0] < at[-1]:
        axes.set_xlim(at[0], at[-1])
    return drawing.svg(labels.title)


def latency(steps: Sequence[tuple[str, Sequence[float]]], labels: LatencyLabels) -> str:
    """How long each step took: (name, seconds of each run) → a bar to the median, a line on to the 95th percentile.

    Shown in milliseconds, logarithmic when the steps lie far apart. A step that never ran has a dash.
    """
    times = [(name, np.quantile(np.asarray(v, float) * 1000, (0.5, 0.95)) if len(v) else None) for name, v in steps]
    figures = [float(t) for _, pair in times if pair is not None for t in pair if t > 0] or [1.0]
    entries = [(labels.median, TEAL), (labels.p95, AMBER)]
    top, left = legend_height([label for label, _ in entries]) + _GAP, _label_column([name for name, _ in steps])
    height = len(times) * (_BAR + _GAP)
    drawing = Drawing(top + height + 3 * LINE)
    drawing.legend(entries, 0)
    written = ["–" if pair is None else f"{_figure(pair[0])} · {_figure(pair[1])}" for _, pair in times]
    right = max(map(text_width, written), default=0.0) + EDGE
    axes = _rows(drawing, left, top, height, right + EDGE)
    floor = 0.0
    if max(figures) / min(figures) > _LOG_FROM:
        axes.set_xscale("log")
        floor = 10.0 ** math.floor(math.log10(min(figures) / 2))  # half at most: the shortest has a bar too
        axes.xaxis.set_minor_formatter(lambda _value, _at: "")
    axes.set_xlim(floor, max(figures) * 1.05)
    axes.xaxis.set_major_formatter(lambda value, _at: f"{value:,g}")
    for row, (name, pair) in enumerate(times):
        middle = (row + 0.5) * (_BAR + _GAP)
        drawing.text(left - EDGE, top + middle, name, left - 2 * EDGE, "right")
        if pair is not None:
            median, p95 = (max(floor, float(t)) for t in pair)
            axes.barh(middle, median - floor, left=floor, height=_BAR - 2, color=TEAL, alpha=0.75)
            axes.plot([median, p95], [middle] * 2, color=AMBER, linewidth=1.6)
            axes.plot([p95] * 2, [middle - 6, middle + 6], color=AMBER, linewidth=2.5)
        drawing.text(WIDTH - EDGE, top + middle, written[row], right, "right")
    drawing.text((left + WIDTH - right) / 2, top + height + 1.95 * LINE, labels.unit, WIDTH - left, "center")
    return drawing.svg(labels.title)


def _figure(milliseconds: float) -> str:
    return f"{milliseconds:,.0f}" if milliseconds >= 10 else f"{milliseconds:.2g}"


def _label_column(labels: Sequence[str]) -> float:
    """The left edge of bars that have these labels in front: at most 2/5 of the drawing."""
    return min(max((text_width(label) for label in labels), default=0.0), 0.4 * WIDTH) + 2 * EDGE


def _rows(drawing: Drawing, left: float, top: float, height: float, figures: float = 48) -> Axes:
    """Axes for horizontal bars, y in units from the top; `figures`: room for what is written at the right."""
    axes = drawing.axes(left, top, WIDTH - figures, top + max(height, 1.0))
    axes.set_ylim(max(height, 1.0), 0)
    axes.set_yticks([])
    axes.xaxis.set_major_formatter(lambda value, _at: f"{value:g}")
    return axes


def _graph(entries: Sequence[tuple[str, str]], y_label: str, x_label: str) -> tuple[Drawing, Axes]:
    """A drawing with a legend, the name of the y axis above it, that of the x axis below; shares from bottom to top."""
    top = legend_height([label for label, _ in entries]) + _GAP
    drawing = Drawing(top + LINE + 200 + 3 * LINE)
    drawing.legend(entries, 0)
    drawing.text(EDGE, top + LINE / 2, y_label, WIDTH - 2 * EDGE)
    axes = drawing.axes(48, top + LINE + _GAP, WIDTH - 2 * EDGE, top + LINE + 200)
    axes.yaxis.set_major_formatter(lambda value, _at: f"{100 * value:.3g}%")
    axes.xaxis.set_major_formatter(lambda value, _at: f"{value:g}")
    drawing.text(WIDTH / 2, top + LINE + 200 + 1.95 * LINE, x_label, WIDTH - 2 * EDGE, "center")
    return drawing, axes
