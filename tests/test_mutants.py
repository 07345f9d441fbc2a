"""Small changes of the package: each is Python, changes something, and leaves the rest as it is."""

import ast
from pathlib import Path

import pytest

from tools.mutants import ROOT, mutants

MODULE = '''"""A number: 3 < 4."""
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    LIMIT = 3 < 4

def larger(left: int = 3, *, strict: bool) -> bool:
    if not strict:
        print(left)
    if left < 0:
        raise ValueError(f"{left} < {0}")
    return left > max(1, 2) and (left - 1).any()
'''


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("tools.mutants.ROOT", tmp_path)
    path = tmp_path / "module.py"
    path.write_text(MODULE)
    return path


def test_every_kind_of_change(module: Path) -> None:
    found = {(each.old, each.new) for each in mutants(module)}
    assert {
        ("not strict", "(strict)"),
        ("print(left)", "pass"),
        ("left < 0", "(left <= 0)"),
        ("left > max(1, 2)", "(left >= max(1, 2))"),
        ("max", "min"),
        ("left - 1", "(left + 1)"),
        ("(left - 1).any", "(left - 1).all"),
        ("3", "(3 + 1)"),
    } <= found
    assert {each.line for each in mutants(module)} == {7, 8, 9, 10, 12}, "no annotations, messages or types"


def test_a_change_is_python_and_the_only_one(module: Path) -> None:
    for each in mutants(module):
        text = each.applied().decode()
        assert ast.dump(ast.parse(text)) != ast.dump(ast.parse(MODULE)), each
        assert text.count("\n") == MODULE.count("\n") and len(text) == len(MODULE) + len(each.new) - len(each.old)


def test_there_are_changes_of_every_room_that_decides() -> None:
    for room in ("filter", "score", "preemption", "queue", "cluster"):
        assert sum(1 for path in (ROOT / "kschedlab" / room).rglob("*.py") for _ in mutants(path)) > 100
