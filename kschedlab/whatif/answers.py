"""Everything that would change one decision, as data and in words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.pending_pod import AnyPod, as_pending
from kschedlab.cluster.pools import UNNAMED
from kschedlab.decision import Decision
from kschedlab.explanation import NoProfileError
from kschedlab.generations import LATEST, Profiles, api_of, profile_for, profiles_of
from kschedlab.messages import later, say, sentences, terms
from kschedlab.shown import Shown
from kschedlab.text.preemption import evicted
from kschedlab.text.sections import Limits, Row, Section, Table
from kschedlab.text.words import amount, asked_and_free, count, listing
from kschedlab.whatif.another_node import AnotherNode, another_node
from kschedlab.whatif.case import Boundary, Case, with_spec
from kschedlab.whatif.evictions import SmallestEviction, eviction
from kschedlab.whatif.relaxations import Relaxations, relaxations
from kschedlab.whatif.thresholds import elsewhere, limits, other_weights, preempting_priority, smaller

HEAD = (later("what"), later("change"), later("then"), later("but"))
LIMIT = later("requests: most")
VICTIMS = 3
"""Maximum number of pods named in a list."""


@dataclass(frozen=True, eq=False, repr=False)
class WhatIf(Shown):
    """A decision, and what would change it.

    ``was_on``: the node that a running pod was removed from, or None.

    ====================  ==========================================================================================
    if it fits nowhere    ``requests``: for each resource that is enough to change alone, the largest request that fits;
                          ``relaxations`` of its spec; and unless it preempts already:
                          ``priority``: the lowest with which it would preempt; ``eviction``;
                          ``nodes``: one more node of each pool with which it fits
    if it fits            ``limits``: for each resource, the request at which it no longer fits;
                          ``requests``, ``weights``: where another node is chosen, upwards and downwards
    ====================  ==========================================================================================
    """

    decision: Decision
    was_on: str | None
    requests: tuple[Boundary, ...] = ()
    limits: tuple[Boundary, ...] = ()
    weights: tuple[Boundary, ...] = ()
    relaxations: Relaxations = Relaxations()
    priority: Boundary | None = None
    eviction: SmallestEviction | None = None
    nodes: tuple[AnotherNode, ...] = ()

    def sections(self, limits: Limits) -> Iterator[Section]:
        yield Section(whatif_sentence(self), [whatif_table(self), *notes(self)])


def what_if(pod: AnyPod, cluster: Cluster, generation: str | Profiles = LATEST, pool_label: str = "") -> WhatIf:
    """The smallest changes that change the decision about a waiting or running pod. Takes some hundred decisions.

    ``pool_label``: the label that names pools, by default a usual one. The other arguments and errors are those of
    :func:`~kschedlab.explanation.explain`. The cluster stays as it is.
    """
    profiles = profiles_of(generation)
    info = as_pending(pod, cluster, api_of(profiles)).info
    if (own := profile_for(info.pod, profiles)) is None:
        raise NoProfileError(info)
    case = Case(pod, cluster, own)
    decision = case.decide()
    if decision.node is None:
        return WhatIf(
            decision,
            case.was_on,
            requests=tuple(smaller(case)),
            relaxations=relaxations(case),
            priority=preempting_priority(case, decision),
            eviction=eviction(case) if decision.nominated_node is None else None,
            nodes=tuple(another_node(case, pool_label)),
        )
    return WhatIf(
        decision,
        case.was_on,
        requests=tuple(elsewhere(case, decision)),
        limits=tuple(limits(case)),
        weights=tuple(other_weights(case, decision)),
    )


# -- the answers in words


class Line(NamedTuple):
    """One answer. ``but``: the decision just short of the change."""

    what: str
    change: str
    then: str
    but: str = ""


class WhatIfAnswer(NamedTuple):
    """One answer as a line, the decision that proves it, and the change in English, as a setting has it.

    ``short``: the change without what it is now, if the line says that.
    """

    line: Line
    decision: Decision
    word: str
    short: str = ""


def whatif_table(whatif: WhatIf) -> Table:
    return Table(terms(*HEAD), [Row([say(line.what), *line[1:]]) for line in whatif_lines(whatif)])


def whatif_lines(whatif: WhatIf) -> list[Line]:
    return [answer.line for answer in whatif_answers(whatif)]


def whatif_answers(whatif: WhatIf) -> list[WhatIfAnswer]:
    return list(_to_fit(whatif) if whatif.decision.node is None else _to_go_elsewhere(whatif))


def whatif_sentence(whatif: WhatIf) -> str:
    """The current decision, and the first answer of each kind; for a pod that fits, where it would go elsewhere."""
    now, fits = whatif.decision.outcome, whatif.decision.node is not None
    first: dict[str, Line] = {}
    for line in whatif_lines(whatif):
        if line.what != LIMIT:
            first.setdefault(line.what, line)
    answers = say("; or ").join(say("{change} ({then})", change=line.change, then=line.then) for line in first.values())
    if answers:
        message = later("Another node would be best {answers}." if fits else "What would change it: {answers}.")
        return sentences((now, say(message, answers=answers)))
    return sentences((now, say("No change tried moves it." if fits else "Nothing that was tried changes that.")))


def notes(whatif: WhatIf) -> list[str]:
    relaxations, remarks = whatif.relaxations, []
    if whatif.decision.node is None:
        if not whatif.requests and any(whatif.decision.pod.request.values()):
            remarks.append(say("Less of one resource alone is not enough."))
        if not relaxations.sufficient:
            message = later("No change of its constraints is enough: {changes} tried, pairs as well.")
            tried = say(message, changes=count(relaxations.tried, "change"))
            remarks.append(tried if relaxations.tried else say("No change of its constraints is enough: it has none."))
        if untried := relaxations.untried:
            remarks.append(say("{changes} not tried: there are too many.", changes=count(untried, "change")))
        preemption = whatif.decision.preemption
        if whatif.priority is None and preemption is not None and preemption.eligible and preemption.chosen is None:
            remarks.append(say("No priority makes it preempt."))
    elif not whatif.weights:
        remarks.append(say("No weight of one score alone, from 0 to 100, changes the node."))
    return remarks


def _to_fit(whatif: WhatIf) -> Iterator[WhatIfAnswer]:
    for limit in whatif.requests:
        change = later(
            "asking for {more} instead of {now}", more=amount(limit.name, limit.far), now=amount(limit.name, limit.now)
        )
        but = say("{amount}: still fits nowhere", amount=amount(limit.name, limit.near))
        yield _answer(later("requests"), change, limit.after, but, _only(limit))
    pod = whatif.decision.pod.pod
    for each in whatif.relaxations.sufficient:
        line = Line(later("constraints"), say(" and ").join(map(say, each.changes)), then(each.decision))
        is_without_selector = each.decision.pod.pod == with_spec(pod, nodeSelector={})
        short = say("without its nodeSelector") if is_without_selector else ""
        yield WhatIfAnswer(line, each.decision, " and ".join(each.changes), short)
    if (priority := whatif.priority) is not None:
        change = later("with priority {far} instead of {now}", far=priority.far, now=priority.now)
        but, short = say("{near}: preempts nobody", near=priority.near), say("with priority {far}", far=priority.far)
        yield _answer(later("priority"), change, priority.after, but, short)
    if (eviction := whatif.eviction) is not None:
        yield _evicting(eviction)
    for more in whatif.nodes:
        message = later("one more {pool} node in {zone}" if more.zone else "one more {pool} node")
        if more.pool == UNNAMED:
            message = later("one more node in {zone}" if more.zone else "one more node")
        yield _answer(later("nodes"), later(message, pool=more.pool, zone=more.zone), more.decision)


def _only(limit: Boundary) -> str:
    """The request that fits, in the unit of the one that it has."""
    _, fits = asked_and_free(limit.name, limit.now, limit.far)
    return say("asking only {amount}", amount=fits)


def _answer(what: str, change: str, decision: Decision, but: str = "", short: str = "") -> WhatIfAnswer:
    return WhatIfAnswer(Line(what, say(change), then(decision), but), decision, str(change), short)


def _evicting(eviction: SmallestEviction) -> WhatIfAnswer:
    names = [
        say("{pod} (priority {priority})", pod=victim.key, priority=victim.priority) for victim in eviction.victims
    ]
    rest = len(names) - VICTIMS
    keys = ", ".join(f"{victim.key} ({victim.priority})" for victim in eviction.victims[:VICTIMS])
    word = keys + (f" and {rest:,} more" if rest > 0 else "")
    where = listing(eviction.where, VICTIMS)
    change = say("without {names} on {node}", names=listing(names, VICTIMS), node=where)
    line = Line(later("eviction"), change, then(eviction.decision))
    return WhatIfAnswer(line, eviction.decision, f"without {word} on {where}")


def _to_go_elsewhere(whatif: WhatIf) -> Iterator[WhatIfAnswer]:
    requests = [(LIMIT, each, then(each.before)) for each in whatif.limits]
    requests += [(later("requests"), each, _still(whatif, each)) for each in whatif.requests]
    for what, boundary, before in requests:
        asked = amount(boundary.name, boundary.far)
        change, short = later("asking for {amount}", amount=asked), say("with {amount}", amount=asked)
        near = say("{amount}: {then}", amount=amount(boundary.name, boundary.near), then=before)
        yield _answer(what, change, boundary.after, near, short)
    for boundary in whatif.weights:
        change = later(
            "with weight {far} of {plugin} instead of {now}", far=boundary.far, plugin=boundary.name, now=boundary.now
        )
        short = say("weight {far} of {plugin}", far=boundary.far, plugin=boundary.name)
        if boundary.far == 0:  # no configuration can say it: kube-scheduler reads a weight of 0 as the default
            change = later("without the score {plugin}", plugin=boundary.name)
            short = say("without {plugin}", plugin=boundary.name)
        near = say("{amount}: {then}", amount=boundary.near, then=_still(whatif, boundary))
        yield _answer(later("weights"), change, boundary.after, near, short)


def _still(whatif: WhatIf, boundary: Boundary) -> str:
    best, node = len(boundary.before.best), str(whatif.decision.node)
    return node if best == 1 else say("one of {best} best: {node}", best=best, node=node)


def then(decision: Decision) -> str:
    if decision.node is not None:
        return say("{node}, {feasible}", node=decision.node, feasible=count(len(decision.feasible), "feasible node"))
    if decision.preemption is not None and decision.nominated_node is not None:
        message = later("preempts {victims} on {node}")
        return say(message, victims=evicted(decision.preemption.victims), node=decision.nominated_node)
    return say("fits nowhere")
