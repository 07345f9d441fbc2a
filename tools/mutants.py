"""Do the tests notice a wrong scheduler? ``python -m tools.mutants --count 300 --seed 1``.

Draws small changes of the rooms that decide (``<`` to ``<=``, ``and`` to ``or``, a condition reversed, a number plus
one, a call left out) and runs the tests against a copy of the package with one change each, the nearest tests first.
Prints the changes that no test has noticed so far. Exit status 1 if more than 5 in 100 survive.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
ROOMS = ("filter", "score", "preemption", "queue", "cluster", "scheduler.py", "decision.py")
SWAPS: dict[type[ast.AST], Any] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.FloorDiv: ast.Mult,
    ast.And: ast.Or,
    ast.Or: ast.And,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}
NAMES = {"min": "max", "max": "min", "any": "all", "all": "any", "minimum": "maximum", "maximum": "minimum"}
SLOW = ("tests/notebooks", "tests/browser", "tests/lab", "tests/program/test_output.py")
NEVER_DECIDE = ("tests/objects", "tests/manifests", "tests/rules", "tests/test_house.py", "tests/test_project.py")
TOOLS = ("tests/test_mutants.py", "tests/test_mutations.py", "tests/test_fuzz.py")
LONG = "tests/cluster/test_changes.py::test_after_100_000_random_changes"
LIMIT = 200
"""Seconds of the processor for a run of tests; each takes less than 80 where nothing is changed."""


@dataclass(frozen=True)
class Mutant:
    """A change: between these bytes of the module stands ``new`` instead of ``old``."""

    module: str
    start: int
    end: int
    line: int
    old: str
    new: str

    def __str__(self) -> str:
        return f"{self.module}:{self.line}: {' '.join(self.old.split())[:70]}  ->  {' '.join(self.new.split())[:70]}"

    def applied(self) -> bytes:
        """The module's text with the change."""
        text = (ROOT / self.module).read_bytes()
        return text[: self.start] + self.new.encode() + text[self.end :]


def mutants(path: Path) -> Iterator[Mutant]:
    """Every change of this module."""
    text = path.read_bytes()
    lines = [0]
    for line in text.splitlines(keepends=True):
        lines.append(lines[-1] + len(line))
    for node in _code(ast.parse(text)):
        for new in _changes(node):
            start = lines[node.lineno - 1] + node.col_offset
            end = lines[(node.end_lineno or 0) - 1] + (node.end_col_offset or 0)
            old = text[start:end].decode()
            yield Mutant(str(path.relative_to(ROOT)), start, end, node.lineno, old, new)


def _code(node: ast.AST) -> Iterator[ast.expr | ast.stmt]:
    """What runs: no annotations, no error messages, no type checkers' part."""
    if isinstance(node, ast.Raise | ast.Assert | ast.Import | ast.ImportFrom):
        return
    if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
        return
    if isinstance(node, ast.expr | ast.stmt):
        yield node
    for name, value in ast.iter_fields(node):
        if name not in ("annotation", "returns", "decorator_list", "type_params"):
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    yield from _code(child)


def _changes(node: ast.expr | ast.stmt) -> Iterator[str]:
    """The texts that may stand in this node's place."""
    match node:
        case ast.Compare(ops=[op, *_]) if type(op) in SWAPS:
            yield f"({ast.unparse(ast.Compare(node.left, [SWAPS[type(op)](), *node.ops[1:]], node.comparators))})"
        case ast.BinOp() if type(node.op) in SWAPS:
            yield f"({ast.unparse(ast.BinOp(node.left, SWAPS[type(node.op)](), node.right))})"
        case ast.BoolOp():
            yield f"({ast.unparse(ast.BoolOp(SWAPS[type(node.op)](), node.values))})"
        case ast.UnaryOp(op=ast.Not() | ast.Invert() | ast.USub()):
            yield f"({ast.unparse(node.operand)})"
        case ast.Constant(value=bool() as truth):
            yield str(not truth)
        case ast.Constant(value=int() as number):
            yield f"({number} + 1)"
        case ast.Name(id=name) if name in NAMES:
            yield NAMES[name]
        case ast.Attribute(attr=name) if name in NAMES:
            yield f"({ast.unparse(node.value)}).{NAMES[name]}"
        case ast.IfExp():
            yield f"({ast.unparse(ast.IfExp(node.test, node.orelse, node.body))})"
        case ast.Expr(value=ast.Call()):
            yield "pass"
        case ast.Continue():
            yield "break"


def stages(mutant: Mutant) -> list[list[str]]:
    """The tests that may notice it, the cheapest first: those of its room, the real schedulers' verdicts, the rest."""
    room = mutant.module.split("/")[1].removesuffix(".py")
    near = [each for each in (f"tests/{room}", f"tests/test_{room}.py") if (ROOT / each).exists()]
    verdicts = ["tests/conformance/test_vectors.py", "tests/conformance/test_queue_ops.py"]
    rest = (*SLOW, *NEVER_DECIDE, *TOOLS, *verdicts)
    return [[*near, f"--deselect={LONG}"] if near else [], verdicts, [f"--ignore={each}" for each in rest]]


def noticed(mutant: Mutant, tests: list[str]) -> bool:
    """Whether one of these tests fails, or does not end, with this change."""
    if not tests:
        return False
    with tempfile.TemporaryDirectory() as folder:
        _write(mutant, Path(folder))
        return _fails(tests, Path(folder))


def _write(mutant: Mutant, folder: Path) -> None:
    """The project in this folder, by links, with the change."""
    package = folder / "kschedlab"
    changed = folder / mutant.module
    shutil.copytree(ROOT / "kschedlab", package, copy_function=os.symlink, ignore=shutil.ignore_patterns("__pycache__"))
    changed.unlink()
    changed.write_bytes(mutant.applied())
    for other in ROOT.iterdir():
        if other.name not in ("kschedlab", ".git") and not (folder / other.name).exists():
            (folder / other.name).symlink_to(other)


def _fails(tests: list[str], folder: Path) -> bool:
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *tests]
    env = {**os.environ, "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    env |= {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "HYPOTHESIS_PROFILE": "any"}  # plugins take longer than most tests
    try:
        done = subprocess.run(
            command, cwd=folder, env=env, capture_output=True, timeout=10 * LIMIT, check=False, preexec_fn=_limited
        )
    except subprocess.TimeoutExpired:
        return True
    return done.returncode != 0


def _limited() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (LIMIT, LIMIT))


def main() -> int:
    """Draw, change, test."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    paths = [
        path
        for room in ROOMS
        for path in sorted((ROOT / "kschedlab").glob(f"{room}/**/*.py" if "." not in room else room))
    ]
    every = [mutant for path in paths for mutant in mutants(path)]
    drawn = random.Random(options.seed).sample(every, min(options.count, len(every)))
    print(f"{len(drawn)} of {len(every):,} changes", flush=True)
    alive = drawn
    for number, what in enumerate(("the room's tests", "the real schedulers' verdicts", "the rest")):
        print(f"\nNot noticed by {what}:", flush=True)
        asked, alive = alive, []
        for mutant in asked:
            if not noticed(mutant, stages(mutant)[number]):
                alive.append(mutant)
                print(mutant, flush=True)
    print(f"\n{len(drawn)} changes, {len(alive)} survive")
    return len(alive) > 0.05 * len(drawn)


if __name__ == "__main__":
    sys.exit(main())
