"""A Decision as a drawing: what runs where, who is evicted or reprieved, what is in the way, which node is chosen."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from kschedlab.cluster.pods import NEVER_STARTED, PodInfo
from kschedlab.decision import Decision
from kschedlab.messages import later, listed, say, sentences
from kschedlab.objects.model import PodDisruptionBudget
from kschedlab.preemption.budgets import MatchesBudget
from kschedlab.preemption.evidence import Attempt, Candidate, Preemption
from kschedlab.text.html import Html
from kschedlab.text.ladder import columns, steps
from kschedlab.text.preemption import choice, evicted
from kschedlab.text.words import Clock, amount, clock, count, listing
from kschedlab_lab.views.drawing import Block, Box, Marks, Number, draw
from kschedlab_lab.views.glyphs import Badge
from kschedlab_lab.views.obstacles import are_ranked, blockers, obstacle, sign_of
from kschedlab_lab.views.svg import Room

NODES = 9
"""Maximum number of nodes drawn."""
WAITING = later("waiting")
RIGHT_AFTER = 1
"""The turn of the pod that comes, after its victims have left."""


@dataclass(frozen=True)
class Handles:
    """What a panel lets one do in the picture: attributes of pods and nodes, and signs on nodes, by name.

    ``priorities`` and ``starts``: attributes of these numbers on pods, which then are pills. ``shields``: attributes of
    the shields of pods; a pod without a budget then has an open one. ``fixed``: why a pod's numbers can't be changed.
    """

    pods: Mapping[str, Marks] = field(default_factory=dict)
    priorities: Mapping[str, Marks] = field(default_factory=dict)
    starts: Mapping[str, Marks] = field(default_factory=dict)
    nodes: Mapping[str, Marks] = field(default_factory=dict)
    node_badges: Mapping[str, tuple[Badge, ...]] = field(default_factory=dict)
    shields: Mapping[str, Marks] = field(default_factory=dict)
    fixed: Mapping[str, str] = field(default_factory=dict)


NO_HANDLES = Handles()


def picture(decision: Decision, room: Room | None = None, handles: Handles = NO_HANDLES) -> Html:
    """The decision as SVG: the pending pod or its victims, then the most relevant nodes, all to one scale."""
    return draw(boxes(decision, handles), caption(decision), scarcest(decision), room, hidden_nodes(decision))


def question(
    decision: Decision, room: Room | None = None, handles: Handles = NO_HANDLES, as_listed: bool = False
) -> Html:
    """The same before anything is decided, as the picture of a question. ``as_listed``: see :func:`in_list_order`."""
    alt = say("{pod} waits; {nodes}.", pod=decision.pod.key, nodes=count(len(decision.cluster.nodes), "node"))
    shown = boxes_before(decision, handles)
    shown = in_list_order(shown) if as_listed else shown
    return draw(shown, alt, scarcest(decision), room, hidden_nodes(decision))


def boxes(decision: Decision, handles: Handles = NO_HANDLES, nodes: Sequence[str] | None = None) -> list[Box]:
    """The place beside the nodes and these nodes (by default the most relevant), after the decision."""
    return Boxes(decision, handles, nodes).after()


def boxes_before(decision: Decision, handles: Handles = NO_HANDLES) -> list[Box]:
    """The same before the decision: the pod waits, and nothing happens to the others."""
    return Boxes(decision, handles).before()


def in_list_order(boxes: Iterable[Box], bar: bool = False) -> list[Box]:
    """The nodes with their victims as in their lists, the first one on top, or at the left if evicted ones lie in a
    ``bar``. Before there is a list, the pod with the highest priority is there."""

    def listed(box: Box) -> Box:
        turned = 1 if bar and not box.capacity else -1
        pods = sorted(box.blocks[::turned], key=lambda block: (turned * block.turn, -turned * block.priority))
        return replace(box, blocks=tuple(pods))

    return [*map(listed, boxes)]


def caption(decision: Decision) -> str:
    """What was decided, in a sentence for people, and then why."""
    return sentences(decided_and_why(decision))


def decided_and_why(decision: Decision) -> tuple[str, str]:
    """What was decided, and why; "" if there is nothing more to say."""
    name = decision.pod.pod.metadata.name
    preemption = decision.preemption
    if decision.node is not None:
        return _tie(decision) or say("{pod} goes to {node}.", pod=name, node=decision.node), _best(decision)
    if decision.error or decision.gates or preemption is None:
        return decision.outcome.replace(decision.pod.key, name, 1), ""
    if preemption.nominated_node is None:
        return say("{pod} keeps waiting.", pod=name), decision.outcome.replace(decision.pod.key, name, 1)
    victims = preemption.victims
    if tie := _tie(decision):
        leave = later("There {pods} has to leave." if len(victims) == 1 else "There {pods} have to leave.")
        there = say(leave, pods=evicted(victims)) if victims else ""
        return tie, sentences((there, say("No rule tells them apart: chance decides, here the first name.")))
    leaves = later("{pod} goes to {node}; {victims} has to leave.")
    message = leaves if len(victims) == 1 else later("{pod} goes to {node}; {victims} have to leave.")
    if not victims:
        return say("{pod} goes to {node}.", pod=name, node=preemption.nominated_node), ""
    first = say(message, pod=name, node=preemption.nominated_node, victims=evicted(victims))
    return first, _reason(preemption)


def _tie(decision: Decision) -> str:
    """That the pod goes to any of several nodes, one of which was taken; "" if one is best."""
    if len(nodes := tied(decision)) < 2:
        return ""
    message = later("A tie of {nodes}: {pod} goes to one of them, here {node}.")
    if len(nodes) == 2:
        message = later("{one} and {other} tie: {pod} goes to either, here to {node}.")
    taken, name = decision.node or decision.nominated_node, decision.pod.pod.metadata.name
    return say(message, pod=name, node=taken, nodes=listing(nodes), one=nodes[0], other=nodes[1])


def _best(decision: Decision) -> str:
    """Why the pod goes to its node.

    v1.37: pkg/scheduler/schedule_one.go (findNodesThatFitPod, evaluateNominatedNode).
    """
    scores, names = decision.scores, decision.cluster.names
    if scores is None:
        is_nominated = decision.node == decision.pod.pod.status.nominatedNodeName
        if is_nominated and decision.generation.nominated_node_first and decision.evaluated == 1 < len(names):
            return say("It is nominated there and it fits, so no other node is looked at.")
        return say("It is the only node that fits.")
    order = (-scores.total).argsort(kind="stable").tolist()
    highest = int(scores.total[order[0]])
    if decision.tie_break:
        return say("They share the highest score, {score}; {choice}.", score=highest, choice=decision.tie_break)
    other = int(scores.total[order[1]])
    second = [names[int(scores.nodes[each])] for each in order[1:] if int(scores.total[each]) == other]
    best = later("It has the highest score, {score}; {node} has {other}.")
    if len(second) > 1:
        best = later("It has the highest score, {score}; {node} have {other}.")
    return say(best, score=highest, node=listing(second), other=other)


def _reason(preemption: Preemption) -> str:
    """Which rule chose the node, with the values that it compared."""
    shown = columns(preemption, 4)
    decides = next((step for step in steps(preemption, shown) if step.decides), None)
    if decides is None:
        return choice(preemption)
    winner, read = decides.kept[0], {node: in_brief(value) for node, value in decides.values.items()}
    values = [say("{node} has {value}", node=winner, value=read[winner])] if winner in read else []
    values += [f"{node} {read[node]}" for node in shown if node in decides.standing and node != winner]
    named = say("smallest sum (priority + 2³¹ for each victim)") if decides.number == 3 else decides.rule
    rule = say("Rule {number} decides: {rule}.", number=decides.number, rule=named)
    return sentences((rule, say("{values}.", values=listed(values))))


def in_brief(value: str) -> str:
    """What a rule reads, as pictures and sentences have it: a sum of priorities of two victims is 100 + 2·2³¹."""
    brief = value.replace(" 1×", " ").replace("×", "·").removeprefix("0 + ")
    return f"−{brief[1:]}" if brief.startswith("-") else brief


def colours(decision: Decision) -> dict[str, str]:
    """The names that a headline shows in colour: the chosen node, and who has to leave."""
    node = decision.node or decision.nominated_node
    victims = decision.preemption.victims if decision.preemption is not None else ()
    gone = {info.pod.metadata.name: "refused" for info in victims}
    return gone | ({node: "chosen"} if node is not None else {})


def hidden_nodes(decision: Decision) -> str:
    """How many nodes are not drawn, in words; "" if all are."""
    hidden = len(decision.cluster.nodes) - len(nodes_to_show(decision))
    return count(hidden, "more node") if hidden else ""


def scarcest(decision: Decision) -> str:
    """The resource of which the pod requests the largest share of a node; it scales the drawing."""
    cluster = decision.cluster
    largest = {name: int(cluster.allocatable[row].max(initial=0)) for name, row in cluster.resources.items()}
    shares = {name: asked / largest[name] for name, asked in decision.pod.request.items() if largest.get(name)}
    return max(shares, key=lambda name: (shares[name], name == "cpu"), default="cpu")


def common_resource(decision: Decision, nodes: Iterable[str]) -> str:
    """The scarcest resource if all of these nodes have it, so that each can be drawn to its scale; else cpu."""
    cluster, resource = decision.cluster, scarcest(decision)
    row = cluster.resources.get(resource)
    return resource if row is None or all(cluster.allocatable[row, cluster.index[n]] for n in nodes) else "cpu"


def nodes_to_show(decision: Decision) -> list[str]:
    """All nodes by name if they are few; otherwise the chosen node, the best candidates or scores, then others."""
    names = sorted(decision.cluster.names)
    if len(names) <= NODES:
        return names
    best = [decision.node] if decision.node is not None else []
    if decision.preemption is not None:
        best += columns(decision.preemption, NODES)
    if decision.scores is not None:
        order = (-decision.scores.total).argsort(kind="stable")[:NODES]
        best += [decision.cluster.names[n] for n in decision.scores.nodes[order].tolist()]
    return list(dict.fromkeys([*best, *names]))[:NODES]


def pods_on(decision: Decision, node: str) -> list[PodInfo]:
    """The pods that run on the node, the most important first."""
    cluster = decision.cluster
    infos = [cluster.pods.info(row) for row in cluster.pods_of(cluster.index[node]).tolist()]
    return sorted(infos, key=lambda info: (-info.priority, info.start, info.key))


def budgets_over(decision: Decision, nodes: Iterable[str]) -> dict[str, list[PodDisruptionBudget]]:
    """By pod on these nodes: the budgets whose selectors cover it."""
    cluster, found = decision.cluster, dict[str, list[PodDisruptionBudget]]()
    for budget in cluster.objects_of(PodDisruptionBudget):
        matches = cluster.signatures.evaluate(MatchesBudget.of_budget(budget)) > 0
        for node in nodes:
            for row in cluster.pods_of(cluster.index[node]).tolist():
                if matches[cluster.pods.signature[row]]:
                    found.setdefault(cluster.pods.info(row).key, []).append(budget)
    return found


class Boxes:
    """The boxes of one decision, with what they share: the resource, the clock, the budgets.

    ``since``: an earlier decision; numbers that have changed since then show what they were, and pods that have come
    under a budget its name.
    """

    def __init__(
        self, decision: Decision, handles: Handles, nodes: Sequence[str] | None = None, since: Decision | None = None
    ) -> None:
        self.decision, self.handles = decision, handles
        self.nodes = nodes_to_show(decision) if nodes is None else list(nodes)
        self.resource = scarcest(decision) if nodes is None else common_resource(decision, self.nodes)
        self.pods = {node: pods_on(decision, node) for node in self.nodes}
        past = [pods_on(since, node) for node in self.nodes] if since is not None else []
        self.past = {info.key: info for pods in past for info in pods}
        self.moment: Clock = clock(info.start for pods in self.pods.values() for info in pods)
        self.budgets = budgets_over(decision, self.nodes)
        self.covered = budgets_over(since, self.nodes) if since is not None else self.budgets
        preemption = decision.preemption
        self.candidates = preemption.candidates if preemption is not None else {}
        self.are_ranked = bool(handles.priorities) or are_ranked(decision)
        self.are_many = any(len(each.victims) > 1 for each in self.candidates.values())

    def before(self) -> list[Box]:
        """Before the decision: the pod waits, and nothing happens to the others."""
        return [self.waiting(), *(self.node(node, decided=False) for node in self.nodes)]

    def trying(self, tries: Mapping[str, int]) -> list[Box]:
        """After so many tries to reprieve a pod on each node; those that are not back wait below it.

        Where no number is given, the budgets have not been counted yet.
        """
        nodes = (self.node(node, tries=tries.get(node, 0), counted=node in tries) for node in self.nodes)
        return [self.waiting(pale=True), *nodes]

    def tried(self) -> list[Box]:
        """After all tries, before a node is chosen."""
        return [self.waiting(), *(self.node(node, choose=False) for node in self.nodes)]

    def after(self) -> list[Box]:
        """After the decision."""
        decision, chosen = self.decision, self.decision.nominated_node
        nodes = [self.node(node) for node in self.nodes]
        if chosen is None or chosen not in self.nodes:
            waiting = () if decision.node is not None else (self.incoming(),)
            boxes = [self.with_incoming(box) if box.name == decision.node else box for box in nodes]
            return [Box(WAITING, 0, waiting), *boxes]
        at = self.nodes.index(chosen)
        gone = tuple(block for block in nodes[at].blocks if block.mark == "evicted")
        stays = tuple(block for block in nodes[at].blocks if block.mark != "evicted")
        nodes[at] = self.with_incoming(replace(nodes[at], blocks=stays))
        return [Box(WAITING, 0, gone, title=say("evicted")), *nodes]

    def waiting(self, pale: bool = False) -> Box:
        """The place where the pod waits. ``pale``: it is tried elsewhere."""
        return Box(WAITING, 0, (replace(self.incoming(), pale=pale),))

    def with_incoming(self, box: Box) -> Box:
        """The node with the pod that comes."""
        if self.decision.node is not None:
            return replace(box, blocks=(*box.blocks, self.incoming("placed")))
        return replace(box, blocks=(*box.blocks, self.incoming("arriving", say("nominated"), RIGHT_AFTER)))

    def incoming(self, mark: str = "", note: str = "", order: int | None = None) -> Block:
        pod = self.decision.pod
        name = pod.pod.metadata.name
        return Block(
            name,
            pod.request.get(self.resource, 0),
            pod.priority,
            (self.number(pod),),
            mark,
            note,
            _key(pod),
            marks=self.handles.pods.get(name, {}),
            order=order,
        )

    def node(
        self, name: str, decided: bool = True, choose: bool = True, tries: int | None = None, counted: bool = True
    ) -> Box:
        """One node with its pods, and what is found out about it. ``tries``, ``counted``: see :meth:`trying`."""
        decision, cluster = self.decision, self.decision.cluster
        choose = choose and tries is None
        candidate = self.candidates.get(name) if decided else None
        made = {each.pod.key: each for each in candidate.attempts[:tries]} if candidate is not None else {}
        order = {
            info.key: turn for turn, info in enumerate(candidate.victims if candidate and self.are_many else (), 1)
        }
        blocking = {info.key for info in blockers(decision, name)} if decided else set()
        chosen = decided and choose and name in (decision.node, decision.nominated_node)
        waits = candidate is not None and tries is not None and tries < len(candidate.attempts)
        blocks = [
            replace(
                self.pod(info, made.get(info.key), chosen, info.key in blocking, tries is None),
                turn=order.get(info.key, 0),
            )
            for info in self.pods[name]
        ]
        if tries is not None:
            blocks = self.dry_run(name, blocks, candidate, counted)
        row = cluster.resources.get(self.resource)
        refused = obstacle(decision, name) if decided else ""
        return Box(
            name,
            int(cluster.allocatable[row, cluster.index[name]]) if row is not None else 0,
            tuple(blocks),
            captions(decision, name, candidate) if decided and not waits else (),
            chosen,
            refused,
            ("lock" if self.are_ranked and blocking else sign_of(decision, name)) if refused else "",
            decided and choose and name in tied(decision),
            self.handles.node_badges.get(name, ()),
            self.handles.nodes.get(name, {}),
        )

    def dry_run(self, name: str, blocks: Sequence[Block], candidate: Candidate | None, counted: bool) -> list[Block]:
        """The same pods during the dry run: those that did not come back wait on the shelf, the pod tries the place.

        The first one to be tried is on top of the shelf; before the budgets are ``counted``, the most important one.
        """
        out = [b for b in blocks if b.priority < self.decision.pod.priority and b.mark != "reprieved"]
        inside = [replace(block, numbers=_plain(block)) for block in blocks if block not in out]
        stays = [block for block in inside if block.mark != "reprieved"]
        back = [block for block in inside if block.mark == "reprieved"]
        ordered = [each.pod for each in candidate.attempts] if candidate and counted else self.pods[name]
        turns = {_key(info): turn for turn, info in enumerate(ordered)}
        out.sort(key=lambda block: -turns[block.key])
        aside = [replace(block, aside=True, numbers=_plain(block)[:1]) for block in out]
        if candidate is not None:
            ghost, key = self.incoming("ghost"), _key(self.decision.pod)
            ghost = replace(ghost, name=f"{ghost.name} ?", key=f"{key}?{name}", origin=f"pod/{key}")
            stays.append(replace(ghost, numbers=_plain(ghost), badges=(), marks={}))
        return [*stays, *back, *aside]

    def pod(
        self, info: PodInfo, attempt: Attempt | None, chosen: bool, in_the_way: bool, decided: bool = True
    ) -> Block:
        name, mark, note = info.pod.metadata.name, "", ""
        if attempt is not None:
            mark = "" if attempt.reprieved and decided else "reprieved" if attempt.reprieved else "victim"
            mark = "evicted" if mark == "victim" and chosen else mark
        elif in_the_way and self.are_ranked:
            mark = "obstacle"  # a pill has no room for more: there the lock says it alone
            note = "" if name in self.handles.priorities else f"≥ {self.decision.pod.priority}"
        number = self.number(info)
        joins = self.budgets.get(info.key, []) if info.key not in self.covered else []
        has_start = self.are_ranked and info.start != NEVER_STARTED
        start = changed(self.moment(self.past.get(info.key, info).start), self.moment(info.start))
        began = Number(start, self.handles.starts.get(name, {}), "start")
        return Block(
            name,
            info.request.get(self.resource, 0),
            info.priority,
            (replace(number, text=f"{number.text} {note}".rstrip()), *([began] if has_start else [])),
            mark,
            listed(f"→ {budget.metadata.name}" for budget in joins),
            _key(info),
            self.shield(info, attempt),
            self.handles.pods.get(name, {}),
            fixed=self.handles.fixed.get(name, ""),
        )

    def number(self, info: PodInfo) -> Number:
        """The pod's priority; where priorities make no difference, its request."""
        name = info.pod.metadata.name
        if not self.are_ranked:
            return Number(amount(self.resource, info.request.get(self.resource, 0)), name="request")
        now = short_priority(info.priority)
        text = changed(short_priority(self.past.get(info.key, info).priority), now)
        shorter = (text.replace(" ", ""), f"→ {now}") if text != now else ()
        return Number(text, self.handles.priorities.get(name, {}), name="priority", shorter=shorter)

    def shield(self, info: PodInfo, attempt: Attempt | None) -> tuple[Badge, ...]:
        """The shield of a pod under a budget, or an open one where there could be one."""
        covering, name = self.budgets.get(info.key), info.pod.metadata.name
        marks = self.handles.shields.get(name)
        if not covering:
            return (Badge("open", say("no budget covers {pod}", pod=name), marks=marks),) if marks is not None else ()
        names = listed(
            say("{name} allows {number}", name=b.metadata.name, number=b.status.disruptionsAllowed) for b in covering
        )
        kind, said = "shield", say("covered by the budget: {names}", names=names)
        if attempt is not None and attempt.violates:
            said = say("its eviction would break the budget, so it returns first: {names}", names=names)
            if not attempt.reprieved:
                kind, said = "broken", say("its eviction breaks the budget: {names}", names=names)
        return (Badge(kind, said, marks=marks or {}),)


def _plain(block: Block) -> tuple[Number, ...]:
    """Its numbers, none of which can be changed."""
    return tuple(replace(number, marks={}) for number in block.numbers)


def _key(info: PodInfo) -> str:
    return info.pod.metadata.name if info.pod.metadata.namespace == "default" else info.key


def changed(past: str | None, now: str) -> str:
    """What it is now, after what it was if that is known and was something else."""
    return now if past in (None, now) else f"{past} → {now}"


def tied(decision: Decision) -> Sequence[str]:
    """The nodes among which the scheduler takes any; () if one is best."""
    if decision.preemption is not None:
        found = decision.preemption.tied if decision.nominated_node is not None else []
    else:
        found = decision.best if decision.scores is not None else []
    return found if len(found) > 1 else ()


def captions(decision: Decision, node: str, candidate: Candidate | None) -> tuple[str, ...]:
    """The outcome for the node, in one or two lines."""
    if candidate is not None:
        return count(len(candidate.victims), "victim"), count(candidate.violations, "PDB violation")
    scores = decision.scores
    position = decision.cluster.index[node]
    if scores is not None and position in (found := scores.nodes.tolist()):
        return (say("score {total}", total=scores.total[found.index(position)]),)
    return ()


def short_priority(priority: int) -> str:
    return "−2³¹" if priority == -(2**31) else str(priority).replace("-", "−")
