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
from kschedlab.messages import listed, meant, say, sentences, terms
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
    Gpu,
    claim_of,
    claim_text,
    decided,
    fleet,
    of_memory,
    of_model,
    train,
)
from kschedlab_lab.views.device_map import Look, draw_devices, draw_sights, unasked
from kschedlab_lab.views.device_sights import FREE, ROOT, TAKES, TRIED, NodeSight, Sight, sights

NODES = ("node-a", "node-b", "node-c")
MODEL = "a100"
"""What train needs."""
SIZES: Mapping[str, tuple[int, ...]] = {"a100": (40, 80), "h100": (80,), "t4": (16,)}
"""The models, and the memory in Gi that they come with."""


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
        rows = [
            [f"{name}/{gpu}", model, f"{memory}Gi", root, self._state(f"{name}/{gpu}")]
            for name, gpus in self.gpus.items()
            for gpu, model, memory, root in gpus
        ]
        head = [*terms("device", "model", meant("memory", "device"), "PCIe root", "state")]
        seen = [unasked(node) for node in sights(self.decision)]
        draw = partial(
            draw_sights, seen, look=Look({f"{DRIVER}/{each}": {"data_pick": each} for each in picks}, lines=None)
        )
        picture = element("div", fitting(draw, width=HALF), *more, style="display:flex;flex-wrap:wrap;gap:0 1.5em")
        written = "\n".join(aligned([head, *rows], ""))
        whole = f"{written}\n\n{text}" if text else written
        return Instance(picture, whole, join([kept(draw), *more]), draw(COLUMN), join(more))

    def _state(self, name: str) -> str:
        held = say("held by rival") if name == self.held else ""
        broken = say("taint: broken") if name == self.broken else ""
        return listed(filter(None, (held, broken)))


def devices_of(decision: Decision) -> list[str]:
    """The devices that train gets, as ``node/gpu``."""
    return [
        f"{each.node}/{device.id.device}"
        for each in sights(decision)
        for device in each.devices
        if each.chosen and device.state == TAKES
    ]


def drawing(objects: Objects) -> Html:
    """The decision for ``default/train`` as a picture."""
    return fitting(partial(draw_devices, decided(Cluster(objects, GENERATION.api))))


def random_case(rng: random.Random) -> Case:
    """Nodes with GPUs drawn at random."""

    def gpu(number: int) -> Gpu:
        model = rng.choice(["a100", "a100", "h100", "t4"])
        return f"gpu-{number}", model, rng.choice(SIZES[model]), rng.choice(["p0", "p1"])

    gpus = {name: [gpu(number) for number in range(3)] for name in NODES}
    names = [f"{name}/gpu-{number}" for name in NODES for number in range(3)]
    held, broken = rng.sample(names, 2)
    return Case(gpus, held, broken, rng.choice([40, 80]))


# -- predict


def which_device(rng: random.Random) -> Exercise:
    """One node can serve the claim, with any of two devices or more."""

    def wanted(case: Case) -> bool:
        free = [each for each in sights(case.decision) if not each.reason]
        if len(free) != 1 or len(remarks_of(case)) < 4:
            return False
        gpus = zip(case.gpus[free[0].node], free[0].devices, strict=True)
        return any(gpu[1] == MODEL and gpu[2] >= case.memory and seen.state == FREE for gpu, seen in gpus)

    case = drawn(rng, random_case, wanted)
    (right,) = devices_of(case.decision)
    remarks = remarks_of(case)
    request = claim_text(case.claim["spec"]["devices"]["requests"][0]["exactly"])
    return Predict(
        say("Which device?"),
        say("train claims one device with this request. Which one does it get?"),
        right,
        remarks[right],
        (
            say("First cross out what is held, has a taint, or is not selected."),
            say("Of those left, the search takes the first of the node's slice."),
        ),
        case.instance(lines(request), text=request, picks=remarks),
        remarks,
        solved=lambda: fitting(partial(draw_devices, case.decision)),
    )


def remarks_of(case: Case) -> dict[str, str]:
    """By device of the model that is asked for: what becomes of it."""
    found = {}
    for node in sights(case.decision):
        for device, gpu in zip(node.devices, case.gpus[node.node], strict=True):
            name = f"{node.node}/{device.id.device}"
            if gpu[1] == MODEL:
                found[name] = _remark(node, name, device)
    return found


def _remark(node: NodeSight, name: str, device: Sight) -> str:
    if device.state == TAKES:
        return say(
            "{device} is the first device of its node that the claim may have, and no other node has one.", device=name
        )
    if device.state == FREE:
        return say(
            "The search on {node} never reaches {device}: a device before it already serves the claim.",
            node=node.node,
            device=name,
        )
    return say("On {node}, {sentence}.", node=node.node, sentence=device.sentence)


# -- build

START = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata:
  name: gpus
spec:
  devices:
    requests:
    - name: gpus
      exactly:
        deviceClassName: gpu
        count:"""
"""The beginning of a claim."""


KINDS = {"Node": 3, "ResourceSlice": 3, "DeviceClass": 1, "ResourceClaim": 2, "Pod": 2}
"""What there is with one claim added: rival has the other one, and a pod that uses it."""


def fault(case: Case, objects: Objects) -> str:
    """What the claim misses; "" if train gets what it needs."""
    cluster = Cluster(objects, GENERATION.api)
    claim = cluster.find(ResourceClaim, ("default", "gpus"))
    if objects.report.counts != KINDS or claim is None:
        return say("Give one claim, gpus, and nothing else.")
    if claim.status.allocation is not None:
        return say("Leave the status out: the scheduler writes it.")
    decision = decided(cluster)
    if decision.error:
        return say("The decision ends with an error: {error}", error=decision.error)
    if decision.node is None:
        return sentences((say("train gets nothing."), missed(case, decision)))
    names = devices_of(decision)
    gpus = [gpu for gpu in case.gpus[decision.node] if f"{decision.node}/{gpu[0]}" in names]
    got = say("train gets {devices}", devices=say(" and ").join(names)) if names else say("train gets no device")
    if len(gpus) != case.count:
        return say("{got}: not {number}.", got=got, number=case.count)
    if any(gpu[1] != MODEL or gpu[2] < case.memory for gpu in gpus):
        return say("{got}: each must be an {model} with {memory}Gi or more.", got=got, model=MODEL, memory=case.memory)
    roots = [gpu[3] for gpu in gpus]
    return say("{got}, on the roots {roots}.", got=got, roots=say(" and ").join(roots)) if len(set(roots)) > 1 else ""


def missed(case: Case, decision: Decision) -> str:
    """What becomes of a device that a right claim would get."""
    wanted = devices_of(case.decision)
    seen = [(node, each) for node in sights(decision) for each in node.devices]
    would = [(node, each) for node, each in seen if f"{node.node}/{each.id.device}" in wanted]
    node, device = min(would, key=lambda each: each[1].state == TRIED)
    return say("On {node}, {sentence}.", node=node.node, sentence=device.sentence)


def elsewhere(case: Case, objects: Objects) -> str:
    """What a claim that is right here by luck would take or refuse on another node; "" if it is right there, too."""
    (claim,) = (each for each in objects.of(ResourceClaim) if each.metadata.name == "gpus")

    def gets(model: str, memory: int, roots: tuple[str, str] = ("p0", "p0")) -> bool:
        gpus = [(f"gpu-{place}", model, memory, root) for place, root in enumerate(roots)]
        cluster = Cluster.from_dicts([*fleet({"node": gpus}), train()], GENERATION.api).add(claim)
        return decided(cluster).node is not None

    def two(model: str, memory: int) -> str:
        return say("{number} {model} with {memory}Gi", number=case.count, model=model, memory=memory)

    least = case.memory
    for takes_it, what in (
        (gets(MODEL, least - 1), two(MODEL, least - 1)),
        (gets("h100", least), two("h100", least)),
        (gets(MODEL, least, ("p0", "p1")), say("devices on two roots")),
    ):
        if takes_it:
            return say("Here it gets the right devices, but it would take {devices} as well.", devices=what)
    if not gets(MODEL, least):
        asked = say("{devices} on one root", devices=two(MODEL, least))
        return say("Here it gets its devices, but it would refuse {devices}, and that is enough.", devices=asked)
    return ""


def two_on_one_root(rng: random.Random) -> Exercise:
    """A claim for two devices on one root, to write, where selectors alone do not lead there."""

    def wanted(case: Case) -> bool:
        apart = replace(case, together=False)
        return case.decision.node is not None and fault(case, decode_objects([*apart.base, apart.claim])) != ""

    case = drawn(rng, lambda rng: replace(random_case(rng), count=2, together=True), wanted)
    return Build(
        say("Two on one root"),
        say(
            "train needs two a100 with at least {memory}Gi each, on one PCIe root. Write its claim, gpus.",
            memory=case.memory,
        ),
        lambda objects: fault(case, objects) or elsewhere(case, objects),
        claim_text(case.claim),
        say("The selectors say what each device must be, the constraint what the two have in common."),
        (
            say("Two selectors: one compares an attribute, the other a capacity, as in the first panel's claim."),
            say("constraints is a list beside requests; its one line is - matchAttribute: {root}", root=ROOT),
        ),
        case.instance(),
        as_yaml(case.base),
        START,
        drawing,
    )
