"""Measure what the documents say, and write it into them: python -m tools.measured NAME... [--seed N] [--count N]

Each measure is a command of this repository. A row of docs/reliability.md says what was compared, the command with its
seed, the revision, and the last line that it printed; a table of docs/benchmarks.md is what its command printed. Rows
and tables stand between markers and have no other author. Without names, all are measured, which takes hours; the
nightly workflow takes each with a seed of its own. Exit status 1 if a command failed: it found a difference.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
RELIABILITY, BENCHMARKS = ROOT / "docs/reliability.md", ROOT / "docs/benchmarks.md"
ORACLES = ".venv/oracle"
PERF = "$(cd tests/oracle/k1_37 && go list -m -f '{{.Dir}}' k8s.io/kubernetes)/test/integration/scheduler_perf"


@dataclass(frozen=True)
class Measure:
    """``command``: after ``python -m``; ``program``: the real one, which tests/oracle/build.sh builds.

    ``table``: a table of docs/benchmarks.md, not a row of docs/reliability.md.
    """

    what: str
    command: str
    count: int = 0
    program: str = ""
    table: bool = False


def _fuzz(version: str) -> Measure:
    command = f"tools.fuzz {ORACLES} --generation v{version} --seconds 86400 --count {{count}} --seed {{seed}}"
    return Measure(
        f"Random scenarios of v{version}, as the real scheduler decides",
        command,
        5_000,
        f"k{version.replace('.', '_')}",
    )


def _groups(theme: str) -> Measure:
    command = f"tests.oracle.groups {ORACLES}/groups_1_37 --theme {theme} --count {{count}} --seed {{seed}}"
    return Measure(f"Random pod groups ({theme}), as the whole scheduler places them", command, 200, "groups_1_37")


def _oracle(what: str, module: str, program: str, count: int, more: str = "") -> Measure:
    command = f"tests.oracle.{module} {ORACLES}/{program} --count {{count}} --seed {{seed}}{more}"
    return Measure(what, command, count, program)


MEASURES = {
    "fuzz-v1.13": _fuzz("1.13"),
    "fuzz-v1.16": _fuzz("1.16"),
    "fuzz-v1.20": _fuzz("1.20"),
    "fuzz-v1.22": _fuzz("1.22"),
    "fuzz-v1.24": _fuzz("1.24"),
    "fuzz-v1.28": _fuzz("1.28"),
    "fuzz-v1.30": _fuzz("1.30"),
    "fuzz-v1.32": _fuzz("1.32"),
    "fuzz-v1.34": _fuzz("1.34"),
    "fuzz-v1.35": _fuzz("1.35"),
    "fuzz-v1.36": _fuzz("1.36"),
    "fuzz-v1.37": _fuzz("1.37"),
    "validation": _oracle(
        "Random objects, as the API server accepts and refuses them", "validation", "validate_1_37", 20_000
    ),
    "resizing": _oracle("Random in-place resizes, as the API server answers", "resizing", "validate_1_37", 5_000),
    "hashes": _oracle("Names of ReplicaSets and revisions", "hashes", "validate_1_37", 2_000),
    "cel": _oracle("Random selectors of devices, as cel-go evaluates them", "cel", "cel_1_37", 20_000),
    "devices": _oracle("Random claims and slices, as the real allocator decides", "devices", "allocate_1_37", 5_000),
    "devices-gates": _oracle(
        "Random claims with lists and compatibility groups, as the real allocator decides",
        "devices",
        "allocate_1_37",
        5_000,
        " --gates",
    ),
    "groups": _groups("groups"),
    "groups-mixed": _groups("mixed"),
    "files": Measure(
        "Changed files for every command: no traceback, none over 1 GB",
        "tools.fuzz_input --seconds 86400 --count {count} --seed {seed}",
        2_000,
    ),
    "mutants": Measure(
        "Changes of what decides that the tests notice", "tools.mutants --count {count} --seed {seed}", 40
    ),
    "mutations": Measure("Wrong engines that a lesson notices", "tools.mutations"),
    "idle": Measure("An idle `serve`", "benchmarks.idle 600"),
    "ratios": Measure(
        "kschedlab beside kube-scheduler", f"tools.figures {ORACLES}/bench_1_37 --runs {{count}}", 3, "bench_1_37", True
    ),
    "growth": Measure("How a decision grows", "benchmarks.growth", table=True),
    "upgrade": Measure("The question before an upgrade", "benchmarks.upgrade", table=True),
    "claims": Measure("Decisions about devices", "benchmarks.devices 100 8", table=True),
    "trace": Measure("A long trace", "benchmarks.trace", table=True),
    "experiment": Measure("An experiment", "benchmarks.experiment", table=True),
    "scheduler-perf": Measure(
        "Workloads of scheduler_perf",
        f"benchmarks.scheduler_perf {PERF} SchedulingBasic/5000Nodes_10000Pods"
        " TopologySpreading/5000Nodes_5000Pods SchedulingPreferredPodAffinity/5000Nodes_5000Pods"
        " SchedulingWithResourceClaimTemplate/empty_500nodes GangScheduling/5000Nodes_1000Gangs_3000Pods --brief",
        program="k1_37",
        table=True,
    ),
}


def revision() -> str:
    """The commit that is measured. Nothing is written about files that no commit has."""
    changed = _git("status", "--porcelain", "--untracked-files=no", "--", ".", ":!docs")
    if changed:
        sys.exit(f"commit these first, so that the row can name a revision:\n{changed}")
    return _git("rev-parse", "--short=10", "HEAD")


def _git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()


def measured(measure: Measure, seed: int, count: int | None) -> tuple[str, str, bool]:
    """Run it. The command as one types it, what it printed, and whether it found nothing wrong."""
    if measure.program:
        subprocess.run(["sh", "tests/oracle/build.sh", ORACLES, measure.program], cwd=ROOT, check=True)
    command = measure.command.replace("{seed}", str(seed)).replace("{count}", str(count or measure.count))
    shell = f"{shlex.quote(sys.executable)} -m {command}"
    done = subprocess.run(shell, shell=True, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False)  # noqa: S602 - ours
    print(done.stdout, flush=True)
    return f"python -m {command}", done.stdout.strip(), done.returncode == 0


def with_row(text: str, what: str, command: str, at: str, result: str) -> str:
    """The document with this row in place of its older one. Rows that no measure writes are left out."""
    section = re.compile(r"(?<=<!-- measured -->\n).*?(?=<!-- /measured -->)", re.DOTALL)
    (old,) = section.findall(text)
    rows = {row.split(" | ")[0].removeprefix("| "): row for row in old.splitlines()[2:] if row.startswith("| ")}
    rows[what] = f"| {what} | `{command}` | {at} | {result} |"
    order = [rows[each.what] for each in MEASURES.values() if each.what in rows]
    new = "\n".join(["| What | Command | Revision | Result |", "|---|---|---|---|", *order, ""])
    return section.sub(lambda _: new, text)


def with_table(text: str, name: str, command: str, at: str, table: str) -> str:
    """The document with this table in place of its older one."""
    begin, end = re.escape(f"<!-- measured: {name} -->\n"), re.escape("<!-- /measured -->")
    load = f"{os.cpu_count()} cores, at load {os.getloadavg()[1]:.0f}"
    new = f"`{command}`, revision {at}, {load}:\n\n{table}\n"
    return re.sub(f"(?<={begin}).*?(?={end})", lambda _: new, text, count=1, flags=re.DOTALL)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", choices=[*MEASURES, []], metavar="NAME", help=", ".join(MEASURES))
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, help="in place of the measure's own")
    options = parser.parse_args()
    failed = False
    for name in options.names or MEASURES:
        measure, at = MEASURES[name], revision()
        command, printed, good = measured(measure, options.seed, options.count)
        failed |= not good
        if not printed:
            print(f"{name}: nothing was printed, so nothing is written", file=sys.stderr)
            continue
        if measure.table:
            document, text = BENCHMARKS, with_table(BENCHMARKS.read_text("utf-8"), name, command, at, printed)
        else:
            result = printed.splitlines()[-1]
            document, text = RELIABILITY, with_row(RELIABILITY.read_text("utf-8"), measure.what, command, at, result)
        document.write_text(text, encoding="utf-8")
    return failed


if __name__ == "__main__":
    sys.exit(main())
