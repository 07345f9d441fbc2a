"""The verdicts of filters, changed by what extenders say about nodes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property

import numpy as np

from kschedlab.cluster.signatures import BoolArray, IntArray
from kschedlab.filter.plugin import Refusal, Refusals
from kschedlab.filter.stage import EXCLUDED, PASSES, Verdicts
from kschedlab_configuration.extenders.extender import PLUGIN
from kschedlab_configuration.extenders.rules import ExtenderRules


class Statuses:
    """The status of each node that an extender named: its reasons, and whether evicting can't help.

    ``elsewhere``: reasons for names that the cluster does not have; messages count them.
    """

    def __init__(self, verdicts: Verdicts, rules: ExtenderRules) -> None:
        self._before = verdicts
        self._unresolvable = verdicts.unresolvable()
        self._rules = rules
        self._of: dict[int, tuple[list[str], bool]] = {}
        self.elsewhere: list[str] = []

    def put(self, node: int, reason: str, unresolvable: bool) -> None:
        """An extender refuses the node at this position, for this reason."""
        if self._rules.sets_status:
            self._of[node] = [reason], unresolvable
            return
        if node not in self._of:
            self._of[node] = self._before.reasons(node), bool(self._unresolvable[node])
        self._of[node][0].append(reason)

    def verdicts(self, offered: IntArray, left: IntArray, seen: BoolArray | None) -> Verdicts:
        """The verdicts with the plugin Extender. ``offered``, ``left``: positions before and after all extenders.

        ``seen``: bool[nodes], the nodes that the search examined, None for all. If no node is left, the others have no
        status either, as those that extenders drop in silence.
        """
        before, number = self._before, len(self._before.plugins)
        nodes = np.arange(len(before.refused_by))
        is_left, named = np.isin(nodes, left), np.isin(nodes, list(self._of))
        named &= ~is_left
        dropped = np.isin(nodes, offered) & ~is_left & ~named
        if seen is not None and not len(left):
            dropped |= ~seen & ~named
        refused_by = np.where(is_left, np.int8(PASSES), before.refused_by)
        refused_by[dropped] = EXCLUDED if before.excluded_by and self._rules.sets_status else number
        refused_by[named] = number
        refusals = ExtenderRefusals(
            self._parts(named), named | dropped, dropped & self._rules.sets_status, tuple(self.elsewhere)
        )
        return Verdicts(
            refused_by, (*before.plugins, PLUGIN), (*before.refusals, refusals), before.rejected, before.excluded_by
        )

    def _parts(self, named: BoolArray) -> Iterator[Refusal]:
        """A part for each reason; two extenders may give a node the same, which counts twice."""
        masks: dict[tuple[str, bool, int], BoolArray] = {}
        for node, (reasons, unresolvable) in self._of.items():
            if named[node]:
                for i, reason in enumerate(reasons):
                    key = reason, unresolvable, reasons[:i].count(reason)
                    masks.setdefault(key, np.zeros(len(named), np.bool_))[node] = True
        return (Refusal(mask, reason, unresolvable) for (reason, unresolvable, _), mask in masks.items())


class ExtenderRefusals(Refusals):
    """The refusals of all extenders. ``refused``: bool[nodes], with those that they drop in silence.

    ``lost``: bool[nodes], the ones among these where evicting can't help.
    """

    def __init__(
        self, parts: Iterable[Refusal], refused: BoolArray, lost: BoolArray, elsewhere: tuple[str, ...]
    ) -> None:
        super().__init__(parts)
        self.elsewhere = elsewhere
        self._refused = refused
        self._lost = lost

    @cached_property
    def mask(self) -> BoolArray:
        """bool[nodes]: the nodes that the extenders refuse."""
        return self._refused

    @cached_property
    def unresolvable(self) -> BoolArray:
        """bool[nodes]: the refused nodes on which preemption can't help."""
        result = self._lost
        for part in self.parts:
            result = result | (part.mask & part.unresolvable)
        return result
