"""Compare verdicts: python compare.py EXPECTED ACTUAL [--show N]   (JSON lines, optionally gzipped)

Prints the first N differences, and one line for each theme and part of the verdict that differs.
Exit status 1 if anything differs.
"""

import argparse
import collections
import gzip
import json
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PARTS = ("prefilter", "filter", "feasible", "scores", "message", "event", "preemption", "placements", "error")
PARTS += ("victims", "condition")
Verdict = dict[str, Any]


@dataclass
class Difference:
    id: str
    part: str
    expected: Any
    actual: Any

    def __str__(self) -> str:
        expected, actual = (json.dumps(v, sort_keys=True)[:600] for v in (self.expected, self.actual))
        return f"{self.id}: {self.part}\n  expected {expected}\n  actual   {actual}"


def normal(part: str, value: Any) -> Any:
    """Drop what the real scheduler does not determine."""
    if part == "filter" and value:
        return {n: s and dict(s, reasons=sorted(s["reasons"])) for n, s in value.items()}
    if part == "event" and value and "expected at least one victim" in value:
        return sorted(re.split(r", |\[|\]", value))
    if part == "feasible":
        return sorted(value or [])
    if part == "error":
        return bool(value)
    return value


NOT_NAMED = "excluded by PreFilter"
_EXCLUDED = re.compile(rf"(: |, )(\d+) (?:{NOT_NAMED}|node\(s\) didn't satisfy plugin\(s\) \[[^]]*\])(, |\.)")


def without_excluded(message: str) -> tuple[str, list[str]]:
    """The message without the nodes that PreFilter excludes, and their numbers.

    From v1.32 on the vectors' generators have words of their own for these nodes, and reasons are sorted as text.
    """
    rest = _EXCLUDED.sub(lambda each: each[1] if each[1] == ": " else each[3], message)
    return rest, [number for _, number, _ in _EXCLUDED.findall(message)]


def same(part: str, want: Any, got: Any) -> bool:
    """Whether this part of the verdict is equal, regardless of the iteration order of Go maps."""
    if part == "preemption" and want and got:
        return unordered(want) == unordered(got)
    if part == "scores" and want and got:
        return dict(want, best=sorted(want["best"])) == dict(got, best=sorted(got["best"]))
    if part in ("message", "event") and want and got and NOT_NAMED in want:
        return without_excluded(want) == without_excluded(got)
    return normal(part, want) == normal(part, got)


def unordered(preemption: Any) -> dict[str, Any]:
    """Without the order of the nodes that may be chosen, and of the errors about nodes."""
    errors = preemption.get("error", "").strip("[]").split(", ")
    return dict(preemption, chosen=sorted(preemption["chosen"]), error=sorted(errors))


def differences(expected: Iterable[Verdict], actual: Iterable[Verdict]) -> Iterator[Difference]:
    """Every part of an expected verdict that is missing or different in the actual ones."""
    by_id = {verdict["id"]: verdict for verdict in actual}
    for want in expected:
        got = by_id.get(want["id"])
        if got is None:
            yield Difference(want["id"], "verdict", want, None)
            continue
        got = recorded(got)
        for part in PARTS:
            if (part in want or part in got) and not same(part, want.get(part), got.get(part)):
                yield Difference(want["id"], part, want.get(part), got.get(part))


def recorded(verdict: Verdict) -> Verdict:
    """Without what the vectors' generators can't see.

    Before v1.37 they record nothing but the error of a scheduler that failed, and the raw scores of v1.16's
    InterPodAffinityPriority are out of their sight.
    """
    generation = str(verdict.get("version", ""))
    failed = "error" in verdict and "message" not in verdict and "placements" not in verdict
    if failed and generation in ("v1.13", "v1.16", "v1.20"):
        return {"id": verdict["id"], "feasible": [], "error": verdict["error"]}
    if generation == "v1.16" and "scores" in verdict:
        scores = verdict["scores"]
        raw = {plugin: row for plugin, row in scores["raw"].items() if plugin != "InterPodAffinityPriority"}
        return verdict | {"scores": scores | {"raw": raw}}
    return verdict


def read(path: Path) -> Iterator[bytes]:
    """The lines of a file of scenarios or verdicts."""
    with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as lines:
        yield from lines


def themes(vectors: Path, generation: str) -> list[str]:
    """The file names that exist both in scenarios/ and in the folder of the generation."""
    scenarios, verdicts = (
        {path.name for path in (vectors / folder).glob("*.jsonl.gz")} for folder in ("scenarios", generation)
    )
    return sorted(scenarios & verdicts)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("expected", type=Path)
    parser.add_argument("actual", type=Path)
    parser.add_argument("--show", type=int, default=5)
    args = parser.parse_args()
    expected = [json.loads(line) for line in read(args.expected)]
    found = list(differences(expected, map(json.loads, read(args.actual))))
    for difference in found[: args.show]:
        print(difference)
    parts = collections.Counter((difference.id.rsplit("-", 2)[0], difference.part) for difference in found)
    for (theme, part), number in sorted(parts.items()):
        print(f"{theme:18} {part:12} {number:5} differ")
    print(f"{len(expected)} scenarios, {len({difference.id for difference in found})} differ")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
