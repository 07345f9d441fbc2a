"""The limits of v1.37's API server: how long each text, list and map of an object may be, how large each number.

    python -m tests.oracle.limits PROGRAM --drawn 300 --record packages/validation/tests/data/limits.jsonl.gz

PROGRAM is validate_1_37. In valid objects of each kind, a part grows until it is refused; what is recorded is the last
size that is accepted and the first that is not. Prints where the package answers otherwise.
"""

import argparse
import copy
import gzip
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from tests.oracle.valid_objects import VALID
from tests.oracle.validation import asked, ours, theirs

Manifest = dict[str, Any]
LARGEST = {"up": 1 << 33, "down": 1 << 33, "longer": 1100, "longer keys": 1100, "more": 300}
"""No part grows further."""
NOT_GROWN = ("apiVersion", "kind", "resourceVersion", "creationTimestamp", "port", "exitCodes")
"""What has no size, and what no decision reads (docs/validation.md)."""


BATCH = 200
"""How many objects a run of the program answers."""


class Part(NamedTuple):
    """A part of an object by its path, and how it grows."""

    path: tuple[str | int, ...]
    grows: str

    @property
    def sort(self) -> str:
        """The same for each item of a list and each entry of a map of labels, and for a pod and its template."""
        names = ["*" if isinstance(name, int) or "/" in name else name for name in self.path]
        return f"{'.'.join(names[-3:])} {self.grows}"


def parts(data: Any, path: tuple[str | int, ...] = ()) -> Iterator[Part]:
    """Each part that can grow."""
    if isinstance(data, bool) or (path and path[-1] in NOT_GROWN):
        return
    if isinstance(data, int):
        yield from (Part(path, "up"), Part(path, "down"))
    elif isinstance(data, str):
        yield Part(path, "longer")
    elif isinstance(data, dict):
        if data and all(isinstance(value, str) for value in data.values()):
            yield from (Part(path, "more"), Part(path, "longer keys"))
        for name, value in data.items():
            yield from parts(value, (*path, name))
    elif isinstance(data, list) and data:
        yield Part(path, "more")
        for place, value in enumerate(data):
            yield from parts(value, (*path, place))


def grown(manifest: Manifest, part: Part, size: int) -> Manifest:
    """The object with a part that has grown by so much."""
    made = copy.deepcopy(manifest)
    inside: Any = made
    for name in part.path[:-1]:
        inside = inside[name]
    inside[part.path[-1]] = _larger(inside[part.path[-1]], part.grows, size)
    return made


def _larger(value: Any, grows: str, size: int) -> Any:
    match value, grows:
        case int(), "up":
            return value + size
        case int(), "down":
            return value - size
        case str(), _:
            return value + "a" * size
        case dict(), "longer keys":
            *rest, (key, last) = value.items()
            return dict(rest) | {key + "a" * size: last}
        case dict(), _:
            return value | {f"more{number}": next(iter(value.values())) for number in range(size)}
    return [*value, *(_another(value[-1], number) for number in range(size))]


def _another(item: Any, number: int) -> Any:
    """Another item like this one, with a name of its own."""
    if isinstance(item, str):
        return f"{item}{number}"
    if isinstance(item, dict):
        for name in ("name", "key", "uid", "type", "ip", "request"):
            if isinstance(item.get(name), str):
                return item | {name: f"{item[name]}{number}"}
    return item


def valid(program: str, seed: int, drawn: int) -> list[Manifest]:
    """Valid objects: of those drawn of each kind, the ones with a part that can grow and that no other has."""
    rng, chosen = random.Random(seed), []
    for make in VALID.values():
        made = [make(rng) for _ in range(drawn)]
        answers = asked(program, made)
        accepted = [each for each, answer in zip(made, answers, strict=True) if answer.keys() <= {"kind"}]
        sorts = set[str]()
        for manifest in sorted(accepted, key=lambda each: -sum(1 for _ in parts(each))):
            new = {part.sort for part in parts(manifest)} - sorts
            sorts |= new
            chosen += [manifest] if new else []
    return chosen


def _refused(program: str, objects: list[Manifest], asks: list[tuple[int, Part, int]]) -> list[bool]:
    """Whether the API server refuses the object with this part grown by so much."""
    answers = []
    for start in range(0, len(asks), BATCH):
        made = [grown(objects[number], part, size) for number, part, size in asks[start : start + BATCH]]
        answers += [bool(theirs(*pair)) for pair in zip(made, asked(program, made), strict=True)]
    return answers


def main() -> int:
    """Find, compare, record."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--drawn", type=int, default=300, help="objects of a kind, of which those with other parts stay"
    )
    parser.add_argument("--record", type=Path)
    options = parser.parse_args()
    objects = valid(options.program, options.seed, options.drawn)
    sought: dict[str, tuple[int, Part]] = {}
    for number, manifest in enumerate(objects):
        for part in parts(manifest):
            if part.path:
                sought.setdefault(part.sort, (number, part))
    places = list(sought.values())
    limited = _refused(options.program, objects, [(*place, LARGEST[place[1].grows]) for place in places])
    places = [place for place, stop in zip(places, limited, strict=True) if stop]
    low, high = [0] * len(places), [LARGEST[part.grows] for _, part in places]
    while any(after - before > 1 for before, after in zip(low, high, strict=True)):
        middle = [(before + after) // 2 for before, after in zip(low, high, strict=True)]
        asks = [(*place, size) for place, size in zip(places, middle, strict=True)]
        for place, stop in enumerate(_refused(options.program, objects, asks)):
            (high if stop else low)[place] = middle[place]
    wrong, lines = 0, []
    for (number, part), before, after in zip(places, low, high, strict=True):
        kind = objects[number]["kind"]
        same = not ours(grown(objects[number], part, before)) and bool(ours(grown(objects[number], part, after)))
        if not same:
            wrong += 1
            print(kind, part.sort, before, after, [ours(grown(objects[number], part, s))[:1] for s in (before, after)])
        lines.append({"object": number, "path": part.path, "grows": part.grows, "most": before})
    print(f"{len(lines)} limits of {len(sought)} parts, {wrong} answered otherwise")
    if options.record:
        with gzip.GzipFile(options.record, "wb", mtime=0) as file:
            file.write(msgspec.json.encode(objects) + b"\n")
            for line in lines:
                file.write(msgspec.json.encode(line) + b"\n")
    return int(wrong > 0)


if __name__ == "__main__":
    raise SystemExit(main())
