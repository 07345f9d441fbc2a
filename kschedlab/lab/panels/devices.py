"""Which GPU does the pod get, and why none? Settings -> claim -> Decision -> devices inside their nodes.

Three nodes with GPUs; the pod ``train`` claims some of them by attributes, capacity and a constraint.
:mod:`kschedlab.lab.panels.selector` evaluates one selector for one device.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from kschedlab.cluster.cluster import Cluster
from kschedlab.decision import Decision
from kschedlab.generations import GENERATIONS
from kschedlab.lab.panels.base import Panel, View
from kschedlab.lab.panels.question import Question
from kschedlab.lab.panels.settings import Restorable, choice, slider, switch
from kschedlab.manifests.loading import decode_objects
from kschedlab.scheduler import schedule
from kschedlab.testing import Manifest, node
from kschedlab.views.device_map import devices_table, devices_text, draw_devices
from kschedlab.views.device_sights import NodeSight, sights
from kschedlab.views.html import Html
from kschedlab.views.svg import Room
from kschedlab.views.words import count, outcome

GENERATION = GENERATIONS["v1.37"]
DRIVER = "gpu.example.com"
ROOT = "resource.kubernetes.io/pcieRoot"
GPUS = {
    "node-a": (("gpu-0", "a100", 40, "p0"), ("gpu-1", "a100", 40, "p1"), ("gpu-2", "t4", 16, "p1")),
    "node-b": (("gpu-0", "a100", 80, "p0"), ("gpu-1", "a100", 80, "p0"), ("gpu-2", "t4", 16, "p1")),
    "node-c": (("gpu-0", "h100", 80, "p0"), ("gpu-1", "a100", 80, "p0"), ("gpu-2", "a100", 40, "p1")),
}
"""By node: the name, the model, the memory in Gi and the PCIe root of each GPU."""
MODELS = ("any", "a100", "h100", "t4")
NONE = "none"


@dataclass(frozen=True)
class Settings(Restorable):
    """What train claims. ``rival``: another claim holds node-b's gpu-0; ``broken``: node-c's gpu-0 has a taint."""

    model: str = choice("model", MODELS, "a100")
    memory: int = slider("memory at least", (0, 20, 40, 60, 80), 40, lambda gi: f"{gi}Gi")
    count: int = slider("devices", range(1, 4), 1)
    together: bool = switch("on one PCIe root")
    tolerates: bool = switch("tolerates the taint")
    rival: bool = switch("another claim holds node-b's gpu-0", True)
    broken: bool = switch("node-c's gpu-0 has a taint", True)


def selectors(settings: Settings) -> list[str]:
    """The expressions of the claim."""
    found = []
    if settings.model != "any":
        found.append(f'device.attributes["{DRIVER}"].model == "{settings.model}"')
    if settings.memory:
        found.append(f'device.capacity["{DRIVER}"].memory.compareTo(quantity("{settings.memory}Gi")) >= 0')
    return found


def claim(settings: Settings) -> Manifest:
    """The claim of train."""
    exactly: Manifest = {
        "deviceClassName": "gpu",
        "count": settings.count,
        "selectors": [{"cel": {"expression": each}} for each in selectors(settings)],
    }
    if settings.tolerates:
        exactly["tolerations"] = [{"key": "broken", "operator": "Exists"}]
    devices: Manifest = {"requests": [{"name": "gpus", "exactly": exactly}]}
    if settings.together:
        devices["constraints"] = [{"matchAttribute": ROOT}]
    return _object("ResourceClaim", "gpus", {"devices": devices}, namespace="default")


def manifests(settings: Settings) -> list[Manifest]:
    """The nodes, their GPUs, the claims and train."""
    driver = f'device.driver == "{DRIVER}"'
    made = [node(name) for name in GPUS]
    made += [_slice(name, settings) for name in GPUS]
    made.append(_object("DeviceClass", "gpu", {"selectors": [{"cel": {"expression": driver}}]}))
    made.append(claim(settings))
    if settings.rival:
        request = {"name": "gpus", "exactly": {"deviceClassName": "gpu"}}
        result = {"request": "gpus", "driver": DRIVER, "pool": "node-b", "device": "gpu-0"}
        rival = _object("ResourceClaim", "rival", {"devices": {"requests": [request]}}, namespace="default")
        made.append(rival | {"status": {"allocation": {"devices": {"results": [result]}}}})
    spec = {
        "containers": [{"name": "train", "image": "train", "resources": {"claims": [{"name": "gpus"}]}}],
        "resourceClaims": [{"name": "gpus", "resourceClaimName": "gpus"}],
    }
    return [*made, {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "train"}, "spec": spec}]


def _slice(name: str, settings: Settings) -> Manifest:
    devices = []
    for gpu, model, memory, root in GPUS[name]:
        attributes = {"model": {"string": model}, ROOT: {"string": root}}
        device: Manifest = {"name": gpu, "attributes": attributes, "capacity": {"memory": {"value": f"{memory}Gi"}}}
        if settings.broken and (name, gpu) == ("node-c", "gpu-0"):
            device["taints"] = [{"key": "broken", "effect": "NoSchedule"}]
        devices.append(device)
    pool = {"name": name, "generation": 1, "resourceSliceCount": 1}
    return _object("ResourceSlice", name, {"driver": DRIVER, "nodeName": name, "pool": pool, "devices": devices})


def _object(kind: str, name: str, spec: Manifest, **metadata: str) -> Manifest:
    return {"apiVersion": "resource.k8s.io/v1", "kind": kind, "metadata": {"name": name, **metadata}, "spec": spec}


def decide(settings: Settings) -> Decision:
    """The decision of v1.37 for train."""
    return schedule("default/train", Cluster(decode_objects(manifests(settings)), GENERATION.api), GENERATION)


def show(settings: Settings) -> View:
    """The panel's view for these settings."""
    decision = decide(settings)
    seen = sights(decision)
    sentence = told(decision, seen)
    return View(
        lambda room: draw_devices(decision, room),
        sentence,
        devices_table(seen),
        f"{sentence}\n{devices_text(seen)}",
        idle=idle(settings),
    )


def idle(settings: Settings) -> dict[str, str]:
    """The controls that decide nothing now, and why."""
    found = {}
    if settings.count == 1:
        found["together"] = "one device is always on one root"
    if not settings.broken:
        found["tolerates"] = "there is no taint"
    return found


def told(decision: Decision, seen: list[NodeSight]) -> str:
    """The outcome in a sentence or two."""
    fitting = [each.node for each in seen if not each.reason]
    if decision.node is None:
        return f"{outcome(decision)} No node has all of the devices."
    others = f"; {count(len(fitting) - 1, 'other node')} could, too" if len(fitting) > 1 else ""
    gets = [device.id.device for each in seen if each.chosen for device in each.devices if device.state == "takes"]
    return f"train goes to {decision.node} and gets {' and '.join(gets)}{others}."


def question() -> Question[Settings]:
    """Which nodes could serve the claim?"""

    def right(settings: Settings) -> str:
        return str(sum(not each.reason for each in sights(decide(settings))))

    def why(settings: Settings, answer: str) -> str:
        fitting = [each.node for each in sights(decide(settings)) if not each.reason]
        return f"{', '.join(fitting) or 'No node'} can serve the claim."

    def before(settings: Settings) -> Callable[[Room], Html]:
        return lambda room: draw_devices(decide(settings), room, asked=False)

    return Question("How many nodes can serve the claim?", ("0", "1", "2", "3"), right, why, before)


def panel(**settings: Any) -> Panel[Settings]:
    """The panel; arguments override its default settings."""
    return Panel(Settings().changed(**settings), show, manifests, "devices.panel()", question=question())
