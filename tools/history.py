"""The page docs/history.md, from the generations and their history: ``python -m tools.history`` writes it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
import yaml

from kschedlab.generations import GENERATIONS, Generation
from kschedlab.generations.between import minor
from kschedlab.generations.changes import CHANGES, rules_of
from kschedlab.messages import say
from kschedlab.whatif.compare import changes, setting_text
from kschedlab.whatif.titles import title_of
from kschedlab_simulation.scheduler import changes as loop

PAGE = Path(__file__).parents[1] / "docs/history.md"
HEAD = """# When kube-scheduler changed

Every rule, message, weight and default that this package models, with the minor version that changed it. Each version
was searched in the source of its last patch, from v1.13.12 to v1.37.0: the file and the function are of the first one
that has it. `python -m tools.history` makes this page from
[`history.yaml`](../tools/history.yaml) and the tables of the generations; `kschedlab compare`
shows what a change does to your pods.

"""
LOOP = ("loop.", "messages.", "extending.", "extension_points", "queue")
"""The settings that an exhaustive decision does not show, in the rows of changes.py and those of the loop."""
SINCE_LOOP = 20
"""The minor version after which the history dates them, too."""
LONGEST = 90


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


@cache
def history() -> tuple[Change, ...]:
    """All entries, oldest first."""
    text = PAGE.parents[1].joinpath("tools/history.yaml").read_text("utf-8")
    return msgspec.convert(yaml.load(text, yaml.CSafeLoader), tuple[Change, ...])


def dated(setting: str, earlier: str, later: str) -> Change | None:
    """When the setting changed between these neighbouring generations; None if the history does not know."""
    return next((entry for entry in history() if entry.is_of(setting, earlier, later)), None)


def rows() -> Iterator[tuple[Change, str, str, str]]:
    """(when, the setting, its value before, and after), a row for each setting that changed."""
    for earlier, later in pairwise(GENERATIONS.values()):
        for name, before, after in _changed(earlier, later):
            entry = dated(name, earlier.name, later.name)
            if entry is not None:
                yield entry, name, before, after


def _changed(earlier: Generation, later: Generation) -> Iterator[tuple[str, str, str]]:
    seen = set()
    for change in changes(earlier, later):
        seen.add(change.rule)
        yield change.rule, change.before, change.after
    if minor(earlier.name) >= SINCE_LOOP:
        old = rules_of(earlier.name) | rules_of(earlier.name, loop.CHANGES)
        for name, value in changed_rows(later.name):
            if name not in seen:
                yield name, setting_text(old[name]), setting_text(value)


def changed_rows(version: str) -> list[tuple[str, Any]]:
    """What the version changed beyond decisions: name, value."""
    rows = CHANGES[version] | loop.CHANGES.get(version, {})
    return [(name, value) for name, value in rows.items() if name.startswith(LOOP)]


def page() -> str:
    """The text of the page."""
    by_version: dict[str, list[str]] = {}
    for entry, name, before, after in sorted(rows(), key=lambda row: minor(row[0].version)):
        title = f"**{title_of(name)}**: " if title_of(name) else ""
        where = f"{entry.file}, {entry.function}"
        pull = f" [#{entry.pull}](https://github.com/kubernetes/kubernetes/pull/{entry.pull})" if entry.pull else ""
        also = f"; {entry.also}" if entry.also else ""
        line = f"| {title}`{name}` | {_cell(before)} → {_cell(after)} | {where}{pull}{also} |"
        by_version.setdefault(entry.version, []).append(line)
    parts = [HEAD]
    for version, lines in by_version.items():
        parts.append(f"## {version}\n\n| Setting | Change | Source |\n|---|---|---|\n" + "\n".join(lines) + "\n\n")
    return "".join(parts).rstrip() + "\n"


def _cell(text: str) -> str:
    short = say(text).replace("|", "\\|").replace("\n", " ")
    return f"`{short[:LONGEST]}{'…' if len(short) > LONGEST else ''}`"


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
