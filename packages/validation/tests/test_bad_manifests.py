"""Manifests that the engine accepts, at least in part, but the API server refuses, and the messages."""

from pathlib import Path

import pytest

from kschedlab.manifests import checks
from kschedlab.manifests.loading import ManifestError, load

HERE = Path(__file__).parent / "bad"
ENGINE = Path(__file__).parents[3] / "tests" / "manifests" / "bad"
MANIFESTS = [path for folder in (HERE, ENGINE) for path in sorted(folder.iterdir()) if path.suffix != ".txt"]


def messages(path: Path) -> list[str]:
    try:
        load(path.name)
    except ManifestError as error:
        return str(error).splitlines()
    return []


@pytest.mark.parametrize("path", MANIFESTS, ids=lambda path: path.name)
def test_the_messages(path, monkeypatch):
    monkeypatch.chdir(path.parent)
    lines = Path("expected.txt").read_text(encoding="utf-8").splitlines()
    expected = [line for line in lines if line.startswith(f"{path.name}:")]
    assert messages(path) == expected
    assert expected
    monkeypatch.setattr(checks, "installed", lambda: ())
    alone = messages(path)
    assert set(alone) < set(expected) if path.parent == HERE else alone == expected
