"""Do the tests notice a wrong scheduler? ``python -m tools.mutants --count 300 --seed 1``.

Draws small changes of the rooms that decide (``<`` to ``<=``, ``and`` to ``or``, a condition reversed, a number plus
one, a call left out) and tests a fresh copy of the project with one change each. First the tests of ``make test`` run
once and record which lines they execute (half an hour; ``--executed FOLDER`` keeps the record for as long as the
modules stay as they are). Then each change meets the tests that execute it, those whose processes do, the three lessons
nearest to its module, and up to a minute of tests in a browser: what only a page of the course would notice survives
here. Prints what became of each, with the first test that failed. In the end
these tests run once more without a change: none may fail. Exit status 1 if one does, or if more than 5 in 100 survive.

``--all`` draws over every package, by weight of its lines; 10 in 100 may survive. ``--first 26 --count 25`` goes on
where ``--count 25`` ended.
"""

from __future__ import annotations

import argparse
import ast
import itertools
import json
import os
import random
import re
import resource
import shutil
import signal
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import grimp
import hypothesis.strategies  # noqa: F401 - what all tests import, before each has a process of its own
import msgspec  # noqa: F401
import numpy  # noqa: F401, ICN001
import pytest
import yaml  # noqa: F401

from tools.executed import Executed, recorded

ROOT = Path(__file__).parents[1]
ENGINE = ("filter", "score", "preemption", "queue", "cluster", "objects", "extenders", "scheduler.py", "decision.py")
NEIGHBOURS = (
    "devices/kschedlab_devices",
    "groups/kschedlab_groups",
    "cel/kube_cel",
    "configuration/kschedlab_configuration",
)
ROOMS = (*(f"kschedlab/{room}" for room in ENGINE), *(f"packages/{room}" for room in NEIGHBOURS))
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
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
NAMES = {"min": "max", "max": "min", "any": "all", "all": "any", "minimum": "maximum", "maximum": "minimum"}
CHOSEN = ["-m", "not nightly and not release", "--ignore=packages/live/tests/real"]
CHOSEN += [f"--ignore={each}" for each in ("tests/notebooks", "tests/site", "tests/test_mutants.py")]
"""What is recorded: `make test` without kernels, pages of the course and the tests of this tool."""
NOT_COPIED = (".git", ".venv", ".*_cache", ".hypothesis", "__pycache__")
BROWSER = "tests/browser/"
SEEN_IN_A_BROWSER = "packages/lab/kschedlab_lab/views"
"""Where a number is a place in a picture: a test of each would forbid to draw it better."""
MOST = 300
"""Seconds that the tests for one change may take, as recorded."""
MOST_IN_A_BROWSER = 60
LAB, MOST_LESSONS = "kschedlab_lab", 3
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

    def lines(self) -> range:
        """The lines of the module that it changes."""
        return range(self.line, self.line + self.old.count("\n") + 1)

    def is_in_a_function(self) -> bool:
        """Whether calls run it, not the import of its module alone."""
        functions = (each for each in ast.walk(ast.parse(self._text())) if isinstance(each, FUNCTIONS))
        return any(each.body[0].lineno <= self.line <= (each.end_lineno or 0) for each in functions)

    def applied(self) -> bytes:
        """The module's text with the change."""
        text = self._text()
        return text[: self.start] + self.new.encode() + text[self.end :]

    def _text(self) -> bytes:
        return (ROOT / self.module).read_bytes()


def mutants(path: Path) -> Iterator[Mutant]:
    """Every change of this module."""
    text = path.read_bytes()
    lines = [0]
    for line in text.splitlines(keepends=True):
        lines.append(lines[-1] + len(line))
    for node in _code(ast.parse(text)):
        if _is_a_place(node) and path.is_relative_to(ROOT / SEEN_IN_A_BROWSER):
            continue
        for new in _changes(node):
            start = lines[node.lineno - 1] + node.col_offset
            end = lines[(node.end_lineno or 0) - 1] + (node.end_col_offset or 0)
            old = text[start:end].decode()
            yield Mutant(str(path.relative_to(ROOT)), start, end, node.lineno, old, new)


def _is_a_place(node: ast.AST) -> bool:
    """Whether this computes with numbers: in the modules that draw, where something stands."""
    return isinstance(node, ast.BinOp) or (
        isinstance(node, ast.Constant | ast.UnaryOp)
        and not (isinstance(node, ast.Constant) and isinstance(node.value, bool))
        and not (isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not))
    )


def _code(node: ast.AST) -> Iterator[ast.expr | ast.stmt]:
    """What runs: no annotations, no error messages, no type checkers' part, no ``strict`` of ``zip``, no ``frozen``."""
    if isinstance(node, ast.Raise | ast.Assert | ast.Import | ast.ImportFrom):
        return
    if isinstance(node, ast.keyword) and node.arg in ("strict", "frozen"):
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


def drawn(seed: int) -> Iterator[Mutant]:
    """Changes of the rooms that decide, in the order of this seed."""
    paths = [path for room in ROOMS for path in sorted(ROOT.glob(f"{room}/**/*.py" if "." not in room else room))]
    every = [mutant for path in paths for mutant in mutants(path)]
    yield from random.Random(seed).sample(every, len(every))


def drawn_over_all(seed: int) -> Iterator[Mutant]:
    """Changes of every package, in the order of this seed: a line of code is as likely as any other."""
    source = random.Random(seed)
    paths = sorted(path for place in ("kschedlab", "packages/*/k*") for path in ROOT.glob(f"{place}/**/*.py"))
    weights = [path.read_bytes().count(b"\n") for path in paths]
    seen: set[Mutant] = set()
    while True:
        every = list(mutants(source.choices(paths, weights)[0]))
        mutant = source.choice(every) if every else None
        if mutant and mutant not in seen:
            seen.add(mutant)
            yield mutant


def stages(mutant: Mutant, executed: Executed) -> dict[str, list[str]]:
    """The tests that may notice it, the nearest first.

    What runs while modules are imported is recorded for whichever test imported the module, if for any: all tests of
    its package are asked, too.
    """
    module = Path(mutant.module)
    tests = str(Path(*module.parts[:2], "tests") if module.parts[0] == "packages" else "tests")
    every_line = executed.tests(mutant.module)
    its_lines = executed.tests(mutant.module, mutant.lines())
    runs_later = its_lines and mutant.is_in_a_function()
    package = [] if runs_later else [test for test in executed.fastest if test.startswith(f"{tests}/")]
    asked = {
        "its module's tests": [test for test in package or its_lines if f"/test_{module.stem}" in test],
        "its module's other tests": [
            test for test in executed.fastest if test.startswith(f"{tests}/") and f"/test_{module.stem}.py" in test
        ],
        "those that execute it": sorted(its_lines, key=lambda test: not test.startswith(tests)),
        "those whose processes execute it": sorted(
            executed.tests_of_processes(mutant.module, mutant.lines()), key=lambda test: not test.startswith(tests)
        ),
        "its package's": package,
        "those that execute its module": every_line,
    }
    without = {name: [test for test in every if not test.startswith(BROWSER)] for name, every in asked.items()}
    shown = {"in a browser": [test for test in its_lines or every_line if test.startswith(BROWSER)]}
    return _within(MOST, without, executed) | _lessons(module) | _within(MOST_IN_A_BROWSER, shown, executed)


def _within(most: float, asked: dict[str, list[str]], executed: Executed) -> dict[str, list[str]]:
    """Of these tests, each once, as many as take so many seconds."""
    left: dict[str, list[str]] = {}
    done, seconds = set[str](), 0.0
    for name, every in asked.items():
        left[name] = []
        for test in every:
            if test not in done and (seconds := seconds + executed.seconds[test]) < most:
                left[name].append(test)
                done.add(test)
    return {name: every for name, every in left.items() if every}


def _lessons(module: Path) -> dict[str, list[str]]:
    """The notebooks nearest to a module of the lab, and what compares them with their saved outputs.

    The nearest name the module in their code, the next ones a module that imports it, and so on.
    """
    if LAB not in module.parts:
        return {}
    graph, nearest, seen = grimp.build_graph(LAB), list[str](), set[str]()
    ring = {".".join(module.with_suffix("").parts[2:]).removesuffix(".__init__")}
    while ring and len(nearest) < MOST_LESSONS:
        names = {each.rpartition(".")[2] for each in ring}
        nearest += sorted(path for path, words in _words().items() if names & words and path not in nearest)
        seen |= ring
        ring = {user for each in ring for user in graph.find_modules_that_directly_import(each)} - seen
    compared = ["-p", "nbval.plugin", "--nbval", "--nbval-current-env", "--nbval-cell-timeout", "60"]
    compared += ["--nbval-sanitize-with", "tests/notebooks/sanitize.cfg"]
    return {"the nearest lessons": [*compared, *nearest[:MOST_LESSONS]]} if nearest else {}


@cache
def _words() -> dict[str, set[str]]:
    """By notebook: the words of its code."""
    saved = {path: json.loads(path.read_text(encoding="utf-8")) for path in ROOT.glob("notebooks/*.ipynb")}
    return {
        str(path.relative_to(ROOT)): {
            word
            for cell in notebook["cells"]
            if cell["cell_type"] == "code"
            for word in re.findall(r"\w+", "".join(cell["source"]))
        }
        for path, notebook in saved.items()
    }


def failing(mutant: Mutant, tests: list[str], limit: int) -> str:
    """The first of these tests that fails because of this change, or how they ended; empty if all pass.

    ``limit``: seconds of the processor.
    """
    shutil.rmtree(WORK / "project", ignore_errors=True)
    shutil.copytree(ROOT, WORK / "project", copy_function=os.symlink, ignore=shutil.ignore_patterns(*NOT_COPIED))
    changed = WORK / "project" / mutant.module
    changed.unlink()
    changed.write_bytes(mutant.applied())
    os.utime(changed, (next(MOMENTS),) * 2)  # else Python could take the last change's bytecode
    failures = WORK / "failures"
    failures.write_text("")
    child = os.fork()
    if child == 0:
        _run(tests, limit, failures)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if status in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
        return ""
    return failures.read_text().partition("\n")[0] or f"status {status}"


def _run(tests: list[str], limit: int, failures: Path) -> None:
    """In the child: the tests, in the changed project."""
    resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
    signal.alarm(10 * limit)
    os.chdir(WORK / "project")
    here = [Path.cwd(), *sorted(Path.cwd().glob("packages/*/"))]
    sys.path[:0] = map(str, here)
    os.environ |= {"PYTHONPATH": os.pathsep.join(map(str, here)), "PYTHONPYCACHEPREFIX": str(sys.pycache_prefix)}
    os.environ |= {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "HYPOTHESIS_PROFILE": "any"}
    os.environ |= {"PYTHONHASHSEED": "0", "KSCHEDLAB_PROGRESS": "off"}
    for stream in (1, 2):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream)
    asked = dict.fromkeys(test.partition("::")[0] for test in tests)
    chosen = [_Chosen(tests)] if "::" in tests[0] else []
    os._exit(pytest.main(["-x", "-q", "-p", "no:cacheprovider", *asked], [_Failures(failures), *chosen]))


class _Failures:
    """Writes the names of the tests that fail, and of files that can't be read, a line each."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        self._write(report)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._write(report)

    def _write(self, report: pytest.CollectReport | pytest.TestReport) -> None:
        if report.failed:
            with self._path.open("a") as out:
                print(report.nodeid, file=out)


class _Chosen:
    """Of the tests in some files, these in this order."""

    def __init__(self, tests: list[str]) -> None:
        self._places = {test: place for place, test in enumerate(tests)}

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = sorted((item for item in items if item.nodeid in self._places), key=lambda x: self._places[x.nodeid])


def noticed(mutant: Mutant, executed: Executed) -> tuple[str, str]:
    """Which test notices a change, and among which: it fails, or they need thrice the time that was recorded."""
    for name, tests in stages(mutant, executed).items():
        if failure := failing(mutant, tests, _limit(tests, executed)):
            return name, failure
    return "", ""


def _limit(tests: list[str], executed: Executed) -> int:
    return int(60 + 3 * sum(executed.seconds.get(test, 60) for test in tests))


def main() -> int:
    """Draw, change, test."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--all", action="store_true", help="every package, not only the rooms that decide")
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--first", type=int, default=1, help="the number of the first change to make")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--executed", type=Path, default=WORK / "executed", help="the record of an earlier run")
    options = parser.parse_args()
    changes = itertools.islice(
        enumerate((drawn_over_all if options.all else drawn)(options.seed), 1),
        options.first - 1,
        options.first - 1 + options.count,
    )
    sys.pycache_prefix = str(WORK / "bytecode")
    executed = recorded(options.executed, CHOSEN)
    killed, by = 0, dict[str, str]()
    for number, mutant in changes:
        stage, test = noticed(mutant, executed)
        killed += bool(stage)
        by[test] = mutant.module
        print(f"{number}: {f'killed ({stage}: {test})' if stage else 'survives'}: {mutant}", flush=True)
    tests = sorted(by.keys() & executed.seconds.keys())
    wrong = tests and failing(Mutant(by[tests[0]], 0, 0, 1, "", ""), tests, _limit(tests, executed))
    if wrong:
        print(f"\n{wrong} fails without a change, too: what it killed may survive")
    shutil.rmtree(WORK, ignore_errors=True)
    print(f"\n{killed} killed, {options.count - killed} survive")
    return bool(wrong) or options.count - killed > (0.1 if options.all else 0.05) * options.count


if __name__ == "__main__":
    sys.exit(main())
