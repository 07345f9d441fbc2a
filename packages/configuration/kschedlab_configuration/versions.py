"""The versions of a KubeSchedulerConfiguration: the generation that reads each, its fields, plugins and arguments."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from kschedlab.filter.plugin import Filter
from kschedlab.generations import GENERATIONS, Generation
from kschedlab.generations.registry import REGISTRY_1_20
from kschedlab.score.plugin import Score
from kschedlab_configuration.arguments import V1_ARGUMENTS, V1BETA1_ARGUMENTS, ArgumentsSpec
from kschedlab_configuration.fields import (
    Beta3KubeSchedulerConfiguration,
    Beta3Profile,
    Configuration,
    KubeSchedulerConfiguration,
    KubeSchedulerProfile,
    OldKubeSchedulerConfiguration,
    Profile,
)
from kschedlab_configuration.plugin_catalogues import V1, V1_28_TO_30, V1_32, V1_34, V1_35, V1_36, V1BETA1, V1BETA3_24
from kschedlab_configuration.plugin_sets import Catalogue

KIND = "KubeSchedulerConfiguration"
GROUP = "kubescheduler.config.k8s.io"


@dataclass(frozen=True)
class Version:
    """A version of the API.

    ``base``: the generation that reads it. ``filters``, ``scores``: plugins that it offers in addition to the base's.
    """

    name: str
    base: str
    configuration: type[Configuration]
    profile: type[Profile]
    catalogue: Catalogue
    arguments: Mapping[str, ArgumentsSpec]
    filters: tuple[Filter, ...] = ()
    scores: tuple[Score, ...] = ()

    def all_filters(self, base: Generation) -> dict[str, Filter]:
        """The plugins by name; those of ``base`` take precedence."""
        return {f.name: f for f in (*self.filters, *GENERATIONS[self.base].filters, *base.filters)}

    def all_scores(self, base: Generation) -> dict[str, Score]:
        """The plugins by name; those of ``base`` take precedence."""
        tables = (*GENERATIONS[self.base].scores, *base.scores)
        return {s.name: s for s in (*self.scores, *(score for score, _ in tables))}


def _v1(base: str, catalogue: Catalogue) -> Version:
    return Version(f"{GROUP}/v1", base, KubeSchedulerConfiguration, KubeSchedulerProfile, catalogue, V1_ARGUMENTS)


def _v1beta3(base: str, catalogue: Catalogue) -> Version:
    return Version(f"{GROUP}/v1beta3", base, Beta3KubeSchedulerConfiguration, Beta3Profile, catalogue, V1_ARGUMENTS)


VERSIONS = (
    _v1("v1.37", V1),
    _v1("v1.36", V1_36),
    _v1("v1.35", V1_35),
    _v1("v1.34", V1_34),
    _v1("v1.32", V1_32),
    _v1("v1.30", V1_28_TO_30),
    _v1("v1.28", V1_28_TO_30),
    _v1beta3("v1.28", V1_28_TO_30),
    _v1beta3("v1.24", V1BETA3_24),
    Version(
        f"{GROUP}/v1beta1",
        "v1.20",
        OldKubeSchedulerConfiguration,
        Profile,
        V1BETA1,
        V1BETA1_ARGUMENTS,
        filters=tuple(make() for make in REGISTRY_1_20.predicates.values()),
        scores=tuple(make() for make in REGISTRY_1_20.priorities.values()),
    ),
)
"""The generations that read each version; the first of a version is the one that reads it by default."""
