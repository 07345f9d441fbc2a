"""The engine without its neighbours: it decides as before, and says what is missing for the pods that need one."""

import subprocess
import sys

import pytest

from tests.course import GENERATIONS

NAMES = ("configuration", "devices", "experiments", "groups", "lab", "live", "planning", "simulation", "validation")
NEIGHBOURS = ("kube_cel", *(f"kschedlab_{name}" for name in NAMES))
ALONE = f"""
import sys
from importlib import metadata
sys.modules.update(dict.fromkeys({NEIGHBOURS!r}))
metadata.entry_points = lambda **_: ()

from kschedlab import schedule
from kschedlab.build import cluster, node, pod
from kschedlab.generations import Generation
from kschedlab.scheduler import Scheduler
"""
DECIDE = """
world = cluster(node("a", cpu=2), node("b", cpu=4), pod("p", cpu=3))
decision = schedule("default/p", world, "{version}")
assert decision.message == "" and repr(decision) and decision._repr_html_()
print(decision.node)
"""
PREEMPT = """
world = cluster(node("a", cpu=2), pod("low", "a", cpu=2, priority=1), pod("p", cpu=2, priority=5))
decision = schedule("default/p", world, "{version}")
print(decision.nominated_node, *(victim.key for victim in decision.preemption.victims))
scheduler = Scheduler(world, "{version}")
scheduler.commit(scheduler.decide(world.pending["default/p"]))
print(*world.pending)
"""
QUEUE = """
queue = Generation.named("v1.37").queue(lambda: 0)
queue.add(cluster(pod("p")).pending["default/p"].pod)
print(queue.pop().pod.key)
"""
DEMAND = """
claim = {"name": "gpu", "resourceClaimName": "gpu"}
served = {"apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass", "metadata": {"name": "gpu"}, "spec": {}}
world = cluster(
    node("a"), served, pod("claims", resourceClaims=[claim]), pod("requests", requests={"example.com/gpu": 1}), pod("p")
)
print(schedule("default/p", world).node)
for key in ("default/claims", "default/requests"):
    try:
        schedule(key, world)
    except ImportError as error:
        print(type(error).__name__, error)
print(schedule("default/claims", world, "v1.20").node)
"""
STRANGER = """
from types import SimpleNamespace as Some
from kschedlab.filter.plugin import PreFilterRejection
from kschedlab.text.sections import Section

def prepare(plugin, pod, cluster):
    return PreFilterRejection(plugin.name, ("no devices on Sundays",))

mine = Some(prepare=prepare, given_back=lambda *_: None, sections=lambda *_: [Section("Devices are idle")])
packages = [Some(value="mine", load=lambda: mine), Some(value="yours", load=lambda: mine)]
claim = {"name": "gpu", "resourceClaimName": "gpu"}
world = cluster(node("a"), pod("p", resourceClaims=[claim]))
metadata.entry_points = lambda group, name="": packages if group == "kschedlab.claims" else ()
try:
    schedule("default/p", world)
except ImportError as error:
    print(error)
packages.pop()
decision = schedule("default/p", world)
print(decision.message)
print("Devices are idle" in str(decision))
"""
GATES = """
try:
    Generation.named("v1.37").with_feature_gates({"GenericWorkload": True})
except ValueError as error:
    print(error)
"""
REFUSE = """
from kschedlab.manifests.loading import ManifestError
try:
    cluster(pod("p", cpu="-1"))
except ManifestError as error:
    print(error)
"""


def alone(program: str) -> str:
    """What the program prints where no neighbour is installed."""
    done = subprocess.run([sys.executable, "-c", ALONE + program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.rstrip()


@pytest.mark.parametrize("version", GENERATIONS)
def test_each_generation_decides_and_preempts(version: str) -> None:
    assert alone(DECIDE.format(version=version)) == "b"
    assert alone(PREEMPT.format(version=version)) == "a default/low\ndefault/p"


def test_the_queue_with_hints_works() -> None:
    assert alone(QUEUE) == "default/p"


def test_a_pod_that_demands_devices_is_an_error_with_a_remedy() -> None:
    assert alone(DEMAND).splitlines() == [
        "a",
        "MissingExtraError pod default/claims demands devices: run pip install 'kschedlab[devices]'",
        "MissingExtraError pod default/requests demands devices: run pip install 'kschedlab[devices]'",
        "a",
    ]


def test_a_stranger_s_package_serves_claims() -> None:
    assert alone(STRANGER).splitlines() == [
        "two packages declare kschedlab.claims, mine and yours: uninstall one",
        "0/1 nodes are available: no devices on Sundays.",
        "True",
    ]


def test_a_feature_gate_of_a_neighbour_is_an_error_with_a_remedy() -> None:
    assert alone(GATES).endswith("GenericWorkload needs another package: run pip install 'kschedlab[groups]'")


def test_what_no_decision_can_use_is_refused() -> None:
    assert alone(REFUSE).endswith("spec.containers[0].resources.requests.cpu: -1 is negative")
