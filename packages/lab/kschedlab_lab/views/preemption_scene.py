"""A preemption as one picture, nodes above and the ladder of rules below, and as a story from question to answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from kschedlab.decision import Decision
from kschedlab.messages import later, listed, say, sentences
from kschedlab.objects.model import PodDisruptionBudget
from kschedlab.preemption.evidence import Attempt, Preemption
from kschedlab.text.html import Html, element
from kschedlab.text.ladder import RuleResult, steps
from kschedlab.text.words import count, listing, request_text
from kschedlab_lab.views.drawing import CHIP, EDGE, GAP, PILL, Box, Marks, Number, arrange, pill, remark, shapes
from kschedlab_lab.views.glyphs import SIZE, Badge, badge
from kschedlab_lab.views.ladder_drawing import ladder, ladder_height, lanes
from kschedlab_lab.views.layout import NOTHING, Part, moved, padded, phrase, row, words
from kschedlab_lab.views.picture import NO_HANDLES, Boxes, Handles, caption, changed, hidden_nodes, scarcest
from kschedlab_lab.views.style import ACT, INK_2
from kschedlab_lab.views.svg import Room, svg

Moment = tuple[Html, str]
"""A picture, and what happens in it."""


TIGHT, ABOVE, PICKED, RISE = 420, PILL + 1, 4, 8
"""The height of a room in pixels, below which the rules are close together; that of the budgets, under which is the
nodes' own margin with the line around an answered one; how much higher names are that one can click; how far the ladder
reaches into the margin below the names."""


@dataclass(frozen=True)
class Scene:
    """The pictures of one decision. ``handles``: what one can do in them.

    ``allowed``: by budget, the attributes of the handle of its ``disruptionsAllowed``; ``corner``: a number in the
    upper right corner, where there is room for it; ``headline``: what is said instead of the decision and its reason.
    ``rules``: with the ladder; ``chooses``: else only what each node would lose.
    ``tried``: the node whose tries alone are told; "" for all.
    ``since``: an earlier decision; numbers that have changed since then show what they were.
    """

    decision: Decision
    handles: Handles = NO_HANDLES
    allowed: Mapping[str, Marks] = field(default_factory=dict)
    corner: Number | None = None
    headline: str = ""
    rules: bool = True
    chooses: bool = True
    tried: str = ""
    since: Decision | None = None

    @property
    def said(self) -> str:
        """What was decided, and why."""
        return self.headline or caption(self.decision)

    def picture(self, room: Room) -> Html:
        """The decision with all of its evidence."""
        return self._draw(self._boxes.after() if self.chooses else self._boxes.tried(), room, self.said)

    @property
    def _boxes(self) -> Boxes:
        return Boxes(self.decision, self.handles, since=self.since)

    def question(self, room: Room) -> Html:
        """The cluster before the decision; no rule has been asked."""
        decision = self.decision
        nodes = count(len(decision.cluster.nodes), "node")
        alt = say(
            "{pod} ({request}) waits for one of {nodes}.",
            pod=decision.pod.key,
            request=request_text(decision.pod),
            nodes=nodes,
        )
        return self._draw(self._boxes.before(), room, alt, 0)

    def story(self, room: Room) -> list[Moment]:
        """How the decision comes about, moment by moment; the last one is :meth:`picture`.

        Where the ladder chooses among candidates, their victims are there at once.
        """
        decision, preemption = self.decision, self.decision.preemption
        name = decision.pod.pod.metadata.name
        names = decision.cluster.names
        nowhere = say(
            "{pod} ({request}) does not fit on {nodes} as it is."
            if len(names) == 1
            else "{pod} ({request}) fits on none of {nodes} as it is.",
            pod=name,
            request=request_text(decision.pod),
            nodes=names[0] if len(names) == 1 else count(len(names), "node"),
        )
        moments = [(self.question(room), nowhere)]
        if preemption is not None and preemption.eligible:
            climbs = self.rules and len(preemption.candidates) > 1
            moments += self._climb(preemption, room) if climbs else self._reprieve(preemption, room)
        return [*moments, (self.picture(room), self.said)]

    def _reprieve(self, preemption: Preemption, room: Room) -> list[Moment]:
        boxes = self._boxes
        names = self.decision.cluster.names
        first = say(
            "On {node}, all pods of a priority below {priority} step aside."
            if len(names) == 1
            else "On every node, all pods of a priority below {priority} step aside.",
            node=names[0],
            priority=self.decision.pod.priority,
        )
        stuck = [say("{node} ({reason})", node=box.name, reason=box.refused) for box in boxes.trying({}) if box.refused]
        no = say("Not a candidate: {nodes}." if len(stuck) == 1 else "Not candidates: {nodes}.", nodes=listing(stuck))
        text = sentences([first, no if stuck else ""])
        moments = [(self._draw(boxes.trying({}), room, text, 0), text)]
        candidates = [preemption.candidates[node] for node in boxes.nodes if node in preemption.candidates]
        told = [each for each in candidates if each.node == (self.tried or each.node)]
        tried = {each.node: len(each.attempts) for each in candidates if each not in told}
        for candidate in told:
            for turn, attempt in enumerate(candidate.attempts, 1):
                tried[candidate.node] = turn
                text = say("{node}: {said}", node=candidate.node, said=attempted(attempt))
                moments.append((self._draw(boxes.trying(tried), room, text, 0), text))
        return moments

    def _climb(self, preemption: Preemption, room: Room) -> list[Moment]:
        nodes = [node for node in self._boxes.nodes if node in preemption.candidates]
        boxes = self._boxes.tried()
        asked = [step for step in steps(preemption, nodes) if step.applies]
        told = [(0, say("Step 1 has found the victims on each node. Now the rules compare the nodes."))]
        told += [(step.number, _rule(step, preemption)) for step in asked]
        return [(self._draw(boxes, room, text, number), text) for number, text in told]

    def _draw(self, boxes: list[Box], room: Room, alt: str, asked: int | None = None) -> Html:
        """``asked``: how many of the ladder's rules were asked; None: all.

        Pods that stepped aside are where the ladder's lanes are otherwise.
        """
        found = self.decision.preemption
        has_rules = self.rules and found is not None and found.rungs and len(self.decision.cluster.nodes) > 1
        preemption = found if has_rules else None
        budgets, more = self._budgets(), remark(hidden_nodes(self.decision), room.width - 2 * GAP)
        above = ABOVE if budgets.height else 0
        picked = PICKED if any("data_pick" in box.marks for box in boxes) else 0
        inner = Room(room.width, room.height - above + picked)
        trial = arrange(boxes, inner, 0)
        at = lanes(boxes, trial, preemption, room.height < TIGHT) if preemption is not None else None
        captions, in_rows = self.rules and (at is None or at.named), trial.rows > 1
        high = ladder_height(preemption, at) - RISE if preemption is not None and at is not None else 0
        shelf = self._shelf(boxes)
        lower = high if in_rows else max(high, shelf)
        plan = arrange(boxes, inner, lower + more.height, captions, shelf=shelf if in_rows else 0)
        parts, bottom = shapes(boxes, plan, scarcest(self.decision), captions), plan.bottom - picked
        is_trial = any(block.aside for box in boxes for block in box.blocks)
        if preemption is not None and at is not None and not (is_trial and trial.places[0].bar):
            parts += ladder(preemption, at, bottom - RISE, asked)
        bottom += lower if is_trial else high
        picture = element("g", *parts, moved(more, GAP, bottom), transform=f"translate(0,{above})")
        corner = pill(self.corner, "corner", colour=ACT) if self.corner is not None else NOTHING
        left = plan.width - EDGE - corner.width
        shown = [
            picture,
            moved(budgets, EDGE, 0),
            *([moved(corner, left, 3)] if left > EDGE + budgets.width + GAP else []),
        ]
        return svg(shown, plan.width, bottom + more.height + above, alt)

    def _shelf(self, boxes: Sequence[Box]) -> float:
        """The height of the shelf: the same in all pictures of the story, so that nothing jumps."""
        preemption = self.decision.preemption
        if preemption is None or not preemption.candidates:
            return 0
        names = {box.name for box in boxes}
        most = max((len(each.attempts) for node, each in preemption.candidates.items() if node in names), default=0)
        left = max((len(each.victims) for node, each in preemption.candidates.items() if node in names), default=0)
        return (CHIP + 2) * max(min(most, 5), left) + 4

    def _budgets(self) -> Part:
        """The budgets, and how many pods each may lose now."""
        found, past = [], _budgets(self.since) if self.since is not None else []
        was = {each.metadata.name: str(each.status.disruptionsAllowed) for each in past}
        for budget in _budgets(self.decision)[:2]:
            name, now = budget.metadata.name, budget.status.disruptionsAllowed
            shield = Part(SIZE, SIZE, (badge(Badge("shield", f"PodDisruptionBudget {name}"), 0, 0),))
            number = Number(changed(was.get(name), str(now)), self.allowed.get(name, {}), name="allowed")
            allowed = pill(number, f"budget/{name}", colour=ACT) if number.marks else words(number.text, bold=True)
            message = later("may lose {number} pod now") if now == 1 else later("may lose {number} pods now")
            before, after = say(message).split("{number}")
            title = (say("Budget {name}", name=name), "currentColor", True)
            said = phrase(title, (before.strip(), INK_2, False), gap=10)
            found.append(row([shield, said, allowed, words(after.strip(), fill=INK_2)], 7))
        return padded(row(found, 24), 0, 3) if found else NOTHING


def _budgets(decision: Decision) -> list[PodDisruptionBudget]:
    return [*decision.cluster.objects_of(PodDisruptionBudget)]


def all_attempted(attempts: Sequence[Attempt]) -> str:
    """What happens at these tries; why some are early is said once."""
    first = next((each for each in attempts if each.violates), None)
    return sentences(attempted(each, each is first) for each in attempts)


def attempted(attempt: Attempt, explains: bool = True) -> str:
    """What happens at this try to reprieve a pod. ``explains``: why it is early."""
    fits, stuck = later("{pod} fits and comes back."), later("{pod} does not fit any more: a victim.")
    early = say("It is tried early, because evicting it would break the budget.")
    tried = say(fits if attempt.reprieved else stuck, pod=attempt.pod.pod.metadata.name)
    return sentences((tried, early if attempt.violates and explains else ""))


def _rule(step: RuleResult, preemption: Preemption) -> str:
    """What a rule reads, and which candidates it drops."""
    values = listed(f"{node} {step.values[node]}" for node in sorted(step.standing) if node in step.values)
    dropped = sorted(step.standing - set(step.kept))
    if dropped:
        result = say("{nodes} drops out" if len(dropped) == 1 else "{nodes} drop out", nodes=listing(dropped))
    else:
        result = say("a tie is left") if step.number == len(preemption.rungs) else say("nobody drops out")
    chosen = say("; {node} is chosen", node=step.kept[0]) if step.decides else ""
    return say(
        "Rule {number}, {rule}: {values}; {result}{chosen}.",
        number=step.number,
        rule=step.rule,
        values=values,
        result=result,
        chosen=chosen,
    )
