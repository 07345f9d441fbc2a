"""A line on standard error that says how far a slow command has come."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from shutil import get_terminal_size
from time import perf_counter
from typing import TextIO

BAR = 30
SLOW, SLOW_YAML = {".json": 15 << 20, ".gz": 1 << 19}, 4 << 20
"""Bytes that take about two seconds to read: by the end of the file's name, and of all other files."""


class Progress:
    """A line on a terminal that is drawn again and again: how many pods are done.

    It appears only when ``clock`` (seconds) has gone on for ``patience``, so a short command shows nothing; and never
    if ``out`` is no terminal. It runs on no thread: it is drawn when :meth:`show` is called.
    """

    def __init__(self, out: TextIO, clock: Callable[[], float] = perf_counter, patience: float = 2.0) -> None:
        self._out = out
        self._clock = clock
        self._shown = out.isatty()
        self._next = clock() + patience
        self._drawn = 0

    def show(self, done: int, total: int, what: str = "bound") -> None:
        """Draw ``3 of 9 pods bound`` with a bar, not more than ten times a second."""
        if not self._shown or self._clock() < self._next:
            return
        self._next = self._clock() + 0.1
        filled = BAR * done // total if total else 0
        pods = f"{total:,} pod{'' if total == 1 else 's'}"
        self._draw(f"[{'#' * filled}{'.' * (BAR - filled)}] {done:,} of {pods} {what}")

    def reading(self, files: Iterable[str]) -> None:
        """Announce files that take long to read."""
        found = [path for path in map(Path, files) if path.is_file()]
        if sum(path.stat().st_size / SLOW.get(path.suffix, SLOW_YAML) for path in found) > 1:
            self.announce(f"reading {sum(path.stat().st_size for path in found) / (1 << 20):,.0f} MiB")

    def announce(self, what: str) -> None:
        """Say at once what is done: for work that reports nothing on its way."""
        if self._shown:
            self._draw(f"{what} ...")

    def clear(self) -> None:
        """Wipe the line away, if it was drawn."""
        if self._drawn:
            self._draw("")
            self._out.write("\r")
            self._out.flush()
            self._drawn = 0

    def _draw(self, line: str) -> None:
        line = line[: get_terminal_size().columns - 1]
        self._out.write("\r" + line.ljust(self._drawn))
        self._out.flush()
        self._drawn = len(line)
