"""Which tests execute which line: recorded once by a plugin of pytest, asked for each change that is tested."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import coverage
import pytest

ROOT = Path(__file__).parents[1]
FOLDER = "KSCHEDLAB_EXECUTED"
"""Names the folder of the record to the processes that run the tests."""


def recorded(folder: Path, chosen: list[str]) -> Executed:
    """The record in this folder; if there is none, these tests run for it (some minutes)."""
    if not folder.exists():
        command = [sys.executable, "-m", "pytest", "-q", "-p", "tools.executed", "-n", "2", "--dist", "worksteal"]
        subprocess.run([*command, *chosen], cwd=ROOT, env=os.environ | {FOLDER: str(folder)}, check=False)
    return Executed(folder)


class Executed:
    """The tests that passed, with the lines that each executed."""

    def __init__(self, folder: Path) -> None:
        self.seconds: dict[str, float] = {}
        for path in folder.glob("*.json"):
            self.seconds |= json.loads(path.read_text(encoding="utf-8"))
        self.fastest = sorted(self.seconds, key=lambda test: (self.seconds[test], test))
        self._lines = [coverage.CoverageData(str(path)) for path in folder.glob("*.lines")]
        for each in self._lines:
            each.read()

    def tests(self, module: str, lines: range | None = None) -> list[str]:
        """The tests that executed one of these lines of the module (any of its lines), the fastest first."""
        found = set()
        for each in self._lines:
            for line, tests in each.contexts_by_lineno(str(ROOT / module)).items():
                if lines is None or line in lines:
                    found.update(tests)
        return [test for test in self.fastest if test in found]


class _Recorder:
    """In each process that runs tests: the lines and the time of each."""

    def __init__(self, folder: Path, worker: str) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._times = folder / f"{worker}.json"
        self._seconds: dict[str, float] = {}
        self._failed: set[str] = set()
        ours = [f"{ROOT}/kschedlab/*", f"{ROOT}/packages/*/k*/*"]
        self._coverage = coverage.Coverage(str(folder / f"{worker}.lines"), config_file=False, include=ours)
        self._coverage.start()

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        self._coverage.switch_context(item.nodeid)
        result = yield
        self._coverage.switch_context("")
        return result

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._seconds[report.nodeid] = self._seconds.get(report.nodeid, 0) + report.duration
        if not report.passed:
            self._failed.add(report.nodeid)

    def pytest_sessionfinish(self) -> None:
        self._coverage.stop()
        self._coverage.save()
        passed = {test: seconds for test, seconds in self._seconds.items() if test not in self._failed}
        self._times.write_text(json.dumps(passed), encoding="utf-8")


def pytest_configure(config: pytest.Config) -> None:
    """Records in the processes that run tests."""
    if hasattr(config, "workerinput"):
        config.pluginmanager.register(_Recorder(Path(os.environ[FOLDER]), config.workerinput["workerid"]))
