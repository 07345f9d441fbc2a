"""An exercise of lesson 03: build a pod that overrules the emptier node."""

from __future__ import annotations

import random

from kschedlab.build import as_yaml, node, pod
from kschedlab.cluster.cluster import Cluster
from kschedlab.decision import Decision
from kschedlab.generations import V1_20
from kschedlab.manifests.loading import Objects
from kschedlab.messages import listed, say, sentences
from kschedlab.scheduler import schedule
from kschedlab.text.words import listing
from kschedlab_lab.exercises.build import Build
from kschedlab_lab.exercises.clusters import scored, shown
from kschedlab_lab.exercises.exercise import Exercise
from kschedlab_lab.panels.preferences import labelled, preferring
from kschedlab_lab.panels.score_cluster import THREE
from kschedlab_lab.views.lettering import short
from kschedlab_lab.views.score import bare, number, result_list

NODES = ("node-a", "node-b", "node-c")
LEAST, AFFINITY = "NodeResourcesLeastAllocated", "NodeAffinity"
NEW, HOST = "default/new", "kubernetes.io/hostname"
LABELS = (("disk", "fast", "slow"), ("zone", "west", "east"), ("gpu", "yes", "no"))
"""A label, and its values on the fuller node and on the emptier one."""


def overrule(rng: random.Random) -> Exercise:
    """A pod whose preference outweighs the emptier node."""
    (key, wanted, other), (full, empty) = rng.choice(LABELS), rng.sample(NODES[:2], 2)
    base = [
        *(node(each, 16, "32Gi", {key: wanted if each == full else other, HOST: each}) for each in NODES[:2]),
        pod("cache", full, str(rng.choice([6, 7])), memory="12Gi"),
        pod("logs", full, "1", memory="2Gi"),
        *(pod(f"shop-{n}", empty, "1", memory="2Gi") for n in range(3)),
    ]
    won = say(
        "NodeAffinity puts {full} ahead by 100. LeastAllocated puts {empty} ahead by less.",
        full=full,
        empty=empty,
    )
    enough = say("Any weight in the pod will do: normalising brings the row's largest score to 100, whatever it was.")
    return Build(
        say("Win against the emptier node"),
        say(
            "{empty} is emptier, and LeastAllocated prefers it. Complete the pod `new`, so that it still goes to "
            "{full}. The lesson's three plugins score, each with the weight 1.",
            empty=empty,
            full=full,
        ),
        lambda objects: overruled(objects, len(base), full, empty),
        as_yaml([pod("new", "", "1", memory="2Gi", affinity=preferring([labelled(1, key, wanted)]))]),
        sentences((won, enough)),
        (
            say("In which label, apart from the host name, do the two nodes differ?"),
            say(
                "Under matchExpressions the key is {key}, and the values are [{value}]. Is a weight of 1 enough?",
                key=key,
                value=wanted,
            ),
        ),
        shown(base),
        as_yaml(base),
        as_yaml([pod("new", "", "1", memory="2Gi")]) + WISH,
        lambda objects: scored(decided(objects)),
    )


def decided(objects: Objects) -> Decision:
    """What v1.20 decides for the pod new with the lesson's plugins alone. KeyError if there is none."""
    return schedule(NEW, Cluster(objects, V1_20.api), THREE)


WISH = """\
  affinity:
    nodeAffinity:
      preferredDuringSchedulingIgnoredDuringExecution:
      - weight:
        preference:
"""
"""The end of a pod's spec: a preference that does not say yet what it prefers."""


def overruled(objects: Objects, present: int, full: str, empty: str) -> str:
    """What is missing, or "" if a preference makes the fuller node win."""
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
        alike = len(favourites(decision, AFFINITY)) == len(decision.names)
        best = say("{best} is best: {sums}.", best=listing(decision.best), sums=sums)
        return sentences((best, say("NodeAffinity gives both nodes the same.") if alike else ""))
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
