from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from kschedlab.program.main import main
from packages.live.tests.why.fake import FakeKubectl, fake_kubectl


@pytest.fixture(autouse=True)
def eighty_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")


@pytest.fixture
def kubectl(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., FakeKubectl]:
    """A fake kubectl for these objects."""

    def make(*objects: Mapping[str, Any], **settings: Any) -> FakeKubectl:
        return fake_kubectl(monkeypatch, tmp_path, *objects, **settings)

    return make


@pytest.fixture
def why(capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """What ``kubectl why`` prints; within 80 columns and with this exit status."""

    def run(*arguments: str, status: int = 0) -> str:
        assert main(["why", *arguments]) == status
        printed = capsys.readouterr()
        assert all(len(line) <= 80 and line.isprintable() for line in printed.out.splitlines()), printed.out
        assert "Traceback" not in printed.err
        return " ".join((printed.out + printed.err).split())

    return run
