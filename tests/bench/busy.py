"""What another busy process costs: decoding and encoding with the machine to oneself and with one core busy, by threads and by how OpenMP waits.

    python tests/bench/busy.py [--rounds 3] [--tokens 48] [--threads 1 2] [--wait default passive active spin=1000 …]
                               [--measure decode encode] [--json FILE]

Threads of PyTorch wait for each other after every product, by default for a while without sleeping: with a core taken by somebody else
that burns what they wait for. OpenMP reads its settings when it is loaded, so that every setting is a child process of its own (which
stops, SIGSTOP, while the others have their turn). `--wait`: ``default``, nothing set; ``passive`` and ``active``, OMP_WAIT_POLICY;
``spin=N``, GOMP_SPINCOUNT=N. All settings in turn, idle and busy, round after round; medians, and ratios to the first setting of the
same round. Busy: one process at the same niceness that computes without a pause.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PASSAGE = "员工出差应当提前在系统中提交申请，经直属主管审批后方可订票；住宿标准按城市级别执行，超出部分由个人承担。"
BUSY = "x = 1\nwhile True:\n    x = x * 3 % 1000003\n"


def environment(wait: str, threads: int) -> dict[str, str]:
    """The environment of a child."""
    plain = {k: v for k, v in os.environ.items() if k not in ("OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "OMP_NUM_THREADS")}
    plain["OMP_NUM_THREADS"] = str(threads)
    if wait in ("passive", "active"):
        plain["OMP_WAIT_POLICY"] = wait
    elif wait.startswith("spin="):
        plain["GOMP_SPINCOUNT"] = wait.removeprefix("spin=")
    elif wait != "default":
        raise SystemExit(f"--wait {wait}: default, passive, active or spin=N")
    return plain


def child(what: Sequence[str], tokens: int) -> None:
    """Load what is measured; for every line on standard input do it once and write the rates as a line of JSON."""
    sys.path.insert(0, str(ROOT))
    import threading

    from rag.config import GenerateSettings, from_environment
    from rag.models.roles import Models
    from rag.types import ChatMessage

    models = Models(from_environment())
    models.load(tuple({"encode": "encoder", "decode": "generator"}[w] for w in what))
    settings = GenerateSettings(answer_tokens=tokens, repetition_penalty=1.3)  # which says on and on, and drafts little

    def decode() -> tuple[float, float]:
        generator = models.generator()
        ids = generator.chat.render([ChatMessage("user", PASSAGE * 8 + "请逐条详细解释以上规定。")]).input_ids
        *_, g = generator.stream(ids, settings, threading.Event())
        assert g.seconds_to_first is not None and len(g.ids) > 1
        return len(ids) / g.seconds_to_first, (len(g.ids) - 1) / (g.seconds - g.seconds_to_first)

    def encode() -> float:
        texts = [f"第{n}条 {PASSAGE * (1 + n % 3)}" for n in range(24)]
        began = time.perf_counter()
        models.encoder().encode_document(texts, texts)
        return len(texts) / (time.perf_counter() - began)

    def once() -> dict[str, float]:
        rates: dict[str, float] = {}
        if "decode" in what:
            rates["prefill"], rates["decode"] = decode()
        if "encode" in what:
            rates["encode"] = encode()
        return rates

    once()  # warm
    print("ready", flush=True)
    for _ in sys.stdin:
        print(json.dumps(once()), flush=True)


class Child:
    """One setting, stopped unless it is its turn."""

    def __init__(self, wait: str, threads: int, what: Sequence[str], tokens: int) -> None:
        self.name = f"{wait}, {threads} thread{'s' if threads > 1 else ''}"
        command = [sys.executable, __file__, "--child", "--tokens", str(tokens), "--measure", *what]
        self._process = subprocess.Popen(
            command, env=environment(wait, threads), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        if self._line() != "ready":
            raise SystemExit(f"{self.name}: the child ended before it was ready")
        self._process.send_signal(signal.SIGSTOP)

    def _line(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()

    def rates(self) -> dict[str, float]:
        """One measurement."""
        assert self._process.stdin is not None
        self._process.send_signal(signal.SIGCONT)
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        found: dict[str, float] = json.loads(self._line())
        self._process.send_signal(signal.SIGSTOP)
        return found

    def close(self) -> None:
        self._process.kill()
        self._process.wait()


@contextmanager
def one_core_busy(busy: bool) -> Iterator[None]:
    """A process that computes without a pause, if `busy`."""
    if not busy:
        yield
        return
    process = subprocess.Popen([sys.executable, "-c", BUSY])
    try:
        time.sleep(0.3)
        yield
    finally:
        process.kill()
        process.wait()


def report(rows: dict[str, dict[str, list[dict[str, float]]]]) -> dict[str, dict[str, dict[str, float]]]:
    """Prints and returns the medians, and of each figure the median ratio to the first setting's in the same round, idle and busy."""
    first = next(iter(rows))
    table: dict[str, dict[str, dict[str, float]]] = {}
    for name, states in rows.items():
        table[name] = {}
        for state, rounds in states.items():
            figures: dict[str, float] = {}
            for key in rounds[0]:
                figures[key] = statistics.median(r[key] for r in rounds)
                others = rows[first][state]
                figures[f"{key} ratio"] = statistics.median(
                    r[key] / o[key] for r, o in zip(rounds, others, strict=True)
                )
            table[name][state] = figures
            print(name.ljust(22), state.ljust(5), "  ".join(f"{k} {v:.3g}" for k, v in figures.items()))
    return table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--tokens", type=int, default=48)
    parser.add_argument("--threads", type=int, nargs="+", default=[2, 1])
    parser.add_argument("--wait", nargs="+", default=["default", "passive", "spin=1000", "spin=20000"])
    parser.add_argument("--measure", nargs="+", default=["decode", "encode"], choices=("decode", "encode"))
    parser.add_argument("--json", type=Path)
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.child:
        child(arguments.measure, arguments.tokens)
        return
    load = os.getloadavg()[0]
    print(f"load {load:.1f} before, {os.cpu_count()} cores")
    # with one thread nobody waits for another: one setting is enough
    settings = [(w, t) for t in arguments.threads for w in (arguments.wait if t > 1 else arguments.wait[:1])]
    children = [Child(wait, threads, arguments.measure, arguments.tokens) for wait, threads in settings]
    rows: dict[str, dict[str, list[dict[str, float]]]] = {c.name: {"idle": [], "busy": []} for c in children}
    try:
        for _ in range(arguments.rounds):
            for state in ("idle", "busy"):
                for one in children:
                    with one_core_busy(state == "busy"):
                        rows[one.name][state].append(one.rates())
    finally:
        for one in children:
            one.close()
    result = {"load": load, "cores": os.cpu_count(), "table": report(rows), "rows": rows}
    if arguments.json:
        arguments.json.write_text(json.dumps(result, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
