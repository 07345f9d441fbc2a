"""A selector that can be typed: settings -> one expression and a device -> the devices that it selects, and every part
with its value for this one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from typing import Any

from kschedlab.cluster.cluster import Cluster
from kschedlab.messages import later, listed, say, sentences, terms
from kschedlab.objects.devices import Device, DeviceAttribute, DeviceCapacity
from kschedlab.objects.quantity import Quantity
from kschedlab.text.html import Html, element
from kschedlab_devices.search import NOT_SELECTED
from kschedlab_lab.panels import devices
from kschedlab_lab.panels.base import Panel, View
from kschedlab_lab.panels.devices import DRIVER, GPUS, both
from kschedlab_lab.panels.question import Question
from kschedlab_lab.panels.settings import Restorable, choice, typed
from kschedlab_lab.views.device_map import unasked
from kschedlab_lab.views.device_sights import FAILS, ROOT, SELECTED, SPARED, NodeSight, Reason, Sight, sights
from kschedlab_lab.views.evaluation import result_of
from kschedlab_lab.views.selection import draw_selection
from kschedlab_lab.views.svg import Room
from kube_cel import CelError, compile
from kube_cel.steps import EvaluatedPart

ATTRIBUTES, CAPACITY = f'device.attributes["{DRIVER}"]', f'device.capacity["{DRIVER}"]'
SELECTORS = {
    "both": f'{CAPACITY}.memory.compareTo(quantity("40Gi")) > 0 && {ATTRIBUTES}.model == "a100"',
    "an unknown attribute": f'{ATTRIBUTES}.firmware == "2.1"',
    "guarded": f'has({ATTRIBUTES}.firmware) && {ATTRIBUTES}.firmware == "2.1"',
    "either": f'{ATTRIBUTES}.firmware == "2.1" || {ATTRIBUTES}.model == "a100"',
}
"""Selectors to begin with: by name, an expression each."""
PREFIX = {"model": ATTRIBUTES, "pcieRoot": ATTRIBUTES, "firmware": ATTRIBUTES, "memory": CAPACITY}
"""What a picture leaves out before these names."""
UNDECLARED = re.compile(r"undeclared reference to '(\w+)'")
UNREAD = re.compile(r"Syntax error: .*(?:input|at:?) '(.+?)'(?: expecting .*)?$")
TOKENS = re.compile(r"\w+|[^\w\s]+")
AMOUNT = re.compile(r"kubernetes\.Quantity|'[KMGT]i'")
COMPARED = f'{CAPACITY}.memory.compareTo(quantity("40Gi")) >= 0'
"""An error about amounts that are compared like numbers, and how one compares them."""
DEVICES = tuple(f"{node}/{gpu[0]}" for node, gpus in GPUS.items() for gpu in gpus)


def known(text: str) -> str:
    """The expression of this name, or the text as an expression, valid or not."""
    return SELECTORS.get(text, text)


def fault(expression: str) -> str:
    """Where the expression does not compile, and why; "" for a valid one."""
    if not expression.strip():
        return say("It is empty. Type an expression that is true or false.")
    try:
        compile(expression)
    except CelError as error:
        found = str(error).partition("\n")[0].removeprefix("compilation failed: ERROR: <input>:")
        if bare := [name for name in dict.fromkeys(UNDECLARED.findall(str(error))) if name in PREFIX]:
            full = both(*(f"{PREFIX[name]}.{name}" for name in bare))
            return say("Write {names} in full: {full}", names=both(*bare), full=full)
        if AMOUNT.search(found):
            return say("{error}. Compare amounts with {example}", error=found, example=COMPARED)
        if (unread := UNREAD.search(found)) is None:
            return found
        if "<EOF>" not in unread[1]:
            return say("It cannot be read from {token} on.", token=unread[1].strip())
        return say("Something is missing after {token}", token=TOKENS.findall(expression)[-1])
    return ""


@dataclass(frozen=True)
class Settings(Restorable):
    """A selector and a device."""

    selector: str = typed("CEL", SELECTORS["both"], SELECTORS.values(), known)
    device: str = choice("device", DEVICES, "node-a/gpu-0")


def device_of(name: str) -> Device:
    """The device ``node/gpu``."""
    node, gpu = name.split("/")
    _, model, memory, root = next(each for each in GPUS[node] if each[0] == gpu)
    attributes = {"model": DeviceAttribute(stringValue=model), ROOT: DeviceAttribute(stringValue=root)}
    return Device(name=gpu, attributes=attributes, capacity={"memory": DeviceCapacity(value=Quantity(f"{memory}Gi"))})


def evaluated(settings: Settings) -> tuple[EvaluatedPart, ...]:
    """The parts of the selector, in short, with their values for the device."""
    steps = compile(known(settings.selector)).steps(DRIVER, device_of(settings.device))
    return tuple(step._replace(text=short(step.text)) for step in steps)


@cache
def fleet() -> tuple[NodeSight, ...]:
    """The nodes with their devices, of which none is held or broken; a selector says nothing of roots."""
    made = [*devices.fleet(GPUS), devices.claim_of([]), devices.train()]
    nodes = map(unasked, sights(devices.decided(Cluster.from_dicts(made, devices.GENERATION.api))))
    return tuple(node._replace(devices=tuple(each._replace(wire="") for each in node.devices)) for node in nodes)


@lru_cache(64)
def judged(expression: str, device: str) -> tuple[str, str]:
    """What the device is for the selector, and the error if it is one."""
    try:
        matches = compile(expression).matches(DRIVER, device_of(device))
    except CelError as error:
        return FAILS, str(error)
    return SELECTED if matches else NOT_SELECTED, ""


def selection(expression: str) -> list[NodeSight]:
    """The nodes, with what each device is for the selector, and the error in which the search for one ends there."""

    def seen(node: NodeSight) -> NodeSight:
        found, reached = list[Sight](), Reason(NOT_SELECTED)
        for each in node.devices:
            reason = Reason(*judged(expression, f"{node.node}/{each.id.device}"))
            unreached = reason.state == FAILS and reached.state != NOT_SELECTED
            found.append(each._replace(reason=Reason(SPARED) if unreached else reason))
            reached = reason if reached.state == NOT_SELECTED else reached
        return node._replace(reason=reached.why if reached.state == FAILS else "", devices=tuple(found))

    return [seen(node) for node in fleet()]


def ring(settings: Settings) -> str:
    """The key of the device whose evaluation is shown."""
    return f"device/{DRIVER}/{settings.device}"


def handles() -> dict[str, dict[str, str]]:
    """A click on a device chooses it."""
    return {f"{DRIVER}/{name}": {"data_set": f"device: {name}", "aria_label": name} for name in DEVICES}


def verdict(settings: Settings) -> str:
    """``selected``, ``not selected`` or ``an error``, in the chosen language."""
    state, _ = judged(known(settings.selector), settings.device)
    return say({SELECTED: later("selected"), FAILS: later("an error")}.get(state, later("not selected")))


def draw(settings: Settings, room: Room, seen: Sequence[NodeSight], evaluates: bool = True) -> Html:
    """The devices as they are seen, and the parts of the selector, with their values or without."""
    return draw_selection(seen, evaluated(settings), room, ring(settings), handles(), evaluates)


def show(settings: Settings) -> View:
    """The panel's view for these settings."""
    if what := fault(known(settings.selector)):
        invalid = sentences((say("This selector is not valid."), what))
        nothing = partial(draw_selection, fleet(), (), ring=ring(settings), marks=handles(), evaluates=True)
        return View(nothing, invalid, Html(), invalid)
    sentence, seen = told(settings), selection(known(settings.selector))
    _, error = judged(known(settings.selector), settings.device)
    return View(
        lambda room: draw(settings, room, seen),
        sentence,
        element("code", error) if error else Html(),
        f"{sentence}\n{error}" if error else sentence,
    )


def told(settings: Settings) -> str:
    """The result in a sentence, and how many devices the selector selects."""
    nodes = selection(known(settings.selector))
    states = {f"{node.node}/{each.id.device}": each.state for node in nodes for each in node.devices}
    said = {
        SELECTED: later("{device} is selected."),
        NOT_SELECTED: later("{device} is not selected."),
        FAILS: later("{device} ends in an error, and no node gets the pod."),
        SPARED: later("{device} would end in an error, but the search ends before it."),
    }
    state, failing = states[settings.device], [node.node for node in nodes if node.reason]
    first = say(said[state], device=settings.device)
    message = later("The selector selects {selected} of {all} devices.")
    count = say(message, selected=[*states.values()].count(SELECTED), all=len(states))
    if state == FAILS or not failing:
        return sentences((first, count))
    end = say("The search ends in an error on {nodes}: no node gets the pod.", nodes=listed(failing))
    return sentences((first, count, end))


def reason(settings: Settings) -> str:
    """Which part decides."""
    parts = evaluated(settings)
    whole = parts[-1]
    if whole.failed:
        return say("An error is not `false`: it ends the decision for the pod, on all nodes.")
    decides = next(each for each in parts if each.values[-1:] == whole.values[-1:])
    if any(each.failed for each in parts):
        message = later(
            "`{part}` is true, and one true side decides `||`: an error on the other side does not matter."
            if decides.values[-1] == "true"
            else "`{part}` is false, and one false side decides `&&`: an error on the other side does not matter."
        )
        return say(message, part=decides.text)
    verdict = say("`{part}` is {value}.", part=decides.text, value=whole.values[-1])
    compared = (
        result_of(each) for each in parts if decides.text.startswith(f"{each.text} ") and ".compareTo(" in each.text
    )
    return sentences((*(say("`compareTo` gives {result}.", result=each) for each in compared), verdict))


def short(selector: str) -> str:
    """The expression without what is the same for all attributes and capacities."""
    return selector.replace(f"{ATTRIBUTES}.", "").replace(f"{CAPACITY}.", "")


def question(asked: Settings = Settings()) -> Question[Settings]:
    """What is the verdict? ``asked``: the settings that the question names."""
    return Question(
        say("What does `{selector}` say of {device}?", selector=short(asked.selector), device=asked.device),
        (*terms("selected", "not selected", "an error"),),
        verdict,
        lambda settings, answer: reason(settings),
        lambda settings: lambda room: draw(settings, room, fleet(), False),
    )


def panel(**settings: Any) -> Panel[Settings]:
    """The panel; arguments override its default settings."""
    first = Settings().changed(**settings)
    return Panel(first, show, None, "selector.panel()", question=question(first))
