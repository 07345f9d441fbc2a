"""What is kept for a reader in a JSON file beside the notebooks: progress with the exercises, and the language."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Container, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

if sys.platform != "win32":
    import fcntl

FILE = ".kschedlab-progress.json"
VARIABLE = "KSCHEDLAB_PROGRESS"
"""Environment variable: another path for the file, or ``off`` to keep nothing."""


class DamagedError(ValueError):
    """There is a file, but it can't be read."""


class Kept:
    """A file of named entries; who writes one leaves the others as they are. ``path``: None keeps nothing."""

    def __init__(self, path: Path | None) -> None:
        self.path = path

    @classmethod
    def usual(cls, translations: Container[str]) -> Kept:
        """The file in this folder, or the one that the environment variable names.

        ``translations``: names of folders with translated notebooks; they share the file of the folder around them.
        """
        where = os.environ.get(VARIABLE)
        if where is None:
            return cls(Path("..", FILE) if Path.cwd().name in translations else Path(FILE))
        return cls(None if where == "off" else Path(where))

    @property
    def name(self) -> str:
        """The file's name, for messages."""
        return self.path.name if self.path else ""

    def read(self) -> dict[str, Any]:
        """The entries; none without a file."""
        if self.path is None:
            return {}
        try:
            entries = json.loads(self.path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, RecursionError) as error:
            raise DamagedError(self.name) from error
        if not isinstance(entries, dict):
            raise DamagedError(self.name)
        return entries

    def write(self, **entries: Any) -> None:
        """Put these entries into the file, which is replaced as a whole. OSError if it can't be written."""
        if self.path is None:
            return
        with _locked(self.path):
            text = json.dumps(self.read() | entries, ensure_ascii=False, indent=1) + "\n"
            with NamedTemporaryFile(
                "w", encoding="utf-8", dir=self.path.parent, prefix=f"{self.path.name}.", delete=False
            ) as beside:
                beside.write(text)
            try:
                os.replace(beside.name, self.path)
            except OSError:
                os.unlink(beside.name)
                raise


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Only one kernel at a time reads, changes and writes the file; Windows has no such lock."""
    if sys.platform == "win32":
        yield
        return
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    finally:
        os.close(folder)
