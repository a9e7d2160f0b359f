"""Questions with frozen documents, and the sample questions: what the answers are worth, in one table."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from rag.cli.options import check_alone, check_result_file, model_settings, settings_of
from rag.cli.retrieval import Watch
from rag.errors import Language, ModelUnavailable, SettingError

if TYPE_CHECKING:
    from rag.config import Settings
    from rag.evaluate.answer_cases import Split
    from rag.evaluate.answer_report import Report
    from rag.evaluate.answer_rows import Measured
    from rag.evaluate.answer_run import Job
    from rag.evaluate.answer_scores import Scored
    from rag.evaluate.answers import Kept
    from rag.evaluate.models_used import Facts
    from rag.models.roles import Models

_OTHERS = ("questions", "category", "prompts", "vary", "min", "html", "documents", "index", "collection")
_SAVED_EVERY = 20
"""The file of a run is written after so many answers too: an hour of work is not to hang on its last minute."""


def add_answer_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``eval --answers DIR``."""
    parser.add_argument(
        "--samples", action="store_true", help="the sample questions too, counted like the cases of --answers DIR"
    )
    parser.add_argument(
        "--split",
        choices=("look", "report", "all"),
        help="of --answers DIR: a third to look at, the rest, or all (default)",
    )
    parser.add_argument(
        "--from", dest="kept", type=Path, metavar="FILE", help="count answers that --json kept; nothing is generated"
    )
    parser.add_argument(
        "--resume", action="store_true", help="go on with the run that the file of --json holds, if there is one"
    )
    parser.add_argument("--plain", type=Path, metavar="FILE", help="answers of the plain prompt to compare with: such a file, or lines with id and text")  # fmt: skip


def answer_folder(arguments: argparse.Namespace, evidence: tuple[str, ...]) -> Path | None:
    """The folder in ``--answers DIR``; None when what stands there are kinds of evidence, which a question set is answered from."""
    given: list[str] = arguments.answers
    unknown = [name for name in given if name not in evidence]
    if unknown and (len(given) > 1 or not Path(unknown[0]).is_dir()):
        raise SettingError(
            en=f"--answers {unknown[0]}: neither a folder nor one of {', '.join(evidence)}.",
            zh=f"--answers {unknown[0]}：既不是文件夹，也不是 {'、'.join(evidence)} 之一。",
        )
    return Path(unknown[0]) if unknown else None


def wants_answers(arguments: argparse.Namespace, folder: Path | None) -> bool:
    """Whether the command measures answers; raises `SettingError` for an option that would be left unread."""
    if folder is not None or arguments.samples:
        return True
    left = next((name for name in ("split", "kept", "plain", "resume") if getattr(arguments, name)), None)
    if left is not None:
        option = "from" if left == "kept" else left
        raise SettingError(
            en=f"--{option}: it goes with --answers DIR or --samples.",
            zh=f"--{option}：须与 --answers DIR 或 --samples 同用。",
        )
    return False


def measure_answers(arguments: argparse.Namespace, folder: Path | None, language: Language) -> int:
    """``eval --answers DIR``: 0, and 130 when Ctrl-C ended it early; what was measured by then is printed and written."""
    from rag.evaluate.answer_cases import chosen, read_cases
    from rag.evaluate.answer_report import lines, read_run
    from rag.evaluate.answer_run import Job, plain_scores
    from rag.evaluate.experiment import selected
    from rag.evaluate.question_files import sample_set
    from rag.models.roles import Models

    check_alone(
        arguments, _OTHERS, "it has no use with --answers DIR or --samples", "不能与 --answers DIR 或 --samples 同用"
    )
    settings = settings_of(arguments.set)
    check_result_file(arguments.json)
    cases = chosen(read_cases(folder), arguments.split or "all", arguments.limit) if folder is not None else ()
    questions = selected(sample_set(), [], arguments.limit).questions if arguments.samples else ()
    told = _told(arguments, settings)
    plain = plain_scores(cases, read_run(arguments.plain)) if arguments.plain is not None else {}
    write = arguments.kept is None
    models = Models(model_settings(arguments))
    if write:
        models.load(("encoder", "generator"))
        models.generator()  # raises why it is not there
    elif questions:
        models.load(("encoder",))
    if write or questions:
        _say_without_encoder(models, language)
    found = _Found(Job(settings, models, cases, questions, told, write), plain, arguments)
    ended = found.watch()
    print("\n".join(lines(found.report())))
    if arguments.json is not None:
        found.save()
        print(arguments.json)
    return 130 if ended else 0


def _told(arguments: argparse.Namespace, settings: Settings) -> Mapping[str, Kept | str]:
    """The answers that are there already."""
    from rag.evaluate.answer_report import read_run, settings_hash

    if arguments.resume and (arguments.json is None or arguments.kept is not None):
        raise SettingError(
            en="--resume: it goes with --json FILE, and not with --from.",
            zh="--resume：须与 --json FILE 同用，不能与 --from 同用。",
        )
    if arguments.kept is not None:
        return read_run(arguments.kept)
    if not arguments.resume or not arguments.json.exists():
        return {}
    if (was := settings_hash(arguments.json)) != settings.hash():
        raise SettingError(
            en=f"{arguments.json}: answered under the settings {was}, not {settings.hash()}. Name another file.",
            zh=f"{arguments.json}：其中的答案所用设置为 {was}，不是 {settings.hash()}，请换一个文件。",
        )
    return read_run(arguments.json)


def _say_without_encoder(models: Models, language: Language) -> None:
    try:
        models.encoder()
    except ModelUnavailable as error:  # the line says what it skips for that
        print(error.message(language), file=sys.stderr)


class _Found:
    """A run as far as it has come."""

    def __init__(self, job: Job, plain: Mapping[str, Scored], arguments: argparse.Namespace) -> None:
        self._job, self._plain = job, plain
        self._split: Split = arguments.split or "all"
        self._target: Path | None = arguments.json
        self._measured: list[Measured] = []
        self._kept: list[Kept] = []

    def watch(self) -> bool:
        """Run, with a line of progress on stderr; True when Ctrl-C ended it with something measured."""
        from rag.evaluate.answer_run import run

        watch = Watch()
        try:
            for measured, kept in run(self._job):
                self._measured.append(measured)
                self._kept.append(kept)
                watch.report(f"answers: {measured.row}", len(self._measured), self._job.total)
                if self._job.write and len(self._measured) % _SAVED_EVERY == 0:
                    self.save()
        except KeyboardInterrupt:
            print(file=sys.stderr)
            if not self._measured:
                raise
            return True
        print(file=sys.stderr)
        return False

    def report(self) -> Report:
        """What there is."""
        from rag.evaluate.answer_report import Report
        from rag.evaluate.answer_rows import table_rows

        generator: Facts = ()
        if self._job.write:
            used = self._job.models.generator()
            generator = (("model", used.name), ("dtype", used.dtype), ("device", used.device))
        return Report(
            self._job.settings,
            generator,
            self._split,
            tuple(self._measured),
            tuple(self._kept),
            table_rows(self._measured, self._plain),
            self._job.total - len(self._measured),
        )

    def save(self) -> None:
        """Write what there is, if a file was asked for; never half of it."""
        from rag.evaluate.answer_report import to_json

        if self._target is not None:
            draft = self._target.with_name(f"{self._target.name}.part")
            draft.write_text(to_json(self.report()), encoding="utf-8")
            draft.replace(self._target)
