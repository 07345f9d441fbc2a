"""The bundled cluster as exercises of lesson 07 show it: its pools, and pods to place in them."""

from __future__ import annotations

from collections.abc import Iterable
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
from kschedlab.messages import later, listed, say, terms
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
HEAD = (later("pool"), later("nodes"), later("taint"), later("most free CPU on a node"))


@cache
def pool_rows() -> list[tuple[str, str, str, str]]:
    """The facts about each pool. Nodes whose taints differ from the pool's first node are ignored."""
    world, rows = bundled().cluster(LATEST), []
    for name, places in pools(world).items():
        well = [place for place in places if world.nodes[place].spec.taints == world.nodes[places[0]].spec.taints]
        free = (world.allocatable[0, well] - world.requested[0, well]).max()
        key, value = TAINTS.get(name, ("", ""))
        rows.append((name, str(len(well)), f"{key}={value}:NoSchedule" if key else "", f"{free}m"))
    return rows


def pool_instance(folded: bool = False) -> Instance:
    """All pools in a table; ``folded``: an exercise before has shown them."""
    note = say("Nodes of a pool have the label {pool}. The three closed nodes of general are left out.", pool=POOL)
    head, rows = terms(*HEAD), [[name, number, taint or say("none"), free] for name, number, taint, free in pool_rows()]
    whole = join([table(head, (row(*each) for each in rows)), element("p", note)])
    if folded:
        return Instance(element("details", element("summary", say("The pools")), whole), "", common=whole)
    return Instance(whole, "\n".join([*aligned([head, *rows], ""), note]), common=whole)


def by_pool(cluster: Cluster, names: Iterable[str]) -> str:
    """ "general 95, spot 20": the pools of these nodes."""
    wanted = {cluster.index[name] for name in names}
    shares = {pool: len(wanted.intersection(places)) for pool, places in pools(cluster).items()}
    return listed(f"{pool} {number}" for pool, number in shares.items() if number)


def decide(manifest: Manifest) -> Decision:
    """The decision for the pod in the bundled cluster."""
    return placed(decode_objects([manifest]))


def placed(objects: Objects) -> Decision:
    """The decision for the only pod of these objects, pending in the bundled cluster."""
    world = bundled().cluster(LATEST).fork()
    info = world.info(objects.pods[0])
    world.withdraw(info.key)
    world.pending[info.key] = info
    return schedule(info.key, world)


class Wish(NamedTuple):
    """A pod: its request, the pools that it tolerates, and the one that it selects ("" for any)."""

    cpu: int
    tolerates: tuple[str, ...]
    selects: str = ""

    @property
    def manifest(self) -> Manifest:
        spec: dict[str, Any] = {}
        if self.selects:
            spec["nodeSelector"] = {POOL: self.selects}
        if self.tolerates:
            taints = (TAINTS[pool] for pool in self.tolerates)
            spec["tolerations"] = [
                {"key": key, "operator": "Equal", "value": value, "effect": "NoSchedule"} for key, value in taints
            ]
        return pod("mine", cpu=f"{self.cpu}m", memory="1Gi", priority=0, **spec)

    @property
    def instance(self) -> Instance:
        """What decides about it, in a few lines of its YAML, beside the pools."""
        spec = self.manifest["spec"]
        asks = {"requests": spec["containers"][0]["resources"]["requests"]}
        wishes = {name: spec[name] for name in ("nodeSelector", "tolerations") if name in spec}
        text = "".join(
            yaml.safe_dump({name: each}, default_flow_style=None, sort_keys=False, width=200)
            for name, each in (asks | wishes).items()
        )
        beside, manifest = pool_instance(), lines(text)
        whole = f"{text}\n{beside.text}"
        return replace(beside, picture=join([manifest, beside.picture]), text=whole, printed=manifest)
