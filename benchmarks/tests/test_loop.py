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
    program = tmp_path / "real"
    program.write_text('#!/bin/sh\necho \'{"engine": "\'$*\'", "pods_per_second": 0.5}\'\n')
    program.chmod(0o755)
    timed = [sys.executable, "benchmarks/loop.py", str(file), "--generation", "v1.20", "--real", str(program)]
    answer = subprocess.run(timed, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    result, real = map(json.loads, answer.splitlines())
    assert real["engine"] == f"-file {file} -pct 0"
    assert real["ratio"] == round(2 * result["pods_per_second"], 2)
    assert (result["nodes"], result["pods"], result["bound"]) == (50, 100, 100)
    assert result["pods_per_second"] > 0 and result["megabytes"] > 0
    assert result["log_entries"] >= 100 * 10
