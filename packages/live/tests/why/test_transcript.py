"""What ``kubectl why`` prints of a cluster that kubectl reads: each command of ``transcript.txt`` again.

``python -m packages.live.tests.why.test_transcript`` writes it anew: read the difference, as that of a notebook. What
follows ``#`` are settings of the fake kubectl.
"""

import io
import json
import re
import shlex
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
import yaml

from kschedlab.program.main import main
from packages.live.tests.why.fake import fake_kubectl

TRANSCRIPT = Path(__file__).parent / "transcript.txt"
CLUSTER = Path(__file__).parents[4] / "tests/program/transcripts/cluster.yaml"
COMMAND = re.compile(r"^\$ kubectl why ?(.*)\n", re.MULTILINE)


def commands() -> list[tuple[str, str]]:
    _, *parts = COMMAND.split(TRANSCRIPT.read_text(encoding="utf-8"))
    return list(zip(parts[::2], parts[1::2], strict=True))


def printed(command: str) -> str:
    arguments, _, settings = command.partition(" # ")
    objects: list[Any] = [*yaml.safe_load_all(CLUSTER.read_text(encoding="utf-8"))]
    out = io.StringIO()
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        fake = fake_kubectl(patch, Path(folder), *objects, **json.loads(settings or "{}"))
        patch.setenv("COLUMNS", "110")
        patch.setenv("NO_COLOR", "1")
        with redirect_stdout(out), redirect_stderr(out):
            try:
                status: Any = main(["why", *shlex.split(arguments)])
            except SystemExit as error:
                status = error.code
        # after a failure the calls that still run are stopped: who was asked is a matter of chance then
        asked = [] if "fails" in settings else [f"  kubectl {' '.join(each)}\n" for each in sorted(fake.calls)]
    return f"{out.getvalue().rstrip()}\n{f'[{status}]' if status else ''}\n{''.join(asked)}\n"


@pytest.mark.parametrize(("command", "before"), commands())
def test_it_prints_what_it_printed(command: str, before: str):
    assert printed(command).splitlines() == before.splitlines()


if __name__ == "__main__":
    TRANSCRIPT.write_text("".join(f"$ kubectl why {each}\n{printed(each)}" for each, _ in commands()), encoding="utf-8")
