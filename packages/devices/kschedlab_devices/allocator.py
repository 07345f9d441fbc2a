"""The allocation of claims on a node: which devices they get.

v1.37: k8s.io/dynamic-resource-allocation structured/allocator.go picks the variant "incubating" with the features that
are on by default: admin access, prioritized lists, partitionable devices, device taints, binding conditions and
consumable capacity. With list attributes or compatibility groups, it picks "experimental", which is the same but for
what gates add.
"""

from __future__ import annotations

from collections.abc import Sequence

from kschedlab.objects.meta import SECOND
from kschedlab.objects.model import AllocationResult, Node, ResourceClaim
from kschedlab_devices.errors import AllocationError
from kschedlab_devices.known import Answers, Found
from kschedlab_devices.requests import Plan, plan_of
from kschedlab_devices.results import result_of
from kschedlab_devices.search import Search, Step
from kschedlab_devices.state import State

MOST_STEPS, USUAL_TIMEOUT = 2_000_000, 10 * SECOND
"""After this many steps a search ends as after the real scheduler's time limit, which is 10 seconds by default."""
LONGEST = 6
"""No search takes more than so many times the steps of a usual one, whatever its time limit."""


def steps_in(timeout: int) -> int:
    """The steps that take the place of a time limit in microseconds; 0: there is none."""
    return min(MOST_STEPS * timeout // USUAL_TIMEOUT, LONGEST * MOST_STEPS) if timeout else LONGEST * MOST_STEPS


class Allocator:
    """Allocates claims, on one node after the other, all from the same state."""

    def __init__(self, state: State, most_steps: int = MOST_STEPS) -> None:
        self._state = state
        self._most_steps = most_steps
        self._asked: dict[int, tuple[Sequence[ResourceClaim], Plan, Answers]] = {}

    def allocate(
        self, node: Node, claims: Sequence[ResourceClaim], log: list[Step] | None = None
    ) -> list[AllocationResult] | None:
        """One result for each claim, or None if the node cannot serve them. AllocationError.

        Pass the same sequence for all nodes: what depends on the claims alone is computed once. ``log``: receives the
        steps of the search, which is then made in any case.
        """
        plan, answers = self._ask(claims)
        visible, versions = self._state.inventory.visible(node), self._state.held.versions
        name, known = node.metadata.name, answers.found
        found = known.get(name)
        if found is not None and log is None and found.holds(visible, versions):
            return found.results
        search = Search(self._state, node, visible, plan, self._most_steps, log)
        results = None
        if search.run():
            results = [result_of(search, claim, i, name) for i, claim in enumerate(claims)]
        elif any(pool.invalid for pool in visible.pools.values()):
            raise AllocationError("invalid resource pools were encountered", only_this_node=True)
        known.pop(name, None)
        if not search.has_shared:  # a share of a device has an identifier of its own
            known[name] = Found.of(visible, versions, results)
        return results

    def answers(self, claims: Sequence[ResourceClaim]) -> Answers:
        """What nodes have answered to claims of this kind."""
        return self._ask(claims)[1]

    def _ask(self, claims: Sequence[ResourceClaim]) -> tuple[Plan, Answers]:
        asked = self._asked.get(id(claims))
        if asked is None or asked[0] is not claims:
            answers = self._state.known.answers(claims, self._most_steps, self._state.class_of)
            asked = self._asked[id(claims)] = claims, plan_of(claims, self._state), answers
        return asked[1:]
