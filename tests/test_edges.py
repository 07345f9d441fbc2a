"""What lies at the edge can be left out: the rest imports, decides, explains and simulates without it."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "kschedlab"
EDGES = {
    "scheduler_perf": ("simulation/perf",),
    "Policy": ("configuration/policy",),
    "lab": ("lab",),
    "live": ("live",),
    "views": ("views", "lab", "live", "program", "__main__.py"),
}
IMPORT_ALL = """
from importlib import import_module
from pathlib import Path
for path in sorted(Path("kschedlab").rglob("*.py")):
    name = ".".join(path.with_suffix("").parts).removesuffix(".__init__")
    if name != "kschedlab.__main__":
        import_module(name)
"""
DECIDE = """
from kschedlab import Cluster, schedule
from kschedlab.generations import GENERATIONS
from kschedlab.manifests.loading import loads
from kschedlab.simulation.simulation import Simulation
from kschedlab.simulation.timeline.scenario import loads_scenario
from kschedlab.whatif import what_if

text = '''
{apiVersion: v1, kind: Node, metadata: {name: a}, status: {allocatable: {cpu: 4, memory: 8Gi, pods: 9}}}
---
{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: [{name: c, image: i}]}}
'''
for name, generation in GENERATIONS.items():
    assert schedule("default/p", Cluster(loads(text)), generation).node == "a"
    assert what_if("default/p", Cluster(loads(text)), generation).decision.node == "a"
    simulation = Simulation.of(loads_scenario(text), name)
    simulation.run()
    assert [pod.spec.nodeName for pod in simulation.pods()] == ["a"]
"""
POLICY = '{"apiVersion": "v1", "kind": "Policy"}'
WORKLOAD = "[{name: T, workloadTemplate: [{opcode: barrier}], workloads: [{name: w}]}]"
ENTRY = "timeline: [{at: 1s, ops: [{opcode: barrier}]}]"
READ = """
from kschedlab.configuration.loading import load_configuration
from kschedlab.objects.problems import ManifestError
from kschedlab.simulation.timeline.scenario import loads_scenario
try:
    {read}({text!r})
except ManifestError as error:
    print(error)
"""


def run(folder: Path, program: str) -> str:
    """The program's output, with the package in this folder alone."""
    command = [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(folder)!r})\n{program}"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout


@pytest.fixture(params=EDGES)
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A copy of the package without one edge."""
    shutil.copytree(PACKAGE, tmp_path / "kschedlab", ignore=shutil.ignore_patterns("__pycache__"))
    for name in EDGES[request.param]:
        path = tmp_path / "kschedlab" / name
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    return tmp_path


def test_the_rest_imports_decides_and_simulates(folder: Path) -> None:
    run(folder, IMPORT_ALL)
    run(folder, DECIDE)


@pytest.mark.parametrize(
    ("folder", "read", "text", "place"),
    [
        ("Policy", "load_configuration", POLICY, "<text>:1"),
        ("scheduler_perf", "loads_scenario", WORKLOAD, "<text>:1"),
        ("scheduler_perf", "loads_scenario", ENTRY, "<text>:1"),
    ],
    indirect=["folder"],
)
def test_a_file_that_the_missing_room_reads_gives_an_error_with_its_place(
    folder: Path, read: str, text: str, place: str
) -> None:
    message = run(folder, READ.format(read=read, text=text))
    assert place in message and "which this installation lacks: reinstall kschedlab" in message, message
