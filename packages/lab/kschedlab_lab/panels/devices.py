"""Which GPU does the pod get, and why none? Settings -> claim -> Decision -> devices inside their nodes.

Three nodes with GPUs; the pod ``train`` claims some of them by attributes, capacity and a constraint.
:mod:`kschedlab_lab.panels.selector` evaluates one selector for one device.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from kschedlab.build import Manifest, as_yaml, node
from kschedlab.cluster.cluster import Cluster
from kschedlab.decision import Decision
from kschedlab.generations import GENERATIONS
from kschedlab.manifests.loading import decode_objects
from kschedlab.messages import later, listed, say, sentences
from kschedlab.scheduler import schedule
from kschedlab.text.html import Html, element, join
from kschedlab.text.words import count
from kschedlab_lab.panels.base import Frame, Panel, View
from kschedlab_lab.panels.question import Question
from kschedlab_lab.panels.settings import Restorable, choice, slider, switch
from kschedlab_lab.views.device_map import draw_devices, draw_sights
from kschedlab_lab.views.device_sights import HELD, OFFERED, ROOT, TAKES, TRIED, WORDS, NodeSight, sights
from kschedlab_lab.views.device_story import search_story
from kschedlab_lab.views.style import MONO
from kschedlab_lab.views.svg import Room

GENERATION = GENERATIONS["v1.37"]
DRIVER = "gpu.example.com"
Gpu: TypeAlias = tuple[str, str, int, str]
"""The name, the model, the memory in Gi and the PCIe root of a GPU."""
GPUS: Mapping[str, Sequence[Gpu]] = {
    "node-a": (("gpu-0", "a100", 40, "p0"), ("gpu-1", "a100", 40, "p1"), ("gpu-2", "t4", 16, "p1")),
    "node-b": (("gpu-0", "a100", 80, "p0"), ("gpu-1", "a100", 80, "p0"), ("gpu-2", "t4", 16, "p1")),
    "node-c": (("gpu-0", "h100", 80, "p0"), ("gpu-1", "a100", 80, "p0"), ("gpu-2", "a100", 40, "p1")),
}
MODELS = (later("any"), "a100", "h100")
LOTS = later("The scores are equal: kube-scheduler draws lots; here the first name counts.")
EXPRESSION = re.compile(r"^( *)expression: (device\.\w+\S*\])(\.\w+ .*|\.\w+)(\.compareTo.*|)$", re.MULTILINE)
"""A line of YAML that is too long for a page."""
LINES = 6
"""The lines of the longest search, for which every picture keeps room."""


@dataclass(frozen=True)
class Settings(Restorable):
    """What train claims. ``rival``: another claim holds node-b's gpu-0; ``broken``: node-c's gpu-0 has a taint."""

    model: str = choice("model", MODELS, "a100")
    count: int = choice("count", range(1, 3), 1)
    memory: int = slider("memory at least", (0, 20, 40, 60, 80), 40, lambda gi: f"{gi}Gi")
    together: bool = switch("on one PCIe root")
    tolerates: bool = switch("tolerates the taint")
    rival: bool = switch("held by rival", True)
    broken: bool = switch("taint: broken", True)


def selectors(settings: Settings) -> list[str]:
    found = [of_model(settings.model)] if settings.model != "any" else []
    return found + ([of_memory(settings.memory)] if settings.memory else [])


def of_model(model: str) -> str:
    """The expression that selects a model."""
    return f'device.attributes["{DRIVER}"].model == "{model}"'


def of_memory(gibibytes: int) -> str:
    """The expression that selects at least so much memory."""
    return f'device.capacity["{DRIVER}"].memory.compareTo(quantity("{gibibytes}Gi")) >= 0'


def claim(settings: Settings) -> Manifest:
    return claim_of(selectors(settings), settings.count, settings.together, settings.tolerates)


def claim_of(expressions: Sequence[str], number: int = 1, together: bool = False, tolerates: bool = False) -> Manifest:
    """The claim ``gpus``: devices that all expressions select; on one PCIe root; even with the taint."""
    exactly: Manifest = {
        "deviceClassName": "gpu",
        "count": number,
        "selectors": [{"cel": {"expression": each}} for each in expressions],
    }
    if tolerates:
        exactly["tolerations"] = [{"key": "broken", "operator": "Exists"}]
    devices: Manifest = {"requests": [{"name": "gpus", "exactly": exactly}]}
    if together:
        devices["constraints"] = [{"matchAttribute": ROOT}]
    return _object("ResourceClaim", "gpus", {"devices": devices})


def claim_text(claim: Manifest) -> str:
    """The claim as YAML, in which a long expression has lines of its own."""
    return EXPRESSION.sub(_folded, as_yaml([claim]))


def _folded(found: re.Match[str]) -> str:
    space, *parts = found.groups()
    return f"{space}expression: >-" + "".join(f"\n{space}  {part}" for part in parts if part)


def manifests(settings: Settings) -> list[Manifest]:
    """The nodes, their GPUs, the claims and train."""
    held, broken = "node-b/gpu-0" if settings.rival else "", "node-c/gpu-0" if settings.broken else ""
    return [*fleet(GPUS, held, broken), claim(settings), train()]


def fleet(gpus: Mapping[str, Sequence[Gpu]], held: str = "", broken: str = "") -> list[Manifest]:
    """Nodes with these GPUs. ``held``: the ``node/gpu`` of the pod rival; ``broken``: the one with a taint."""
    driver = f'device.driver == "{DRIVER}"'
    made = [node(name, 64, "256Gi") for name in gpus]  # so large that rival costs none a point
    made += [_slice(name, devices, broken) for name, devices in gpus.items()]
    made.append(_object("DeviceClass", "gpu", {"selectors": [{"cel": {"expression": driver}}]}))
    if held:
        pool, device = held.split("/")
        request = {"name": "gpus", "exactly": {"deviceClassName": "gpu"}}
        result = {"request": "gpus", "driver": DRIVER, "pool": pool, "device": device}
        rival = _object("ResourceClaim", "rival", {"devices": {"requests": [request]}})
        user = {"resource": "pods", "name": "rival", "uid": "rival"}
        made.append(rival | {"status": {"allocation": {"devices": {"results": [result]}}, "reservedFor": [user]}})
        made.append(_user("rival", "rival", nodeName=pool))
    return made


def train() -> Manifest:
    """The pod, with the claim ``gpus``."""
    return _user("train", "gpus")


def _user(name: str, claim: str, **spec: str) -> Manifest:
    """A pod that uses this claim."""
    container = {"name": name, "image": name, "resources": {"claims": [{"name": "gpus"}]}}
    claims = [{"name": "gpus", "resourceClaimName": claim}]
    made = {"containers": [container], "resourceClaims": claims, **spec}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "uid": name}, "spec": made}


def _slice(name: str, gpus: Sequence[Gpu], broken: str) -> Manifest:
    devices = []
    for gpu, model, memory, root in gpus:
        attributes = {"model": {"string": model}, ROOT: {"string": root}}
        device: Manifest = {"name": gpu, "attributes": attributes, "capacity": {"memory": {"value": f"{memory}Gi"}}}
        if f"{name}/{gpu}" == broken:
            device["taints"] = [{"key": "broken", "effect": "NoSchedule"}]
        devices.append(device)
    pool = {"name": name, "generation": 1, "resourceSliceCount": 1}
    return _object("ResourceSlice", name, {"driver": DRIVER, "nodeName": name, "pool": pool, "devices": devices})


def _object(kind: str, name: str, spec: Manifest) -> Manifest:
    return {"apiVersion": "resource.k8s.io/v1", "kind": kind, "metadata": {"name": name}, "spec": spec}


def decide(settings: Settings) -> Decision:
    """The decision of v1.37 for train."""
    return decided(manifests(settings))


def decided(made: Sequence[Manifest]) -> Decision:
    """The decision of v1.37 for train, which is among these objects."""
    return schedule("default/train", Cluster(decode_objects(made), GENERATION.api), GENERATION)


def show(settings: Settings) -> View:
    """The panel's view for these settings."""
    decision = decide(settings)
    seen = sights(decision)
    sentence, marks = told(settings, decision, seen), handles(settings)
    return View(
        lambda room: draw_sights(seen, room, marks, lines=LINES),
        sentence,
        written(settings),
        sentence,
        idle=idle(settings),
        names={decision.node: "chosen"} if decision.node else {},
        story=lambda room: [
            Frame(draw_sights(now, room, marks, seen, place, LINES), caption)
            for now, place, caption in search_story(seen, sentence)
        ],
    )


def written(settings: Settings) -> Html:
    """The claim; what differs from the first one is bold."""
    first, lines = (claim_text(claim(each)).splitlines() for each in (Settings(), settings))
    marked = (element("b", line) if line not in first else line for line in lines)
    return element("div", join(marked, element("br")), style=MONO)


def handles(settings: Settings) -> dict[str, dict[str, str]]:
    """What a click on a device sets: whether rival holds it, or it has the taint."""
    sets = {
        "node-b/gpu-0": ("rival", later("{name}: rival: {state}"), settings.rival, "unlocked"),
        "node-c/gpu-0": ("broken", later("{name}: broken: {state}"), settings.broken, "taint"),
    }
    return {
        f"{DRIVER}/{name}": {
            "data_set": f"{control}: {_other(on)}",
            "aria_label": say(message, name=name, state=say(_other(on))),
            "faint": "" if on else sign,
        }
        for name, (control, message, on, sign) in sets.items()
    }


def _other(on: bool) -> str:
    return "off" if on else "on"


def idle(settings: Settings) -> dict[str, str]:
    """One device is always on one root: then that control is away."""
    return {"together": ""} if settings.count == 1 else {}


def told(settings: Settings, decision: Decision, seen: list[NodeSight]) -> str:
    """The outcome, and what it is due to."""
    if decision.node is None:
        return sentences((say("train fits on no node."), _tally(settings, seen)))
    gets = [device.id.device for each in seen if each.chosen for device in each.devices if device.state == TAKES]
    first = say("train goes to {node} and gets {devices}.", node=decision.node, devices=_both(*gets))
    others = [each.node for each in seen if not each.reason and not each.chosen]
    more = (say("{others} could, too.", others=_both(*others)), say(LOTS)) if others else ()
    return sentences((first, *more))


def _tally(settings: Settings, seen: Sequence[NodeSight]) -> str:
    """How many devices there are, and what is in the way of how many; last those that would do."""
    states = Counter(device.state for each in seen for device in each.devices)
    in_order = sorted(states.most_common(), key=lambda each: each[0] == TRIED)
    found = [say("{number} {what}", number=number, what=_what(settings, state, number)) for state, number in in_order]
    return say("Of {devices}, {tally}.", devices=count(states.total(), "device"), tally=listed(found))


def _what(settings: Settings, state: str, number: int) -> str:
    """What is in the way of so many devices."""
    if state == HELD:
        return say("is held by rival")
    if state == TRIED and number < settings.count:
        return say("would do, but the claim wants {count}", count=settings.count)
    if state == TRIED:
        message = later("would do, but no node has {count} of them on one root")
        return say(
            message if settings.together else later("would do, but no node has {count} of them"), count=settings.count
        )
    return say("are not selected") if number > 1 else say(WORDS[state])


def wished(settings: Settings) -> str:
    several = settings.count > 1
    wish = count(settings.count, "GPU")
    if settings.model != "any":
        message = later("{number} {model} GPUs" if several else "{number} {model} GPU")
        wish = say(message, number=settings.count, model=settings.model)
    if settings.memory:
        message = later("{wish}, at least {memory}Gi each" if several else "{wish}, at least {memory}Gi")
        wish = say(message, wish=wish, memory=settings.memory)
    if settings.together:
        wish = say("{wish}, on one PCIe root", wish=wish)
    return say("{wish}, broken or not", wish=wish) if settings.tolerates else wish


def question(asked: Settings = Settings()) -> Question[Settings]:
    """How many nodes could serve the claim? ``asked``: the settings whose claim the question names."""

    def right(settings: Settings) -> str:
        return str(sum(not each.reason for each in sights(decide(settings))))

    def why(settings: Settings, answer: str) -> str:
        seen = sights(decide(settings))
        able = sum(not each.reason for each in seen)
        message = later("{number} of {nodes} can: a node needs only {gpus} that the claim may take.")
        if not able:
            message = later("{number} of {nodes} can: at each node you see what is in the way.")
        first = say(message, number=able, nodes=count(len(seen), "node"), gpus=count(settings.count, "GPU"))
        return sentences((first, say(LOTS))) if able > 1 else first

    text = say("train claims {wish}. How many nodes can serve the claim?", wish=wished(asked))
    return Question(text, ("0", "1", "2", "3"), right, why, unanswered)


def unanswered(settings: Settings) -> Callable[[Room], Html]:
    """The picture while a question is open: train has not asked for devices yet."""
    return lambda room: draw_devices(decide(settings), room, asked=False, lines=LINES)


def spared() -> Question[Settings]:
    """Does a claim that tolerates the taint of node-c's first GPU get the healthy one behind it?"""
    lots, own = say("one of the two, by lot"), say("On node-c it is gpu-0.")
    rule = say("The search takes the first one that fits. A toleration permits a device; it asks for no healthy one.")
    missed = {
        "gpu-1": say("It comes before gpu-1."),
        lots: say("Lots are drawn among nodes, not among the devices of one."),
    }

    def right(settings: Settings) -> str:
        *_, node_c = sights(decide(settings))
        return _both(*(device.id.device for device in node_c.devices if device.state in (TAKES, OFFERED)))

    return Question(
        say("train claims 1 GPU, at least 60Gi, broken or not. Which one could node-c give it?"),
        ("gpu-0", *missed),
        right,
        lambda settings, answer: sentences(filter(None, (own, missed.get(answer), rule))),
        unanswered,
    )


def pair() -> Question[Settings]:
    """Which two devices does train get, if gpu-0 of node-a has no partner on its root?"""
    none = say("none: gpu-0 has no partner")
    reasons = {
        _both("gpu-0", "gpu-1"): say("They are on different roots."),
        _both("gpu-1", "gpu-2"): say("gpu-0 is tried first and given back, because no other device is on p0."),
        none: say("The search does not end there. It gives gpu-0 back."),
    }

    def right(settings: Settings) -> str:
        node_a, *_ = sights(decide(settings))
        return _both(*(device.id.device for device in node_a.devices if device.state == TAKES)) or none

    return Question(
        say("train claims 2 GPUs on one PCIe root: any model, any memory. Which two of node-a does it get?"),
        tuple(reasons),
        right,
        lambda settings, answer: reasons[answer],
        unanswered,
    )


def _both(*names: str) -> str:
    return say(" and ").join(names)


def panel(**settings: Any) -> Panel[Settings]:
    """The panel; arguments override its default settings."""
    first = Settings().changed(**settings)
    return Panel(first, show, manifests, "devices.panel()", question=question(first))
