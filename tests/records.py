"""Records beside a test: lines about each of some things, which the test compares with what it sees now."""

import hashlib
from collections.abc import Callable, Iterable
from pathlib import Path


def digest(*seen: object) -> str:
    """Twelve digits that are others if anything that was seen is."""
    return hashlib.sha256("\n".join(map(str, seen)).encode()).hexdigest()[:12]


def lines_about(record: Path, name: str) -> list[str]:
    """The record's lines that begin with this name."""
    return [line for line in record.read_text(encoding="utf-8").splitlines() if line.startswith(f"{name} ")]


def write(record: Path, names: Iterable[str], seen: Callable[[str], list[str]]) -> None:
    """Record what is seen of each."""
    record.write_text("".join(f"{line}\n" for name in names for line in seen(name)), encoding="utf-8")
