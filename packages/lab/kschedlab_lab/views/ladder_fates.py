"""The ladder's result for one candidate for preemption, in a sentence."""

from __future__ import annotations

from kschedlab.messages import say
from kschedlab.preemption.evidence import Preemption
from kschedlab.text.ladder import steps


def fate(preemption: Preemption, node: str) -> str:
    """The ladder's result for this candidate, in a sentence."""
    for step in steps(preemption, list(preemption.candidates)):
        others = sorted(other for other in step.kept if other != node)
        if node in step.standing and node not in step.kept:
            return say(
                "{node} drops out at rule {number}: it has {value}, and {other} has {better}.",
                node=node,
                number=step.number,
                value=step.values[node],
                other=others[0],
                better=step.values[others[0]],
            )
        if step.decides and node in step.kept:
            return say("Rule {number} decides.", number=step.number)
    if len(preemption.positions) == 1:
        return say("{node} is the only candidate, so no rule is asked.", node=node)
    return say("No rule drops {node}: all {rungs} leave a tie.", node=node, rungs=len(preemption.rungs))
