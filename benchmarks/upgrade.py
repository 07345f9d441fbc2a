"""How long the question before an upgrade takes on 200 nodes: python -m benchmarks.upgrade [EARLIER LATER]

``kschedlab compare`` of two generations (v1.28 and v1.34), from a program's start to its end, for the cluster that
lesson 07 begins with and for hundreds of apps with rules of their own. Exit status 1 if one takes ten seconds by the
clock.
"""

from __future__ import annotations

import gzip
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import yaml

from benchmarks.workload import workload
from tools.make_cluster import TARGET

LIMIT = 10.0


def dumps() -> dict[str, list[dict[str, Any]]]:
    """The objects of each cluster, by what it is called."""
    apps = workload("apps", 200, 2_000, 20)
    return {
        "lesson 07's": json.loads(gzip.decompress(TARGET.read_bytes()))["items"],
        "300 apps": [*apps["objects"], *apps["queue"]],
    }


def compared(file: Path, earlier: str, later: str) -> tuple[str, float, float]:
    """The first sentence of the answer; seconds by the clock, and of the processor."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    command = ["compare", "--generation", earlier, "--generation", later, str(file)]
    done = subprocess.run([sys.executable, "-m", "kschedlab", *command], check=True, capture_output=True, text=True)
    clock, after = time.monotonic() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return " ".join(done.stdout.split()).partition(" (")[0], clock, processor


def main(earlier: str = "v1.28", later: str = "v1.34") -> int:
    print("| cluster | answer | seconds by the clock | of the processor |\n|---|---|---|---|")
    slow = False
    with tempfile.TemporaryDirectory() as folder:
        for name, objects in dumps().items():
            file = Path(folder, "cluster.yaml")
            file.write_text(yaml.safe_dump({"apiVersion": "v1", "kind": "List", "items": objects}), encoding="utf-8")
            answer, clock, processor = compared(file, earlier, later)
            print(f"| {name} | {answer} | {clock:.1f} | {processor:.1f} |")
            slow |= clock >= LIMIT
    return slow


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
