"""Small changes of the package: each is Python, changes something, and leaves the rest as it is."""

import ast
import json
import subprocess
import sys
from itertools import islice
from pathlib import Path

import coverage
import pytest

from tools.executed import Executed, RecordError, recorded
from tools.mutants import MOST_IN_A_BROWSER, ROOT, Mutant, drawn_over_all, mutants, stages

QUANTITIES = "tests/objects/test_quantity.py"
MODULE = '''"""A number: 3 < 4."""
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    LIMIT = 3 < 4

class Fixed(Base, frozen=True):
    pass

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
    assert {each.line for each in mutants(module)} == {10, 11, 12, 13, 15}, "no annotations, messages or types"


def test_a_change_is_python_and_the_only_one(module: Path) -> None:
    for each in mutants(module):
        text = each.applied().decode()
        assert ast.dump(ast.parse(text)) != ast.dump(ast.parse(MODULE)), each
        assert text.count("\n") == MODULE.count("\n") and len(text) == len(MODULE) + len(each.new) - len(each.old)


def test_there_are_changes_of_every_room_that_decides() -> None:
    for room in ("filter", "score", "preemption", "queue", "cluster"):
        assert sum(1 for path in (ROOT / "kschedlab" / room).rglob("*.py") for _ in mutants(path)) > 100


def test_every_package_is_drawn_and_more_changes_begin_with_the_same() -> None:
    few, many = ([*islice(drawn_over_all(7), count)] for count in (20, 200))
    assert many[:20] == few and len(set(many)) == 200
    packages = {"/".join(Path(each.module).parts[:2]) for each in many if each.module.startswith("packages")}
    assert packages == {f"packages/{each.parent.name}" for each in ROOT.glob("packages/*/pyproject.toml")}
    assert any(each.module.startswith("kschedlab/") for each in many)


@pytest.fixture(scope="module")
def executed(tmp_path_factory: pytest.TempPathFactory) -> Executed:
    return recorded(tmp_path_factory.mktemp("record") / "executed", [QUANTITIES])


def change_of(module: str, old: str) -> Mutant:
    return next(each for each in mutants(ROOT / module) if each.old == old)


def test_the_tests_that_execute_a_line_come_first(executed: Executed) -> None:
    asked = stages(change_of("kschedlab/objects/quantity.py", "self._milli * (NANO // 1000)"), executed)
    first, *others = asked.values()
    assert {test.partition("[")[0] for test in first} == {
        f"{QUANTITIES}::test_is_rounded_up_as_the_api_server_stores_it"
    }
    assert sorted(first + [test for tests in others for test in tests]) == sorted(executed.fastest)


def test_where_only_an_import_runs_a_line_its_package_is_asked(executed: Executed) -> None:
    asked = stages(change_of("kschedlab/objects/names.py", "63"), executed)
    assert asked == {"its package's": executed.fastest}


def test_what_a_process_executes_meets_the_file_that_started_it(tmp_path: Path) -> None:
    alone = "packages/cel/tests/test_alone.py"
    executed = recorded(tmp_path / "executed", [alone])
    ran = stages(change_of("packages/cel/kube_cel/parser.py", 'self.token.kind in (".", "[")'), executed)
    assert ran["those whose processes execute it"] == executed.fastest == [f"{alone}::test_kube_cel_needs_no_kschedlab"]
    other = stages(change_of("packages/cel/kube_cel/times.py", "value.nanos < 0"), executed)
    assert other == {"its package's": executed.fastest}


def test_a_record_that_was_cut_short_is_refused(tmp_path: Path) -> None:
    record(tmp_path, {f"{QUANTITIES}::one": 1.0})
    assert Executed(tmp_path).fastest == [f"{QUANTITIES}::one"]
    (tmp_path / "gw0.json").unlink()
    with pytest.raises(RecordError, match="gw0 ended before"):
        recorded(tmp_path, [QUANTITIES])


def test_tests_that_do_not_run_leave_no_record(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match="status 5"):
        recorded(tmp_path / "record", ["tests/no_such_file.py"])
    assert not (tmp_path / "record").exists()


CHANGED = "packages/lab/kschedlab_lab/panels/weights.py"


def record(folder: Path, seconds: dict[str, float]) -> None:
    """A record in which each test executed every line of a module."""
    (folder / "gw0.json").write_text(json.dumps(seconds))
    lines = coverage.CoverageData(str(folder / "gw0.lines"))
    for test in seconds:
        lines.set_context(test)
        lines.add_lines({str(ROOT / CHANGED): range(1, 1000)})
    lines.write()


def test_what_the_others_pass_over_meets_a_minute_in_a_browser(tmp_path: Path) -> None:
    inside = [f"packages/lab/tests/panels/test_moves.py::test_{n}" for n in range(3)]
    browsers = [f"tests/browser/test_layout.py::test_{n}" for n in range(5)]
    record(tmp_path, dict.fromkeys(inside, 1.0) | dict.fromkeys(browsers, 0.3 * MOST_IN_A_BROWSER))
    asked = stages(next(mutants(ROOT / CHANGED)), Executed(tmp_path))
    *before, last = asked
    assert last == "in a browser" and asked[last] == browsers[:3]
    assert [test for name in before if "lessons" not in name for test in asked[name]] == inside


FORKED = """
from tools.mutants import ROOT, Mutant, failing, mutants
path = ROOT / "kschedlab/objects/quantity.py"
change = next(each for each in mutants(path) if each.old == "self._milli * (NANO // 1000)")
for each in (change, Mutant(change.module, 0, 0, 1, "", "")):
    print(failing(each, {tests}, 60))
"""


def test_the_first_test_that_fails_is_named_and_none_fails_without_a_change() -> None:
    tests = [
        f"{QUANTITIES}::test_{name}" for name in ("is_a_value", "is_rounded_up_as_the_api_server_stores_it[0.1m-1m]")
    ]
    forked = [sys.executable, "-c", FORKED.format(tests=tests)]
    named = subprocess.run(forked, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert named.splitlines() == [tests[1], ""]


def test_what_a_lesson_draws_meets_that_lesson(executed: Executed) -> None:
    drawing = next(mutants(ROOT / "packages/lab/kschedlab_lab/views/queue_parts.py"))
    assert stages(drawing, executed)["the nearest lessons"][-1] == "notebooks/02-queue.ipynb"
    engine = next(mutants(ROOT / "kschedlab/objects/quantity.py"))
    assert "the nearest lessons" not in stages(engine, executed)


def test_where_a_picture_has_its_lines_is_no_change() -> None:
    drawn = [*mutants(ROOT / "packages/lab/kschedlab_lab/views/layout.py")]
    assert drawn and not any(each.old.isdigit() for each in drawn)
