"""Do the tests notice a wrong scheduler? ``python -m tools.mutants --count 300 --seed 1``.

Draws small changes of the rooms that decide (``<`` to ``<=``, ``and`` to ``or``, a condition reversed, a number plus
one, a call left out) and runs the tests against a fresh copy of the project with one change each, the nearest tests
first. Prints what became of each. Exit status 1 if more than 5 in 100 of those decided survive.

``--all`` draws over every package, by weight of its lines, and asks only tests that ``make test`` runs; 10 in 100 may
survive. ``--first 26 --count 25`` goes on where ``--count 25`` ended.
"""

from __future__ import annotations

import argparse
import ast
import itertools
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
from pathlib import Path
from typing import Any

import hypothesis.strategies  # noqa: F401 - what all tests import, before each has a process of its own
import msgspec  # noqa: F401
import numpy  # noqa: F401, ICN001
import pytest
import yaml  # noqa: F401

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
NAMES = {"min": "max", "max": "min", "any": "all", "all": "any", "minimum": "maximum", "maximum": "minimum"}
SLOW = ("tests/notebooks", "tests/browser", "packages/lab/tests", "tests/program/test_output.py")
NEVER_DECIDE = ("tests/objects", "tests/manifests", "tests/rules", "tests/test_house.py", "tests/test_project.py")
TOOLS = ("tests/test_mutants.py", "tests/test_mutations.py", "tests/test_fuzz.py")
LONG = "tests/cluster/test_changes.py::test_after_random_changes"
NOT_OURS = ("packages/live/tests/real",)
SEEN_IN_A_BROWSER = "packages/lab/kschedlab_lab/views"
"""Where a number is a place in a picture: a test of each would forbid to draw it better."""
LIMIT_OF_ALL = 90
"""Seconds of the processor for each change, over every package."""
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
    """What runs: no annotations, no error messages, no type checkers' part, no ``strict`` of ``zip``."""
    if isinstance(node, ast.Raise | ast.Assert | ast.Import | ast.ImportFrom):
        return
    if isinstance(node, ast.keyword) and node.arg == "strict":
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


def stages(mutant: Mutant) -> dict[str, list[str]]:
    """The tests that may notice it, the cheapest first: its module's, its room's, the real verdicts, the rest."""
    room, stem = mutant.module.split("/")[1].removesuffix(".py"), Path(mutant.module).stem
    near = [each for each in (f"tests/{room}", f"tests/test_{room}.py") if (ROOT / each).exists()]
    own = [str(each.relative_to(ROOT)) for each in (ROOT / "tests").glob(f"{room}/**/test_{stem}*.py")]
    if mutant.module.startswith("packages/"):
        near = [f"packages/{room}/tests"]
        own = [str(each.relative_to(ROOT)) for each in (ROOT / near[0]).glob(f"**/test_{stem}*.py")]
    verdicts = ["tests/conformance/test_vectors.py", "tests/conformance/test_queue_ops.py"]
    rest = [f"--ignore={each}" for each in (*SLOW, *NEVER_DECIDE, *TOOLS, *verdicts)]
    asked = {"its module's tests": own, "its room's": near}
    asked = {name: [*each, f"--deselect={LONG}"] for name, each in asked.items() if each}
    return asked | {"the real schedulers' verdicts": verdicts, "the rest": rest}


def stages_of_all(mutant: Mutant) -> dict[str, list[str]]:
    """Of `make test`: its module's tests, those that name it, its folder's, its package's, lessons that name it."""
    module = Path(mutant.module)
    package = Path(*module.parts[: 3 if module.parts[0] == "packages" else 1])
    tests = package.parent / "tests"
    folder = ROOT / tests / module.parent.relative_to(package)
    names = re.compile(rf"\b{module.stem if module.stem != '__init__' else module.parent.name}\b")
    dotted = ".".join(module.relative_to(package.parent).with_suffix("").parts).removesuffix(".__init__")
    named, elsewhere = [], []
    for path in [*ROOT.glob("tests/**/test_*.py"), *ROOT.glob("packages/*/tests/**/test_*.py")]:
        text = path.read_text(encoding="utf-8")
        if path.is_relative_to(ROOT / tests) and names.search(text):
            named.append((-len(names.findall(text)), path))
        elif dotted in text:
            elsewhere.append(path)
    lessons = [path for path in ROOT.glob("notebooks/*.ipynb") if names.search(path.read_text(encoding="utf-8"))]
    asked = {
        "its module's tests": [*(ROOT / tests).glob(f"**/test_{module.stem}*.py")],
        "those that name it": [path for _, path in sorted(named)],
        "its folder's": [folder] if folder != ROOT / tests and folder.is_dir() else [],
        "those elsewhere that name it": elsewhere,
        "its package's": [ROOT / tests],
        "lessons that name it": lessons if package.name == "kschedlab_lab" else [],
    }
    slow = ("tests/notebooks", "tests/browser", "tests/site")
    ignored = [f"--ignore={each}" for each in (*slow, *TOOLS, *NOT_OURS)]
    chosen = [*ignored, f"--deselect={LONG}", "-m", "not nightly and not release"]
    found: dict[str, list[str]] = {}
    done: list[str] = []
    for name, paths in asked.items():
        every = [str(path.relative_to(ROOT)) for path in paths]
        every = [each for each in every if not each.startswith((*slow, *TOOLS, *NOT_OURS, *done))]
        if every and name.startswith("lessons"):
            found[name] = ["-p", "nbval.plugin", "--nbval", "--nbval-current-env", *every]
            found[name] += ["--nbval-cell-timeout", "60", "--nbval-sanitize-with", "tests/notebooks/sanitize.cfg"]
        elif every:
            found[name] = [*every, *(f"--ignore={each}" for each in done), *chosen]
        done += every
    return found


def verdict(mutant: Mutant, tests: list[str], limit: int) -> str:
    """What these tests say of this change: killed, survives, or undecided where they don't end in time."""
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
        _run(tests, limit)
    status = os.waitpid(child, 0)[1]
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) in (signal.SIGXCPU, signal.SIGALRM, signal.SIGKILL):
        return "undecided"
    passed = (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED)
    return "survives" if os.waitstatus_to_exitcode(status) in passed else "killed"


def _run(tests: list[str], limit: int) -> None:
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
    os._exit(pytest.main(["-x", "-q", "-p", "no:cacheprovider", *tests]))


def judged(mutant: Mutant, asked: dict[str, list[str]], limit: int) -> tuple[str, str]:
    """What became of a change, and which tests said so; these may have so many seconds of the processor for it."""
    spent = _spent()
    for name, tests in asked.items():
        left = int(limit - (_spent() - spent))
        said = verdict(mutant, tests, left) if left > 0 else "undecided"
        if said != "survives":
            return said, name
    return "survives", ""


def _spent() -> float:
    """Seconds of the processor that the children have had."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> int:
    """Draw, change, test."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--all", action="store_true", help="every package, not only the rooms that decide")
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--first", type=int, default=1, help="the number of the first change to make")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--limit", type=int, help="seconds of the processor for each change")
    options = parser.parse_args()
    changes = itertools.islice(
        enumerate((drawn_over_all if options.all else drawn)(options.seed), 1),
        options.first - 1,
        options.first - 1 + options.count,
    )
    sys.pycache_prefix = str(WORK / "bytecode")
    found = dict.fromkeys(("killed", "survives", "undecided"), 0)
    for number, mutant in changes:
        asked = (stages_of_all if options.all else stages)(mutant)
        said, by = judged(mutant, asked, options.limit or (LIMIT_OF_ALL if options.all else LIMIT * len(asked)))
        found[said] += 1
        print(f"{number}: {said}{f' ({by})' if by else ''}: {mutant}", flush=True)
    shutil.rmtree(WORK, ignore_errors=True)
    print("\n" + ", ".join(f"{count} {said}" for said, count in found.items()))
    return found["survives"] > (0.1 if options.all else 0.05) * (found["killed"] + found["survives"])


if __name__ == "__main__":
    sys.exit(main())
