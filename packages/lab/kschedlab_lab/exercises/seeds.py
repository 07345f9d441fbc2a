"""Seeds as a teacher writes them: ``1-30``, ``1-3, 7``, or numbers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from kschedlab.messages import later, say
from kschedlab.objects.problems import InputValueError

Seeds: TypeAlias = str | int | Iterable[int]
MOST = 1000
CHINESE = str.maketrans("，、；–—～至", ",,,----")
"""What a Chinese keyboard types, and a dash."""


def parse_seeds(given: Seeds) -> list[int]:
    """The seeds in their order, each once. ValueError says what is wrong."""
    if isinstance(given, str):
        found = [seed for part in given.translate(CHINESE).split(",") for seed in _range(part.strip())]
    else:
        found = [_number(each) for each in (given if isinstance(given, Iterable) else [given])]
    if not found:
        raise InputValueError(say('seeds: there are none; write "1-30", "1-3, 7", or [1, 2, 3]'))
    if len(found) > MOST:
        raise InputValueError(
            say("seeds: {number} are too many; {most} are enough for a class", number=len(found), most=MOST)
        )
    return list(dict.fromkeys(found))


def _range(part: str) -> range:
    first, dash, last = (each.strip() for each in part.partition("-"))
    if not first.isdecimal() or (dash and not last.isdecimal()):
        raise InputValueError(say('seeds: "{part}" is neither a number nor a range such as 1-30', part=part[:40]))
    numbers = range(int(first[:9]), int((last or first)[:9]) + 1)
    if not 1 <= len(numbers) <= MOST:
        raise InputValueError(say('seeds: "{part}" is not a range of 1 to {most} seeds', part=part[:40], most=MOST))
    return numbers


def _number(seed: object) -> int:
    message = later('seeds: {seed!r} is not a whole number; write "1-30", "1-3, 7", or [1, 2, 3]')
    return whole(seed, message)


def whole(seed: object, message: str) -> int:
    """The seed. ValueError with this message if it is none."""
    if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
        raise InputValueError(say(message, seed=str(seed)[:40]))
    return seed
