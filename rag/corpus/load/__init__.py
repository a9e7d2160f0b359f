"""A file's bytes → documents: one module per format, one dispatch table."""

from rag.corpus.load.dispatch import SUFFIXES, load

__all__ = ["SUFFIXES", "load"]
