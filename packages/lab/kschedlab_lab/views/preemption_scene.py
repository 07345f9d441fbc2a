"""A preemption as one picture, nodes above and the ladder of rules below, and as a story from question to answer."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from kschedlab.cluster.pods import PodInfo
from kschedlab.decision import Decision
from kschedlab.messages import later, listed, say, sentences
from kschedlab.objects.model import PodDisruptionBudget
from kschedlab.preemption.evidence import Attempt, Candidate, Preemption
from kschedlab.text.html import Html, element, visible
from kschedlab.text.ladder import RuleResult, steps
from kschedlab.text.preemption import evicted
from kschedlab.text.words import amount, count, listing, request_text, requested
from kschedlab_lab.views.drawing import EDGE, GAP, PILL, ROUND, SHORT, Box, Marks, Number, Place, arrange, pill, shapes
from kschedlab_lab.views.glyphs import SIZE, Badge, badge
from kschedlab_lab.views.ladder_drawing import NAMES, Lanes, ladder, lanes
from kschedlab_lab.views.layout import NOTHING, Part, moved, padded, phrase, row, words
from kschedlab_lab.views.obstacles import obstacle
from kschedlab_lab.views.picture import (
    NO_HANDLES,
    Boxes,
    Handles,
    changed,
    decided_and_why,
    in_brief,
    in_list_order,
    scarcest,
    short_priority,
)
from kschedlab_lab.views.style import ACT, EVICTED, INK_2
from kschedlab_lab.views.svg import Room, rect, svg

Moment = tuple[Html, str]
"""A picture, and what happens in it."""


CROSSED = later("A red cross marks each node's victims.")
TIGHT, ABOVE, PICKED, RISE, ASIDE, TALLEST, SHARE = 420, PILL + 1, 4, 8, 174, 260, 0.4
"""The height of a room in pixels, below which the rules are close together; that of the budgets, under which is the
nodes' own margin with the line around an answered one; how much higher names are that one can click; how far the ladder
reaches into the margin below the names; the least height of nodes whose pods stepped aside: each pod has two lines; the
greatest height of nodes, and what part of the height beyond the usual one the rules get."""


@dataclass(frozen=True)
class Scene:
    """The pictures of one decision. ``handles``: what one can do in them.

    ``allowed``: by budget, the attributes of the handle of its ``disruptionsAllowed``; ``corner``: a number in the
    upper right corner, where there is room for it. ``rules``: with the ladder.
    ``tried``: the node whose victims are found, without a choice; "" for the whole decision.
    ``since``: the decision on the lesson's first cluster; numbers that are others now show what they were.
    ``as_listed``: see :func:`in_list_order`.
    """

    decision: Decision
    handles: Handles = NO_HANDLES
    allowed: Mapping[str, Marks] = field(default_factory=dict)
    corner: Number | None = None
    rules: bool = True
    tried: str = ""
    since: Decision | None = None
    as_listed: bool = False

    @property
    def said(self) -> str:
        """What was decided, and with the ladder, why."""
        if self.tried:
            back = comes_back(self.decision, self.tried) or would_leave(self.decision, self.tried)
            return sentences((back, self._why_back))
        if not self.rules:
            return decided_and_why(self.decision)[0]
        (first, why), step = decided_and_why(self.decision), next((each for each in self._steps if each.decides), None)
        if step is not None:  # the ladder has the values
            why = say("Rule {number} decides: {rule}.", number=step.number, rule=say(NAMES[step.name]))
        return sentences((first, why, *map(self._sorted_again, self._resorted)))

    @property
    def _resorted(self) -> list[str]:
        """The nodes whose lists of victims are not in the order of the tries, if rule 2 reads these lists."""
        if not _reads_order(self.decision.preemption, None):
            return []
        return [node for node, each in self._candidates.items() if [*each.victims] != _tried_in_vain(each)]

    def _sorted_again(self, node: str) -> str:
        return say(
            "{version} sorts the list of {node} again: {victims}.",
            version=self.decision.generation.name,
            node=node,
            victims=_in_order(self._candidates[node].victims),
        )

    @property
    def _why_back(self) -> str:
        """Why a pod comes back to the node that is tried where a more important one leaves; "" if none does."""
        candidate = self._candidates.get(self.tried)
        if candidate is None or (kept := _kept(candidate)) is None:
            return ""
        leaves = max(candidate.victims, key=lambda info: info.priority)
        return say(
            "Evicting {pod} ({priority}) would break the budget, so it comes back before {other} ({highest}).",
            pod=kept.pod.metadata.name,
            priority=short_priority(kept.priority),
            other=leaves.pod.metadata.name,
            highest=short_priority(leaves.priority),
        )

    @property
    def _candidates(self) -> Mapping[str, Candidate]:
        return self.decision.preemption.candidates if self.decision.preemption is not None else {}

    def picture(self, room: Room) -> Html:
        """The decision with all of its evidence."""
        tries = {node: len(each.attempts) for node, each in self._candidates.items()}
        return self._draw(self._boxes.trying(tries) if self.tried else self._boxes.after(), room, self.said)

    @property
    def _boxes(self) -> Boxes:
        return Boxes(self.decision, self.handles, since=self.since)

    def question(self, room: Room) -> Html:
        """The cluster before the decision, or before the tries on a node; no rule has been asked."""
        if self.tried:
            return self._draw(self._boxes.trying({}), room, self._aside, 0)
        return self._draw(self._boxes.before(), room, self._nowhere, 0)

    def victims(self, room: Room) -> Html:
        """The cluster with each node's victims before any rule is asked; with their places in its list, if the rule
        that decides reads these."""
        ordered = any(step.decides and step.number == 2 for step in self._steps)
        return self._draw(self._boxes.tried(), room, say(CROSSED), 0, in_turn=ordered)

    @property
    def _steps(self) -> list[RuleResult]:
        preemption = self.decision.preemption
        return steps(preemption, list(preemption.candidates)) if preemption is not None else []

    @property
    def _aside(self) -> str:
        message = later("On every node, all pods of a priority below {priority} step aside.")
        return say(message, priority=self.decision.pod.priority)

    @property
    def _nowhere(self) -> str:
        return say(
            "{pod} ({request}) fits on none of {nodes} as it is.",
            pod=self.decision.pod.pod.metadata.name,
            request=request_text(self.decision.pod),
            nodes=count(len(self.decision.cluster.nodes), "node"),
        )

    @property
    def reads_starts(self) -> bool:
        """Whether the last rule is asked, the only one that reads start times. An exercise doesn't tell beforehand."""
        preemption = self.decision.preemption
        if self.as_listed or preemption is None or not self.rules:
            return self.as_listed
        return any(step.applies for step in steps(preemption, list(preemption.candidates))[-1:])

    @property
    def _legend(self) -> Part:
        """How to read numbers that have changed."""
        return words(say("first question → now"), fill=INK_2) if self.since is not None else NOTHING

    def story(self, room: Room) -> list[Moment]:
        """How the decision comes about, moment by moment; the last one is :meth:`picture`.

        The tries on a node, or the rules one after the other.
        """
        preemption = self.decision.preemption
        told = [] if preemption is None else [*(self._tries if self.tried else self._climb)(preemption, room)]
        if not told:
            told.insert(0, (self._draw(self._boxes.before(), room, self._nowhere, 0), self._nowhere))
        return [*told, (self.picture(room), self.said)]

    def _tries(self, preemption: Preemption, room: Room) -> Iterator[Moment]:
        """All less important pods step aside, and are tried one by one on one node; then it is the others' turn."""
        boxes, candidates = self._boxes, preemption.candidates
        stuck = [say("{node} ({reason})", node=box.name, reason=box.refused) for box in boxes.trying({}) if box.refused]
        no = say("Not a candidate: {nodes}." if len(stuck) == 1 else "Not candidates: {nodes}.", nodes=listing(stuck))
        text = sentences((self._aside, no if stuck else ""))
        yield self._draw(boxes.trying({}), room, text, 0), text
        attempts = candidates[self.tried].attempts if self.tried in candidates else ()
        if is_reordered(attempts):
            text = say("{node}: {said}", node=self.tried, said=counted(attempts, boxes.budgets))
            left = disruptions_left(attempts, boxes.budgets)
            yield self._draw(boxes.trying({self.tried: 0}), room, text, 0, left), text
        for turn, attempt in enumerate(attempts, 1):
            text = say(
                "{node}: {said}",
                node=self.tried,
                said=attempted(attempt, _alone(attempts[: turn - 1], self.decision.pod)),
            )
            fails = None if attempt.reprieved else attempt.pod
            yield self._draw(boxes.trying({self.tried: turn}), room, text, 0, fails=fails), text
        if attempts and len(candidates) > 1:
            text = say("Then the same on the other nodes.")
            yield self.picture(room), text

    def _climb(self, preemption: Preemption, room: Room) -> Iterator[Moment]:
        """Who would leave, and each rule that is asked. If a node's first victim is not its most important one and
        that decides, it begins with the tries that put it there."""
        asked = [step for step in steps(preemption, list(preemption.candidates)) if step.applies]
        if not asked:
            return
        if (node := _misleading(preemption)) is not None:
            yield from self._recall(node, preemption.candidates[node].attempts, room)
        else:
            text = say(CROSSED)
            yield self._draw(self._boxes.tried(), room, text, 0), text
        for node in self._resorted:
            yield from self._sort(node, room)
        for step in asked:
            text = _rule(step, preemption)
            yield self._draw(self._boxes.tried(), room, text, step.number), text

    def _sort(self, node: str, room: Room) -> Iterator[Moment]:
        """The victims of this node get their places in the order of the tries, and then by priority."""
        victims = _tried_in_vain(self._candidates[node])
        text = say("{node}, in the order of the tries: {victims}.", node=node, victims=_in_order(victims))
        turns = {info.pod.metadata.name: turn for turn, info in enumerate(victims, 1)}
        boxes = [_renumbered(box, turns) if box.name == node else box for box in self._boxes.tried()]
        yield self._draw(boxes, room, text, 0, in_turn=True), text
        text = self._sorted_again(node)
        yield self._draw(self._boxes.tried(), room, text, 0, in_turn=True), text

    def _recall(self, node: str, attempts: Sequence[Attempt], room: Room) -> Iterator[Moment]:
        """The tries on this node, whose pods stay where they are: pale until it is their turn."""
        for turn, attempt in enumerate(attempts, 1):
            waits = {each.pod.pod.metadata.name for each in attempts[turn:]}
            back = {each.pod.pod.metadata.name for each in attempts[:turn] if each.reprieved}
            boxes = [_recalled(box, waits, back) if box.name == node else box for box in self._boxes.tried()]
            happens = attempted(attempt, _alone(attempts[: turn - 1], self.decision.pod))
            said = sentences((counted(attempts, self._boxes.budgets) if turn == 1 else "", happens))
            text = say("{node}: {said}", node=node, said=said)
            yield self._draw(boxes, room, text, 0, in_turn=True), text

    def _draw(
        self,
        boxes: list[Box],
        room: Room,
        alt: str,
        asked: int | None = None,
        left: Mapping[str, int] | None = None,
        fails: PodInfo | None = None,
        in_turn: bool = False,
    ) -> Html:
        """``asked``: how many of the ladder's rules were asked; None: all. ``left``: see :func:`disruptions_left`.
        ``fails``: the pod that does not fit on the node that is tried; ``in_turn``: victims have their numbers.

        The place of the ladder is free in every picture, so that no node changes its size; without a ladder, pods that
        step aside are there.
        """
        found = self.decision.preemption
        preemption = found if self.rules and found is not None and found.rungs else None
        was = {each.metadata.name: each.status.disruptionsAllowed for each in budgets_of(self.since)}
        budgets = budgets_row(budgets_of(self.decision), was, self.allowed, left or {})
        above = ABOVE if budgets.height else 0
        picked = PICKED if any("data_pick" in box.marks for box in boxes) else 0
        inner, tight = Room(room.width, room.height - above + picked), room.height < TIGHT
        at = _spread(boxes, inner, tight)
        below = _shelf(boxes, inner) if self.tried else at.height - RISE
        short = ASIDE if self.tried else SHORT
        plan = arrange(boxes, inner, below, captions=False, short=short, tallest=TALLEST)
        boxes = in_list_order(boxes, plan.places[0].bar) if self.as_listed else boxes
        if not in_turn and not _reads_order(preemption, asked):
            boxes = [_unnumbered(box) for box in boxes]
        if not self.reads_starts:
            boxes = [_untimed(box) for box in boxes]
        parts, bottom = shapes(boxes, plan, scarcest(self.decision), captions=False), plan.bottom - picked
        if fails is not None:
            parts += [
                _clash(fails, box, place, boxes, scarcest(self.decision))
                for box, place in zip(boxes, plan.places, strict=True)
                if box.name == self.tried
            ]
        if preemption is not None:
            at = lanes(boxes, plan, tight)._replace(more=at.more)
            parts += ladder(preemption, at, bottom - RISE, asked, _signs(boxes))
        bottom += below if preemption is not None or self.tried else 0
        corner = pill(self.corner, "corner", colour=ACT) if self.corner is not None else self._legend
        beside = plan.width - EDGE - corner.width
        shown = [element("g", *parts, transform=f"translate(0,{above})"), moved(budgets, EDGE, 0)]
        if beside > EDGE + budgets.width + GAP:
            shown.append(moved(corner, beside, (budgets.height - corner.height) / 2))
        return svg(shown, plan.width, bottom + above, alt)


def _shelf(boxes: Sequence[Box], room: Room) -> float:
    """The height for pods that stepped aside: as high as a node, because they keep their scale."""
    plan = arrange(boxes, room, 0, captions=False)
    return min(max((room.height - plan.bottom + plan.places[-1].height) / 2, ASIDE), TALLEST)


def _spread(boxes: Sequence[Box], room: Room, tight: bool) -> Lanes:
    """The lanes below the nodes: where there is height left, nodes and rules share it."""
    at = lanes(boxes, arrange(boxes, room, 0, captions=False), tight)
    spare = room.height - arrange(boxes, room, at.height - RISE, captions=False).bottom - at.height + RISE
    return at.spread(spare * SHARE)


def _clash(info: PodInfo, box: Box, place: Place, boxes: Sequence[Box], resource: str) -> Html:
    """The outline of a pod that does not fit on a node, over what is in its place there."""
    scale = place.height / max(each.capacity for each in boxes)
    top, high = place.y + place.height - box.capacity * scale, info.request.get(resource, 0) * scale
    look: dict[str, Any] = {"fill": "none", "stroke": EVICTED, "stroke_width": 2.5, "stroke_dasharray": "5 4"}
    return rect(
        place.width - 10,
        high - 10,
        ROUND,
        place.x + 5,
        top + 5,
        **look,
        data_key=f"try/{info.pod.metadata.name}",
        data_from=f"pod/{info.pod.metadata.name}",
    )


def _tried_in_vain(candidate: Candidate) -> list[PodInfo]:
    """The victims, in the order of the tries."""
    return [each.pod for each in candidate.attempts if not each.reprieved]


def _in_order(victims: Sequence[PodInfo]) -> str:
    return listed(f"{info.pod.metadata.name} ({short_priority(info.priority)})" for info in victims)


def _renumbered(box: Box, turns: Mapping[str, int]) -> Box:
    """The node, its victims with these places in their list."""
    return replace(box, blocks=tuple(replace(each, turn=turns.get(each.name, each.turn)) for each in box.blocks))


def _recalled(box: Box, waits: Container[str], back: Container[str]) -> Box:
    """The node after some tries: who ``waits`` for one is pale, who is ``back`` has the sign of that."""
    blocks = (
        replace(each, mark="", turn=0, pale=True)
        if each.name in waits
        else replace(each, mark="reprieved" if each.name in back else each.mark)
        for each in box.blocks
    )
    return replace(box, blocks=tuple(blocks))


def _misleading(preemption: Preemption) -> str | None:
    """The node that is chosen by its first victim, if that is not its most important one; else None."""
    every = steps(preemption, list(preemption.candidates))
    if (chosen := preemption.nominated_node) is None or not any(each.decides and each.number == 2 for each in every):
        return None
    first, *others = preemption.candidates[chosen].victims
    return chosen if any(each.priority > first.priority for each in others) else None


def budgets_of(decision: Decision | None) -> list[PodDisruptionBudget]:
    """Those of its cluster."""
    return [*decision.cluster.objects_of(PodDisruptionBudget)] if decision is not None else []


def budgets_row(
    budgets: Sequence[PodDisruptionBudget],
    was: Mapping[str, int],
    handles: Mapping[str, Marks],
    left: Mapping[str, int],
) -> Part:
    """The first two budgets, and how many pods each may lose now. ``was``: how many before; ``left``: how many then."""
    found = []
    for budget in budgets[:2]:
        name, allowed = visible(budget.metadata.name), budget.status.disruptionsAllowed
        now = left.get(name, allowed)
        shield = Part(SIZE, SIZE, (badge(Badge("shield", f"PodDisruptionBudget {name}"), 0, 0),))
        number = Number(changed(str(was.get(name, allowed)), str(now)), handles.get(name, {}), name="allowed")
        shown = pill(number, f"budget/{name}", colour=ACT) if number.marks else words(number.text, bold=True)
        message = later("may lose {number} pod now") if now == 1 else later("may lose {number} pods now")
        before, after = say(message).split("{number}")
        title = (say("Budget {name}", name=name), "currentColor", True)
        said = phrase(title, (before.strip(), INK_2, False), gap=10)
        found.append(row([shield, said, shown, words(after.strip(), fill=INK_2)], 7))
    return padded(row(found, 24), 0, 3) if found else NOTHING


def would_leave(decision: Decision, node: str) -> str:
    """Who would be evicted on this node."""
    candidates = decision.preemption.candidates if decision.preemption is not None else {}
    if node not in candidates:
        return say("{node} is not a candidate: {reason}.", node=node, reason=obstacle(decision, node))
    return say("On {node}, {victims} would be evicted.", node=node, victims=evicted(candidates[node].victims))


def comes_back(decision: Decision, node: str) -> str:
    """Who comes back to this node, and who would be evicted there; "" if nobody comes back."""
    candidates = decision.preemption.candidates if decision.preemption is not None else {}
    attempts = candidates[node].attempts if node in candidates else ()
    back = [each.pod for each in attempts if each.reprieved]
    if not back:
        return ""
    message = later("{pods} come back to {node}; {victims} would be evicted.")
    if len(back) == 1:
        message = later("{pods} comes back to {node}; {victims} would be evicted.")
    return say(message, pods=evicted(back), node=node, victims=evicted(candidates[node].victims))


def beside(decision: Decision, node: str, other: str = "") -> str:
    """How much is free on a node beside the pod that is tried there, once all less important pods stepped aside.

    ``other``: a pod of the node; where it asks for more than that, this is said, too.
    """
    box = next(each for each in Boxes(decision, NO_HANDLES).trying({}) if each.name == node)
    space, pod = box.capacity - box.used, decision.pod.pod.metadata.name
    free = amount(scarcest(decision), space)
    asked = next((each.size for each in box.blocks if each.name == other), 0)
    if asked <= space:
        return say("Beside {pod}, {free} is free.", pod=pod, free=free)
    asks = amount(scarcest(decision), asked)
    return say("Beside {pod}, {free} is free, but {other} asks for {asks}.", pod=pod, free=free, other=other, asks=asks)


def fate(decision: Decision, node: str, compares: bool = True) -> str:
    """The rule at which this node, which is not chosen, drops out.

    ``compares``: also what the chosen one has, and what may surprise in that.
    """
    preemption, chosen = decision.preemption, decision.nominated_node
    if preemption is None or chosen is None or node not in preemption.candidates:
        return would_leave(decision, node)
    if (step := _last(preemption, node)) is None:
        return say("No rule drops {node}: all {rungs} leave a tie.", node=node, rungs=len(preemption.rungs))
    told = {"node": node, "number": step.number, "rule": say(NAMES[step.name])}
    value, best = _compared(step, preemption, node), _compared(step, preemption, chosen)
    if step.number == 1:
        value = f"{value} ({evicted(_breaking(preemption.candidates[node]))})"
    if not compares:
        return say("{node} drops out at rule {number}, {rule}: it has {value}.", **told, value=value)
    message = later("{node} drops out at rule {number}, {rule}: it has {value}, {other} {best}.")
    fell = say(message, **told, value=value, other=chosen, best=best)
    surprise = _surprise(step.number, preemption.candidates[node], preemption.candidates[chosen])
    return sentences((fell, surprise))


def fates(decision: Decision, rival: str) -> list[str]:
    """Why each node dropped out up to the rule that drops the ``rival``; those that this rule drops are compared with
    the chosen one together."""
    preemption, chosen = decision.preemption, decision.nominated_node
    if preemption is None or chosen is None or (step := _last(preemption, rival)) is None:
        return []
    before = [fate(decision, name, compares=False) for name in preemption.candidates if name not in step.standing]
    fallen = [name for name in preemption.candidates if name in step.standing - {*step.kept}]
    if len(fallen) == 1:
        return [*before, fate(decision, rival)]
    values = list(dict.fromkeys(_compared(step, preemption, name) for name in fallen))
    message = later("{nodes} drop out at rule {number}, {rule}: they have {values}; {other} has {best}.")
    if len(values) == 1:
        message = later("{nodes} drop out at rule {number}, {rule}: each has {values}; {other} has {best}.")
    fell = say(
        message,
        nodes=listing(fallen),
        number=step.number,
        rule=say(NAMES[step.name]),
        values=listing(values),
        other=chosen,
        best=_compared(step, preemption, chosen),
    )
    return [*before, fell, _surprise(step.number, preemption.candidates[rival], preemption.candidates[chosen])]


def _last(preemption: Preemption, node: str) -> RuleResult | None:
    """The rule that drops this node, if one does."""
    asked = steps(preemption, list(preemption.candidates))
    return next((each for each in asked if node in each.standing and node not in each.kept), None)


def _compared(step: RuleResult, preemption: Preemption, node: str) -> str:
    """What the rule reads on this node; of rule 2, also whose priority it is."""
    value = in_brief(step.values[node])
    if step.number != 2:
        return value
    return say("{pod} ({priority})", pod=preemption.candidates[node].victims[0].pod.metadata.name, priority=value)


def _breaking(candidate: Candidate) -> list[PodInfo]:
    """The victims whose eviction breaks a budget."""
    return [each.pod for each in candidate.attempts if each.violates and not each.reprieved]


def _surprise(number: int, loses: Candidate, wins: Candidate) -> str:
    """Why the rule drops this node, to somebody who sees only whom the two nodes lose; "" if that is plain."""
    if number == 1:
        return (
            say("The rule counts only victims that break a budget.") if len(loses.victims) < len(wins.victims) else ""
        )
    if number == 2:
        return _spared(loses) or _unread(loses, wins)
    if number == 3:
        return say("One more victim costs 2³¹ more.") if len(loses.victims) > len(wins.victims) else ""
    return say(
        "A victim of priority −2³¹ adds 0 to the sum." if number == 4 else "The later start wins: less work is lost."
    )


def _kept(candidate: Candidate) -> PodInfo | None:
    """A pod that a budget keeps where a more important one leaves."""
    highest = max((info.priority for info in candidate.victims), default=0)
    kept = (each.pod for each in candidate.attempts if each.violates and each.reprieved and each.pod.priority < highest)
    return next(kept, None)


def _spared(candidate: Candidate) -> str:
    """Where the lesson shows why a less important pod stays there; "" if none does."""
    if (info := _kept(candidate)) is None:
        return ""
    return say(
        "Step 1 shows why {pod} ({priority}) stays.", pod=info.pod.metadata.name, priority=short_priority(info.priority)
    )


def _unread(loses: Candidate, wins: Candidate) -> str:
    """A victim of the winner that rule 2 does not read, though it is as important as any of the loser."""
    most = max(wins.victims, key=lambda info: info.priority)
    if most.priority < max(info.priority for info in loses.victims):
        return ""
    message = later("The rule never looks at {pod} ({priority}).")
    return say(message, pod=most.pod.metadata.name, priority=short_priority(most.priority))


def _reads_order(preemption: Preemption | None, asked: int | None) -> bool:
    """Whether rule 2 has been asked, which reads the order of the victims."""
    if preemption is None or not preemption.rungs or preemption.rungs[0].decides:
        return False
    return asked is None or asked > 1


def _unnumbered(box: Box) -> Box:
    """The node, without its victims' places in their list."""
    return replace(box, blocks=tuple(replace(block, turn=0) for block in box.blocks))


def _signs(boxes: Sequence[Box]) -> set[int]:
    """The rules whose signs pods have: a shield that breaks, a victim's place in its list."""
    blocks = [block for box in boxes for block in box.blocks]
    breaks = any(badge.kind == "broken" for block in blocks for badge in block.badges)
    return {rule for rule, there in ((1, breaks), (2, any(block.turn for block in blocks))) if there}


def _untimed(box: Box) -> Box:
    """The node, without its pods' start times; one that has changed stays."""
    blocks = (replace(each, numbers=tuple(filter(_is_read, each.numbers))) for each in box.blocks)
    return replace(box, blocks=tuple(blocks))


def _is_read(number: Number) -> bool:
    return number.name != "start" or "→" in number.text


def first_back(attempts: Sequence[Attempt]) -> str:
    """Who is the first to come back at these tries, and that the others don't; "" for nobody."""
    back = next((each for each in attempts if each.reprieved), None)
    if back is None:
        return ""
    return sentences((attempted(back, None, explains=True), say("No other pod fits beside it.")))


def _alone(earlier: Sequence[Attempt], preemptor: PodInfo) -> PodInfo | None:
    """The pod that preempts, if nobody came back at the earlier tries."""
    return None if any(each.reprieved for each in earlier) else preemptor


def is_reordered(attempts: Sequence[Attempt]) -> bool:
    """Whether a pod that would break a budget is tried before a more important one."""
    early, late = ([_importance(each.pod) for each in attempts if each.violates == now] for now in (True, False))
    return bool(early and late) and min(early) < max(late)


def _importance(info: PodInfo) -> tuple[int, int]:
    return info.priority, -info.start


def disruptions_left(
    attempts: Sequence[Attempt], covering: Mapping[str, Sequence[PodDisruptionBudget]]
) -> dict[str, int]:
    """How many disruptions each budget has left once the pods of a node are counted. ``covering``: a pod's budgets."""
    charged = [budget for each in attempts for budget in covering.get(each.pod.key, ())]
    return {each.metadata.name: max(each.status.disruptionsAllowed - charged.count(each), 0) for each in charged}


def counted(attempts: Sequence[Attempt], covering: Mapping[str, Sequence[PodDisruptionBudget]]) -> str:
    """How a budget changes the order of the tries."""
    users = [each.pod for each in attempts if each.pod.key in covering and not each.violates]
    early = [each.pod for each in attempts if each.violates]
    uses = later("counting from the most important, {pods} uses up the budget.")
    if len(users) > 1:
        uses = later("counting from the most important, {pods} use up the budget.")
    none = later("{pods} finds no disruption left, so it is tried first.")
    if len(early) > 1:
        none = later("{pods} find no disruption left, so they are tried first.")
    return sentences((say(uses, pods=evicted(users)) if users else "", say(none, pods=evicted(early))))


def attempted(attempt: Attempt, alone: PodInfo | None, explains: bool = False) -> str:
    """What happens at this try to reprieve a pod.

    ``alone``: the pod that preempts, as long as no other has come back; ``explains``: why the try is early.
    """
    fits, stuck = later("{pod} ({request}) fits and comes back."), later("{pod} ({request}) no longer fits: a victim.")
    if alone is not None:
        stuck = later("{pod} ({request}) does not fit beside {other}: a victim.")
    early = say("It is tried early, because evicting it would break the budget.")
    info = attempt.pod
    other = alone.pod.metadata.name if alone is not None else ""
    tried = say(fits if attempt.reprieved else stuck, pod=info.pod.metadata.name, request=requested(info), other=other)
    return sentences((tried, early if attempt.violates and explains else ""))


def _rule(step: RuleResult, preemption: Preemption) -> str:
    """Which candidates a rule drops; the picture has what it reads."""
    dropped = sorted(step.standing - set(step.kept))
    if dropped:
        result = say("{nodes} drops out" if len(dropped) == 1 else "{nodes} drop out", nodes=listing(dropped))
    else:
        result = say("a tie is left") if step.number == len(preemption.rungs) else say("nobody drops out")
    chosen = say("; {node} is chosen", node=step.kept[0]) if step.decides else ""
    return say(
        "Rule {number}, {rule}: {result}{chosen}.",
        number=step.number,
        rule=say(NAMES[step.name]),
        result=result,
        chosen=chosen,
    )
