"""What each role resolves to: source, hash, size, licence; of the reranker only when one was named."""

from __future__ import annotations

import argparse

from rag.cli.options import model_settings
from rag.config import DEFAULT_RERANKER
from rag.errors import Bilingual, Language, ModelUnavailable, RagError
from rag.types import Role


def show_models(arguments: argparse.Namespace, language: Language) -> None:
    """The command models."""
    from rag.models.hub import Hub
    from rag.models.weights import resolve

    settings = model_settings(arguments)
    hub = Hub()
    missing: list[RagError] = []
    roles: list[tuple[Role, str]] = [("encoder", settings.encoder), ("generator", settings.generator)]
    if settings.reranker != DEFAULT_RERANKER:  # most never read again with the default one
        roles.append(("reranker", settings.reranker))

    def say(note: Bilingual) -> None:
        print(note.of(language), flush=True)

    for role, asked in roles:
        try:
            w = resolve(role, asked, settings.cache, say, hub, arguments.fetch)
        except ModelUnavailable as error:
            missing.append(error)
            continue
        print(f"  folder {w.folder}\n  sha256 {w.sha256}\n  size   {w.size:,} bytes\n  licence {w.licence}")
    if missing:
        raise ModelUnavailable(
            en="\n".join(e.message("en") for e in missing), zh="\n".join(e.message("zh") for e in missing)
        )
