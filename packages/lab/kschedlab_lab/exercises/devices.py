"""Exercises of lesson 10: which device a claim gets, and a claim to write."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial

from kschedlab.build import Manifest, as_yaml
from kschedlab.cluster.cluster import Cluster
from kschedlab.decision import Decision
from kschedlab.manifests.loading import Objects, decode_objects
from kschedlab.messages import later, listed, say, sentences
from kschedlab.objects.model import ResourceClaim
from kschedlab.text.html import Html, element, join
from kschedlab.text.plain import aligned
from kschedlab_lab.exercises.build import Build
from kschedlab_lab.exercises.clusters import COLUMN
from kschedlab_lab.exercises.exercise import Exercise, Instance, drawn, lines
from kschedlab_lab.exercises.fitting import HALF, fitting, kept
from kschedlab_lab.exercises.predict import Predict
from kschedlab_lab.panels.devices import (
    DRIVER,
    GENERATION,
    GIBI,
    Gpu,
    both,
    claim_of,
    claim_text,
    decided,
    fleet,
    of_memory,
    of_model,
    train,
)
from kschedlab_lab.views.device_map import Look, draw_sights
from kschedlab_lab.views.device_sights import FREE, HELD, ROOT, TAKES, TRIED, NodeSight, Sight, sights, unasked

NODES = ("node-a", "node-b", "node-c")
MODEL = "a100"
"""What train needs."""
SIZES: Mapping[str, tuple[int, ...]] = {"a100": (40, 80), "h100": (80,), "t4": (16,)}
"""The models, and the memory in Gi that they come with."""
KINDS = {"Node": 3, "ResourceSlice": 3, "DeviceClass": 1, "ResourceClaim": 2, "Pod": 2}
"""What there is with one claim added: rival has the other one, and a pod that uses it."""


def exercises(seed: int) -> list[Exercise]:
    """The exercises of the lesson, drawn from the seed."""
    rng = random.Random(f"devices {seed}")
    return [which_device(rng), two_on_one_root(rng)]


@dataclass(frozen=True)
class Case:
    """Three nodes with GPUs, one of them held and one with a taint, and what train's claim asks for: one a100 with so
    much memory in Gi, or two of them. ``together``: these are on one root."""

    gpus: Mapping[str, Sequence[Gpu]]
    held: str
    broken: str
    memory: int
    count: int = 1
    together: bool = False

    @property
    def base(self) -> list[Manifest]:
        """Everything but the claim."""
        return [*fleet(self.gpus, self.held, self.broken), train()]

    @property
    def claim(self) -> Manifest:
        return claim_of([of_model(MODEL), of_memory(self.memory)], self.count, self.together)

    @cached_property
    def decision(self) -> Decision:
        """What is decided."""
        return decided(Cluster.from_dicts([*self.base, self.claim], GENERATION.api))

    def instance(self, *more: Html, text: str = "", picks: Iterable[str] = ()) -> Instance:
        """The devices before the decision, and all that is known of them. ``picks``: those that answer a click."""
        seen = [unasked(node) for node in sights(self.decision)]
        rows = [
            (name, listed(each.facts), each.reason.words if each.state == HELD else "") for name, each in named(seen)
        ]
        look = Look({f"{DRIVER}/{each}": {"data_pick": each} for each in picks}, lines=0)
        draw = partial(draw_sights, seen, look=look)
        picture = element("div", fitting(draw, width=HALF), *more, style="display:flex;flex-wrap:wrap;gap:0 1.5em")
        written = "\n".join([*aligned(rows, ""), "", text]).rstrip()
        return Instance(picture, written, join([kept(draw), *more]), draw(COLUMN), join(more))


def named(seen: Iterable[NodeSight]) -> list[tuple[str, Sight]]:
    """All devices, each as ``node/gpu``."""
    return [(f"{node.node}/{each.id.device}", each) for node in seen for each in node.devices]


def devices_of(decision: Decision) -> list[str]:
    """The devices that train gets, as ``node/gpu``."""
    return [name for name, device in named(sights(decision)) if device.state == TAKES]


def drawing(decision: Decision) -> Html:
    """The decision for train as a picture."""
    return fitting(partial(draw_sights, sights(decision)))


def random_case(rng: random.Random) -> Case:
    """Nodes with GPUs drawn at random."""

    def gpus() -> list[Gpu]:
        roots, models = sorted(rng.choices(["p0", "p1"], k=3)), rng.choices(["a100", "a100", "h100", "t4"], k=3)
        return [(f"gpu-{at}", models[at], rng.choice(SIZES[models[at]]), roots[at]) for at in range(3)]

    names = [f"{name}/gpu-{number}" for name in NODES for number in range(3)]
    held, broken = rng.sample(names, 2)
    return Case({name: gpus() for name in NODES}, held, broken, rng.choice([40, 80]))


# -- predict


def which_device(rng: random.Random) -> Exercise:
    """One node can serve the claim, with any of two devices or more."""

    def wanted(case: Case) -> bool:
        seen = sights(case.decision)
        able = [node for node in seen if not node.reason]
        more = [each for node in able for each in node.devices if each.state == FREE and each.kind == MODEL]
        enough = any(each.size >= case.memory * GIBI for each in more)
        return len(able) == 1 and enough and len(remarks_of(seen)) >= 4

    case = drawn(rng, random_case, wanted)
    seen = sights(case.decision)
    (right,), remarks = devices_of(case.decision), remarks_of(seen)
    request = claim_text(case.claim["spec"]["devices"]["requests"][0]["exactly"])
    return Predict(
        say("Which device?"),
        say("train claims one device with this request. Which one does it get?"),
        right,
        sentences((remarks[right], *(nothing(node) for node in seen if node.reason))),
        (
            say("First cross out what is held, has a taint, or is not selected."),
            say("Of those left, the search takes the first of the node's slice."),
        ),
        case.instance(lines(request), text=request, picks=remarks),
        remarks,
        solved=lambda: drawing(case.decision),
    )


def nothing(node: NodeSight) -> str:
    """Why the node gives none of its devices."""
    causes = listed(f"{each.id.device} {each.reason.shortly}" for each in node.devices)
    return say("{node} gives none: {causes}.", node=node.node, causes=causes)


def remarks_of(seen: Sequence[NodeSight]) -> dict[str, str]:
    """By device of the model that is asked for: what becomes of it."""
    said = {
        TAKES: later("{device} is the first device of its node that the claim may have, and no other node has one."),
        FREE: later("The search never reaches {device}: a device before it already serves the claim."),
    }
    return {
        f"{node.node}/{each.id.device}": say(
            said.get(each.state, later("On {node}, {sentence}.")),
            device=f"{node.node}/{each.id.device}",
            node=node.node,
            sentence=each.sentence,
        )
        for node in seen
        for each in node.devices
        if each.kind == MODEL
    }


# -- build


def two_on_one_root(rng: random.Random) -> Exercise:
    """A claim for two devices on one root, to write, where selectors alone do not lead there."""

    def wanted(case: Case) -> bool:
        apart = replace(case, together=False)
        return case.decision.node is not None and fault(case, decode_objects([*apart.base, apart.claim])) != ""

    case = drawn(rng, lambda rng: replace(random_case(rng), count=2, together=True), wanted)
    right = claim_text(case.claim)
    return Build(
        say("Two on one root"),
        say(
            "train needs two a100 with at least {memory}Gi each, on one PCIe root. Write its claim, gpus.",
            memory=case.memory,
        ),
        lambda objects: fault(case, objects) or elsewhere(case, objects),
        right,
        say("The selectors say what each device must be, the constraint what the two have in common."),
        (
            say("Two selectors: one compares an attribute, the other a capacity, as in the first panel's claim."),
            say("constraints is a list beside requests; its one line is - matchAttribute: {root}", root=ROOT),
        ),
        case.instance(),
        as_yaml(case.base),
        right.partition("2\n")[0],
        lambda objects: drawing(decided(Cluster(objects, GENERATION.api))),
    )


def fault(case: Case, objects: Objects) -> str:
    """What the claim misses; "" if train gets what it needs."""
    cluster = Cluster(objects, GENERATION.api)
    claim = cluster.find(ResourceClaim, ("default", "gpus"))
    if objects.report.counts != KINDS or claim is None:
        return say("Give one claim, gpus, and nothing else.")
    if claim.status.allocation is not None:
        return say("Leave the status out: the scheduler writes it.")
    decision, wanted = decided(cluster), devices_of(case.decision)
    if decision.error:
        return say("The decision ends with an error: {error}", error=decision.error)
    if decision.node is None:
        would = [(name, each) for name, each in named(sights(decision)) if name in wanted]
        name, device = min(would, key=lambda each: each[1].state == TRIED)
        missed = say("On {node}, {sentence}.", node=name.partition("/")[0], sentence=device.sentence)
        return sentences((say("train gets nothing."), missed))
    if (names := devices_of(decision)) == wanted:
        return ""
    roots = {name: each.root for name, each in named(sights(decision))}
    got = both(*(say("{device} on root {root}", device=name, root=roots[name]) for name in names)) or say("no device")
    message = later("train gets {got}, not {number} {model} with {memory}Gi or more on one root.")
    return say(message, got=got, number=case.count, model=MODEL, memory=case.memory)


def elsewhere(case: Case, objects: Objects) -> str:
    """What a claim that is right here by luck would take or refuse on another node; "" if it is right there, too."""
    (claim,) = (each for each in objects.of(ResourceClaim) if each.metadata.name == "gpus")
    for model, memory, roots in (
        (MODEL, case.memory - 1, ("p0", "p0")),
        ("h100", case.memory, ("p0", "p0")),
        (MODEL, case.memory, ("p0", "p1")),
        (MODEL, case.memory, ("p0", "p0")),
    ):
        gpus = {"node": [(f"gpu-{place}", model, memory, root) for place, root in enumerate(roots)]}
        takes = decided(Cluster.from_dicts([*fleet(gpus), train()], GENERATION.api).add(claim)).node is not None
        if takes != (model == MODEL and memory == case.memory and len({*roots}) == 1):
            said = later(
                "Here it gets the right devices, but it would take {number} {model} with {memory}Gi on {roots}, too."
                if takes
                else "Here it gets the right devices, but it would refuse {number} {model} with {memory}Gi on {roots}."
            )
            return say(
                said,
                number=case.count,
                model=model,
                memory=memory,
                roots=say("two roots") if len({*roots}) > 1 else say("one root"),
            )
    return ""
