"""The victims on one node: all lower pods leave, and those that break a budget are the first to come back.

node-a has 4 CPU and four pods of 1 CPU: db (priority 300), shop (200), mail (100), jobs (0). The budget "batch" covers
the two least important, mail and jobs. urgent has priority 500. v1.16 decides.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from kschedlab.build import Manifest, budget, node, pod
from kschedlab.cluster.cluster import Cluster
from kschedlab.decision import Decision
from kschedlab.generations import V1_16
from kschedlab.manifests.loading import decode_objects
from kschedlab.messages import later, say, sentences, terms
from kschedlab.preemption.evidence import Candidate
from kschedlab.scheduler import schedule
from kschedlab.text.html import Html
from kschedlab.text.words import listing
from kschedlab_lab.panels.base import Frame, Panel, View
from kschedlab_lab.panels.question import Question
from kschedlab_lab.panels.settings import Restorable, slider
from kschedlab_lab.views.picture import colours
from kschedlab_lab.views.preemption_scene import Scene
from kschedlab_lab.views.svg import Room

NODE = "node-a"
PODS = {"db": 300, "shop": 200, "mail": 100, "jobs": 0}
COVERED = ("mail", "jobs")
WIDE = 320
"""The greatest width of the node: it and the place beside it are the whole picture."""
PAIRS = (later("db and shop"), later("shop and mail"), later("mail and jobs"))


@dataclass(frozen=True)
class Settings(Restorable):
    """What urgent asks for, and the budget's ``disruptionsAllowed``."""

    cpu: int = slider("urgent asks for", range(1, 5), 2, lambda cpu: f"{cpu} CPU")
    allowed: int = slider("disruptionsAllowed", range(3), 0)


def manifests(settings: Settings) -> list[Manifest]:
    """The cluster's manifests, as ``kubectl get -o yaml`` prints them."""
    labels = {"app": "batch"}
    return [
        node(NODE),
        *(pod(name, NODE, 1, p, labels=labels if name in COVERED else None) for name, p in PODS.items()),
        pod("urgent", "", settings.cpu, 500),
        budget("batch", settings.allowed),
    ]


def decide(settings: Settings) -> Decision:
    """v1.16's decision for the pod ``urgent``."""
    return schedule("default/urgent", Cluster(decode_objects(manifests(settings)), V1_16.api), V1_16)


def candidate(decision: Decision) -> Candidate:
    """What selectNodesForPreemption finds for node-a."""
    assert decision.preemption is not None
    return decision.preemption.candidates[NODE]


def show(settings: Settings) -> View:
    """The panel's view for these settings."""
    decision = decide(settings)
    said = sentence(candidate(decision), settings.allowed)
    drawn = _scene(decision, said)

    def story(room: Room) -> list[Frame]:
        return [Frame(*moment) for moment in drawn.story(room)]

    return View(drawn.picture, said, Html(), said, names=colours(decision), story=story)


def _scene(decision: Decision, headline: str = "") -> Scene:
    allowed = {"batch": {"data_drag": "allowed", "data_axis": "x", "data_step": "16"}}
    return Scene(decision, allowed=allowed, headline=headline, most=WIDE)


def sentence(found: Candidate, allowed: int) -> str:
    """The victims, and how many of them break the budget, which allows so many evictions."""
    names = [each.pod.metadata.name for each in found.victims]
    covered = len([name for name in names if name in COVERED])
    who = say("{names} must leave.", names=listing(names))
    if found.violations == 1:
        return sentences((who, say("One of them breaks the budget.")))
    if found.violations:
        return sentences((who, say("{violations} of them break the budget.", violations=found.violations)))
    if allowed and covered > allowed:
        message = later(
            "v1.16 says that none breaks the budget, though {covered} of its pods leave and it allows {allowed}."
        )
        return sentences((who, say(message, covered=covered, allowed=allowed)))
    return sentences((who, say("None of them breaks the budget.")))


def panel(**settings: Any) -> Panel[Settings]:
    """The panel; arguments override its default settings."""
    return Panel(Settings().changed(**settings), show, manifests, "victims.panel()")


def who_leaves() -> Question[Settings]:
    return Question(
        say(
            "urgent needs the room of two pods. The budget covers mail and jobs, and allows no disruption. Who is "
            "evicted?"
        ),
        tuple(terms(*PAIRS)),
        _right,
        _why,
        lambda settings: _scene(decide(settings)).question,
    )


def _right(settings: Settings) -> str:
    names = {each.pod.metadata.name for each in candidate(decide(settings)).victims}
    return next((say(pair) for pair in PAIRS if set(pair.split(" and ")) == names), "")


def _why(settings: Settings, answer: str) -> str:
    rule = say("Pods whose eviction breaks the budget come back first, so mail and jobs take the room")
    if answer == say("mail and jobs"):
        return say("{rule}, though they are the least important.", rule=rule)
    if answer == say("shop and mail"):
        return say("{rule}; then neither db nor shop fits.", rule=rule)
    return say("{rule}. That db and shop are more important counts only among the others.", rule=rule)
