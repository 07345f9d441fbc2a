import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from kschedlab.program.main import main


@pytest.fixture
def file(tmp_path: Path) -> Callable[..., str]:
    """The path of a new file with these objects."""

    def write(*objects: Mapping[str, Any], name: str = "dump.json") -> str:
        (tmp_path / name).write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}))
        return str(tmp_path / name)

    return write


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """What ``kschedlab`` prints within 80 columns, in one line; with this exit status."""
    monkeypatch.setenv("COLUMNS", "80")

    def run(*arguments: str, status: int = 0) -> str:
        assert main(arguments) == status
        printed = capsys.readouterr()
        assert all(len(line) <= 80 and line.isprintable() for line in printed.out.splitlines()), printed.out
        assert "Traceback" not in printed.err
        return " ".join((printed.out + printed.err).split())

    return run
