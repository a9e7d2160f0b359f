"""Start the page: ``python app.py``, then open the address it prints."""

from __future__ import annotations

import argparse
import logging
import os
import signal
import sys
import time

# read when gradio is imported: nothing is sent anywhere
os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"

from rag.background import settled  # noqa: E402
from rag.cli.options import add_model_options, model_settings, shell_language  # noqa: E402
from rag.corpus.samples import Samples  # noqa: E402
from rag.errors import RagError  # noqa: E402
from rag.models.heap import one_heap  # noqa: E402
from rag.models.roles import Models  # noqa: E402
from rag.models.turns import wait_asleep  # noqa: E402
from rag.pipeline import read_ahead  # noqa: E402
from rag.ui.app import build_app, launch_app  # noqa: E402


def options() -> argparse.Namespace:
    """The command line; what is not given comes from the environment, then from the defaults."""
    parser = argparse.ArgumentParser(description="Ask policy files, and see every step up to the cited answer.")
    add_model_options(parser)
    parser.add_argument("--host", help="address to listen on (GRADIO_SERVER_NAME; default: this machine only)")
    parser.add_argument("--port", type=int, help="port (GRADIO_SERVER_PORT; default: the first free from 7860)")
    return parser.parse_args()


def main() -> int:
    """Open the page at once; models and samples load behind it. 0 after Ctrl-C or SIGTERM, 1 when it cannot start."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    ended: list[int] = []  # a list: an Event's lock may be held by what the signal interrupts

    def end(number: int, _: object) -> None:
        ended.append(number)
        signal.signal(number, signal.SIG_DFL)  # asked for again, it ends at once, whatever hangs

    given = options()
    wait_asleep()
    one_heap()
    models = Models(model_settings(given))
    app = build_app(models, samples := Samples(models))
    # from here on an end is asked for, not thrown into whatever runs: a thread that is just being started must not be cut off
    for ending in (signal.SIGINT, signal.SIGTERM):
        signal.signal(ending, end)
    try:
        print(f"Open {launch_app(app, given.host, given.port)}", flush=True)
        models.start(lambda: read_ahead(models, app.closing))
        samples.start()
        while not ended:
            time.sleep(0.2)
    except RagError as error:
        print(error.message(shell_language()), file=sys.stderr)
        return 1
    finally:
        app.close()
    return 0


if __name__ == "__main__":
    code = main()
    if not settled(2.0):  # a model still loads; Python would end under its feet, with a message about a crash
        logging.shutdown()
        sys.stdout.flush()
        os._exit(code)
    sys.exit(code)
