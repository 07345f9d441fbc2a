"""A progress line on standard error for slow commands."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from shutil import get_terminal_size
from time import perf_counter
from typing import Self, TextIO

BAR = 30
SLOW, SLOW_YAML = {".json": 15 << 20, ".gz": 1 << 19}, 4 << 20
"""File size in bytes that takes about two seconds to read: by suffix, and for all other files."""


class Progress:
    """A progress line on a terminal that counts the pods done.

    It appears only after ``patience`` seconds on ``clock``, so a short command shows nothing, and only if ``out`` is a
    terminal. It uses no thread: :meth:`show` draws it. As a context manager it erases itself at the end.
    """

    def __init__(self, out: TextIO, clock: Callable[[], float] = perf_counter, patience: float = 2.0) -> None:
        self._out = out
        self._clock = clock
        self._shown = out.isatty()
        self._next = clock() + patience
        self._drawn = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.clear()

    def show(self, done: int, total: int, what: str = "bound") -> None:
        """Draw ``3 of 9 pods bound`` with a bar, at most ten times a second."""
        if not self._shown or self._clock() < self._next:
            return
        self._next = self._clock() + 0.1
        filled = BAR * done // total if total else 0
        pods = f"{total:,} pod{'' if total == 1 else 's'}"
        self._draw(f"[{'#' * filled}{'.' * (BAR - filled)}] {done:,} of {pods} {what}")

    def reading(self, files: Iterable[str]) -> None:
        """Announce that files are being read, if that takes long."""
        existing = [path for path in map(Path, files) if path.is_file()]
        if sum(path.stat().st_size / SLOW.get(path.suffix, SLOW_YAML) for path in existing) > 1:
            self.announce(f"reading {sum(path.stat().st_size for path in existing) / (1 << 20):,.0f} MiB")

    def announce(self, what: str) -> None:
        if self._shown:
            self._draw(f"{what} ...")

    def clear(self) -> None:
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
