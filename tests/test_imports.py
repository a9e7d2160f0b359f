"""What importing costs, who may import whom, and that no test is forgotten."""

import ast
import doctest
import importlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
MODULES = sorted(
    ".".join(p.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__") for p in (ROOT / "rag").rglob("*.py")
)
HEAVY = ("torch", "transformers", "sentence_transformers", "gradio")

# Who may import whom: only rooms further down. Rooms of the same number know nothing of each other.
FLOORS = (
    ("rag.errors",),
    ("rag.config", "rag.types"),
    ("rag.models",),
    ("rag.corpus",),
    ("rag.ask", "rag.edits", "rag.limits"),
    ("rag.pipeline", "rag.versions", "rag.background", "rag.learn"),
    ("rag.intake", "rag.remembered"),
    ("rag.asking",),
    ("rag.workspace",),
    ("rag.evaluate",),
    ("rag.ui", "rag.cli"),
    ("rag.__main__",),
)


def path_of(module: str) -> Path:
    path = ROOT / Path(*module.split("."))
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def python(*arguments: str, **environ: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env={**os.environ, "PYTHONIOENCODING": "utf-8", **environ},
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=300,
    )


def imported_by(module: str, *wanted: str) -> set[str]:
    """Which of `wanted` are in memory once `module` is."""
    code = f"import sys, {module}; print(*(m for m in {wanted!r} if m in sys.modules))"
    result = python("-c", code)
    assert result.returncode == 0, result.stderr
    return set(result.stdout.split())


def test_the_package_itself_is_light() -> None:
    assert imported_by("rag", *HEAVY, "numpy", "bm25s") == set()


@pytest.mark.parametrize("module", ["rag.pipeline", "rag.workspace", "rag.cli", "rag.models.roles", "rag.corpus.load"])
def test_no_model_library_is_loaded_before_a_model_is(module: str) -> None:
    assert imported_by(module, *HEAVY) == set()


def test_the_probe_would_notice() -> None:
    assert imported_by("numpy", "numpy", *HEAVY) == {"numpy"}


def test_the_toy_runs_with_numpy_alone() -> None:
    blocked = (*HEAVY, "bm25s", "scipy", "safetensors", "tokenizers", "docx", "openpyxl", "pdfplumber")
    code = f"""
import runpy, sys
for name in {blocked!r}:
    sys.modules[name] = None  # importing it raises ImportError
sys.argv = ["rag", "toy"]
runpy.run_module("rag", run_name="__main__")
"""
    result = python("-c", code)
    assert result.returncode == 0, result.stderr
    assert "0.96 0.80 0.60 -1.00" in result.stdout
    assert "leave-days leave-process" in result.stdout
    assert "每年可享受15天带薪年假" in result.stdout


def floor_of(module: str) -> int:
    for number, rooms in enumerate(FLOORS):
        if any(module == room or module.startswith(f"{room}.") for room in rooms):
            return number
    raise AssertionError(f"{module}: say in FLOORS where it belongs")


def room_of(module: str) -> str:
    return ".".join(module.split(".")[:2])


def imports_of(module: str) -> set[str]:
    """The rag modules a module imports, anywhere in it; imports for annotations only do not count."""
    tree = ast.parse(path_of(module).read_text("utf-8"))
    typing_only = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        for inner in ast.walk(node)
    }
    found = set()
    for node in ast.walk(tree):
        if id(node) in typing_only:
            continue
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module}: imports are absolute"
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                found.add(inner if inner in MODULES else str(node.module))
    return {name for name in found if name == "rag" or name.startswith("rag.")}


@pytest.mark.parametrize("module", [m for m in MODULES if m != "rag"])
def test_imports_run_downwards_only(module: str) -> None:
    for other in imports_of(module):
        if other == "rag" or room_of(other) == room_of(module):
            continue
        assert floor_of(other) < floor_of(module), f"{module} imports {other}"


def test_nothing_in_the_package_imports_a_test() -> None:
    for module in MODULES:
        names = {
            name
            for node in ast.walk(ast.parse(path_of(module).read_text("utf-8")))
            if isinstance(node, ast.Import | ast.ImportFrom)
            for name in ([node.module or ""] if isinstance(node, ast.ImportFrom) else [a.name for a in node.names])
        }
        assert not {name.split(".")[0] for name in names} & {"tests", "pytest", "app"}, module


def with_doctests() -> list[object]:
    """Modules with examples; those that load a model library, which takes seconds, run with the model tests."""
    found: list[object] = []
    for module in MODULES:
        source = path_of(module).read_text("utf-8")
        slow = any(f"\nfrom {name} " in source or f"\nimport {name}\n" in source for name in HEAVY)
        if ">>>" in source:
            found.append(pytest.param(module, marks=pytest.mark.model) if slow else module)
    return found


@pytest.mark.parametrize("module", with_doctests())
def test_doctests(module: str) -> None:
    result = doctest.testmod(importlib.import_module(module))
    assert result.failed == 0 and result.attempted > 0


def test_every_test_file_is_collected(collected: set[Path] | None) -> None:
    on_disk = set((ROOT / "tests").rglob("test_*.py"))
    if collected is None:  # not a run of everything: ask another one what it would collect
        result = python("-m", "pytest", "--collect-only")  # quiet already: .pytest.ini
        assert result.returncode == 0, result.stdout[-2000:] + result.stderr[-2000:]
        collected = {ROOT / line.split("::")[0] for line in result.stdout.split("\n") if "::" in line}
    assert collected == on_disk


def test_no_file_of_tests_has_a_name_that_is_never_collected() -> None:
    for path in (ROOT / "tests").rglob("*.py"):
        defines = any(
            isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
            for node in ast.parse(path.read_text("utf-8")).body
        )
        assert not defines or path.name.startswith("test_"), path
