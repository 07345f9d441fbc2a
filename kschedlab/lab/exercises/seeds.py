"""Seeds as a teacher writes them: ``1-30``, ``1-3, 7``, or numbers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

Seeds: TypeAlias = str | int | Iterable[int]
MOST = 1000


def parse_seeds(given: Seeds) -> list[int]:
    """The seeds in their order, each once. ValueError says what is wrong."""
    if isinstance(given, str):
        found = [seed for part in given.replace("–", "-").split(",") for seed in _range(part.strip())]
    else:
        found = [_number(each) for each in ([given] if isinstance(given, int) else given)]
    if len(found) > MOST:
        raise ValueError(f"seeds: {len(found)} are too many; {MOST} are enough for a class")
    return list(dict.fromkeys(found))


def _range(part: str) -> range:
    first, dash, last = (each.strip() for each in part.partition("-"))
    if not first.isdecimal() or (dash and not last.isdecimal()):
        raise ValueError(f'seeds: "{part[:40]}" is neither a number nor a range such as 1-30')
    numbers = range(int(first[:9]), int((last or first)[:9]) + 1)
    if not 1 <= len(numbers) <= MOST:
        raise ValueError(f'seeds: "{part[:40]}" is not a range of 1 to {MOST} seeds')
    return numbers


def _number(seed: object) -> int:
    if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
        raise ValueError(f'seeds: {str(seed)[:40]!r} is not a whole number; write "1-30", "1-3, 7", or [1, 2, 3]')
    return seed
