"""How often a reader of a page meets a combination that is not recorded: python -m tools.site.walk SITE [--walks 200]

A random walk begins where a panel begins, and changes one control at a time. The page shows the nearest state where
one is not recorded; the figures say how many walks met that, after 1, 2, 3 and 5 changes.
"""

from __future__ import annotations

import argparse
import base64
import gzip
import json
import random
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

LENGTHS = (1, 2, 3, 5)


def recordings(site: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """The panels of a site: the name of the lesson, and the recording."""
    for path in sorted((site / "data").glob("*.js")):
        if found := re.search(r'", "([^"]*)"\);', path.read_text(encoding="ascii")):
            record = json.loads(gzip.decompress(base64.b64decode(found[1])))
            if "world" in record:
                yield path.stem.rpartition("-")[0].rpartition("-")[0], record


class World:
    """The recorded states of panels that show the same."""

    def __init__(self, controls: list[dict[str, Any]]) -> None:
        self.controls = controls
        self.states: dict[str, dict[str, Any]] = {}
        self.lasts: dict[str, dict[str, int]] = {}
        self.counted = [place for place, each in enumerate(controls) if each["kind"] == "steps" and not each["values"]]

    def add(self, record: dict[str, Any]) -> None:
        """Know this recording's states, too."""
        for each in record["states"]:
            self.states[_key(each["at"])] = each
            self.lasts[self._still(each["at"])] = each.get("last") or {}

    def find(self, at: list[Any]) -> dict[str, Any] | None:
        """The state that the page finds for these settings; None if it shows another."""
        last, held = self.lasts.get(self._still(at), {}), [*at]
        for place in self.counted:
            held[place] = min(held[place], last.get(self.controls[place]["name"], held[place]))
        return self.states.get(_key(held))

    def _still(self, at: list[Any]) -> str:
        return _key([0 if place in self.counted else each for place, each in enumerate(at)])


def _key(at: list[Any]) -> str:
    return "|".join(map(str, at))


def exact(world: World, start: list[Any], chance: random.Random) -> int:
    """After how many changes of a walk everything was as asked for."""
    state = world.find(start)
    assert state is not None, "a recording begins with its first state"
    for number in range(max(LENGTHS)):
        moves = [move for place in range(len(start)) for move in _moves(world, state, place)]
        if not moves:
            return max(LENGTHS)
        found = world.find(chance.choice(moves))
        if found is None:
            return number
        state = found
    return max(LENGTHS)


def _moves(world: World, state: dict[str, Any], place: int) -> Iterator[list[Any]]:
    """The settings that this control leads to; none if it decides nothing now."""
    control, at = world.controls[place], state["at"]
    if control["name"] in (state.get("idle") or {}):
        return
    if control["kind"] == "typed":
        values: Any = control["values"]
    else:
        last = (state.get("last") or {}).get(control["name"], len(control["values"]) - 1)
        values = range(last + 1)
    yield from ([*at[:place], value, *at[place + 1 :]] for value in values if value != at[place])


def main() -> None:
    """Print a line for each lesson."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("site", type=Path)
    parser.add_argument("--walks", type=int, default=200)
    args = parser.parse_args()
    lessons: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for lesson, record in recordings(args.site):
        lessons[lesson].append(record)
    print("lesson", *(f"after {length}" for length in LENGTHS), sep="\t")
    for lesson, records in lessons.items():
        worlds: dict[str, World] = {}
        for each in records:
            worlds.setdefault(each["world"], World(each["controls"])).add(each)
        walks = [
            exact(worlds[each["world"]], each["start"], random.Random(f"{each['world']} {number}"))
            for each in records
            for number in range(args.walks)
        ]
        met = (100 * sum(walk < length for walk in walks) / len(walks) for length in LENGTHS)
        print(lesson, *(f"{share:.0f} %" for share in met), sep="\t")


if __name__ == "__main__":
    main()
