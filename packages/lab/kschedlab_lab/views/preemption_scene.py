"""A preemption as one picture, nodes above and the ladder of rules below, and as a story from question to answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from kschedlab.decision import Decision
from kschedlab.messages import later, listed, say, sentences
from kschedlab.objects.model import PodDisruptionBudget
from kschedlab.preemption.stage import Candidate, Preemption
from kschedlab.text.html import Html, element
from kschedlab.text.ladder import RuleResult, steps
from kschedlab.text.words import count, listing, request_text
from kschedlab_lab.views.drawing import GAP, Box, Marks, arrange, legend_at, shapes
from kschedlab_lab.views.glyphs import SIZE, Badge, badge
from kschedlab_lab.views.ladder_drawing import ROW, ladder, ladder_height, lanes
from kschedlab_lab.views.lettering import text_width
from kschedlab_lab.views.picture import NO_HANDLES, Boxes, Handles, caption, hidden_nodes, scarcest
from kschedlab_lab.views.svg import Room, label, svg

Moment = tuple[Html, str]
"""A picture, and what happens in it."""
CELL = 22
"""The width of a value of ``disruptionsAllowed``, in pixels."""


@dataclass(frozen=True)
class Scene:
    """The pictures of one decision. ``handles``: what one can do in them.

    ``allowed``: by budget, the values of ``disruptionsAllowed`` that one can set, with the attributes that set them.
    """

    decision: Decision
    handles: Handles = NO_HANDLES
    allowed: Mapping[str, Sequence[tuple[int, Marks]]] = field(default_factory=dict)

    def picture(self, room: Room) -> Html:
        """The decision with all of its evidence."""
        return self._draw(Boxes(self.decision, self.handles).after(), room, caption(self.decision))

    def question(self, room: Room) -> Html:
        """The cluster before the decision."""
        decision = self.decision
        nodes = count(len(decision.cluster.nodes), "node")
        alt = say(
            "{pod} ({request}) waits for one of {nodes}.",
            pod=decision.pod.key,
            request=request_text(decision),
            nodes=nodes,
        )
        return self._draw(Boxes(decision, self.handles).before(), room, alt, 0)

    def story(self, room: Room) -> list[Moment]:
        """How the decision comes about, moment by moment; the last one is :meth:`picture`."""
        decision, preemption = self.decision, self.decision.preemption
        name = decision.pod.pod.metadata.name
        nodes = count(len(decision.cluster.nodes), "node")
        moments = [
            (
                self.question(room),
                say(
                    "{pod} ({request}) fits on none of {nodes} as it is.",
                    pod=name,
                    request=request_text(decision),
                    nodes=nodes,
                ),
            )
        ]
        if preemption is not None and preemption.eligible:
            moments += self._reprieve(preemption, room) + self._climb(preemption, room)
        return [*moments, (self.picture(room), caption(decision))]

    def _reprieve(self, preemption: Preemption, room: Room) -> list[Moment]:
        boxes = Boxes(self.decision, self.handles)
        first = say(
            "On every node, all pods of lower priority than {priority} step aside.", priority=self.decision.pod.priority
        )
        stuck = [
            say("{node} still has no room: {reason}", node=box.name, reason=box.refused)
            for box in boxes.trying(0)
            if box.refused
        ]
        text = sentences([first, say("No candidates: {nodes}.", nodes=listing(stuck)) if stuck else ""])
        moments = [(self._draw(boxes.trying(0), room, text, 0), text)]
        candidates = [preemption.candidates[node] for node in sorted(preemption.candidates)]
        for turn in range(max((len(each.attempts) for each in candidates), default=0)):
            parts = [said for each in candidates if turn < len(each.attempts) and (said := _try(each, turn))]
            text = sentences([say("Try {number}.", number=turn + 1), *parts])
            moments.append((self._draw(boxes.trying(turn + 1), room, text, 0), text))
        return moments

    def _climb(self, preemption: Preemption, room: Room) -> list[Moment]:
        nodes = [node for node in Boxes(self.decision, self.handles).nodes if node in preemption.candidates]
        boxes = Boxes(self.decision, self.handles).tried()
        asked = [step for step in steps(preemption, nodes) if step.applies]
        return [
            (self._draw(boxes, room, text, step.number), text) for step in asked for text in [_rule(step, preemption)]
        ]

    def _draw(self, boxes: list[Box], room: Room, alt: str, rules: int | None = None) -> Html:
        """``rules``: how many of the ladder's rules were asked; None: all."""
        preemption = self.decision.preemption if self.decision.preemption and self.decision.preemption.rungs else None
        trial = arrange(boxes, room, 0)
        captions = preemption is None or trial.rows > 1
        high = ladder_height(preemption, captions) if preemption is not None else 0
        _, at = self._budgets(0)
        more = hidden_nodes(self.decision)
        plan = arrange(boxes, room, high + legend_at(boxes, trial.width, 0, more, first=at)[1], captions)
        found = shapes(boxes, plan, scarcest(self.decision), captions)
        if preemption is not None:
            obstacles = {box.name: box.refused for box in boxes if box.refused}
            found += ladder(preemption, lanes(boxes, plan, preemption), plan.bottom, obstacles, rules)
        y = plan.bottom + high
        legend, bottom = legend_at(boxes, plan.width, y, more, first=at)
        return svg([*found, *self._budgets(y)[0], *legend], plan.width, bottom, alt)

    def _budgets(self, y: float) -> tuple[list[Html], float]:
        """The budgets and how many disruptions each allows, on a line; and where that ends."""
        found, x = list[Html](), float(GAP)
        for budget in [*self.decision.cluster.objects_of(PodDisruptionBudget)][:2]:
            name, now = budget.metadata.name, budget.status.disruptionsAllowed
            text = say("budget {name} allows", name=name)
            inside = [
                badge(Badge("shield", f"PodDisruptionBudget {name}"), 0, 1),
                label(text, SIZE + 4, 14),
            ]
            at = SIZE + 10 + text_width(text)
            for value, marks in self.allowed.get(name, ((now, {}),)):
                inside.append(_value(value, at, value == now, marks))
                at += CELL
            found.append(element("g", *inside, transform=f"translate({x:g},{y + 2:g})", data_key=f"budget/{name}"))
            x += at + 14
        return found, x


def _value(value: int, x: float, now: bool, marks: Marks) -> Html:
    """One value of disruptionsAllowed."""
    return element(
        "g",
        element(
            "rect",
            width=CELL - 4,
            height=ROW - 3,
            rx=3,
            fill="currentColor",
            fill_opacity=0.25 if now else 0.04,
            stroke="currentColor",
            stroke_width=2 if now else 0.75,
        ),
        label(str(value), (CELL - 4) / 2, 12.5, "middle", font_weight="bold" if now else None),
        transform=f"translate({x:g},1)",
        aria_label=f"disruptionsAllowed: {value}" if marks else None,
        **marks,
    )


def _try(candidate: Candidate, turn: int) -> str:
    """What happens on a node at this try to reprieve a pod."""
    attempt = candidate.attempts[turn]
    name = attempt.pod.pod.metadata.name
    first = say(" (first, for its eviction would break the budget)") if attempt.violates else ""
    message = (
        later("{node}: {pod}{first} comes back.")
        if attempt.reprieved
        else later("{node}: {pod}{first} leaves too little room, so it is a victim.")
    )
    return say(message, node=candidate.node, pod=name, first=first)


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
