"""The bundled cluster as exercises of lesson 07 show it: its pools, and pods to place in them."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any, NamedTuple

import yaml

from kschedlab.build import Manifest, pod
from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.pools import pools
from kschedlab.decision import Decision
from kschedlab.generations import LATEST
from kschedlab.manifests.loading import Objects, decode_objects
from kschedlab.messages import later, say, terms
from kschedlab.scheduler import schedule
from kschedlab.text.html import element, join
from kschedlab.text.plain import aligned
from kschedlab.text.tables import row, table
from kschedlab_lab.exercises.exercise import Instance, lines
from kschedlab_lab.panels.cluster_source import bundled

POOL = "karpenter.sh/nodepool"
TAINTS = {
    "spot": ("spot", "true"),
    "data": ("dedicated", "data"),
    "gpu": ("nvidia.com/gpu", "present"),
    "ingress": ("dedicated", "ingress"),
}
"""The taints that protect the pools; the pool general has none."""
HEAD = (
    later("pool"),
    later("nodes"),
    later("taint"),
    later("a node has"),
    later("most free CPU on a node"),
    later("most free memory"),
)


def cluster() -> Cluster:
    return bundled().cluster(LATEST)


@cache
def pool_rows() -> list[list[str]]:
    """The facts about each pool. Nodes whose taints differ from the pool's first node are ignored."""
    world, rows = cluster(), []
    for name, places in pools(world).items():
        first = world.nodes[places[0]]
        well = [place for place in places if world.nodes[place].spec.taints == first.spec.taints]
        cpu, memory = (world.allocatable[:2, well] - world.requested[:2, well]).max(axis=1).tolist()
        key, value = TAINTS.get(name, ("", ""))
        size = f"{world.allocatable[0, places[0]]}m, {world.allocatable[1, places[0]] >> 20}Mi"
        rows.append([name, str(len(well)), f"{key}={value}:NoSchedule" if key else "", size])
        rows[-1] += [f"{cpu}m", f"{memory >> 20}Mi"]
    return rows


def wish_instance(wish: Wish) -> Instance:
    """What the pod asks for, beside the pools."""
    beside, text = pool_instance(), wish.essentials
    manifest = lines(text)
    whole = "\n".join(filter(None, [text, beside.text]))
    return replace(beside, picture=join([manifest, beside.picture]), text=whole, printed=manifest)


def pool_instance(folded: bool = False) -> Instance:
    """All pools in a table; ``folded``: an exercise before has shown them."""
    note = say("Nodes of a pool have the label {pool}. The three closed nodes of general are left out.", pool=POOL)
    head = terms(*HEAD)
    rows = [[name, number, taint or say("none"), *sizes] for name, number, taint, *sizes in pool_rows()]
    whole = join([table(head, (row(*each) for each in rows)), element("p", note)])
    if folded:
        return Instance(element("details", element("summary", say("The pools")), whole), "", common=whole)
    return Instance(whole, "\n".join([*aligned([head, *rows], ""), note]), common=whole)


def decide(manifest: Manifest) -> Decision:
    """The decision for the pod in the bundled cluster."""
    return placed(decode_objects([manifest]))


def placed(objects: Objects) -> Decision:
    """The decision for the only pod of these objects."""
    return schedule(objects.pods[0].key, with_pod(objects))


def with_pod(objects: Objects) -> Cluster:
    """The bundled cluster with this pod pending."""
    world = cluster().fork()
    info = world.info(objects.pods[0])
    world.withdraw(info.key)
    world.pending[info.key] = info
    return world


def toleration(pool: str) -> dict[str, str]:
    """The toleration that admits a pod to that pool."""
    key, value = TAINTS[pool]
    return {"key": key, "operator": "Equal", "value": value, "effect": "NoSchedule"}


class Wish(NamedTuple):
    """A pod: its request, the pools that it tolerates, and the one that it selects ("" for any)."""

    cpu: int
    tolerates: tuple[str, ...]
    selects: str = ""

    @property
    def essentials(self) -> str:
        """What decides about it, in a few lines of its YAML."""
        spec = self.manifest["spec"]
        asks = {"requests": spec["containers"][0]["resources"]["requests"]}
        wishes = {name: spec[name] for name in ("nodeSelector", "tolerations") if name in spec}
        return "".join(
            yaml.safe_dump({name: each}, default_flow_style=None, sort_keys=False, width=200)
            for name, each in (asks | wishes).items()
        )

    @property
    def manifest(self) -> Manifest:
        spec: dict[str, Any] = {}
        if self.selects:
            spec["nodeSelector"] = {POOL: self.selects}
        if self.tolerates:
            spec["tolerations"] = [toleration(each) for each in self.tolerates]
        return pod("mine", cpu=f"{self.cpu}m", memory="1Gi", priority=0, **spec)
