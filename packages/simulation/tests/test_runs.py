"""Whole runs as they were: what the program prints, and all that each part of the control plane does and says.

``python -m packages.simulation.tests.test_runs`` writes the files of ``runs`` anew: read the difference, as that of a
notebook.
"""

import io
import re
from contextlib import redirect_stdout
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

import msgspec
import pytest

from kschedlab.objects.meta import Time
from kschedlab.program.main import main
from kschedlab_simulation.log import Acted, Changed, LogEntry, Moved, Recorded, Step, read_log

RUNS = Path(__file__).parent / "runs"
GENERATIONS = {"scheduling": ("v1.13", "v1.16", "v1.20", "v1.28", "v1.37")}
CASES = [(path.stem, name) for path in sorted(RUNS.glob("*.yaml")) for name in GENERATIONS.get(path.stem, ("v1.37",))]
ENVIRONMENT = {"COLUMNS": "130", "NO_COLOR": "1"}


def shown(run: str, generation: str) -> str:
    """What a user sees at the end of a run, and the log in lines."""
    printed = io.StringIO()
    with TemporaryDirectory() as folder, patch.dict("os.environ", ENVIRONMENT), redirect_stdout(printed):
        file, log = RUNS / f"{run}.yaml", Path(folder) / "log"
        main(["simulate", str(file), "--generation", generation, "--wide", "--all", "--log", str(log)])
        entries = read_log(log.read_text().splitlines())
    on_screen = re.sub(r", [\d.,]+ (pods/)?\w+ of real time", "", printed.getvalue())
    began = next(iter(entries)).at
    lines = [f"{(entry.at - began) / 1_000_000:.6f} {text(entry)}" for entry in entries]
    return "\n".join([on_screen, *lines, ""]).replace(f"{RUNS}/", "")


def text(entry: LogEntry) -> str:
    match entry:
        case Changed():
            change = difference(plain(entry.old), plain(entry.new)) if entry.new and entry.by else {}
            what = flat(change).replace(f": {Time.whole_second(entry.at)}", ": now")
            return f"{entry.by} {entry.type} {entry.kind} {entry.key} {what}".rstrip()
        case Step():
            return f"{entry.pod} {entry.step} {entry.node} {entry.detail}".rstrip()
        case Moved():
            return f"{entry.pod} {entry.origin} -> {entry.to} {entry.event}".rstrip()
        case Recorded():
            by = " ".join(filter(None, (entry.by, entry.host, entry.action, entry.related)))
            return f"{by}: {entry.type} {entry.reason} {entry.kind} {entry.key} {entry.message}"
        case Acted():
            return f"{entry.act} {entry.place} {entry.error} {entry.status and entry.status.code or ''}".rstrip()
    return str(entry)


def plain(part: Any) -> Any:
    """As data, lists as maps from the name or type or number of each item, without what every write changes."""
    if isinstance(part, list | tuple):
        places = [each.get("name") or each.get("type") if isinstance(each, dict) else None for each in part]
        return {place or number: plain(each) for number, (place, each) in enumerate(zip(places, part, strict=True))}
    if isinstance(part, dict):
        return {name: plain(each) for name, each in part.items() if name not in ("resourceVersion", "uid")}
    return plain(msgspec.to_builtins(part, enc_hook=str)) if isinstance(part, msgspec.Struct) else part


def difference(old: Any, new: Any) -> Any:
    """What has changed, with the names that lead there."""
    if not isinstance(new, dict):
        return new
    old = old if isinstance(old, dict) else {}
    return {key: difference(old.get(key), new.get(key)) for key in old | new if old.get(key) != new.get(key)}


def flat(data: Any) -> str:
    """In one line, with no more quotes and braces than it needs to be read."""
    if not isinstance(data, dict):
        return str(data)
    return ", ".join(
        f"{name}.{flat(each)}" if isinstance(each, dict) and len(each) == 1
        else f"{name} {{{flat(each)}}}" if isinstance(each, dict)
        else f"{name}: {each}" for name, each in data.items()
    )  # fmt: skip


@pytest.mark.parametrize(("run", "generation"), CASES)
def test_a_run_is_as_it_was(run: str, generation: str):
    saved = RUNS / f"{run}-{generation}.txt"
    assert shown(run, generation).splitlines() == saved.read_text(encoding="utf-8").splitlines()


if __name__ == "__main__":
    for run, generation in CASES:
        (RUNS / f"{run}-{generation}.txt").write_text(shown(run, generation), encoding="utf-8")
