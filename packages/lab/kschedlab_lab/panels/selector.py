"""A selector that can be typed, evaluated step by step: settings -> one device and one expression -> every part with
its value."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from kschedlab.messages import later, listed, say, terms
from kschedlab.objects.devices import Device, DeviceAttribute, DeviceCapacity
from kschedlab.objects.quantity import Quantity
from kschedlab.text.html import Html
from kschedlab_lab.panels.base import Frame, Panel, View
from kschedlab_lab.panels.devices import DRIVER, GPUS
from kschedlab_lab.panels.question import Question
from kschedlab_lab.panels.settings import Restorable, choice, typed
from kschedlab_lab.views.device_sights import ROOT
from kschedlab_lab.views.evaluation import draw_evaluation, draw_invalid, result_of, worth_showing
from kube_cel import CelError, compile
from kube_cel.steps import EvaluatedPart

ATTRIBUTES, CAPACITY = f'device.attributes["{DRIVER}"]', f'device.capacity["{DRIVER}"]'
SELECTORS = {
    "model": f'{ATTRIBUTES}.model == "a100"',
    "memory": f'{CAPACITY}.memory.compareTo(quantity("40Gi")) >= 0',
    "both": f'{ATTRIBUTES}.model == "a100" && {CAPACITY}.memory.compareTo(quantity("40Gi")) > 0',
    "an unknown attribute": f'{ATTRIBUTES}.firmware == "2.1"',
    "guarded": f'has({ATTRIBUTES}.firmware) && {ATTRIBUTES}.firmware == "2.1"',
    "either": f'{ATTRIBUTES}.firmware == "2.1" || {ATTRIBUTES}.model == "a100"',
    "one of a list": f'{ATTRIBUTES}.model in ["a100", "h100"]',
    "a loop": f"[20, 40, 80].exists(gi, {CAPACITY}.memory.asInteger() == gi * 1073741824)",
    "another domain": 'device.attributes["other.example.com"].model == "a100"',
}
"""Selectors to begin with: by name, an expression each."""
PREFIX = {"model": ATTRIBUTES, "pcieRoot": ATTRIBUTES, "firmware": ATTRIBUTES, "memory": CAPACITY}
"""What a picture leaves out before these names."""
UNDECLARED = re.compile(r"undeclared reference to '(\w+)'")
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
        bare = UNDECLARED.search(found)
        if bare is None or bare[1] not in PREFIX:
            return found
        return say(
            "{error}. Write {name} in full: {full}", error=found, name=bare[1], full=f"{PREFIX[bare[1]]}.{bare[1]}"
        )
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


def note(settings: Settings) -> str:
    """What the short names in the selector mean; "" if it has none."""
    written = known(settings.selector)
    names = [f"{prefix}.{name}" for name, prefix in PREFIX.items() if f"{prefix}.{name}" in written]
    meanings = (say("{name} is short for {full}", name=name.rpartition(".")[2], full=name) for name in names)
    return listed(meanings)


def verdict(settings: Settings) -> str:
    """``selected``, ``not selected`` or ``an error``, in the chosen language."""
    try:
        matches = compile(known(settings.selector)).matches(DRIVER, device_of(settings.device))
    except CelError:
        return say("an error")
    return say("selected" if matches else "not selected")


def show(settings: Settings) -> View:
    """The panel's view for these settings."""
    if what := fault(known(settings.selector)):
        said = say("This selector is not valid.")
        return View(lambda room: draw_invalid(settings.selector, what, room), said, Html(), f"{said}\n{what}")
    parts, sentence = evaluated(settings), told(settings)
    return View(
        lambda room: draw_evaluation(parts, room, note=note(settings)),
        sentence,
        Html(),
        sentence,
        story=lambda room: [
            Frame(draw_evaluation(parts, room, at + 1, note(settings)), f"{parts[at].text} = {result_of(parts[at])}")
            for at in worth_showing(parts)
        ],
    )


def told(settings: Settings) -> str:
    """The result in a sentence."""
    try:
        matches = compile(known(settings.selector)).matches(DRIVER, device_of(settings.device))
    except CelError as error:
        return say("{device}: {error}.", device=settings.device, error=error)
    message = later("{device} is selected.") if matches else later("{device} is not selected.")
    return say(message, device=settings.device)


def reason(settings: Settings) -> str:
    """Which part decides."""
    parts = evaluated(settings)
    whole = parts[-1]
    if whole.failed:
        return say("An error ends the decision: no node gets the pod.")
    decides = next(each for each in parts if each.values[-1:] == whole.values[-1:])
    if any(each.failed for each in parts):
        message = later(
            "`{part}` is true, and one true side decides `||`: an error on the other side does not matter."
            if decides.values[-1] == "true"
            else "`{part}` is false, and one false side decides `&&`: an error on the other side does not matter."
        )
        return say(message, part=decides.text)
    return say("`{part}` is {value}.", part=decides.text, value=whole.values[-1])


def short(selector: str) -> str:
    """The expression without what is the same for all attributes and capacities."""
    return selector.replace(f"{ATTRIBUTES}.", "").replace(f"{CAPACITY}.", "")


def question(asked: Settings = Settings()) -> Question[Settings]:
    """What is the verdict? ``asked``: the settings whose device the question describes."""
    node, gpu = asked.device.split("/")
    _, model, memory, root = next(each for each in GPUS[node] if each[0] == gpu)
    return Question(
        say(
            "{device} has model {model}, pcieRoot {root} and {memory}Gi. What is the verdict of `{selector}`?",
            device=asked.device,
            model=model,
            root=root,
            memory=memory,
            selector=short(asked.selector),
        ),
        (*terms("selected", "not selected", "an error"),),
        verdict,
        lambda settings, answer: reason(settings),
        lambda settings: lambda room: draw_evaluation(evaluated(settings), room, 0, note(settings)),
    )


def panel(**settings: Any) -> Panel[Settings]:
    """The panel; arguments override its default settings."""
    first = Settings().changed(**settings)
    return Panel(first, show, None, "selector.panel()", question=question(first))
