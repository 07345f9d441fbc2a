"""Seeds as a teacher writes them: ``1-30`` or ``1-3, 7``."""

from __future__ import annotations

from itertools import chain

from kschedlab.objects.problems import InputValueError

MOST = 1000
CHINESE = str.maketrans("，、；–—～至", ",,,----")
"""What a Chinese keyboard types, and a dash."""


def parse_seeds(given: str) -> list[int]:
    """The seeds in their order, each once. ValueError says what is wrong."""
    ranges = [_range(part.strip()) for part in str(given).translate(CHINESE).split(",")]
    if (number := sum(map(len, ranges))) > MOST:
        raise InputValueError("seeds: {number} are too many; {most} are enough for a class", number=number, most=MOST)
    return list(dict.fromkeys(chain(*ranges)))


def _range(part: str) -> range:
    first, dash, last = (each.strip() for each in part.partition("-"))
    if not first.isdecimal() or (dash and not last.isdecimal()):
        raise InputValueError('seeds: "{part}" is neither a number nor a range such as 1-30', part=part[:40])
    numbers = range(int(first[:9]), int((last or first)[:9]) + 1)
    if not numbers:
        raise InputValueError('seeds: "{part}" runs backwards', part=part[:40])
    return numbers
