"""Which tests execute which line: recorded once by a plugin of pytest, asked for each change that is tested.

Of a process that tests start, such as a server that serves several of them, the file that started it is recorded.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import coverage
import pytest

ROOT = Path(__file__).parents[1]
FOLDER = "KSCHEDLAB_EXECUTED"
"""Names the folder of the record to the processes that run the tests."""
STARTED_BY = "KSCHEDLAB_STARTED_BY"
"""Names the file of the test to the processes that it starts."""
PROCESSES, STARTED = "processes", "started"
OURS = (f"{ROOT}/kschedlab/*", f"{ROOT}/packages/*/k*/*")


def recorded(folder: Path, chosen: list[str]) -> Executed:
    """The record in this folder; if there is none, these tests run for it (half an hour for all).

    A record that is cut short stays beside it, as ``.part``, and the next call begins again.
    """
    if not folder.exists():
        part = folder.with_name(f"{folder.name}.part")
        shutil.rmtree(part, ignore_errors=True)
        command = [sys.executable, "-m", "pytest", "-q", "-rfE", "-n", "2", "--dist", "worksteal", *chosen]
        command += ["-p", "tools.executed"]
        ended = subprocess.run(command, cwd=ROOT, env=os.environ | {FOLDER: str(part)}, check=False)
        if ended.returncode not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
            raise RecordError(f"the tests that were to be recorded ended with status {ended.returncode}")
        processes = coverage.Coverage(str(part / PROCESSES), config_file=False)
        processes.combine([str(path) for path in (part / STARTED).iterdir()])
        processes.save()
        Executed(part)
        part.rename(folder)
    return Executed(folder)


class RecordError(Exception):
    """A record lacks what a process had to write: to use it would mean to miss tests."""


class Executed:
    """The tests that passed, with the lines that each executed. RecordError if a process was cut short."""

    def __init__(self, folder: Path) -> None:
        lines, times = ({path.stem for path in folder.glob(f"*.{kind}")} for kind in ("lines", "json"))
        if cut := sorted(lines - times):
            raise RecordError(f"{folder}: {', '.join(cut)} ended before it had written its times")
        if not lines:
            raise RecordError(f"{folder}: nothing is recorded")
        self.seconds: dict[str, float] = {}
        for path in folder.glob("*.json"):
            self.seconds |= json.loads(path.read_text(encoding="utf-8"))
        self.fastest = sorted(self.seconds, key=lambda test: (self.seconds[test], test))
        self._lines = [coverage.CoverageData(str(path)) for path in folder.glob("*.lines")]
        self._processes = coverage.CoverageData(str(folder / PROCESSES))
        for each in (*self._lines, self._processes):
            each.read()

    def tests(self, module: str, lines: range | None = None) -> list[str]:
        """The tests that executed one of these lines of the module (any of its lines), the fastest first."""
        executing = set()
        for each in self._lines:
            for line, tests in each.contexts_by_lineno(str(ROOT / module)).items():
                if lines is None or line in lines:
                    executing.update(tests)
        return [test for test in self.fastest if test in executing]

    def tests_of_processes(self, module: str, lines: range) -> list[str]:
        """The tests in files that started a process which executed one of these lines, the fastest first."""
        started = self._processes.contexts_by_lineno(str(ROOT / module)).items()
        files = {file for line, files in started if line in lines for file in files}
        return [test for test in self.fastest if test.partition("::")[0] in files]


class _Recorder:
    """In each process that runs tests: the lines and the time of each."""

    def __init__(self, folder: Path, worker: str) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._times = folder / f"{worker}.json"
        self._seconds: dict[str, float] = {}
        self._failed: set[str] = set()
        self._coverage = coverage.Coverage(str(folder / f"{worker}.lines"), config_file=False, include=OURS)
        self._coverage.start()
        settings = folder / f"{worker}.ini"
        options = {"data_file": folder / STARTED / worker, "parallel": True, "sigterm": True}
        options |= {"context": f"${{{STARTED_BY}}}", "include": ",".join(OURS)}
        settings.write_text("\n".join(["[run]", *(f"{name} = {value}" for name, value in options.items())]))
        (folder / STARTED).mkdir(exist_ok=True)
        os.environ["COVERAGE_PROCESS_START"] = str(settings)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        self._coverage.switch_context(item.nodeid)
        os.environ[STARTED_BY] = item.nodeid.partition("::")[0]
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
