"""A run's figures under names: what a floor is set for, and what a report lists."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from rag.errors import SettingError
from rag.evaluate.measured_run import Run
from rag.evaluate.run import GIVEN, STAGES, Given
from rag.evaluate.statistics import Interval, mean_interval
from rag.evaluate.summary import MEASURES, answers, stages

_SHARES = ("correct", "supported", "citation_precision", "citation_recall")


def figures(run: Run) -> dict[str, Interval]:
    """Name → mean and interval.

    Of a stage ``<stage>.<measure>``, for example ``packed.evidence``; of the answers from one kind of evidence
    ``retrieved.correct`` (right answers and right refusals), ``.supported``, ``.citation_precision``,
    ``.citation_recall`` and ``.refused_rightly`` (over the questions without an answer).
    """
    found = {f"{s.stage}.{measure}": interval for s in stages(run.outcomes) for measure, interval in s.measures.items()}
    for given in GIVEN:
        summary = answers(run.outcomes, given)
        if summary is not None:
            shares = {name: getattr(summary, name) for name in _SHARES}
            shares["refused_rightly"] = mean_interval(_refusals(run, given))
            found |= {f"{given}.{name}": interval for name, interval in shares.items() if interval is not None}
    return found


def names(given: Sequence[Given]) -> tuple[str, ...]:
    """Every name that `figures` can have in a run whose answers are written from `given`."""
    measures = [f"{stage}.{measure}" for stage in STAGES for measure in MEASURES]
    return (*measures, *(f"{kind}.{share}" for kind in given for share in (*_SHARES, "refused_rightly")))


def check_floors(floors: Mapping[str, float], given: Sequence[Given]) -> None:
    """Before a run: raises `SettingError` for a name that no such run has and for a floor that is not in 0…1."""
    for name, floor in floors.items():
        if not 0 <= floor <= 1:  # nor a NaN
            raise SettingError(
                en=f"Floor {name!r}: {floor} is not a number from 0 to 1.",
                zh=f"下限 {name!r}：{floor} 不是 0 到 1 的数字。",
            )
        if name not in names(given):
            raise _unmeasured(name, names(given))


def _unmeasured(name: str, measured: Iterable[str]) -> SettingError:
    return SettingError(
        en=f"Floor {name!r}: this run does not measure it. Measured: {', '.join(measured) or 'nothing'}.",
        zh=f"下限 {name!r}：本次评测没有这个指标。已测：{'、'.join(measured) or '无'}。",
    )


def _refusals(run: Run, given: Given) -> list[float]:
    pairs = [(outcome.question, outcome.answered(given)) for outcome in run.outcomes]
    return [float(a.judged.verdict == "refused") for q, a in pairs if a is not None and q.expects == "refusal"]


def below(run: Run, floors: Mapping[str, float]) -> tuple[tuple[str, float, float], ...]:
    """Name, figure and floor of every figure that is under its floor.

    Raises `SettingError` for a name that is not measured and for a floor that is not in 0…1.
    """
    check_floors(floors, run.given)
    measured = figures(run)
    for name in floors:
        if name not in measured:  # a stage that did not run, a measure no question has
            raise _unmeasured(name, measured)
    return tuple((n, measured[n].mean, floor) for n, floor in floors.items() if measured[n].mean < floor)
