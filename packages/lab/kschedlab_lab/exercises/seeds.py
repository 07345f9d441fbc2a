"""Seeds as a teacher writes them: ``1-30`` or ``1-3, 7``."""

from __future__ import annotations

import re
from itertools import chain

from kschedlab.objects.problems import InputValueError

MOST = 1000
RANGE = re.compile(r"(\d{1,9})(?:\s*-\s*(\d{1,9}))?")
CHINESE = str.maketrans("，、；–—～至", ",,,----")
"""What a Chinese keyboard types, and a dash."""


def parse_seeds(given: str) -> list[int]:
    """The seeds in their order, each once. ValueError says what is wrong."""
    ranges = [_range(part.strip()) for part in str(given).translate(CHINESE).split(",")]
    if (number := sum(map(len, ranges))) > MOST:
        raise InputValueError("seeds: {number} are too many; {most} are enough for a class", number=number, most=MOST)
    return list(dict.fromkeys(chain(*ranges)))


def _range(part: str) -> range:
    if (written := RANGE.fullmatch(part)) is None:
        raise InputValueError('seeds: "{part}" is neither a number nor a range such as 1-30', part=part[:40])
    numbers = range(int(written[1]), int(written[2] or written[1]) + 1)
    if not numbers:
        raise InputValueError('seeds: "{part}" runs backwards', part=part[:40])
    return numbers
