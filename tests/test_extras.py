"""With NumPy, msgspec and PyYAML alone the package decides; what needs an extra says which."""

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

PROJECT = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())["project"]
PROGRAM = ("rich", "shtab")
DECIDE = """
from kschedlab import Cluster, Decision, loads, schedule
from kschedlab.generations import GENERATIONS
from kschedlab.whatif import what_if
cluster = Cluster(loads('''
{apiVersion: v1, kind: Node, metadata: {name: a}, status: {allocatable: {cpu: 4, memory: 8Gi, pods: 9}}}
---
{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: [{name: c, image: i}]}}
'''))
for generation in GENERATIONS.values():
    decision = schedule("default/p", cluster, generation)
    assert decision.node == "a" and repr(decision) and decision._repr_html_()
    assert repr(what_if("default/p", cluster, generation))
print("decided")
"""
IMPORT = """
try:
    {}
except ImportError as error:
    print(error)
"""
RUN = "from kschedlab.program.main import main; print(main({!r}))"


def without(libraries: tuple[str, ...], program: str) -> str:
    """The program's output, both streams, where these libraries can't be imported."""
    blocked = f"import sys; sys.modules.update(dict.fromkeys({libraries!r}))\n"
    command = [sys.executable, "-c", blocked + program]
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=True).stdout


def test_a_plain_installation_has_three_libraries() -> None:
    assert [each.partition(">")[0] for each in PROJECT["dependencies"]] == ["msgspec", "numpy", "PyYAML"]


def test_deciding_and_showing_needs_no_extra() -> None:
    assert without(PROGRAM, DECIDE) == "decided\n"


def test_the_program_says_what_it_needs() -> None:
    expected = "rich not found: run pip install 'kschedlab[program]'\n2\n"
    assert without(("rich",), RUN.format(["explain", "x.yaml"])).endswith(expected)


def test_a_terminal_says_it_too() -> None:
    """Without rich, even an error on a terminal is plain."""
    arguments = ["explain", "x.yaml"]
    program = "import sys; sys.stderr.isatty = lambda: True; " + RUN.format(arguments)
    assert without(PROGRAM, program) == "rich not found: run pip install 'kschedlab[program]'\n2\n"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["explain", "FILE", "--output", "json"], '"event":"no nodes available to schedule pods"'),
        (["explain", "FILE", "--output", "html"], "<!DOCTYPE html>"),
        (["compare", "FILE", "--pod", "default/p", "--output", "html"], "<b>default/p in 4 generations</b>"),
        (["explain", "absent.yaml", "--output", "json"], "absent.yaml: there is no such file"),
        (["completion", "bash"], "shtab not found: run pip install 'kschedlab[program]'"),
    ],
)
def test_what_needs_no_table_works_without_the_program_s_libraries(
    tmp_path: Path, arguments: list[str], said: str
) -> None:
    file = tmp_path / "pod.yaml"
    file.write_text("{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: [{name: c, image: i}]}}")
    output = without(PROGRAM, RUN.format([str(file) if each == "FILE" else each for each in arguments]))
    assert said in output and "Traceback" not in output


ALONE = "from importlib import metadata; metadata.entry_points = lambda **_: (); "


@pytest.mark.parametrize(
    ("arguments", "what", "extra"),
    [
        (["simulate", "x.yaml"], "kschedlab simulate", "simulation"),
        (["plan", "add", "x.yaml"], "kschedlab plan", "planning"),
        (["why", "web"], "kschedlab why", "why"),
        (["decide", "--config", "c.yaml"], "--config", "configuration"),
    ],
)
def test_what_another_package_brings_is_named(arguments: list[str], what: str, extra: str) -> None:
    missing = f"{what} needs another package: run pip install 'kschedlab[{extra}]'\n2\n"
    assert without((), ALONE + RUN.format(arguments)) == missing


def test_a_package_that_cannot_be_loaded_costs_a_line() -> None:
    broken = """
from importlib import metadata
metadata.entry_points = lambda **_: (metadata.EntryPoint("bad", "no_such_module", "kschedlab.commands"),)
"""
    why = "kschedlab bad: no_such_module cannot be loaded: ModuleNotFoundError: No module named 'no_such_module'\n"
    assert without((), broken + RUN.format(["bad"])) == f"{why}2\n"
    assert without((), broken + RUN.format(["completion", "bash"])).startswith(why)
