"""Where a candidate for preemption drops out, in a sentence."""

from __future__ import annotations

from kschedlab.messages import say
from kschedlab.preemption.evidence import Preemption
from kschedlab.text.ladder import steps


def fate(preemption: Preemption, node: str) -> str:
    """The rule at which this candidate, which is not chosen, drops out."""
    for step in steps(preemption, list(preemption.candidates)):
        if node in step.standing and node not in step.kept:
            value = step.values[node]
            return say("{node} drops out at rule {number}: it has {value}.", node=node, number=step.number, value=value)
    return say("No rule drops {node}: all {rungs} leave a tie.", node=node, rungs=len(preemption.rungs))
