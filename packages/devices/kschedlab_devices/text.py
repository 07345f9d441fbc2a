"""What a decision says about devices: which ones the pod gets, or why nodes cannot serve its claims."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from kschedlab.decision import Decision
from kschedlab.messages import say
from kschedlab.text.sections import Section
from kschedlab.text.words import count
from kschedlab_devices.check import DeviceRefusals
from kschedlab_devices.claiming import demand_for
from kschedlab_devices.evidence import given, why_not

NODES = 8
"""Number of refusing nodes shown."""


def sections(decision: Decision) -> Iterator[Section]:
    """The devices on the chosen node, then what nodes lack that devices alone keep from taking the pod."""
    demand = demand_for(decision.pod, decision.cluster, decision.generation) if decision.node is not None else None
    devices = given(demand, decision.cluster.index[decision.node]) if demand is not None and decision.node else []
    if devices:
        yield Section(say("Devices on {node}", node=decision.node), devices)
    if refusing := list(_refusing(decision)):
        yield Section(say("Nodes that cannot serve the claims"), refusing)


def _refusing(decision: Decision) -> Iterator[str]:
    verdicts = decision.verdicts
    for number, refused in enumerate(verdicts.refusals) if verdicts is not None else ():
        if verdicts is None or not isinstance(refused, DeviceRefusals):
            continue
        positions = np.flatnonzero(verdicts.refused_by == number).tolist()
        explained = [(n, why_not(refused.demand, n)) for n in positions[:NODES]]
        for n, lines in explained:
            yield from (say("{node}: {line}", node=decision.cluster.names[n], line=line) for line in lines)
        if any(lines for _, lines in explained) and len(positions) > NODES:
            yield say("and {nodes}", nodes=count(len(positions) - NODES, "more node"))
