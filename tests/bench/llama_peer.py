"""llama.cpp behind a pipe, for `generation.py`: run by an interpreter that has `xllamacpp`, which needs nothing of this project.

    python llama_peer.py FILE.gguf THREADS BATCH CONTEXT

Each line in is ``{"ids": [...], "n": 160}``; each line out ``{"first": s, "whole": s, "tokens": n, "text": "…"}``, greedy, without
prompt cache and without its own speculation. What the library prints on stdout goes to stderr.
"""

from __future__ import annotations

import json
import os
import sys
import time
from typing import Any

import xllamacpp  # type: ignore[import-not-found]


def server(path: str, threads: int, batch: int, context: int) -> Any:
    params = xllamacpp.CommonParams()
    params.model.path = path
    params.n_ctx, params.n_parallel = context, 1
    params.n_batch = params.n_ubatch = batch
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = threads
    params.cache_prompt, params.warmup, params.ui = False, True, False
    return xllamacpp.Server(params)


def answer(engine: Any, ids: list[int], n: int) -> dict[str, object]:
    pieces: list[str] = []
    last: dict[str, Any] = {}
    first: list[float] = []

    def got(chunk: Any) -> bool:
        chunk = json.loads(chunk) if isinstance(chunk, str) else chunk
        for part in chunk if isinstance(chunk, list) else [chunk]:
            text = part["choices"][0].get("text", "") if part.get("choices") else ""
            if text and not first:
                first.append(time.perf_counter() - began)
            pieces.append(text)
            last.update(part)
        return False

    began = time.perf_counter()
    asked = {"prompt": ids, "max_tokens": n, "temperature": 0, "stream": True, "cache_prompt": False}
    engine.handle_completions({**asked, "stream_options": {"include_usage": True}}, got)
    whole = time.perf_counter() - began
    counted = (last.get("timings") or {}).get("predicted_n") or (last.get("usage") or {}).get("completion_tokens")
    return {"first": first[0] if first else whole, "whole": whole, "tokens": counted, "text": "".join(pieces)}


def main() -> None:
    path, threads, batch, context = sys.argv[1], *map(int, sys.argv[2:5])
    pipe = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    engine = server(path, threads, batch, context)
    for line in sys.stdin:
        asked = json.loads(line)
        print(json.dumps(answer(engine, asked["ids"], asked["n"])), file=pipe, flush=True)


if __name__ == "__main__":
    main()
