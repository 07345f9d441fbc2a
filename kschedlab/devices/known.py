"""What searches have found, for the claims that ask for the same: pods of one template have such claims.

A node's answer holds as long as the node sees the same pools, and nobody takes or gives back a device of theirs. So a
decision searches only the nodes whose devices have changed since the last one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from kschedlab.devices.pools import PoolId, Visible
from kschedlab.objects.model import AllocationResult, ResourceClaim, ResourceClaimSpec

MOST = 64
"""So many kinds of demands are remembered: the last ones."""


class Found(NamedTuple):
    """The answer of a node: a result for each claim, or None if it cannot serve them.

    ``visible``, ``versions``: what the node saw, and the versions of its pools as
    :class:`~kschedlab.devices.state.Held` has them.
    """

    visible: Visible
    versions: tuple[int | None, ...]
    results: list[AllocationResult] | None

    @classmethod
    def of(cls, visible: Visible, versions: Mapping[PoolId, int], results: list[AllocationResult] | None) -> Found:
        """The answer of a search that has just been made."""
        return cls(visible, tuple(map(versions.get, visible.pools)), results)

    def holds(self, visible: Visible, versions: Mapping[PoolId, int]) -> bool:
        """Whether a search would find the same again."""
        return self.visible is visible and self.versions == tuple(map(versions.get, visible.pools))


class Known:
    """The answers by node, for each kind of demand. A slice, a rule or a class that changes ends them all."""

    def __init__(self) -> None:
        self._kinds: list[tuple[tuple[ResourceClaimSpec, ...], int, dict[str, Found]]] = []

    def answers(self, claims: Sequence[ResourceClaim], most_steps: int) -> dict[str, Found]:
        """The answers to claims with these specs, by the name of the node; new ones are put there."""
        specs = tuple(claim.spec for claim in claims)
        for known, steps, answers in self._kinds:
            if steps == most_steps and known == specs:
                return answers
        self._kinds = [(specs, most_steps, {}), *self._kinds[: MOST - 1]]
        return self._kinds[0][2]
