"""The features that a pod needs in the test case on declared features: all of them, if it has resources of its own.

v1.37: test/integration/scheduler_perf/nodedeclaredfeatures/node_declared_features_test.go (mockFeature) puts mocked
features in the place of the real ones.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.derived import DECLARED_FEATURES
from kschedlab.cluster.pods import PodInfo
from kschedlab.filter.node_declared_features import NOT_DECLARED, NodeDeclaredFeatures, declaring
from kschedlab.filter.plugin import Refusal, Refusals, StaticFilter
from kschedlab.generations.generation import Generation, Profiles


def mocked(number: int) -> tuple[str, ...]:
    """The names of so many features, in the order in which nodes declare them."""
    return tuple(sorted(f"Feature{i}" for i in range(1, number + 1)))


@dataclass(frozen=True)
class MockedFeatures(NodeDeclaredFeatures):
    """The filter, with these features in the place of the real ones."""

    features: tuple[str, ...] = ()

    def prepare(self, pod: PodInfo, cluster: Cluster) -> StaticFilter | None:
        """Skips a pod without resources of its own."""
        if pod.pod.spec.resources is None or not self.features:
            return None
        return cluster.derived(("mocked features", self.features), lambda: self._check(cluster), DECLARED_FEATURES)

    def _check(self, cluster: Cluster) -> StaticFilter:
        refused = ~np.logical_and.reduce([declaring(cluster, feature) for feature in self.features])
        return StaticFilter(Refusals([Refusal(refused, NOT_DECLARED, True)]) if refused.any() else None)


@dataclass(frozen=True)
class WithMockedFeatures:
    """Changes profiles: so many mocked features are those that pods need."""

    number: int

    def __call__(self, profiles: Profiles) -> Profiles:
        """The profiles, or the generation, with the mocked filter."""
        if isinstance(profiles, Mapping):
            return {name: self._changed(each) for name, each in profiles.items()}
        return self._changed(profiles)

    def _changed(self, generation: Generation) -> Generation:
        filters = (
            MockedFeatures(features=mocked(self.number)) if isinstance(each, NodeDeclaredFeatures) else each
            for each in generation.filters
        )
        return replace(generation, filters=tuple(filters))
