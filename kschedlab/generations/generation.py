"""A generation of kube-scheduler: its plugins, weights, constants and rules; all of them by name, loaded on use."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from kschedlab.extenders import Extender, ExtenderRules, package
from kschedlab.filter.plugin import Filter
from kschedlab.filter.stage import NamingRules, SamplingRules
from kschedlab.generations.messages import Messages
from kschedlab.generations.queues import QueueMaker
from kschedlab.messages import later, say
from kschedlab.objects.api import Api
from kschedlab.objects.model import DEFAULT_SCHEDULER, Pod
from kschedlab.objects.problems import InputTypeError, InputValueError, UnknownNameError, unknown
from kschedlab.preemption.rules import PreemptionRules
from kschedlab.score.plugin import Score
from kschedlab.score.stage import Ties

if TYPE_CHECKING:
    from kschedlab.plugins.asking import NamedPlugin


@dataclass(frozen=True, repr=False)
class Generation:
    """One generation of kube-scheduler.

    ``version``: the release whose rules it has; a changed copy may have another ``name``.
    ``filters``: in their order. ``scores``: with their weights.
    ``api``: the fields that its API server stores and how requests are computed.
    ``sampling``: how many nodes are searched. ``percentage``: the default percentageOfNodesToScore (0: adaptive).
    ``naming``: what follows if PreFilter leaves nodes by name.
    ``preemption``: whom it evicts, and where.
    ``nominated_node_first``: a pod's nominated node is tried before all others.
    ``obeys_scheduling_gates``: a pod with scheduling gates is not scheduled.
    ``ties``: how one of several best nodes is chosen.
    ``checks_claims_first``: a missing or terminating claim is an error before any filter runs.
    ``max_node_score``: the highest score of a plugin.
    ``messages``: its texts.
    ``queue``: creates its scheduling queue. ``extension_points``: the methods that plugins may implement
    (:class:`~kschedlab.plugins.framework.Plugin`).
    ``plugins``: those that :meth:`plus` added, by name; their filters and scores are in ``filters`` and ``scores``.
    ``extenders``: those that :meth:`extended_by` added. ``extending``: their rules.
    ``feature_gates``: changed ones.
    """

    name: str
    version: str = field(compare=False)
    filters: tuple[Filter, ...]
    scores: tuple[tuple[Score, int], ...]
    api: Api
    sampling: SamplingRules
    naming: NamingRules
    preemption: PreemptionRules
    percentage: int
    nominated_node_first: bool
    obeys_scheduling_gates: bool
    ties: Ties
    checks_claims_first: bool
    max_node_score: int
    messages: Messages
    queue: QueueMaker
    extension_points: tuple[str, ...]
    extending: ExtenderRules
    plugins: tuple[tuple[str, object], ...] = ()
    extenders: tuple[Extender, ...] = ()
    feature_gates: tuple[tuple[str, bool], ...] = ()

    @staticmethod
    def named(generation: str | Generation) -> Generation:
        """The generation with this name, e.g. ``"v1.20"``; a Generation stays as it is. KeyError or TypeError."""
        given: object = generation
        if isinstance(given, str):
            return GENERATIONS[given]
        if not isinstance(given, Generation):
            no = later('{given!r} is not a generation, nor the name of one such as "{name}"; plugins join one: {join}')
            raise InputTypeError(no, given=given, name=LATEST, join=f'Generation.named("{LATEST}").plus(...)')
        return given

    def __repr__(self) -> str:
        return f"<Generation {self.name}: {len(self.filters)} filters, {len(self.scores)} scores>"

    def plus(self, *plugins: object) -> Generation:
        """A copy with these plugins after its own (see :mod:`kschedlab.plugins`). Scores have their ``weight``, or 1.

        ValueError if a name is taken or a plugin cannot be added; TypeError for an object that is not a plugin.
        """
        from kschedlab.plugins.joining import JoinedGeneration, Members, joined

        generation = JoinedGeneration(
            self.name, self.extension_points, self.max_node_score, self.messages.pre_score_failed
        )
        members = joined(generation, Members(self.filters, self.scores, self.plugins), plugins)
        return replace(self, filters=members.filters, scores=members.scores, plugins=members.plugins)

    def extended_by(self, *extenders: object) -> Generation:
        """A copy with these extenders after its own (see :mod:`kschedlab.extenders`). TypeError for another object."""
        return replace(self, extenders=(*self.extenders, *package().checked(extenders))) if extenders else self

    def with_feature_gates(self, gates: Mapping[str, bool]) -> Generation:
        """A copy with these gates, e.g. ``{"SchedulerPreQueueingHints": True}``. ValueError: see ``feature_gates``."""
        from kschedlab.generations.feature_gates import gated

        return gated(self, gates)

    def turned_on(self, gate: str) -> bool:
        """Whether this gate, which is off by default, is on."""
        return (gate, True) in self.feature_gates

    def without(self, *names: str) -> Generation:
        """A copy without the plugins of these names. KeyError if there is none."""
        self._check(names, self.plugin_names)
        return self._keeping(lambda name: name not in names)

    def only(self, *names: str) -> Generation:
        """A copy with only the plugins of these names. KeyError if there is none."""
        self._check(names, self.plugin_names)
        return self._keeping(lambda name: name in names)

    def weighted(self, **weights: int) -> Generation:
        """A copy with other weights of scores: ``weighted(InterPodAffinity=5)``; 0 removes a score.

        KeyError if there is no such score; ValueError if a weight is not an integer of at least 0.
        """
        from kschedlab.plugins.joining import checked_weight

        self._check(weights, tuple(score.name for score, _ in self.scores), "score")
        checked = {name: checked_weight(weight, name, 0) for name, weight in weights.items()}
        scores = ((score, checked.get(score.name, weight)) for score, weight in self.scores)
        return replace(self, scores=tuple((score, weight) for score, weight in scores if weight))

    def plugin(self, name: str) -> NamedPlugin:
        """The plugin with this name, to run alone: ``.filter(pod, cluster)``, ``.score(pod, cluster)``. KeyError."""
        from kschedlab.plugins.asking import NamedPlugin

        self._check((name,), self.plugin_names)
        own = next((each for each in self.filters if each.name == name), None)
        score, weight = next(((each, w) for each, w in self.scores if each.name == name), (None, 0))
        return NamedPlugin(name, self.name, self.api, own, score, weight, self.filters)

    @property
    def plugin_names(self) -> tuple[str, ...]:
        """The distinct names of its filters, scores and other plugins, in order."""
        filters, scores = (each.name for each in self.filters), (each.name for each, _ in self.scores)
        return tuple(dict.fromkeys((*filters, *scores, *(name for name, _ in self.plugins))))

    def _check(self, names: Iterable[str], known: tuple[str, ...], what: str = "plugin") -> None:
        if missing := next((name for name in names if name not in known), None):
            words = later('{generation} has no {what} "{name}"; it has {names}; .plus(...) adds one')
            why = later(words, generation=self.name, what=later(what), name=missing, names=list(known))
            raise UnknownNameError(say(why))

    def _keeping(self, kept: Callable[[str], bool]) -> Generation:
        filters = tuple(each for each in self.filters if kept(each.name))
        scores = tuple(pair for pair in self.scores if kept(pair[0].name))
        plugins = tuple(pair for pair in self.plugins if kept(pair[0]))
        after = self.preemption.after_dynamic_resources and kept("DynamicResources")
        preemption = replace(self.preemption, after_dynamic_resources=after)
        return replace(self, filters=filters, scores=scores, plugins=plugins, preemption=preemption)


class _Generations(Mapping[str, Generation]):
    """The generations by name, oldest first; each is loaded when it is looked up."""

    _names = tuple(f"v1.{minor}" for minor in (13, 16, 20, 22, 24, 28, 30, 32, 34, 35, 36, 37))

    def __getitem__(self, name: str) -> Generation:
        if name not in self._names:
            from kschedlab.generations.between import why_not

            why = why_not(name) if isinstance(name, str) else ""
            raise UnknownNameError(why) if why else unknown("generation", name, self._names)
        if name in ("v1.13", "v1.20", "v1.37"):
            variable = name.upper().replace(".", "_")
            generation: Generation = getattr(import_module(f"kschedlab.generations.{variable.lower()}"), variable)
            return generation
        return _stepped(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __repr__(self) -> str:
        return f"<Generations: {', '.join(self)}>"


@cache
def _stepped(name: str) -> Generation:
    """A generation that is written as what it changed in the one before."""
    from kschedlab.generations.steps import stepped

    before = GENERATIONS[_Generations._names[_Generations._names.index(name) - 1]]
    return Generation(name=name, **stepped(name, (before.filters, before.scores)))


GENERATIONS: Mapping[str, Generation] = _Generations()
LATEST = "v1.37"
COURSE = ("v1.13", "v1.16", "v1.20", "v1.37")
"""The four that the course compares, and :func:`kschedlab.whatif.compare.compare` by default."""

Profiles = Generation | Mapping[str, Generation]
"""One generation for all pods, or one for each schedulerName, as the profiles of a configuration are."""


def profiles_of(generation: str | Profiles) -> Profiles:
    """The generation of that name; a Generation or profiles as they are. KeyError, TypeError; ValueError for none."""
    if not isinstance(generation, Mapping):
        return Generation.named(generation)
    if not generation:
        raise InputValueError("expected at least one profile, a generation by schedulerName; got none")
    return generation


def profile_for(pod: Pod, profiles: Profiles) -> Generation | None:
    """The generation that schedules the pod, by its schedulerName; None if no profile has that name.

    A generation alone is the profile ``default-scheduler``, as kube-scheduler has it without a configuration.
    """
    by_name = {DEFAULT_SCHEDULER: profiles} if isinstance(profiles, Generation) else profiles
    return by_name.get(pod.spec.schedulerName)


def api_of(profiles: Profiles) -> Api:
    """The API of these profiles. All profiles of a configuration share it."""
    return profiles.api if isinstance(profiles, Generation) else next(iter(profiles.values())).api
