"""An exercise of lesson 03: build a pod that overrules the emptier node."""

from __future__ import annotations

import random
from typing import Any

from kschedlab.build import Manifest, as_yaml, node, pod
from kschedlab.cluster.cluster import Cluster
from kschedlab.decision import Decision
from kschedlab.generations import V1_20
from kschedlab.manifests.loading import Objects
from kschedlab.messages import later, listed, say, sentences
from kschedlab.scheduler import schedule
from kschedlab.text.words import listing
from kschedlab_lab.exercises.build import Build
from kschedlab_lab.exercises.clusters import scored, shown
from kschedlab_lab.exercises.exercise import Exercise
from kschedlab_lab.panels.preferences import labelled, preferring, with_app
from kschedlab_lab.views.lettering import short
from kschedlab_lab.views.score import bare, number, result_list

NODES = ("node-a", "node-b", "node-c")
LEAST, AFFINITY = "NodeResourcesLeastAllocated", "NodeAffinity"
NEW = "default/new"
DISK, HOST = "disk", "kubernetes.io/hostname"
RIVALS = (AFFINITY, "InterPodAffinity", "PodTopologySpread")


def overrule(rng: random.Random) -> Exercise:
    """A pod whose preference outweighs the emptier node."""
    plugin, (full, empty) = rng.choice(RIVALS), rng.sample(NODES[:2], 2)
    base = [
        *(node(each, 16, "32Gi", {DISK: "fast" if each == full else "slow", HOST: each}) for each in NODES[:2]),
        pod("cache", full, str(rng.choice([6, 7])), memory="12Gi", labels={"app": "cache"}),
        pod("logs", full, "1", memory="2Gi", labels={"app": "logs"}),
        *(pod(f"shop-{n}", empty, "1", memory="2Gi", labels={"app": "shop"}) for n in range(3)),
    ]
    won = say(
        "{plugin} gives {full} more than {least} and the others take away.",
        plugin=plugin,
        full=full,
        least=short(LEAST),
    )
    enough = say("Any weight in the pod will do: normalising brings the row's largest score to 100, whatever it was.")
    return Build(
        say("Win against the emptier node"),
        say(
            "{empty} is emptier, and {least} prefers it. Complete the pod `new`: it must still go to {full}, and only "
            "because of {plugin}. v1.20's default plugins and weights apply.",
            empty=empty,
            least=short(LEAST),
            full=full,
            plugin=plugin,
        ),
        lambda objects: overruled(objects, len(base), plugin, full, empty),
        as_yaml([wishing(plugin)]),
        sentences((won, "" if plugin == "PodTopologySpread" else enough)),
        tuple(map(say, HINTS[plugin])),
        shown(base),
        as_yaml(base),
        as_yaml([pod("new", "", "1", memory="2Gi")]) + WISHES[plugin],
        lambda objects: scored(decided(objects)),
    )


def decided(objects: Objects) -> Decision:
    """v1.20's decision for the pod new. KeyError if there is none."""
    return schedule(NEW, Cluster(objects, V1_20.api), V1_20)


WISHES = {
    AFFINITY: """\
  affinity:
    nodeAffinity:
      preferredDuringSchedulingIgnoredDuringExecution:
      - weight:
        preference:
""",
    "InterPodAffinity": """\
  affinity:
    podAffinity:
      preferredDuringSchedulingIgnoredDuringExecution:
      - weight:
        podAffinityTerm:
          topologyKey: kubernetes.io/hostname
          labelSelector:
""",
    "PodTopologySpread": """\
  topologySpreadConstraints:
  - maxSkew: 1
    topologyKey: kubernetes.io/hostname
    labelSelector:
    whenUnsatisfiable:
""",
}
"""By plugin, the end of a pod's spec: a preference that does not say yet what it prefers."""
HINTS = {
    AFFINITY: (
        later("In which label, apart from the host name, do the two nodes differ?"),
        later("Under matchExpressions the key is disk, and the values are [fast]. Is a weight of 1 enough?"),
    ),
    "InterPodAffinity": (
        later("Which pods run on the fuller node alone?"),
        later("A labelSelector has matchLabels: app: cache will do. Is a weight of 1 enough?"),
    ),
    "PodTopologySpread": (
        later("Whose pods are on the emptier node alone?"),
        later("A labelSelector has matchLabels: app: shop. ScheduleAnyway gives points; DoNotSchedule refuses a node."),
    ),
}


def wishing(plugin: str) -> Manifest:
    """A pod with a preference that this plugin scores."""
    shop = {"matchLabels": {"app": "shop"}}
    spread = {"maxSkew": 1, "topologyKey": HOST, "whenUnsatisfiable": "ScheduleAnyway", "labelSelector": shop}
    wishes: dict[str, Any] = {
        AFFINITY: {"affinity": preferring([labelled(1, DISK, "fast")])},
        "InterPodAffinity": {"affinity": preferring(near=[with_app(1, "cache", HOST)])},
        "PodTopologySpread": {"topologySpreadConstraints": [spread]},
    }
    return pod("new", "", "1", memory="2Gi", **wishes[plugin])


def overruled(objects: Objects, present: int, plugin: str, full: str, empty: str) -> str:
    """What is missing, or "" if this plugin alone makes the fuller node win."""
    if wrong := only_new(objects, present):
        return wrong
    decision = decided(objects)
    if decision.scores is None:
        return say(
            "Only {nodes} is feasible, so nothing is scored. Use a preference: both nodes must stay feasible.",
            nodes=listing(decision.names) or say("no node"),
        )
    if favourites(decision, LEAST) != [empty]:
        return say(
            "{least} must prefer {empty}; it prefers {favourites}.",
            least=short(LEAST),
            empty=empty,
            favourites=listing(favourites(decision, LEAST)),
        )
    sums = listed(f"{name} {total}" for name, total in result_list(bare(decision)))
    if decision.best != [full]:
        alike = say("{plugin} gives both nodes the same.", plugin=plugin)
        best = say("{best} is best: {sums}.", best=listing(decision.best), sums=sums)
        return sentences((best, alike if len(favourites(decision, plugin)) == len(decision.names) else ""))
    without = schedule(NEW, Cluster(objects, V1_20.api), V1_20.weighted(**{plugin: 0}))
    if without.best != [empty]:
        return say(
            "{full} is best, but without {plugin} {nodes} would be best too: something else helps.",
            full=full,
            plugin=plugin,
            nodes=listing(without.best),
        )
    return ""


def favourites(decision: Decision, plugin: str) -> list[str]:
    """The nodes with the plugin's highest normalised score."""
    values = {name: number(decision, "normalised", plugin, name) or 0 for name in decision.names}
    return [name for name, value in values.items() if value == max(values.values())]


def only_new(objects: Objects, present: int) -> str:
    """Whether nothing was added but the pending pod new."""
    if len(objects.nodes) + len(objects.pods) - present > 1 or sum(objects.report.counts.values()) - present > 1:
        return say("Add one pod, and nothing else.")
    if any(pod.metadata.name == "new" and pod.spec.nodeName for pod in objects.pods):
        return say("nodeName binds new: no scheduler is asked.")
    pending = [p.metadata.name for p in objects.pods if not p.spec.nodeName and p.metadata.namespace == "default"]
    wrong = say('The pending pod must be "new"; there is {pods}.', pods=listing(pending) or say("none"))
    return "" if pending == ["new"] else wrong
