"""What the commands share: which models, which language."""

from __future__ import annotations

import argparse
import os
from dataclasses import replace
from pathlib import Path

from rag.config import ModelSettings, from_environment
from rag.errors import Language


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
