"""What the commands share: which models, which settings, which language, where a result is written."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from rag.config import ModelSettings, Settings, from_environment
from rag.errors import Language, SettingError


def shell_language() -> Language:
    """Chinese when the locale's language is Chinese, else English."""
    locale = os.environ.get("LC_ALL") or os.environ.get("LC_MESSAGES") or os.environ.get("LANG") or ""
    return "zh" if locale.lower().startswith("zh") else "en"


def add_model_options(parser: argparse.ArgumentParser) -> None:
    """The options that choose models; each has an environment variable as its default."""
    plain = from_environment()
    parser.add_argument("--encoder", default=plain.encoder, help="name or folder (RAG_ENCODER; default %(default)s)")
    parser.add_argument(
        "--generator", default=plain.generator, help="name or folder (RAG_GENERATOR; default %(default)s)"
    )
    parser.add_argument(
        "--reranker",
        default=plain.reranker,
        help="a cross-encoder's name or folder (RAG_RERANKER; default %(default)s)",
    )
    parser.add_argument(
        "--cache", type=Path, default=plain.cache, help="folder for weights and the sample index (RAG_CACHE)"
    )


def model_settings(arguments: argparse.Namespace) -> ModelSettings:
    """The model options of a parsed command line."""
    return replace(
        from_environment(),
        encoder=arguments.encoder,
        generator=arguments.generator,
        reranker=arguments.reranker,
        cache=arguments.cache.expanduser(),
    )


def settings_of(written: Sequence[str]) -> Settings:
    """The settings with what ``--set NAME=VALUE`` asks for, one after the other; raises `SettingError`."""
    from rag.evaluate.variants import with_value

    settings = Settings()
    for one in written:
        settings = with_value(settings, *pair(one, "--set"))
    return settings


def check_result_file(target: Path | None) -> None:
    """Before an hour of work: can the result be written?"""
    if target is not None and target.is_dir():
        raise SettingError(en=f"{target}: a folder. Name a file in it.", zh=f"{target}：是文件夹，请指定其中的文件名。")
    if target is not None and not target.absolute().parent.is_dir():
        raise SettingError(
            en=f"{target}: there is no folder {target.absolute().parent}. Make it first.",
            zh=f"{target}：没有文件夹 {target.absolute().parent}，请先创建。",
        )


def pair(written: str, option: str) -> tuple[str, str]:
    """The two halves of NAME=VALUE."""
    name, equals, value = written.partition("=")
    if not equals or not name.strip():
        raise SettingError(en=f"{option} {written}: write NAME=VALUE.", zh=f"{option} {written}：请写成 名称=值。")
    return name.strip(), value.strip()


def check_alone(arguments: argparse.Namespace, others: Sequence[str], en: str, zh: str) -> None:
    """Raise `SettingError` when one of the options `others`, or ``--k``, was given, which would be left unread: `en` and `zh` say why."""
    given = next((name for name in others if getattr(arguments, name)), None)
    given = given or ("k" if arguments.k != 10 else None)
    if given is not None:
        raise SettingError(en=f"--{given}: {en}. Leave it out.", zh=f"--{given}：{zh}，请去掉。")
