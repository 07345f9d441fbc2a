"""The minor versions of Kubernetes between the generations: how many changes separate one from its neighbours."""

from __future__ import annotations

import re
from typing import NamedTuple

from kschedlab.generations.changes import NAMES
from kschedlab.messages import later, say

COUNTS = dict(enumerate((3, 2, 4, 6, 7, 6, 5, 12, 13, 8, 8, 4, 8, 16, 3, 9, 7, 3, 6, 7, 7, 9, 15, 10), 14))
"""By minor version, from v1.14 on: how many changes came with it. docs/history.md says which."""


class Neighbours(NamedTuple):
    """The generations before and after a version that is none; how many changes came since the one, until the other."""

    earlier: str
    later: str
    since: int
    until: int

    @property
    def nearest(self) -> str:
        """The one from which fewer changes separate it."""
        return self.earlier if self.since < self.until else self.later


def minor(version: str) -> int:
    """37 for ``v1.37``. ValueError for another text."""
    match = re.fullmatch(r"v1\.(\d{1,3})", version)
    if match is None:
        raise ValueError(version)
    return int(match[1])


def neighbours(version: str) -> Neighbours | None:
    """Of a version between two generations; None for any other text."""
    try:
        number = minor(version)
    except ValueError:
        return None
    before = [name for name in NAMES if minor(name) < number]
    after = [name for name in NAMES if minor(name) > number]
    if version in NAMES or not before or not after:
        return None
    earlier, following = before[-1], after[0]
    since = sum(COUNTS[each] for each in range(minor(earlier) + 1, number + 1))
    return Neighbours(earlier, following, since, sum(COUNTS[each] for each in range(number + 1, minor(following) + 1)))


def why_not(version: str) -> str:
    """Why there is no such generation and which one decides the same, or what to take instead; "" if not known."""
    between = neighbours(version)
    if between is None:
        return ""
    for name, changed in ((between.earlier, between.since), (between.later, between.until)):
        if not changed:
            same = later("{version} decides as {name}: by the source, nothing changed between them; take {name}")
            return say(same, version=version, name=name)
    no = later(
        "no generation {version}: {since} changes separate it from {earlier}, and {until} from {following}; "
        "the nearest is {nearest} (docs/history.md)"
    )
    names = {"earlier": between.earlier, "following": between.later, "nearest": between.nearest}
    return say(no, version=version, since=between.since, until=between.until, **names)
