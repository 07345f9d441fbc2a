"""The devices of a decision as text: which ones the pod gets, or why nodes cannot serve its claims."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from kschedlab.claiming import demand_for
from kschedlab.decision import Decision
from kschedlab.devices.evidence import given, why_not
from kschedlab.filter.dynamic_resources import DeviceRefusals, demands_devices
from kschedlab.views.words import count

NODES = 8
"""Number of refusing nodes shown."""


def device_lines(decision: Decision) -> Iterator[str]:
    """The devices on the chosen node, then what nodes lack that devices alone keep from taking the pod."""
    if not demands_devices(decision.pod, decision.cluster):
        return
    demand = demand_for(decision.pod, decision.cluster, decision.generation) if decision.node is not None else None
    lines = given(demand, decision.cluster.index[decision.node]) if demand is not None and decision.node else []
    if lines:
        yield f"Devices on {decision.node}"
        yield from (f"  {line}" for line in lines)
    if lines := list(_refusing(decision)):
        yield "Nodes that cannot serve the claims"
        yield from lines


def _refusing(decision: Decision) -> Iterator[str]:
    verdicts = decision.verdicts
    for number, refused in enumerate(verdicts.refusals) if verdicts is not None else ():
        if verdicts is None or not isinstance(refused, DeviceRefusals):
            continue
        positions = np.flatnonzero(verdicts.refused_by == number).tolist()
        explained = [(n, why_not(refused.demand, n)) for n in positions[:NODES]]
        yield from (f"  {decision.cluster.names[n]}: {line}" for n, lines in explained for line in lines)
        if any(lines for _, lines in explained) and len(positions) > NODES:
            yield f"  and {count(len(positions) - NODES, 'more node')}"
