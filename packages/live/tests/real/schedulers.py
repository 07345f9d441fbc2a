"""``kschedlab schedule`` as a program of its own."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from packages.live.tests.real.plane import until

ROOT = Path(__file__).parents[4]


class Program:
    """A running scheduler. ``lines``: what it said."""

    def __init__(self, kubeconfig: Path, *options: str, cwd: Path | None = None) -> None:
        command = [sys.executable, "-m", "kschedlab", "schedule", "--kubeconfig", str(kubeconfig)]
        self.process = subprocess.Popen(
            [*command, "--verbose", *options],
            env=os.environ | {"PYTHONPATH": str(ROOT)},
            stderr=subprocess.PIPE,
            text=True,
            cwd=cwd,
        )
        self.lines: list[str] = []
        self._reading = threading.Thread(target=self._read, daemon=True)
        self._reading.start()

    def _read(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.lines.append(line.rstrip("\n"))

    def says(self, text: str) -> bool:
        return any(text in line for line in self.lines)

    def wait_for(self, text: str, seconds: float = 300.0) -> None:
        until(lambda: self.says(text), seconds, f"{text!r}")

    @property
    def url(self) -> str:
        """Where it serves its health."""
        self.wait_for("serves /healthz")
        return next(line for line in self.lines if "serves /healthz" in line).rpartition(" ")[2]

    def stop(self) -> int:
        """SIGTERM; the exit status."""
        self.process.terminate()
        return self.wait()

    def wait(self) -> int:
        status = self.process.wait(300)
        self._reading.join(300)
        return status

    def kill(self) -> None:
        self.process.kill()
        self.wait()


@contextmanager
def scheduler(kubeconfig: Path, *options: str, cwd: Path | None = None) -> Iterator[Program]:
    """A scheduler that is stopped, gently, at the end of the block; it must end with status 0."""
    program = Program(kubeconfig, *options, cwd=cwd)
    try:
        yield program
        if program.process.poll() is None:
            assert program.stop() == 0, "\n".join(program.lines)
    finally:
        if program.process.poll() is None:
            program.kill()
