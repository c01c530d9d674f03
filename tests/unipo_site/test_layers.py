"""Imports point one way: unipo_site, classroom, missions, simulator, simulator/engine."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ABOVE = {
    "simulator": {"missions", "classroom", "unipo_site", "accounts"},
    "missions": {"classroom", "unipo_site"},
    "classroom": {"unipo_site"},
    "accounts": {"simulator", "missions", "classroom", "unipo_site"},
}


def imports(path: Path) -> Iterator[str]:
    """Yield the full name of all that a file imports, wherever in the file it does."""
    package = path.relative_to(ROOT).parent.parts
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(package[: len(package) - node.level + 1]) if node.level else ""
            module = ".".join(filter(None, [base, node.module]))
            yield from (f"{module}.{alias.name}" for alias in node.names)


@pytest.mark.parametrize("package", ABOVE)
def test_nothing_imports_from_above(package):
    wrong = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in (ROOT / package).rglob("*.py")
        for name in imports(path)
        if name.split(".")[0] in ABOVE[package]
    ]
    assert not wrong


def test_the_engine_needs_numpy_and_numba_and_nothing_else():
    files = list((ROOT / "simulator/engine").rglob("*.py"))
    assert files
    wrong = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in files
        for name in imports(path)
        if not name.startswith("simulator.engine")
        and name.split(".")[0] not in sys.stdlib_module_names | {"numpy", "numba"}
    ]
    assert not wrong


def test_nothing_imports_tests():
    packages = ("accounts", "missions", "simulator", "classroom", "unipo_site")
    assert not [
        path for package in packages for path in (ROOT / package).rglob("*.py") if "tests" in map(_first, imports(path))
    ]


def _first(name: str) -> str:
    return name.split(".")[0]
