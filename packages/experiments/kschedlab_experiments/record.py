"""The file of an experiment's runs: JSON lines, appended as runs end, so that a killed experiment goes on there.

The first line says what the experiment is; each other line is a run.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path
from tempfile import mkstemp
from typing import Any, BinaryIO

import msgspec

from kschedlab.messages import say
from kschedlab.objects.problems import InputValueError
from kschedlab_experiments.runs import Plan, Run, Task

FORMAT = "kschedlab experiment 1"
_RUNS = msgspec.json.Decoder(Run)


class Head(msgspec.Struct, frozen=True):
    """What the experiment is. ``fingerprint``: of its arrivals and variants; seeds may be added later."""

    format: str
    fingerprint: str
    variants: list[str]


def head_of(plan: Plan) -> Head:
    """The first line of the plan's file."""
    parts = [plan.arrivals.fingerprint(), [variant.fingerprint() for variant in plan.variants], plan.until]
    digest = hashlib.sha256(msgspec.json.encode(parts, enc_hook=str, order="sorted")).hexdigest()
    return Head(FORMAT, digest, [variant.name for variant in plan.variants])


class Record:
    """The runs so far. ``path``: None for a temporary file, which goes with the record.

    InputValueError if the file belongs to another experiment or cannot be read.
    """

    def __init__(self, path: str | os.PathLike[str] | None, head: Head) -> None:
        self._temporary = path is None
        self.path = Path(mkstemp(prefix="kschedlab-", suffix=".jsonl")[1] if path is None else path)
        self._head = head
        self.done: set[Task] = set()
        self._file: BinaryIO | None = None
        if self.path.exists() and self.path.stat().st_size:
            self._resume()
        else:
            self._append(head)

    def _resume(self) -> None:
        """Read what is there. A line that was cut off when the experiment was killed goes."""
        with self.path.open("r+b") as file:
            first = file.readline()
            try:
                head = msgspec.json.decode(first, type=Head)
            except msgspec.MsgspecError:
                raise InputValueError(
                    "{path}: is not a file of an experiment: name another one", path=self.path
                ) from None
            if head.format != FORMAT or head.fingerprint != self._head.fingerprint:
                raise InputValueError(
                    "{path}: has runs of another experiment: name another file, or remove it", path=self.path
                )
            whole = file.tell()
            for line in file:
                if line.endswith(b"\n"):
                    whole += len(line)
            file.truncate(whole)
        self.done = {run.task for run in self}

    def add(self, run: Run) -> None:
        """Append the run."""
        self._append(run)
        self.done.add(run.task)

    def _append(self, line: Any) -> None:
        if self._file is None:
            self._file = self.path.open("ab")
        self._file.write(msgspec.json.encode(line) + b"\n")
        self._file.flush()

    def __iter__(self) -> Iterator[Run]:
        """The runs, in the order in which they ended. InputValueError names a line that is not a run."""
        with self.path.open("rb") as file:
            next(file)
            for number, line in enumerate(file, 2):
                try:
                    yield _RUNS.decode(line)
                except msgspec.MsgspecError as error:
                    why = say("{path}:{number}: is not a run: {error}", path=self.path, number=number, error=error)
                    raise InputValueError(why) from None

    def close(self) -> None:
        """Write no more."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def __del__(self) -> None:
        if getattr(self, "_temporary", False):
            self.close()
            self.path.unlink(missing_ok=True)
