"""Which models an evaluation ran with."""

from __future__ import annotations

from dataclasses import dataclass

from rag.errors import ModelUnavailable
from rag.evaluate.run import Bench

Facts = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class ModelsUsed:
    """Name and value of what decides a vector and an answer; both empty when there was no such model.

    `fingerprint` is the encoder's, over all of its facts.
    """

    encoder: Facts
    fingerprint: str
    generator: Facts


def models_used(bench: Bench) -> ModelsUsed:
    """What there is on `bench`. Without vectors in the corpus an encoder would have had nothing to do."""
    encoder: Facts = ()
    generator: Facts = ()
    if bench.corpus.dense is not None:
        try:
            # the line asks for a method only, so that an encoder without facts would do for it
            encoder = tuple(getattr(bench.models.encoder(), "facts", ())) or (("model", bench.corpus.fingerprint),)
        except ModelUnavailable:
            encoder = ()  # the index has vectors, but questions had none: the search was lexical
    try:
        found = bench.models.generator()
        generator = (("model", found.name), ("dtype", found.dtype), ("device", found.device))
    except ModelUnavailable:
        generator = ()
    return ModelsUsed(encoder, bench.corpus.fingerprint if encoder else "", generator)
