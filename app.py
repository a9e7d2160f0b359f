"""Start the page: ``python app.py``, then open the address it prints."""

from __future__ import annotations

import argparse
import logging
import os
from dataclasses import replace
from pathlib import Path

# read when gradio is imported: nothing is sent anywhere
os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"

from rag.config import ModelSettings, from_environment  # noqa: E402
from rag.corpus.samples import Samples  # noqa: E402
from rag.models.roles import Models  # noqa: E402
from rag.ui.app import build_app, launch_app  # noqa: E402


def options() -> argparse.Namespace:
    """The command line; what is not given comes from the environment, then from the defaults."""
    parser = argparse.ArgumentParser(description="Ask policy files, and see every step up to the cited answer.")
    parser.add_argument("--encoder", help="name or folder of the bi-encoder (RAG_ENCODER)")
    parser.add_argument("--generator", help="name or folder of the generator (RAG_GENERATOR)")
    parser.add_argument("--cache", type=Path, help="folder for fetched and converted weights (RAG_CACHE)")
    parser.add_argument("--host", help="address to listen on (GRADIO_SERVER_NAME; default: this machine only)")
    parser.add_argument("--port", type=int, help="port (GRADIO_SERVER_PORT; default: the first free from 7860)")
    return parser.parse_args()


def model_settings(given: argparse.Namespace) -> ModelSettings:
    """The environment's settings with the options over them."""
    chosen = {k: v for k in ("encoder", "generator", "cache") if (v := getattr(given, k)) is not None}
    return replace(from_environment(), **chosen)


def main() -> None:
    """Open the page at once; models and samples load behind it."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    given = options()
    models = Models(model_settings(given))
    samples = Samples(models)
    app = build_app(models, samples)
    print(f"Open {launch_app(app, given.host, given.port)}", flush=True)
    models.start()
    samples.start()
    try:
        app.demo.block_thread()
    finally:
        app.close()


if __name__ == "__main__":
    main()
