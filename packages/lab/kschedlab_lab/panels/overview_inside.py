"""Inside Schedule(): which nodes fit, which one is best, and what happens if none or only one fits.

Up to three nodes of 4 CPU, of which 1, 2 and 3 are taken; v1.16 decides.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

from kschedlab.build import HOUR, Manifest, node, pod
from kschedlab.cluster.cluster import Cluster
from kschedlab.decision import Decision
from kschedlab.generations import V1_16
from kschedlab.manifests.loading import decode_objects
from kschedlab.messages import later, listed, say, sentences
from kschedlab.scheduler import schedule
from kschedlab.text.html import Html
from kschedlab_lab.panels.base import Frame, Panel, View
from kschedlab_lab.panels.question import Question
from kschedlab_lab.panels.settings import Restorable, slider, switch
from kschedlab_lab.views.bench import Bench, CardState, Hand, NodeCard, draw_bench
from kschedlab_lab.views.pieces import Fact, Piece
from kschedlab_lab.views.rail import Stop, StopState
from kschedlab_lab.views.svg import Room

USED = {"node-a": 1, "node-b": 2, "node-c": 3}

NUM_NODES, FIND, POST_FILTER = "NumNodes", "findNodesThatFit", "RunPostFilterPlugins"
PRIORITIZE = "PrioritizeNodes"
DOES: Mapping[str, tuple[str, str]] = {
    "podPassesBasicChecks": (later("check claims"), later("Do the pod's claims exist?")),
    "RunPreFilterPlugins": (later("prepare plugins"), later("The plugins prepare; any of them may reject the pod.")),
    NUM_NODES: (
        later("count nodes"),
        later("How many nodes does the cache's node tree have? With none, Schedule ends here."),
    ),
    "snapshot": (later("copy cache"), later("A copy of the cache: the rest of this cycle reads only the copy.")),
    FIND: (later("filter"), later("podFitsOnNode asks the predicates about each node, in 16 goroutines.")),
    POST_FILTER: (
        later("tell plugins"),
        later("The plugins see the nodes that passed (later versions call this PreScore)."),
    ),
    "priorityMetaProducer": (
        later("gather facts"),
        later(
            "Facts about the pod that the priorities share are computed once: tolerations, affinity, the selectors of "
            "its Services and controllers."
        ),
    ),
    PRIORITIZE: (later("score"), later("The priorities score each node; the weighted sum counts.")),
    "selectHost": (later("select"), later("One of the nodes with the highest sum.")),
}
"""What Schedule() calls in v1.16, in this order (pkg/scheduler/core/generic_scheduler.go), and what each function does:
in a word or two, and in a sentence."""
WAY = tuple(DOES)
MAIN = (FIND, PRIORITIZE, "selectHost")
"""What decides. The others appear while the functions are played, or if one of them ends Schedule()."""

NO_NODES = "ErrNoNodesAvailable"
AVOID = "NodePreferAvoidPodsPriority"
"""Its weight outvotes all others; here every node gets the same of it."""


@dataclass(frozen=True)
class Settings(Restorable):
    """The pod's request, whether it names a claim that does not exist, and how many nodes there are."""

    cpu: int = slider("web asks for", range(1, 5), 1, lambda cpu: f"{cpu} CPU")
    missing: bool = switch("its claim does not exist")
    nodes: int = slider("nodes", range(4), 3)


def manifests(settings: Settings) -> list[Manifest]:
    """The cluster's manifests, as ``kubectl get -o yaml`` prints them."""
    volumes = [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}] if settings.missing else []
    used = dict(list(USED.items())[: settings.nodes])
    return [
        *map(node, used),
        *(pod(f"jobs-{name[-1]}", name, cpu, start=8 * HOUR) for name, cpu in used.items()),
        pod("web", "", settings.cpu, volumes=volumes),
    ]


@cache
def decide(settings: Settings) -> Decision:
    """v1.16's decision for the pod ``web``."""
    return schedule("default/web", Cluster(decode_objects(manifests(settings)), V1_16.api), V1_16)


def way(decision: Decision) -> tuple[str, ...]:
    """The functions that this decision passed through, the last of them the one that ended it."""
    if decision.error:
        return WAY[:1]
    if not decision.cluster.nodes:
        return WAY[: WAY.index(NUM_NODES) + 1]
    return WAY if decision.scores is not None else WAY[: WAY.index(POST_FILTER) + 1]


def ending(decision: Decision) -> str:
    """How Schedule() ends if it does not reach selectHost."""
    if decision.error:
        return say("error")
    if not decision.cluster.nodes:
        return NO_NODES
    if decision.node is None:
        return "FitError"
    return "" if decision.scores is not None else say("the only node")


def show(settings: Settings) -> View:
    """The panel's view for these settings."""
    decision = decide(settings)
    sentence = sentence_of(decision)
    return View(
        partial(draw, settings, decision),
        sentence,
        Html(),
        sentence,
        idle=idle(settings),
        story=partial(story, settings, decision),
    )


def idle(settings: Settings) -> dict[str, str]:
    """What does not matter while the claim is missing or there is no node."""
    if settings.missing:
        return dict.fromkeys(("cpu", "nodes"), say("not asked: podPassesBasicChecks ended with an error"))
    return {"cpu": say("not asked: there is no node")} if not settings.nodes else {}


def sentence_of(decision: Decision) -> str:
    """The outcome, with the message if no node is found."""
    if ending(decision) == NO_NODES:
        return say(
            "There is no node: Schedule() ends with {error} ({message}).",
            error=NO_NODES,
            message=decision.message,
        )
    if decision.scores is not None and decision.node is not None:
        own, same = points(decision)
        chosen = say(
            "web goes to {node}: the highest score of {number} nodes, {score}.",
            node=decision.node,
            number=len(decision.feasible),
            score=own[decision.node],
        )
        return sentences((chosen, say("Every node also gets {same:,}, the same for all.", same=same)))
    said = decision.outcome.replace(decision.pod.key, decision.pod.pod.metadata.name)
    return said if decision.error else sentences((said, decision.message))


def points(decision: Decision) -> tuple[dict[str, int], int]:
    """What each node got, but for what all get from :data:`AVOID`; and that."""
    scores = decision.scores
    assert scores is not None
    same = int(scores.results[scores.plugins.index(AVOID), 0])
    names = decision.cluster.names
    return {names[n]: int(total) - same for n, total in zip(scores.nodes, scores.total, strict=True)}, same


def draw(
    settings: Settings, decision: Decision, room: Room, at: int | None = None, picks: tuple[str, ...] = ()
) -> Html:
    """The functions, the pod and the nodes; ``at``: how many functions were called, None for the end.

    ``picks``: the nodes that are answers; while these are asked for, no function was called and nothing can be changed.
    """
    taken = way(decision)
    ended = at is None
    at = len(taken) if at is None else at
    done = taken[:at]
    chosen = decision.node is not None and ended
    size = settings.cpu * 1000
    switched = f"missing: {'off' if settings.missing else 'on'}"
    claim = Fact(say("a missing volume claim"), settings.missing, switched, "disk", settings.missing and bool(done))
    web = Piece("web", size, 0, f"{settings.cpu} CPU", "ghost" if chosen else "")
    hand = Hand(web) if picks else Hand(web, (claim,), resize="cpu")
    cards = tuple(_card(decision, name, done, ended) for name in decision.cluster.names)
    stops = tuple(Stop(say(DOES[name][0]), "ahead") for name in MAIN) if picks else _stops(decision, taken, at, ended)
    bench = Bench(stops, (hand,), cards, picks)
    return draw_bench(bench, say("web waits.") if picks else sentence_of(decision), room)


def _stops(decision: Decision, taken: Sequence[str], at: int, ended: bool) -> tuple[Stop, ...]:
    """The functions; at the end those that decide, and the one that failed or how Schedule() ended before the last."""
    end = ending(decision)
    stopped = len(taken) if decision.error or end == NO_NODES else 0
    found = list[Stop]()
    for i, name in enumerate(WAY):
        state: StopState = "passed" if i < at else "ahead"
        if i == at - 1 and not ended:
            state = "here"
        if ended:
            state = "failed" if i == stopped - 1 else "not asked" if i >= len(taken) else state
        if ended and end and not stopped and i == len(taken):
            found.append(Stop(end, "passed" if decision.node else "failed"))
        if not ended or name in MAIN or state == "failed":
            found.append(Stop(say(DOES[name][0]), state, _told(name)))
    return tuple(found)


def _card(decision: Decision, name: str, done: Sequence[str], ended: bool) -> NodeCard:
    """A node as far as these functions know it."""
    pieces: tuple[Piece, ...] = (Piece(f"jobs-{name[-1]}", USED[name] * 1000, 0, f"{USED[name]} CPU"),)
    if FIND not in done:
        return NodeCard(name, 4000, pieces, says=" ")
    verdict = decision.verdict(name)
    if not verdict.passes:
        says = f"{verdict.plugin}: {listed(verdict.reasons)}"
        return NodeCard(name, 4000, pieces, state="refused", says=says)
    state: CardState = "plain"
    if ended and name == decision.node:
        state = "chosen"
        pieces = (*pieces, Piece("web", decision.pod.request["cpu"], 0, say("arrives")))
    says = say("the only node that fits" if ended else "fits")
    if decision.scores is not None and PRIORITIZE in done:
        says = say("fits; score {score}", score=points(decision)[0][name])
    return NodeCard(name, 4000, pieces, state=state, says=says)


def story(settings: Settings, decision: Decision, room: Room) -> list[Frame]:
    """One function after the other."""
    told = [say("Schedule() begins."), *map(_told, way(decision))]
    frames = [Frame(draw(settings, decision, room, at), words) for at, words in enumerate(told)]
    return [*frames, Frame(draw(settings, decision, room), sentence_of(decision))]


def _told(function: str) -> str:
    return say("{function}: {does}", function=function, does=say(DOES[function][1]))


def panel(**settings: Any) -> Panel[Settings]:
    """The panel; arguments override its default settings."""
    return Panel(Settings().changed(**settings), show, manifests, "inside.panel()")


def where_to() -> Question[Settings]:
    return Question(
        say("web fits on all three nodes. Where does it go?"),
        tuple(USED),
        lambda settings: str(decide(settings).node),
        _why,
        lambda settings: partial(draw, settings, decide(settings), at=0, picks=tuple(USED)),
    )


def _why(settings: Settings, answer: str) -> str:
    used = listed(f"{name} {cpu} CPU" for name, cpu in USED.items())
    return say("The emptiest node gets the highest score; in use are {amounts}.", amounts=used)
