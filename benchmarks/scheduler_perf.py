"""Run scheduler_perf's workloads one after the other: scheduler_perf.py FOLDER [WORDS ...] [--label L] [--timeout S]

FOLDER is test/integration/scheduler_perf of Kubernetes' source, or one of its folders. A workload runs if its name,
``folder: Test/Workload``, contains one of the WORDS. ``--label``: those with this label, such as ``integration-test``
(the smallest of each test) or ``performance`` (the largest); ``--threshold``: those with a threshold.

A row for each as it ends: nodes, the pods that were bound (initial ones included), the threshold, pods per second of
one core with start-up, the same per second of real time, megabytes at the most, and the machine's load at the start. A
row is marked if the pods per second of one core are below the threshold, if it failed, or did not end in time. Other
programs on the machine can make the real time many times as long, and the processor's time twice as long, because they
share its caches. ``--brief``: the first five columns.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import yaml

NODES = ["nodes", "initNodes", "taintNodes", "normalNodes", "nodesWithDRA", "nodesWithoutDRA"]
NODES += ["nodesWithExtendedResource", "nodesWithoutExtendedResource"]
"""The parameters that say how many nodes there are."""


class NamedWorkload(NamedTuple):
    """A workload: its file, its name, its nodes, its threshold (None: it has none), its labels."""

    file: Path
    name: str
    nodes: int
    threshold: float | None
    labels: Sequence[str]


COLUMNS = ("workload", "nodes", "pods", "threshold", "pods/s of the processor", "of real time", "MB", "load")


def workloads(folder: Path) -> Iterator[NamedWorkload]:
    """All workloads below the folder."""
    for file in sorted(folder.rglob("performance-config.yaml")):
        for case in yaml.safe_load(file.read_text(encoding="utf-8")):
            for each in case["workloads"]:
                threshold = each.get("threshold")
                if isinstance(threshold, dict):  # by the metric's topic
                    threshold = max(threshold.values())
                nodes = sum(value for name, value in each["params"].items() if name in NODES)
                yield NamedWorkload(file, f"{case['name']}/{each['name']}", nodes, threshold, each.get("labels", ()))


def row(workload: NamedWorkload, folder: Path, timeout: int) -> str:
    """Run the workload and describe how it went."""
    load = os.getloadavg()[0]
    command = [sys.executable, "-m", "benchmarks.perf", "simulate", str(workload.file), "--workload", workload.name]
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as errors:
        start = time.perf_counter()
        process = subprocess.Popen([*command, "--output", "json"], stdout=out, stderr=errors)
        used = _waited(process, start + timeout)
        seconds = time.perf_counter() - start
        out.seek(0), errors.seek(0)
        report, said = out.read(), errors.read().decode(errors="replace")
    where = workload.file.parent.relative_to(folder)
    named = f"| {where}: {workload.name} | {workload.nodes:,} |"
    threshold = "" if workload.threshold is None else f"{workload.threshold:,g}"
    if used is None:
        return f"{named} | {threshold} | did not end in {timeout} s | | | {load:.1f} |"
    processor, megabytes = used.ru_utime + used.ru_stime, used.ru_maxrss // 1024
    if not report:
        return f"{named} | {threshold} | {_one_line(said)} | | {megabytes} | {load:.1f} |"
    found: dict[str, Any] = json.loads(report)
    pods, rate = found["bound"], found["bound"] / processor
    mark = " **below**" if workload.threshold is not None and rate < workload.threshold else ""
    failed = f" **{_one_line(str(found['failures'][0]))}**" if found["failures"] else ""
    counted = f"{named} {pods:,}{failed} | {threshold} | {rate:,.0f}{mark} |"
    return f"{counted} {pods / seconds:,.0f} | {megabytes} | {load:.1f} |"


def _waited(process: subprocess.Popen[bytes], limit: float) -> Any:
    """What the process used; None if it was still running at the limit, and was killed."""
    while True:
        pid, _, used = os.wait4(process.pid, os.WNOHANG)
        if pid:
            process.returncode = 0
            return used
        if time.perf_counter() > limit:
            process.kill()
            process.wait()
            return None
        time.sleep(0.05)


def _one_line(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()[-160:].replace("|", "/")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("words", nargs="*")
    parser.add_argument("--label", default="")
    parser.add_argument("--threshold", action="store_true")
    parser.add_argument("--brief", action="store_true")
    parser.add_argument("--timeout", type=int, default=900)
    options = parser.parse_args()
    columns = 5 if options.brief else len(COLUMNS)
    print("|", " | ".join(COLUMNS[:columns]), "|")
    print("|" + columns * "---|", flush=True)
    for run in workloads(options.folder):
        named = f"{run.file.parent.relative_to(options.folder)}: {run.name}"
        wanted = not options.words or any(word in named for word in options.words)
        if (
            wanted
            and (not options.label or options.label in run.labels)
            and (run.threshold is not None or not options.threshold)
        ):
            cells = row(run, options.folder, options.timeout).split("|")
            print("|".join(cells[: columns + 1]) + "|", flush=True)


if __name__ == "__main__":
    main()
