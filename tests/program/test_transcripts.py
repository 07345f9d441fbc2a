"""What the program and its results in Python print: each command of a transcript again, beside what it printed.

``python -m tests.program.test_transcripts`` writes the transcripts anew: read the difference, as that of a notebook.
"""

import io
import os
import re
import shlex
from contextlib import chdir, redirect_stderr, redirect_stdout
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

import pytest

from kschedlab.program.main import main

FOLDER = Path(__file__).parent / "transcripts"
ENVIRONMENT = {"COLUMNS": "110", "NO_COLOR": "1"}
COMMAND = re.compile(r"^((?:\$ kschedlab|>>>) .*)\n", re.MULTILINE)
"""A line of the shell, or of Python: an expression, after :data:`IMPORTS`."""
IMPORTS = """
from functools import cache
from kschedlab import Cluster, compare, explain, explain_pending, schedule, what_if
from kschedlab.plugins import check_plugin, node_filter, node_score
from kschedlab_planning import decision_map, fits, plan_add, plan_drain, plan_fit, weight_region
from kschedlab_why.upgrade import upgrade
load = cache(Cluster.from_files)
"""


def commands(transcript: Path) -> list[tuple[str, str]]:
    """Each command with what it printed."""
    _, *parts = COMMAND.split(transcript.read_text(encoding="utf-8"))
    return list(zip(parts[::2], parts[1::2], strict=True))


def printed(command: str) -> str:
    """What the program prints, errors as well, and writes into OUT; its exit status, unless that is 0."""
    out = io.StringIO()
    with (
        TemporaryDirectory() as folder,
        chdir(FOLDER),
        patch.dict(os.environ, ENVIRONMENT),
        redirect_stdout(out),
        redirect_stderr(out),
    ):
        status = _run(command.replace("OUT/", f"{folder}/"))
        for file in sorted(Path(folder).iterdir()):
            print(f"-- {file.name}\n{file.read_text(encoding='utf-8')}")
    text = re.sub(r"[\d.,]+ (m?s|pods/s) of real time", "... of real time", out.getvalue())
    text = text.replace("><", ">\n<")  # a page has no lines
    return f"{text.rstrip()}\n{f'[{status}]' if status else ''}".rstrip() + "\n\n"


def _run(command: str) -> int | str | None:
    """The exit status of the program, or None after a line of Python."""
    before, _, line = command.partition(" ")
    if before == ">>>":
        print(eval(line, _names()))
        return None
    try:
        return main(shlex.split(line)[1:])
    except SystemExit as error:
        return error.code


@cache
def _names() -> dict[str, Any]:
    names: dict[str, Any] = {}
    exec(IMPORTS, names)
    return names


TRANSCRIPTS = sorted(FOLDER.glob("*.txt"))
CASES = [pytest.param(*case, id=case[0]) for path in TRANSCRIPTS for case in commands(path)]


@pytest.mark.parametrize(("command", "before"), CASES)
def test_a_command_prints_what_it_printed(command: str, before: str):
    assert printed(command).splitlines() == before.splitlines()


if __name__ == "__main__":
    for path in TRANSCRIPTS:
        path.write_text("".join(f"{each}\n{printed(each)}" for each, _ in commands(path)), encoding="utf-8")
