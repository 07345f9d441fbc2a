"""Which GPU does the pod get, and why none? Settings -> claim -> Decision -> devices inside their nodes.

Three nodes with GPUs; the pod ``train`` claims some of them by attributes, capacity and a constraint.
:mod:`kschedlab_lab.panels.selector` evaluates one selector for one device.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

from kschedlab.build import Manifest, as_yaml, node
from kschedlab.cluster.cluster import Cluster
from kschedlab.decision import Decision
from kschedlab.generations import GENERATIONS
from kschedlab.messages import later, listed, say, sentences
from kschedlab.scheduler import schedule
from kschedlab.text.html import Html, element, join
from kschedlab.text.words import count
from kschedlab_devices.search import TAINTED, UNLIKE
from kschedlab_lab.panels.base import Frame, Panel, View
from kschedlab_lab.panels.question import Question
from kschedlab_lab.panels.settings import Restorable, choice, slider, switch
from kschedlab_lab.views.cells import pills
from kschedlab_lab.views.device_map import Look, draw_sights, unasked
from kschedlab_lab.views.device_sights import HELD, ROOT, TAKES, TRIED, NodeSight, sights
from kschedlab_lab.views.device_story import search_story
from kschedlab_lab.views.evaluation import FONT
from kschedlab_lab.views.layout import Part, moved, placed, words, wrap
from kschedlab_lab.views.style import INK_2, MONO
from kschedlab_lab.views.svg import Room

GENERATION = GENERATIONS["v1.37"]
DRIVER = "gpu.example.com"
Gpu: TypeAlias = tuple[str, str, int, str]
"""The name, the model, the memory in Gi and the PCIe root of a GPU."""
GPUS: Mapping[str, Sequence[Gpu]] = {
    "node-a": (("gpu-0", "a100", 40, "p0"), ("gpu-1", "a100", 40, "p1"), ("gpu-2", "t4", 16, "p1")),
    "node-b": (("gpu-0", "a100", 80, "p0"), ("gpu-1", "a100", 40, "p0"), ("gpu-2", "t4", 16, "p1")),
    "node-c": (("gpu-0", "h100", 80, "p0"), ("gpu-1", "a100", 80, "p0"), ("gpu-2", "a100", 40, "p1")),
}
RIVALS, BROKEN = "node-b/gpu-0", "node-c/gpu-0"
"""The device that rival's claim holds, and the one with the taint ``broken``."""
MODELS = (later("any"), "a100", "h100")
MEMORY, GIBI = (0, 20, 40, 60, 80), 2.0**30
EXPRESSION = re.compile(r"^( *)expression: (device\.\w+\S*\])(\.\w+ .*|\.\w+)(\.compareTo.*|)$", re.MULTILINE)
"""A line of YAML that is too long for a page."""
LINES = 5
"""The lines of the longest search, for which every picture keeps room."""


@dataclass(frozen=True)
class Settings(Restorable):
    """What train claims. ``rival``: another claim holds node-b's gpu-0."""

    model: str = choice("model", MODELS, "a100")
    count: int = choice("count", range(1, 3), 1)
    memory: int = slider("memory at least", MEMORY, 40, lambda gi: f"{gi}Gi")
    together: bool = switch("on one root")
    tolerates: bool = switch("broken, too")
    rival: bool = switch("held by rival", True)


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
    return [*fleet(GPUS, RIVALS if settings.rival else "", BROKEN), claim(settings), train()]


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
    return decided(Cluster.from_dicts(manifests(settings), GENERATION.api))


def decided(cluster: Cluster) -> Decision:
    """The decision of v1.37 for train, which is in this cluster."""
    return schedule("default/train", cluster, GENERATION)


def show(settings: Settings) -> View:
    """The panel's view for these settings."""
    decision = decide(settings)
    seen = sights(decision)
    sentence, look = told(settings, decision, seen), looks(settings)
    return View(
        lambda room: draw_sights(seen, room, look),
        sentence,
        written(settings),
        sentence,
        names={decision.node: "chosen"} if decision.node else {},
        story=lambda room: [
            Frame(draw_sights(now, room, look, seen), caption) for now, caption in search_story(seen, sentence)
        ],
    )


def looks(settings: Settings, asks: bool = False) -> Look:
    """The claim above the devices, and a line at the memory that it wants. ``asks``: nothing of it can be changed."""
    look = Look(lines=LINES, top=partial(buttons, settings, asks), least=settings.memory * GIBI)
    return look if asks else look._replace(marks=handles(settings), grip="memory", step=(MEMORY[1] - MEMORY[0]) * GIBI)


def buttons(settings: Settings, asks: bool, width: float) -> Part:
    """The claim as buttons, and below each what it writes into the manifest."""

    def group(wide: float, written: str, *choices: tuple[str, str, bool]) -> Part:
        return _over(Part(wide * len(choices), 26, tuple(pills(choices, 0, 2, wide))), written)

    def on_or_off(name: str, written: str) -> Part:
        on, label = getattr(settings, name), say(settings.controls()[name].label)
        return group(98, written if on else "", (label, f"{name}: {_other(on)}", on))

    least = f"≥ {settings.memory}Gi" if settings.memory else say("any memory")
    amount = f'quantity("{settings.memory}Gi")' if settings.memory else ""
    model = "" if settings.model == "any" else f'.model == "{settings.model}"'
    which = (
        group(34, f"count: {settings.count}", *((f"×{n}", f"count: {n}", n == settings.count) for n in (1, 2))),
        group(50, model, *((say(each), f"model: {each}", each == settings.model) for each in MODELS)),
        _over(Part(112, 26, (placed(words(least, bold=True), 56, 5),)), amount),
    )
    how = (on_or_off("together", "matchAttribute"), on_or_off("tolerates", "tolerations"))
    part = wrap((wrap(which, width, 2), wrap(how, width, 2)), width, 2)
    return Part(part.width, part.height, (moved(part, 0, 0, opacity=0.5 if asks else None),))


def _over(button: Part, written: str) -> Part:
    """The button, and below it the part of the manifest that it writes; room is kept for it."""
    line = words(written, 11.2, font_family=FONT, fill=INK_2)
    return Part(button.width, button.height + 16, (*button.shapes, placed(line, button.width / 2, button.height)))


def written(settings: Settings) -> Html:
    """The claim; what differs from the first one is bold."""
    first, lines = (claim_text(claim(each)).splitlines() for each in (Settings(), settings))
    marked = (element("b", line) if line not in first else line for line in lines)
    return element("div", join(marked, element("br")), style=MONO)


def handles(settings: Settings) -> dict[str, dict[str, str]]:
    """A click on the device that rival holds ends rival, or brings it back."""
    state = _other(settings.rival)
    said = say("{name}: rival: {state}", name=RIVALS, state=say(state))
    sets = {"data_set": f"rival: {state}", "aria_label": said, "faint": "" if settings.rival else "unlocked"}
    return {f"{DRIVER}/{RIVALS}": sets}


def _other(on: bool) -> str:
    return "off" if on else "on"


def told(settings: Settings, decision: Decision, seen: list[NodeSight]) -> str:
    """The outcome, and what it is due to."""
    if decision.node is None:
        return sentences((say("train fits on no node."), *reasons(settings, seen)))
    gets = [device.id.device for each in seen if each.chosen for device in each.devices if device.state == TAKES]
    first = say("train goes to {node} and gets {devices}.", node=decision.node, devices=both(*gets))
    others = [each.node for each in seen if not each.reason and not each.chosen]
    return sentences((first, say("{others} could, too.", others=both(*others)))) if others else first


def reasons(settings: Settings, seen: Sequence[NodeSight]) -> list[str]:
    """What is in the way on the nodes that cannot serve the claim; those with the same reason together."""
    found: dict[str, list[str]] = {}
    for each in seen:
        if each.reason:
            found.setdefault(_obstacle(settings, each), []).append(each.node)
    return [say("{node}: {said}.", node=listed(nodes), said=why) for why, nodes in found.items()]


def _obstacle(settings: Settings, node: NodeSight) -> str:
    able = [each for each in node.devices if each.state in (TRIED, UNLIKE)]
    taken = [each for each in node.devices if each.state == TAINTED or each.state == HELD and not each.reason.proof]
    if not able and not taken:
        return say("no device is selected")
    if len(able) + len(taken) < settings.count:
        return say("only {device} is selected", device=(able + taken)[0].id.device)
    return listed(each.sentence for each in taken) if taken else say("no two on one root")


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
        each_has = say("Each node has at least {gpus} that the claim may take.", gpus=count(settings.count, "GPU"))
        return sentences(reasons(settings, seen) or (each_has,))

    text = say("train claims {wish}. How many nodes can serve the claim?", wish=wished(asked))
    return Question(text, ("0", "1", "2", "3"), right, why, unanswered)


def unanswered(settings: Settings) -> Callable[[Room], Html]:
    """The picture while a question is open: train has not asked for devices yet."""
    seen = sights(decide(settings))
    before = [unasked(each) for each in seen]
    return lambda room: draw_sights(before, room, looks(settings, asks=True), seen)


def spared() -> Question[Settings]:
    """Does a claim that tolerates the taint of node-c's first GPU get the healthy one behind it?"""
    lots = say("one of these two, by lot")
    rule = say("The search takes the first one that fits. A toleration permits a device; it asks for no healthy one.")
    missed = {
        "node-c/gpu-1": say("gpu-0 comes before it."),
        lots: say("Lots are drawn among nodes, not among the devices of one."),
    }

    def right(settings: Settings) -> str:
        (node,) = (each for each in sights(decide(settings)) if each.chosen)
        return both(*(f"{node.node}/{device.id.device}" for device in node.devices if device.state == TAKES))

    return Question(
        say("train claims 1 GPU, at least 60Gi, broken or not. Which one does it get?"),
        ("node-c/gpu-0", *missed),
        right,
        lambda settings, answer: sentences(filter(None, (missed.get(answer), rule))),
        unanswered,
    )


def pair() -> Question[Settings]:
    """Which two devices does train get, if gpu-0 of node-a has no partner on its root?"""
    none = say("none: gpu-0 has no partner")
    reasons = {
        both("gpu-0", "gpu-1"): say("They are on different roots."),
        both("gpu-1", "gpu-2"): say("gpu-0 is tried first and given back, because no other device is on p0."),
        none: say("The search does not end there. It gives gpu-0 back."),
    }

    def right(settings: Settings) -> str:
        node_a, *_ = sights(decide(settings))
        return both(*(device.id.device for device in node_a.devices if device.state == TAKES)) or none

    return Question(
        say("train claims 2 GPUs on one PCIe root: any model, any memory. Which two of node-a does it get?"),
        tuple(reasons),
        right,
        lambda settings, answer: reasons[answer],
        unanswered,
    )


def both(*names: str) -> str:
    """The names with "and" between them."""
    return say(" and ").join(names)


def panel(**settings: Any) -> Panel[Settings]:
    """The panel; arguments override its default settings."""
    first = Settings().changed(**settings)
    return Panel(first, show, manifests, "devices.panel()", question=question(first))
