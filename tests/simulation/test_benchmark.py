"""The benchmark of the whole loop measures what it says."""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_it_schedules_the_workload_and_says_how_fast(tmp_path: Path) -> None:
    file = tmp_path / "workload.json"
    made = [sys.executable, "benchmarks/workload.py", "basic", "50", "20", "100"]
    file.write_text(subprocess.run(made, cwd=ROOT, capture_output=True, text=True, check=True).stdout)
    timed = [sys.executable, "benchmarks/loop.py", str(file), "--generation", "v1.20"]
    result = json.loads(subprocess.run(timed, cwd=ROOT, capture_output=True, text=True, check=True).stdout)
    assert (result["nodes"], result["pods"], result["bound"]) == (50, 100, 100)
    assert result["pods_per_second"] > 0 and result["megabytes"] < 1024
    assert result["log_entries"] >= 100 * 10
