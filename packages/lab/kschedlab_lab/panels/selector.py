"""A selector that can be typed: settings -> one expression and a device -> the devices that it selects, and every part
with its value for this one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from typing import Any

from kschedlab.build import Manifest
from kschedlab.cluster.cluster import Cluster
from kschedlab.messages import later, listed, say, sentences, terms
from kschedlab.objects.devices import Device
from kschedlab.objects.model import ResourceSlice
from kschedlab.text.html import Html, element
from kschedlab_devices.search import NOT_SELECTED
from kschedlab_lab.panels import devices
from kschedlab_lab.panels.base import Panel, View
from kschedlab_lab.panels.devices import DRIVER, FIRMWARE, GPUS, both
from kschedlab_lab.panels.question import Question
from kschedlab_lab.panels.settings import Restorable, choice, typed
from kschedlab_lab.views.device_map import HIGH, Look, device_part, spoken
from kschedlab_lab.views.device_sights import FAILS, SELECTED, NodeSight, Reason, sights, unasked
from kschedlab_lab.views.evaluation import evaluation_part, evaluation_text, result_of
from kschedlab_lab.views.layout import Part, column, words, wrap
from kschedlab_lab.views.style import CHOSEN, EVICTED
from kschedlab_lab.views.svg import Room, svg
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
TALLEST = 104
"""The height of the largest device, so that a shorter headline moves none."""
PREFIX = {"model": ATTRIBUTES, "pcieRoot": ATTRIBUTES, "firmware": ATTRIBUTES, "memory": CAPACITY}
"""What a picture leaves out before these names."""
UNDECLARED = re.compile(r"(?:undeclared reference to|undefined field) '(\w+)'")
UNREAD = re.compile(r"Syntax error: .*(?:input|at:?) '(.+?)'(?: expecting .*)?$")
INSTEAD = {"=": "==", "and": "&&", "&": "&&", "or": "||", "|": "||", "not": "!", "“": '"', "”": '"'}
"""What other languages write, and what CEL has instead."""
VALUE = re.compile(r"must evaluate to bool or the unknown type, not (\w+)")
AMOUNT = re.compile(r"kubernetes\.Quantity|'[KMGT]i'")
COMPARED = f'{CAPACITY}.memory.compareTo(quantity("40Gi")) >= 0'
"""An error about amounts that are compared like numbers, and how one compares them."""
DEVICES = tuple(f"{node}/{gpu[0]}" for node, gpus in GPUS.items() for gpu in gpus)


@dataclass(frozen=True)
class Settings(Restorable):
    """A selector and a device."""

    selector: str = typed("CEL", SELECTORS["both"], SELECTORS.values(), lambda text: SELECTORS.get(text, text))
    device: str = choice("device", DEVICES, "node-a/gpu-0")


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
            return say("Compare amounts with {example} ({error})", error=found, example=COMPARED)
        if value := VALUE.search(found):
            return say(
                "It is neither true nor false, but has the type {type}. Compare it, such as with ==.", type=value[1]
            )
        if unknown := UNDECLARED.search(found):
            return say('{name} is unknown. If it is a text, write "{name}".', name=unknown[1])
        return unreadable(found)
    return ""


def unreadable(error: str) -> str:
    """Where the parser gave up, and what was probably meant; another error as it is."""
    if (unread := UNREAD.search(error)) is None:
        return error
    token = unread[1].strip()
    if "<EOF>" in token:
        return say("Something is missing at its end.")
    if token in INSTEAD:
        return say("Write {right}, not {wrong}.", right=INSTEAD[token], wrong=token)
    return say("It cannot be read from {token} on.", token=token)


def made(*selectors: str) -> list[Manifest]:
    """The nodes, their devices and train, whose claim has these selectors."""
    return [*devices.fleet(GPUS, firmware=FIRMWARE), devices.claim_of(selectors), devices.train()]


@cache
def cluster() -> Cluster:
    """The nodes and their devices, of which none is held or broken."""
    return Cluster.from_dicts(made(), devices.GENERATION.api)


@cache
def device_of(name: str) -> Device:
    """The device ``node/gpu``."""
    slices = cluster().objects_of(ResourceSlice)
    return next(each for one in slices for each in one.spec.devices if f"{one.spec.pool.name}/{each.name}" == name)


def stopped(device: str) -> str:
    """What an error at this device does to train."""
    return say("train: no node; the search stops at {device}", device=device)


def outcome(selector: str) -> tuple[str, bool]:
    """Where train can go if its claim has this selector, in words; and whether it can go anywhere."""
    able, stops = _decided(selector)
    if stops:
        return stopped(stops), False
    return (say("train: {nodes}", nodes=say(" or ").join(able)), True) if able else (say("train: no node"), False)


@lru_cache(64)
def _decided(selector: str) -> tuple[list[str], str]:
    """The nodes where train can go, and the device at which an error stops the search; "" if none does."""
    decision = devices.decided(Cluster.from_dicts(made(selector), devices.GENERATION.api))
    able = [node.node for node in sights(decision) if not node.reason]
    failing = (each for each in DEVICES if judged(selector, each).state == FAILS)
    return able, next(failing) if decision.error else ""


def evaluated(settings: Settings) -> tuple[EvaluatedPart, ...]:
    """The parts of the selector, in short, with their values for the device."""
    steps = compile(settings.selector).steps(DRIVER, device_of(settings.device))
    return tuple(step._replace(text=short(step.text)) for step in steps)


@cache
def fleet() -> list[NodeSight]:
    """The nodes before a pod asks."""
    return [unasked(node) for node in sights(devices.decided(cluster()))]


@lru_cache(64)
def judged(expression: str, device: str) -> Reason:
    """What the device is for the selector, and the error if it is one."""
    try:
        matches = compile(expression).matches(DRIVER, device_of(device))
    except CelError as error:
        return Reason(FAILS, str(error))
    return Reason(SELECTED if matches else NOT_SELECTED)


def selection(expression: str) -> list[NodeSight]:
    """The nodes, with what each device is for the selector."""
    found = []
    for node in fleet():
        of = {each: judged(expression, f"{node.node}/{each.id.device}") for each in node.devices}
        found.append(node._replace(devices=tuple(each._replace(reason=reason) for each, reason in of.items())))
    return found


@lru_cache(64)
def highest(selector: str, width: float) -> float:
    """The height of the selector's parts for the device that needs most."""
    return max(evaluation_part(evaluated(Settings(selector, each)), width).height for each in DEVICES)


def result_part(selector: str, width: float) -> Part:
    """Where train can go with this selector; "" keeps its room alone."""
    kept = words(stopped(DEVICES[0]), bold=True, width=width)
    if not selector:
        return Part(width, kept.height)
    ends, fits = outcome(selector)
    return Part(width, kept.height, words(ends, bold=True, fill=CHOSEN if fits else EVICTED, width=width).shapes)


def draw(
    settings: Settings,
    room: Room,
    seen: Sequence[NodeSight],
    steps: Sequence[EvaluatedPart],
    first: str,
    evaluates: bool = True,
) -> Html:
    """The devices as they are seen, where a click chooses one; below them where train can go, what this one has, and
    the parts of the selector, with their values or without. The devices are as high as the values of any of them
    permit, and those of the selector to begin with (``first``), also guarded: a shorter one moves none."""
    marks = {f"{DRIVER}/{name}": {"data_set": f"device: {name}", "aria_label": name} for name in DEVICES}
    look = Look(marks, f"device/{DRIVER}/{settings.device}", lines=0, wires=False)
    (has,) = (each.facts for node in seen for each in node.devices if each.key == look.ring)
    facts = wrap([words(settings.device, bold=True), words(listed(has))], room.width)
    kept = {first, SELECTORS["guarded"], *([settings.selector] if steps else [])}
    below = max(highest(each, room.width) for each in kept)
    result = result_part(settings.selector if steps and evaluates else "", room.width)
    rest = facts.height + below + result.height + 16
    high = min(HIGH + room.height - device_part(seen, room.width, look).height - rest, TALLEST)
    nodes = device_part(seen, room.width, look, high)
    values = evaluation_part(steps, room.width, evaluates)
    part = column([nodes, result, facts, Part(room.width, below, values.shapes)])
    written = (line.strip() for line in evaluation_text(steps if evaluates else ()).splitlines())
    return svg(part.shapes, room.width, part.height + 4, say("; ").join((spoken(seen), *written)))


def show(settings: Settings, first: str = SELECTORS["both"]) -> View:
    """The panel's view for these settings. ``first``: the selector to begin with."""
    if what := fault(settings.selector):
        invalid = sentences((say("This selector is not valid."), what))
        return View(lambda room: draw(settings, room, fleet(), (), first), invalid, Html(), invalid)
    sentence, seen = told(settings), selection(settings.selector)
    error = judged(settings.selector, settings.device).why
    return View(
        lambda room: draw(settings, room, seen, evaluated(settings), first),
        sentence,
        element("code", error) if error else Html(),
        f"{sentence}\n{error}" if error else sentence,
    )


def verdict(settings: Settings) -> str:
    """``selected``, ``not selected`` or ``an error``, in the chosen language."""
    state = judged(settings.selector, settings.device).state
    return say({SELECTED: later("selected"), FAILS: later("an error")}.get(state, later("not selected")))


def told(settings: Settings) -> str:
    """The result in a sentence, and how many devices the selector selects."""
    said = {
        SELECTED: later("{device} is selected."),
        NOT_SELECTED: later("{device} is not selected."),
        FAILS: later("{device} ends in an error."),
    }
    states = [judged(settings.selector, device).state for device in DEVICES]
    first = say(said[judged(settings.selector, settings.device).state], device=settings.device)
    message = later("The selector selects {selected} of {all} devices.")
    selects, errors = say(message, selected=states.count(SELECTED), all=len(states)), states.count(FAILS)
    ends = later("On {errors} it ends in an error: guard it with has().")
    return sentences((first, selects, say(ends, errors=errors) if errors else "", reached(states)))


def reached(states: Sequence[str]) -> str:
    """What the lesson asks a reader to type, once the devices have these states."""
    selected = {device for device, state in zip(DEVICES, states, strict=True) if state == SELECTED}
    if FAILS in states:
        return ""
    return say("✓ Both GPUs with firmware 2.1, and no error.") if selected == set(FIRMWARE) else ""


def reason(settings: Settings) -> str:
    """Which part decides."""
    parts = evaluated(settings)
    whole = parts[-1]
    if whole.failed:
        return say(
            "An error is not `false`: if the search reaches this device, the decision ends, on all nodes. Guard it "
            "with `has(...) &&`."
        )
    decides = next(each for each in parts if each.values[-1:] == whole.values[-1:])
    verdict = say("`{part}` is {value}.", part=decides.text, value=whole.values[-1])
    compared = [each for each in parts if decides.text.startswith(f"{each.text} ") and ".compareTo(" in each.text]
    return sentences((*(say("`compareTo` gives {result}.", result=result_of(each)) for each in compared), verdict))


def short(selector: str) -> str:
    """The expression without what is the same for all attributes and capacities."""
    return selector.replace(f"{ATTRIBUTES}.", "").replace(f"{CAPACITY}.", "")


def question(asked: Settings = Settings()) -> Question[Settings]:
    """What is the verdict? ``asked``: the settings that the question names."""
    names = both(*(name for name in PREFIX if name in asked.selector))
    return Question(
        say("Is {device} selected by {names}?", device=asked.device, names=names or "CEL"),
        (*terms("selected", "not selected", "an error"),),
        verdict,
        lambda settings, answer: reason(settings),
        lambda settings: lambda room: draw(settings, room, fleet(), evaluated(settings), asked.selector, False),
    )


def panel(**settings: Any) -> Panel[Settings]:
    """The panel; arguments override its default settings."""
    first = Settings().changed(**settings)
    return Panel(first, partial(show, first=first.selector), None, "selector.panel()")
