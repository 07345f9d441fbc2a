"""Do the tests notice a wrong scheduler? ``python -m tools.mutants --count 300 --seed 1``.

Draws small changes of the rooms that decide (``<`` to ``<=``, ``and`` to ``or``, a condition reversed, a number plus
one, a call left out) and runs the tests against a copy of the package with one change each, the nearest tests first.
Prints the changes that no test has noticed so far. Exit status 1 if more than 5 in 100 survive.
"""

from __future__ import annotations

import argparse
import ast
import itertools
import os
import random
import resource
import shutil
import signal
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import hypothesis.strategies  # noqa: F401 - what all tests import, before each has a process of its own
import msgspec  # noqa: F401
import numpy  # noqa: F401, ICN001
import pytest
import yaml  # noqa: F401

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
SLOW = ("tests/notebooks", "tests/browser", "packages/lab/tests", "tests/program/test_output.py")
NEVER_DECIDE = ("tests/objects", "tests/manifests", "tests/rules", "tests/test_house.py", "tests/test_project.py")
TOOLS = ("tests/test_mutants.py", "tests/test_mutations.py", "tests/test_fuzz.py")
LONG = "tests/cluster/test_changes.py::test_after_100_000_random_changes"
LIMIT = 200
"""Seconds of the processor for a run of tests; each takes less than 80 where nothing is changed."""
WORK = Path(tempfile.gettempdir()) / f"mutants-{os.getpid()}"
MOMENTS = itertools.count(1)


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
    """The tests that may notice it, the cheapest first: its module's, its room's, the real verdicts, the rest."""
    room, stem = mutant.module.split("/")[1].removesuffix(".py"), Path(mutant.module).stem
    near = [each for each in (f"tests/{room}", f"tests/test_{room}.py") if (ROOT / each).exists()]
    own = [str(each.relative_to(ROOT)) for each in (ROOT / "tests").glob(f"{room}/**/test_{stem}*.py")]
    verdicts = ["tests/conformance/test_vectors.py", "tests/conformance/test_queue_ops.py"]
    rest = [f"--ignore={each}" for each in (*SLOW, *NEVER_DECIDE, *TOOLS, *verdicts)]
    return [[*each, f"--deselect={LONG}"] if each else [] for each in (own, near)] + [verdicts, rest]


def noticed(mutant: Mutant, tests: list[str]) -> bool:
    """Whether one of these tests fails, or does not end, with this change."""
    if not tests:
        return False
    shutil.rmtree(WORK / "project", ignore_errors=True)
    shutil.copytree(
        ROOT, WORK / "project", copy_function=os.symlink, ignore=shutil.ignore_patterns(".*", "__pycache__")
    )
    changed = WORK / "project" / mutant.module
    changed.unlink()
    changed.write_bytes(mutant.applied())
    os.utime(changed, (next(MOMENTS),) * 2)  # else Python could take the last change's bytecode
    child = os.fork()
    if child == 0:
        _run(tests)
    return os.waitpid(child, 0)[1] != 0


def _run(tests: list[str]) -> None:
    """In the child: the tests, in the changed project."""
    resource.setrlimit(resource.RLIMIT_CPU, (LIMIT, LIMIT))
    signal.alarm(10 * LIMIT)
    os.chdir(WORK / "project")
    sys.path.insert(0, os.getcwd())
    os.environ |= {"PYTHONPATH": os.getcwd(), "PYTHONPYCACHEPREFIX": str(sys.pycache_prefix)}
    os.environ |= {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "HYPOTHESIS_PROFILE": "any"}
    for stream in (1, 2):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream)
    os._exit(pytest.main(["-x", "-q", "-p", "no:cacheprovider", *tests]))


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
    sys.pycache_prefix = str(WORK / "bytecode")
    alive = list(enumerate(drawn, 1))
    for stage, what in enumerate(("its module's tests", "its room's", "the real schedulers' verdicts", "the rest")):
        print(f"\nNot noticed by {what}:", flush=True)
        asked, alive = alive, []
        for number, mutant in asked:
            if not noticed(mutant, stages(mutant)[stage]):
                alive.append((number, mutant))
                print(f"{number}: {mutant}", flush=True)
    shutil.rmtree(WORK)
    print(f"\n{len(drawn)} changes, {len(alive)} survive")
    return len(alive) > 0.05 * len(drawn)


if __name__ == "__main__":
    sys.exit(main())
