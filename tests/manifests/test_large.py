"""A large cluster fits into memory: 50,000 nodes and 200,000 pods into one gigabyte, as 20,000 pods into a tenth."""

import json
import subprocess
import sys

from kschedlab.build import node, pod

LOAD = """
import re, sys
from kschedlab.manifests.loading import load
most = lambda: int(re.search(r"VmHWM:\\s*(\\d+) kB", open("/proc/self/status").read())[1])
before = most()
objects = load(sys.argv[1])
print(len(objects.pods), most() - before)
print(*objects.report.lines())
"""
PODS = 20_000


def test_loading_takes_five_kilobytes_for_each_pod(tmp_path):
    """The text, and the objects; not all of the JSON as dictionaries beside them, also where a field is misspelt."""
    labels = {"app": "web", "tier": "backend", "release": "stable", "team": "platform", "track": "blue"}
    pods = [pod(f"web-{i}", "n1", cpu="100m", labels=labels) for i in range(PODS)]
    pods[-1]["spec"]["nodename"] = "n1"
    path = tmp_path / "cluster.json"
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": [node("n1"), *pods]}, indent=1))
    command = [sys.executable, "-c", LOAD, str(path)]
    counts, warning = subprocess.check_output(command, text=True).splitlines()
    loaded, kilobytes = map(int, counts.split())
    line = path.read_text().splitlines().index('    "nodename": "n1"') + 1
    assert warning.startswith(f"{path}:{line}: Pod default/web-{PODS - 1}: spec.nodename: is not a field")
    print(f"{path.stat().st_size / PODS:.0f} bytes of JSON and {kilobytes / PODS:.1f} KB of memory for each pod")
    assert loaded == PODS and kilobytes < 5 * PODS
