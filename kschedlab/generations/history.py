"""When each rule, message, weight and default of kube-scheduler changed: history.yaml, and what follows from it.

The generations here are some of Kubernetes' minor versions. A change between two of them may have come with a version
in between; its entry in the history says which.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from typing import NamedTuple

import msgspec
import yaml

from kschedlab.generations.changes import NAMES
from kschedlab.messages import later, say


class Change(msgspec.Struct, frozen=True):
    """A change. ``setting``: a regular expression for its settings; ``between``: if they change more than once, the
    generation after which this is. ``file``, ``function``: the source in ``version``. ``pull``: its number, 0 if the
    changelog does not name it. ``also``: what else is known.
    """

    version: str
    setting: str
    file: str
    function: str
    between: str = ""
    pull: int = 0
    also: str = ""

    def is_of(self, setting: str, earlier: str, later: str) -> bool:
        """Whether this is when the setting changed, between these two generations."""
        inside = minor(earlier) < minor(self.version) <= minor(later)
        return inside and (self.between in ("", earlier)) and re.fullmatch(self.setting, setting) is not None


class Neighbours(NamedTuple):
    """The generations before and after a version without a row; what changed between them and it."""

    earlier: str
    later: str
    since: tuple[Change, ...]
    until: tuple[Change, ...]

    @property
    def nearest(self) -> str:
        """The one from which fewer changes separate it."""
        return self.earlier if len(self.since) < len(self.until) else self.later


def minor(version: str) -> int:
    """37 for ``v1.37``. ValueError for another text."""
    match = re.fullmatch(r"v1\.(\d{1,3})", version)
    if match is None:
        raise ValueError(version)
    return int(match[1])


@cache
def history() -> tuple[Change, ...]:
    """All entries, oldest first."""
    text = files("kschedlab.generations").joinpath("history.yaml").read_text("utf-8")
    return msgspec.convert(yaml.load(text, yaml.CSafeLoader), tuple[Change, ...])


def dated(setting: str, earlier: str, later: str) -> Change | None:
    """When the setting changed between these neighbouring generations; None if the history does not know."""
    return next((entry for entry in history() if entry.is_of(setting, earlier, later)), None)


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
    inside = [entry for entry in history() if minor(earlier) < minor(entry.version) <= minor(following)]
    since = tuple(entry for entry in inside if minor(entry.version) <= number)
    return Neighbours(earlier, following, since, tuple(entry for entry in inside if minor(entry.version) > number))


def why_not(version: str) -> str:
    """Why there is no such generation and which one decides the same, or what to take instead; "" if not known."""
    found = neighbours(version)
    if found is None:
        return ""
    for name, changed in ((found.earlier, found.since), (found.later, found.until)):
        if not changed:
            same = later("{version} decides as {name}: by the source, nothing changed between them; take {name}")
            return say(same, version=version, name=name)
    no = later(
        "no generation {version}: {since} changes separate it from {earlier}, and {until} from {following}; "
        "the nearest is {nearest} (docs/history.md)"
    )
    return say(
        no,
        version=version,
        since=str(len(found.since)),
        earlier=found.earlier,
        until=str(len(found.until)),
        following=found.later,
        nearest=found.nearest,
    )
