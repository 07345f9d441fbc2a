"""What the program prints: each command of a transcript again, beside what it printed.

``python -m tests.program.test_transcripts`` writes the transcripts anew: read the difference, as that of a notebook.
"""

import io
import os
import re
import shlex
import sys
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path
from unittest.mock import patch

import pytest

from kschedlab.program.main import main

FOLDER = Path(__file__).parent / "transcripts"
ENVIRONMENT = {"COLUMNS": "110", "NO_COLOR": "1"}
COMMAND = re.compile(r"^\$ kschedlab (.*)\n", re.MULTILINE)


def commands(transcript: Path) -> list[tuple[str, str]]:
    """Each command with what it printed."""
    _, *parts = COMMAND.split(transcript.read_text(encoding="utf-8"))
    return list(zip(parts[::2], parts[1::2], strict=True))


def printed(command: str) -> str:
    """What the program prints, errors as well; in the end its exit status, unless that is 0."""
    arguments, _, given = command.partition(" < ")
    out = io.StringIO()
    with chdir(FOLDER), patch.dict(os.environ, ENVIRONMENT), redirect_stdout(out), redirect_stderr(out):
        given = Path(given).read_text(encoding="utf-8") if given else ""
        with patch.object(sys, "stdin", io.StringIO(given)):
            try:
                status = main(shlex.split(arguments))
            except SystemExit as error:
                status = error.code
    text = re.sub(r"[\d.,]+ (m?s|pods/s) of real time", "... of real time", out.getvalue())
    return f"{text.rstrip()}\n{f'[{status}]' if status else ''}".rstrip() + "\n\n"


TRANSCRIPTS = sorted(FOLDER.glob("*.txt"))
CASES = [pytest.param(*case, id=case[0]) for path in TRANSCRIPTS for case in commands(path)]


@pytest.mark.parametrize(("command", "before"), CASES)
def test_a_command_prints_what_it_printed(command: str, before: str):
    assert printed(command).splitlines() == before.splitlines()


if __name__ == "__main__":
    for path in TRANSCRIPTS:
        path.write_text("".join(f"$ kschedlab {each}\n{printed(each)}" for each, _ in commands(path)), encoding="utf-8")
