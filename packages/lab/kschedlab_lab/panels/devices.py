"""Which GPU does the pod get, and why none? Settings -> claim -> Decision -> devices inside their nodes.

Three nodes with GPUs; the pod ``train`` claims some of them by attributes, capacity and a constraint.
:mod:`kschedlab_lab.panels.selector` evaluates one selector for one device.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any, TypeAlias

from kschedlab.build import Manifest, as_yaml, node, pod
from kschedlab.cluster.cluster import Cluster
from kschedlab.decision import Decision
from kschedlab.generations import GENERATIONS
from kschedlab.messages import later, listed, say, sentences
from kschedlab.scheduler import schedule
from kschedlab.text.html import Html, element, join
from kschedlab_devices.search import TAINTED
from kschedlab_lab.panels.base import Frame, Panel, View
from kschedlab_lab.panels.question import Question
from kschedlab_lab.panels.settings import Restorable, choice, slider, switch
from kschedlab_lab.views.cells import pills
from kschedlab_lab.views.device_map import Look, draw_sights
from kschedlab_lab.views.device_search import search_story
from kschedlab_lab.views.device_sights import (
    FREE,
    HELD,
    OFFERED,
    ROOT,
    TAKES,
    NodeSight,
    Sight,
    held_by,
    sights,
    unasked,
)
from kschedlab_lab.views.layout import Part, column, moved, padded, row, words, wrap
from kschedlab_lab.views.style import CHOSEN, HAIR, INK_2, INK_3, TRAY
from kschedlab_lab.views.svg import Room, rect

GENERATION = GENERATIONS["v1.37"]
DRIVER = "gpu.example.com"
Gpu: TypeAlias = tuple[str, str, int, str]
"""The name, the model, the memory in Gi and the PCIe root of a GPU."""
GPUS: Mapping[str, Sequence[Gpu]] = {
    "node-a": (("gpu-0", "a100", 40, "p0"), ("gpu-1", "a100", 40, "p1"), ("gpu-2", "t4", 16, "p1")),
    "node-b": (("gpu-0", "a100", 80, "p0"), ("gpu-1", "a100", 40, "p0"), ("gpu-2", "t4", 16, "p1")),
    "node-c": (("gpu-0", "h100", 80, "p0"), ("gpu-1", "a100", 80, "p0"), ("gpu-2", "a100", 40, "p1")),
}
FIRMWARE: Mapping[str, str] = {"node-b/gpu-1": "2.1", "node-c/gpu-1": "2.1"}
"""The GPUs whose firmware the driver reports."""
RIVALS, BROKEN = "node-b/gpu-0", "node-c/gpu-0"
"""The device that rival's claim holds, and the one with the taint ``broken``."""
MODELS = (later("any"), "a100", "h100")
MEMORY, GIBI = (0, 20, 40, 60, 80), 2.0**30
LINES, SHORT, EDGE, BROAD = 5, 3, 6, 420
"""The lines of the longest search for two devices and for one, for which every picture keeps room; the space around the
claim, and the width from which on there is room beside it for all pods, in pixels."""


@dataclass(frozen=True)
class Settings(Restorable):
    """What train claims. ``rival``: another claim holds node-b's gpu-0."""

    model: str = choice("model", MODELS, "a100")
    count: int = choice("count", range(1, 3), 1)
    memory: int = slider("memory at least", MEMORY, 40, lambda gi: f"{gi}Gi")
    together: bool = switch("on one root")
    tolerates: bool = switch("allow broken")
    rival: bool = switch("held by rival", True)


# -- manifests


def of_model(model: str) -> str:
    """The expression that selects a model."""
    return f'device.attributes["{DRIVER}"].model == "{model}"'


def of_memory(gibibytes: int) -> str:
    """The expression that selects at least so much memory."""
    return f'device.capacity["{DRIVER}"].memory.compareTo(quantity("{gibibytes}Gi")) >= 0'


def claim(settings: Settings) -> Manifest:
    selectors = [of_model(settings.model)] if settings.model != "any" else []
    selectors += [of_memory(settings.memory)] if settings.memory else []
    return claim_of(selectors, settings.count, settings.together, settings.tolerates)


def claim_of(expressions: Sequence[str], number: int = 1, together: bool = False, tolerates: bool = False) -> Manifest:
    """The claim ``gpus``: devices that all expressions select; on one PCIe root; even with the taint."""
    selectors = [{"cel": {"expression": each}} for each in expressions]
    exactly: Manifest = {"deviceClassName": "gpu", "count": number, "selectors": selectors}
    if tolerates:
        exactly["tolerations"] = [{"key": "broken", "operator": "Exists"}]
    devices: Manifest = {"requests": [{"name": "gpus", "exactly": exactly}]}
    if together:
        devices["constraints"] = [{"matchAttribute": ROOT}]
    return _object("ResourceClaim", "gpus", {"devices": devices})


def claim_text(claim: Manifest) -> str:
    """The claim as YAML, in which the dots of a long expression begin lines of their own."""

    def folded(found: re.Match[str]) -> str:
        parts = re.split(r"(?<=\])(?=\.)|(?=\.compareTo)", found[2])
        return "\n".join([f"{found[1]}expression: >-", *(f"{found[1]}  {part}" for part in parts)])

    return re.sub("( *)expression: (device.*)", folded, as_yaml([claim]))


def request_lines(settings: Settings) -> list[str]:
    """What the claim asks for: its ``spec.devices``, as YAML."""
    lines = claim_text(claim(settings)).splitlines()
    return [line[4:] for line in lines[lines.index("  devices:") + 1 :]]


def manifests(settings: Settings) -> list[Manifest]:
    """The nodes, their GPUs, the claims and train."""
    return [*fleet(GPUS, RIVALS if settings.rival else "", BROKEN, FIRMWARE), claim(settings), train()]


def fleet(
    gpus: Mapping[str, Sequence[Gpu]], held: str = "", broken: str = "", firmware: Mapping[str, str] = {}
) -> list[Manifest]:
    """Nodes with these GPUs. ``held``: the ``node/gpu`` of the pod rival; ``broken``: the one with a taint;
    ``firmware``: by ``node/gpu``, where it is known."""
    driver = f'device.driver == "{DRIVER}"'
    made = [node(name, 64, "256Gi") for name in gpus]  # so large that rival costs none a point
    made += [_slice(name, devices, broken, firmware) for name, devices in gpus.items()]
    made.append(_object("DeviceClass", "gpu", {"selectors": [{"cel": {"expression": driver}}]}))
    if held:
        pool, device = held.split("/")
        request = {"name": "gpus", "exactly": {"deviceClassName": "gpu"}}
        result = {"request": "gpus", "driver": DRIVER, "pool": pool, "device": device}
        rival = _object("ResourceClaim", "rival", {"devices": {"requests": [request]}})
        user = {"resource": "pods", "name": "rival", "uid": "rival"}
        rival["status"] = {"allocation": {"devices": {"results": [result]}}, "reservedFor": [user]}
        made += [rival, _user("rival", "rival", pool)]
    return made


def train() -> Manifest:
    """The pod, with the claim ``gpus``."""
    return _user("train", "gpus")


def _user(name: str, claim: str, on: str = "") -> Manifest:
    """A pod that uses this claim."""
    made = pod(name, on, resourceClaims=[{"name": "gpus", "resourceClaimName": claim}])
    made["metadata"]["uid"] = name
    made["spec"]["containers"][0]["resources"] = {"claims": [{"name": "gpus"}]}
    return made


def _slice(name: str, gpus: Sequence[Gpu], broken: str, firmware: Mapping[str, str]) -> Manifest:
    devices = []
    for gpu, model, memory, root in gpus:
        attributes = {"model": {"string": model}, ROOT: {"string": root}}
        if known := firmware.get(f"{name}/{gpu}"):
            attributes["firmware"] = {"string": known}
        device: Manifest = {"name": gpu, "attributes": attributes, "capacity": {"memory": {"value": f"{memory}Gi"}}}
        if f"{name}/{gpu}" == broken:
            device["taints"] = [{"key": "broken", "effect": "NoSchedule"}]
        devices.append(device)
    pool = {"name": name, "generation": 1, "resourceSliceCount": 1}
    return _object("ResourceSlice", name, {"driver": DRIVER, "nodeName": name, "pool": pool, "devices": devices})


def _object(kind: str, name: str, spec: Manifest) -> Manifest:
    return {"apiVersion": "resource.k8s.io/v1", "kind": kind, "metadata": {"name": name}, "spec": spec}


# -- the decision and its view


def decide(settings: Settings) -> Decision:
    """The decision of v1.37 for train."""
    return decided(Cluster.from_dicts(manifests(settings), GENERATION.api))


def decided(cluster: Cluster) -> Decision:
    """The decision of v1.37 for train, which is in this cluster.

    Of equal scores, the heap's head is the node that was found first, and 16 workers search at once. v1.37:
    pkg/scheduler/framework/sorted_nodes.go, pkg/scheduler/schedule_one.go (findNodesThatPassFilters).
    """
    decision = schedule("default/train", cluster, GENERATION)
    best = decision.best
    return replace(decision, node=best[0]) if len(best) > 1 else decision


def show(settings: Settings, single: bool = False) -> View:
    """The panel's view for these settings. ``single``: see :func:`looks`."""
    decision = decide(settings)
    seen = sights(decision)
    sentence, look = told(settings, decision, seen), looks(settings, single)
    return View(
        lambda room: draw_sights(seen, room, look),
        sentence,
        element("pre", join(request_lines(settings), element("br"))),
        sentence,
        names={decision.node: "chosen"} if decision.node else {},
        idle={"count": "", "together": ""} if single else {},
        story=lambda room: [
            Frame(draw_sights(now, room, look), caption) for now, caption in search_story(seen, sentence)
        ],
    )


def show_one(settings: Settings) -> View:
    """The view of a claim for one device."""
    return show(settings, single=True)


def looks(settings: Settings, single: bool = False, asks: bool = False) -> Look:
    """The claim above the devices, and a line at the memory that it wants. ``single``: a claim is for one device, so
    that no root matters; ``asks``: nothing of it can be changed."""
    top = partial(buttons, settings, single, asks)
    lines = SHORT if single and settings.count == 1 else LINES
    look = Look(lines=lines, top=top, least=settings.memory * GIBI, wires=not single)
    return look if asks else look._replace(marks=handles(settings), grip="memory", step=(MEMORY[1] - MEMORY[0]) * GIBI)


def buttons(settings: Settings, single: bool, asks: bool, width: float) -> Part:
    """The claim as a sentence of buttons."""

    def group(wide: float, *choices: tuple[str, str, bool]) -> Part:
        return Part(wide * len(choices), 26, tuple(pills(choices, 0, 2, wide)))

    def on_or_off(name: str) -> Part:
        on = getattr(settings, name)
        return group(112, (say(settings.controls()[name].label), f"{name}: {_other(on)}", on))

    number = group(34, *((f"×{n}", f"count: {n}", n == settings.count) for n in (1, 2)))
    parts = (
        words(say("train claims"), bold=True),
        *(() if single else (number,)),
        group(50, *((say(each), f"model: {each}", each == settings.model) for each in MODELS)),
        words(f"≥ {settings.memory}Gi", bold=True),
        row([on_or_off(each) for each in (() if single else ("together",)) + ("tolerates",)], 0),
    )
    inside = wrap(parts, width - 2 * EDGE, 7, 2)
    high = inside.height + 2 * EDGE
    ground = rect(width, high, 11, fill=TRAY, stroke=HAIR)
    return Part(width, high, (ground, moved(inside, EDGE, EDGE, opacity=0.7 if asks else None)))


def handles(settings: Settings) -> dict[str, dict[str, str]]:
    """A click on the device that rival holds ends rival, or brings it back."""
    state = _other(settings.rival)
    said = say("{name}: rival: {state}", name=RIVALS, state=say(state))
    return {f"{DRIVER}/{RIVALS}": {"data_set": f"rival: {state}", "aria_label": said}}


def _other(on: bool) -> str:
    return "off" if on else "on"


def told(settings: Settings, decision: Decision, seen: Sequence[NodeSight]) -> str:
    """The outcome."""
    if decision.node is None:
        event = say("Its event says only: {event}", event=decision.message)
        return sentences((say("train fits on no node."), event))
    gets = both(*(device.id.device for each in seen for device in each.devices if device.state == TAKES))
    able = [each.node for each in seen if not each.reason]
    if len(able) == 1:
        goes = say("train goes to {node} and gets {devices}.", node=decision.node, devices=gets)
        wanted = settings.count > 1 and able == ["node-c"]
        return sentences((goes, say("✓ Two devices, and only node-c has them.") if wanted else ""))
    first = say("{node} was found first, and train gets {devices} there.", node=decision.node, devices=gets)
    return sentences((say("{nodes} can serve train, with equal scores.", nodes=listed(able)), first))


def both(*names: str) -> str:
    """The names with "and" between them."""
    return say(" and ").join(names)


# -- questions


def unanswered(settings: Settings, single: bool = False, picks: str = "") -> Callable[[Room], Html]:
    """The picture while a question is open: train has not asked for devices yet. ``picks``: the node whose devices are
    the answers; for ``single``, see :func:`looks`."""
    before = [unasked(each) for each in sights(decide(settings))]
    marks = {f"{DRIVER}/{picks}/{gpu[0]}": {"data_pick": gpu[0]} for gpu in GPUS.get(picks, ())}
    return lambda room: draw_sights(before, room, looks(settings, single, asks=True)._replace(marks=marks))


def _on(node: str, settings: Settings) -> Sequence[Sight]:
    """The devices of a node after the decision."""
    return next(each.devices for each in sights(decide(settings)) if each.node == node)


def first_fit() -> Question[Settings]:
    """Which device of node-c would train get: the one that fits best, or the first that will do?"""
    node = "node-c"

    def right(settings: Settings) -> str:
        return next((each.id.device for each in _on(node, settings) if each.state in (TAKES, OFFERED)), "")

    def why(settings: Settings, answer: str) -> str:
        gpu = next(each for each in _on(node, settings) if each.id.device == answer)
        if gpu.state == FREE:
            untried = later("{device} would do, too. But the search ends at {first}, which comes before it.")
            return say(untried, device=answer, first=right(settings))
        if gpu.state in (TAKES, OFFERED):
            return say("{device} is the first that will do, so the search ends there.", device=answer)
        return f"{gpu.sentence}."

    return Question(
        say("Which GPU of {node} would train get?", node=node),
        tuple(gpu[0] for gpu in GPUS[node]),
        right,
        why,
        lambda settings: unanswered(settings, single=True, picks=node),
    )


def what_is_wrong() -> Question[Settings]:
    """What is in the way of the h100 of node-c?"""
    node, model = "node-c", "h100"
    small, held, broken = choices = say("it is too small"), say("rival holds it"), say("it is broken")

    def right(settings: Settings) -> str:
        gpu = next(each for each in _on(node, settings) if each.kind == model)
        return {HELD: held, TAINTED: broken}.get(gpu.state, small)

    def why(settings: Settings, answer: str) -> str:
        gpu = next(each for each in _on(node, settings) if each.kind == model)
        sized = say("It has {size}, and train claims {least}Gi.", size=gpu.amount, least=settings.memory)
        return {small: sized, held: say("That is {device}.", device=RIVALS)}.get(answer, f"{gpu.sentence}.")

    return Question(
        say("{node} has an {model}. Why doesn't train get it?", node=node, model=model),
        choices,
        right,
        why,
        lambda settings: unanswered(settings, single=True),
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
        say("Which two does node-a give to train?"),
        tuple(reasons),
        right,
        lambda settings, answer: reasons[answer],
        unanswered,
    )


# -- after the decision


@dataclass(frozen=True)
class Reserved(Restorable):
    """Which of the two pods that use the claim gpus still run."""

    train: bool = switch("train runs", True)
    eval: bool = switch("eval runs", True)

    @property
    def users(self) -> list[str]:
        """The pods of ``status.reservedFor``."""
        return [name for name in ("train", "eval") if getattr(self, name)]


WAITING = "large"
"""A pod with a claim of its own, for as many devices as a node has: it waits until all of a node's are free."""


def reserved() -> Panel[Reserved]:
    """The devices after the decision for train; asks where another pod with the same claim can go."""
    return Panel(Reserved(), _held, None, "devices.reserved()").ask(same_claim())


def same_claim() -> Question[Reserved]:
    """Where can a pod go that uses the claim of train?"""
    node, device = got()
    return Question(
        say("train is on {node}. The pod eval uses the same claim: where can it go?", node=node),
        (*GPUS, say("any of them")),
        lambda _: node,
        lambda *_: say(
            "The claim has its device already, so nothing is searched: both pods share {device}.", device=device
        ),
        lambda settings: partial(
            draw_sights, kept_for_train(), look=Look(lines=0, top=partial(users, settings, True), wires=False)
        ),
    )


def kept_for_train() -> list[NodeSight]:
    """The nodes once the claim gpus holds what train got."""
    return [
        unasked(node)._replace(
            devices=tuple(
                now._replace(reason=held_by("gpus")) if then.state == TAKES else now
                for then, now in zip(node.devices, unasked(node).devices, strict=True)
            )
        )
        for node in sights(decide(Settings()))
    ]


def got() -> tuple[str, str]:
    """The node of train and the device that it gets there, at the beginning."""
    return next((n.node, d.id.device) for n in sights(decide(Settings())) for d in n.devices if d.state == TAKES)


@cache
def after_both() -> Decision:
    """The decision for the waiting pod, once gpus holds nothing."""
    wants = claim_of([], len(GPUS["node-a"]))
    made = [*fleet(GPUS, RIVALS, BROKEN), wants, _user(WAITING, "gpus")]
    return schedule(f"default/{WAITING}", Cluster.from_dicts(made, GENERATION.api), GENERATION)


def _held(settings: Reserved) -> View:
    node, device = got()
    top = partial(users, settings, False)
    if settings.users:
        seen = [each._replace(chosen=each.node == node) for each in kept_for_train()]
        look = Look(lines=0, top=top, into=f"{DRIVER}/{node}/{device}", wires=False)
        sentence = still_used(settings, node, device)
    else:
        node = str(after_both().node)
        seen = [each if each.chosen else unasked(each) for each in sights(after_both())]
        look = Look(lines=0, top=top, wires=False)
        freed = later("The claim controller clears the claim: {device} is free, and {pod} goes to {node}.")
        sentence = say(freed, device=device, pod=WAITING, node=node)
    return View(partial(draw_sights, seen, look=look), sentence, Html(), sentence, names={node: "chosen"})


def still_used(settings: Reserved, node: str, device: str) -> str:
    """Who keeps the device."""
    if len(settings.users) == 1:
        (pod,) = settings.users
        return say("{pod} still uses the claim gpus, so {device} is not free yet.", pod=pod, device=device)
    return say("eval can only go to {node}: its claim, gpus, holds {device} there.", node=node, device=device)


def users(settings: Reserved, asks: bool, width: float) -> Part:
    """The claim gpus and the pods that use it, which a click ends, and the pod that waits for its device.

    ``asks``: the claim does not know of eval yet, and nothing can be changed.
    """
    names = ["train"] if asks else settings.users
    told = (
        words(say("claim {name}", name="gpus"), bold=True),
        words(f"reservedFor: {', '.join(names) or '[]'}", fill=INK_2),
        words(f"allocation: {got()[1]}" if names else say("no allocation"), fill=INK_2),
    )
    claim = column(told, 2)._replace(width=words("reservedFor: train, eval").width)
    is_wide = width >= BROAD
    pods = column([_uses("train", settings.train, asks, is_wide), _uses("eval", settings.eval, asks, is_wide)], 6)
    waits, again = _waits(bool(names)), _again()
    waits, again = (_unseen(waits) if asks else waits), (_unseen(again) if names else again)
    if is_wide:
        beside = column([row([pods, again]), row([Part(30, 0, ()), waits], 0)], 6)
        return row([_boxed(padded(claim, 12, (beside.height - claim.height) / 2)), beside], 4)
    return column([row([waits, again], 4), row([_boxed(padded(claim, 8, 6)), pods], 4)], 6)


def _unseen(part: Part) -> Part:
    """Its room alone."""
    return Part(part.width, part.height, ())


def _waits(on: bool) -> Part:
    """The pod that wants all devices of a node, and whether it waits."""
    wants = say("claims {number} GPUs", number=len(GPUS["node-a"]))
    state = say("waits") if on else say("on {node}", node=after_both().node)
    told = row([words(WAITING, bold=True), words(f"{wants}: {state}", fill=INK_2 if on else CHOSEN)])
    return _boxed(padded(told, 10, 4), stroke_dasharray="4 3" if on else None)


def _again() -> Part:
    """What brings both pods back."""
    inside = _boxed(padded(words(say("again"), bold=True), 8, 4))
    marks = {"data_set": "train: on, eval: on", "aria_label": say("again")}
    return Part(inside.width, inside.height, (element("g", *inside.shapes, **marks),))


def _uses(pod: str, runs: bool, asks: bool, is_wide: bool) -> Part:
    """An arrow from a pod to its claim, and the pod, which a click ends. Dashed: it has ended, or is eval while
    the claim does not know of it."""
    knows = runs and not (asks and pod == "eval")
    dash = None if knows else "4 3"
    line = element("path", d="M30 12H6", stroke=INK_3, stroke_width=1.5, stroke_dasharray=dash)
    head = element("path", d="M0 12l8 -4.5v9Z", fill=INK_3)
    ended = words(say("{pod} has ended", pod=pod) if is_wide else pod, bold=True, fill=INK_2)
    name = _boxed(padded(words(pod, bold=True) if runs else ended, 12, 4), stroke_dasharray=dash)
    ends = say("{pod}: click, and it ends", pod=pod)
    marks = {"data_set": f"{pod}: off", "data_tip": ends, "aria_label": ends} if runs and not asks else {}
    shape = element("g", *name.shapes, data_key=f"pod/{pod}", **marks)
    return row([Part(30, 24, (line, head) if runs else ()), Part(ended.width + 24, name.height, (shape,))], 0)


def _boxed(inside: Part, **look: Any) -> Part:
    """The part on a ground."""
    ground = rect(inside.width, inside.height, 9, fill=TRAY, stroke=INK_3, **look)
    return Part(inside.width, inside.height, (ground, *inside.shapes))


def panel(**settings: Any) -> Panel[Settings]:
    """The panel; arguments override its default settings."""
    return Panel(Settings().changed(**settings), show, manifests, "devices.panel()")


def one(**settings: Any) -> Panel[Settings]:
    """The panel for claims of one device, without roots; arguments override its default settings."""
    return Panel(Settings().changed(**settings), show_one, manifests, "devices.one()")
