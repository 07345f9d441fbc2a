"""How a budget counts down on the chosen node: one victim uses it up, the next finds none left and is listed first."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from kschedlab.decision import Decision
from kschedlab.messages import say
from kschedlab.text.words import listing
from kschedlab_lab.views.drawing import Box
from kschedlab_lab.views.picture import NO_HANDLES, Boxes


def using_up(decision: Decision) -> list[tuple[list[Box], str]]:
    """The nodes in three moments, and what happens in each; [] if nobody breaks a budget that lets others go."""
    found = Boxes(decision, NO_HANDLES)
    before, tried = found.before(), found.tried()
    at = next((i for i, box in enumerate(tried) if box.name == decision.nominated_node), 0)
    victims = {block.name: block for block in tried[at].blocks if block.mark == "victim"}
    last = [name for name, block in victims.items() if any(sign.kind == "broken" for sign in block.badges)]
    first = [name for name in victims if name not in last]
    if not first or not last:
        return []

    def listed(names: Collection[str]) -> list[Box]:
        turns = {name: turn for turn, name in enumerate((*first, *last), 1) if name in names}
        blocks = (
            replace(victims[each.name], turn=turns[each.name]) if each.name in turns else each
            for each in before[at].blocks
        )
        return [*before[:at], replace(before[at], blocks=tuple(blocks)), *before[at + 1 :]]

    node = tried[at].name
    return [
        (listed(first), say("on {node}, {pods} uses up the disruption.", node=node, pods=listing(first))),
        (listed(victims), say("{pods} finds none left: its shield cracks.", pods=listing(last))),
        (tried, say("who breaks the budget is listed first, on every node.")),
    ]
