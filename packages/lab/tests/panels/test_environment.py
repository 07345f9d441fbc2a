"""The check of the environment says ok, or what is wrong and how to mend it."""

import platform
from importlib import metadata

import pytest
from packaging.requirements import Requirement

from kschedlab_lab.panels.environment import check, needs, problem


def test_what_is_installed_here_is_enough() -> None:
    lines = check().splitlines()
    assert lines[0] == "ok   python>=3.11" and all(line.startswith("ok ") for line in lines)
    assert {"ipywidgets", "numpy"} <= {each.name for each in needs()}
    assert "ruff" not in {each.name for each in needs()}


def test_what_is_missing_or_old_is_named() -> None:
    assert problem(Requirement("no-such-package-here>=1")) == "not installed"
    numpy = metadata.version("numpy")
    assert problem(Requirement("numpy>=999")) == f"is {numpy}, too old"


def test_the_remedy_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kschedlab_lab.panels.environment.needs", lambda: [Requirement("no-such-package-here>=1")])
    monkeypatch.setattr(platform, "python_version", lambda: "3.10.1")
    assert check().splitlines() == [
        "python>=3.11 is needed, this is 3.10.1: make PYTHON=/path/to/python lab",
        "no-such-package-here>=1 not installed: run `make lab`, or pip install 'no-such-package-here>=1'",
    ]
