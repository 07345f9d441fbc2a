"""A cluster in motion: API server, scheduler, controllers, kubelets and a timeline on one virtual clock.

    simulation = Simulation(load("cluster.yaml"), seed=7)
    simulation = Simulation.of(load_scenario("cluster.yaml", "outage.yaml"))
    simulation.run()
    simulation.log, simulation.pods(), simulation.report()

Same input, same seed: the same log, byte for byte.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Generator, Iterable, Iterator
from itertools import islice
from typing import Any

import simpy

from kschedlab.configuration.loading import load_configuration
from kschedlab.generations import GENERATIONS, LATEST, Generation, Profiles, api_of
from kschedlab.manifests.loading import Objects
from kschedlab.objects.meta import SECOND, Time
from kschedlab.objects.model import ApiObject, Pod, ReplicaSet
from kschedlab.objects.problems import ManifestError, Problem
from kschedlab.simulation.controllers.claims import VolumeControllers
from kschedlab.simulation.controllers.disruption import Disruption
from kschedlab.simulation.controllers.garbage import GarbageCollector
from kschedlab.simulation.controllers.kubelet import Kubelet
from kschedlab.simulation.controllers.nodes import NodeLifecycle
from kschedlab.simulation.controllers.owners import Owners, OwnersSettings
from kschedlab.simulation.controllers.podgc import PodGC
from kschedlab.simulation.durations import parse_duration
from kschedlab.simulation.events import Broadcaster
from kschedlab.simulation.informers import Informers
from kschedlab.simulation.log import Began, Changed, Entry, Log
from kschedlab.simulation.report import Report, report_of
from kschedlab.simulation.scheduler.kube_scheduler import KubeScheduler
from kschedlab.simulation.scheduler.startup import StartUp
from kschedlab.simulation.server.api import ApiServer
from kschedlab.simulation.server.status import ApiError
from kschedlab.simulation.timeline.actions import Moment
from kschedlab.simulation.timeline.given_objects import Given
from kschedlab.simulation.timeline.running import Acting
from kschedlab.simulation.timeline.scenario import Scenario, Settings

START = int(Time.parse("2026-01-01T00:00:00Z"))
"""When a simulation begins, if nobody says otherwise."""

LONGEST = 24 * 3600 * SECOND
"""Microseconds after the timeline's last moment, when a run ends in which something is tried again and again."""

DEFAULT = Settings()

_TOLD = 256
_PARTS = ("active", "backoff")

Progress = Callable[[int, int], None]
"""Called now and then: how many pods were bound, of how many that were there to be."""


class Simulation:
    """A run from its first moment.

    ``objects``: what is there from the beginning. ``generation``: which scheduler, one for each schedulerName
    (profiles), or its name; ``seed``: of ties and of generated names; ``timeline``: what happens, as moments;
    ``settings``: how the world around the scheduler behaves; ``start``: microseconds since 1970; ``plugins``: the
    user's own. ManifestError if an object cannot be there.

    ``until``: microseconds after the start at which :meth:`run` ends if nothing else is said.
    """

    def __init__(
        self,
        objects: Objects | Iterable[ApiObject | Given] = (),
        generation: str | Profiles = LATEST,
        seed: int = 0,
        timeline: Iterable[Moment] = (),
        settings: Settings = DEFAULT,
        *,
        start: int = START,
        plugins: Iterable[object] = (),
        until: int | None = None,
    ) -> None:
        profiles = GENERATIONS[generation] if isinstance(generation, str) else generation
        moments = sorted(timeline, key=lambda moment: moment.at)
        self.start = start = int(start)  # not a Time: that is how a log would show it
        self.until = until
        self.env = simpy.Environment(initial_time=start)
        self.log = Log()
        self.log.write(Began(at=start, generation=_named(profiles), seed=seed))
        self.api = ApiServer(self.env, self.log, api_of(profiles), seed=seed)
        self._restore(_objects(objects))
        rng = random.Random(seed)
        self._start_up = StartUp(
            self.env, self.api, profiles, self.log, rng=rng, plugins=plugins, latencies=settings.latencies
        )
        self._acting = Acting(self.env, self.api, self.log, seed)
        self._last = start + (moments[-1].at if moments else 0)
        self._counted = _Counted(self.log)
        self._start_up.start()
        self._informers = Informers(self.env, self.api)
        self._start_controllers(settings)
        self.env.process(self._timeline(moments))

    @classmethod
    def of(
        cls,
        scenario: Scenario,
        generation: str | Profiles | None = None,
        seed: int | None = None,
        plugins: Iterable[object] = (),
    ) -> Simulation:
        """What was read from files; ``generation`` and ``seed`` go before what they say. ManifestError."""
        options = scenario.options
        profiles: str | Profiles = generation or options.generation or LATEST
        if options.config and (generation is None or isinstance(generation, str)):
            named = generation or options.generation
            profiles = load_configuration(options.config, GENERATIONS[named] if named else None)
        return cls(
            scenario.objects,
            profiles,
            options.seed or 0 if seed is None else seed,
            scenario.moments,
            options.settings,
            start=START if options.start is None else options.start,
            plugins=plugins,
            until=options.until,
        )

    # -- what can be seen

    @property
    def now(self) -> int:
        """The virtual clock: microseconds since 1970."""
        return self.api.now

    @property
    def scheduler(self) -> KubeScheduler:
        """The scheduler with its queue, cache and metrics."""
        return self._start_up.scheduler

    def pods(self) -> list[Pod]:
        """The pods as the API server has them, in the order of their keys."""
        return self.api.list(Pod)[0]

    def report(self, wall: float | None = None) -> Report:
        """What the run came to. ``wall``: the seconds that it took, for the pods per second."""
        return report_of(self.log, wall)

    @property
    def settled(self) -> bool:
        """Whether nothing is left to be done.

        The timeline is over, no pod is in the active queue, in backoff or on its way to a node, no kubelet or
        controller has anything before it; pods that are unschedulable may be left, which only an event would help.
        """
        if self._acting.busy or not self.scheduler.running or not all(map(_is_flush, self._scheduled())):
            return False
        return all(place.part not in _PARTS for place in self.scheduler.context.queue.places().values())

    def _scheduled(self) -> Iterator[simpy.Event]:
        """The events that are to come."""
        return (entry[3] for entry in self.env._queue)

    # -- in motion

    def step(self) -> list[Entry]:
        """Go on until something is written to the log, and give that; nothing once all is settled."""
        before = len(self.log)
        while len(self.log) == before and not self.settled and self.env.peek() <= self._last + LONGEST:
            self.env.step()
        return self.log.entries[before:]

    def run(self, until: int | str | None = None, progress: Progress | None = None) -> None:
        """Go on to this moment after the start (microseconds, or a duration such as ``90s``), or until all is settled.

        Without ``until``, the scenario's counts. Something that is tried again and again for ever is given up a day
        after the timeline's last moment. ValueError if ``until`` is no duration.
        """
        for steps, _ in enumerate(self._advance(until)):
            if progress is not None and steps % _TOLD == 0:
                progress(*self._counted.now())
        if progress is not None:
            progress(*self._counted.now())

    def follow(self, until: int | str | None = None) -> Iterator[Entry]:
        """As :meth:`run`, and what was in the log before, and all that is written to it, as it comes."""
        told = 0
        for _ in self._advance(until):
            yield from islice(self.log.entries, told, None)
            told = len(self.log)
        yield from islice(self.log.entries, told, None)

    def _advance(self, until: int | str | None) -> Iterator[None]:
        """One event of the environment after the other."""
        given = parse_duration(until) if isinstance(until, str) else until
        limit = self.until if given is None else given
        end = self._last + LONGEST if limit is None else self.start + limit
        while self.env.peek() <= end and not (limit is None and self.settled):
            self.env.step()
            yield
        if limit is not None and end > self.now:
            self.env.run(until=end)

    # -- the parts

    def _restore(self, documents: Iterable[ApiObject | Given]) -> None:
        """Set the cluster up. ManifestError with all that cannot be there."""
        problems = []
        for one in documents:
            try:
                self.api.restore(one.document if isinstance(one, Given) else one)
            except ApiError as error:
                why = str(error)
                problems.append(one.problem(why) if isinstance(one, Given) else Problem(0, 0, "objects", why))
        if problems:
            raise ManifestError(problems)

    def _start_controllers(self, settings: Settings) -> None:
        env, api, informers = self.env, self.api, self._informers
        broadcaster = Broadcaster(lambda: api.now, self.log)
        broadcaster.start()
        record = broadcaster.record
        controllers = (
            Kubelet(env, api, informers, settings.kubelet, record),
            Owners(env, api, informers, OwnersSettings(recreate=settings.recreate)),
            Disruption(env, api, informers, record=record),
            VolumeControllers(env, api, informers, record=record),
            NodeLifecycle(env, api, informers),
            PodGC(env, api, informers),
            GarbageCollector(api, informers),
        )
        for controller in controllers:
            controller.start()
        informers.start()

    def _timeline(self, moments: list[Moment]) -> Generator[Any, Any, None]:
        self._acting.busy += 1
        yield self.scheduler.informers.synced
        yield self._informers.synced
        self._acting.busy -= 1
        yield from self._acting.run(moments)


def _named(profiles: Profiles) -> str:
    return profiles.name if isinstance(profiles, Generation) else ", ".join(each.name for each in profiles.values())


def _objects(objects: Objects | Iterable[ApiObject | Given]) -> list[ApiObject | Given]:
    """All objects, owners before what they own: ReplicaSets and pods last."""
    if not isinstance(objects, Objects):
        return sorted(objects, key=_rank)
    lists = (value for value in vars(objects).values() if isinstance(value, list))
    return sorted((one for value in lists for one in value if isinstance(one, ApiObject)), key=_rank)


def _rank(one: ApiObject | Given) -> int:
    document = one.document if isinstance(one, Given) else one
    return 2 if isinstance(document, Pod) else 1 if isinstance(document, ReplicaSet) else 0


def _is_flush(event: simpy.Event) -> bool:
    """Whether only one of the queue's timers waits for the event: those go on while there is any pod in the queue."""
    waiting = [getattr(callback, "__self__", None) for callback in event.callbacks or ()]
    return bool(waiting) and all(isinstance(one, simpy.Process) and one.name == _FLUSH for one in waiting)


_FLUSH = KubeScheduler._flush.__name__


class _Counted:
    """How many pods there are, and how many of them have come to a node, counted as the log grows."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._read = 0
        self._bound = 0
        self._all = 0

    def now(self) -> tuple[int, int]:
        entries = self._log.entries
        for i in range(self._read, len(entries)):
            entry = entries[i]
            if isinstance(entry, Changed) and entry.kind == "Pod":
                self._count(entry.old, entry.new)
        self._read = len(entries)
        return self._bound, self._all

    def _count(self, old: Pod | None, new: Pod | None) -> None:
        self._all += old is None
        if new is None:
            self._all -= old is not None and not old.spec.nodeName
        else:
            self._bound += bool(new.spec.nodeName) and (old is None or not old.spec.nodeName)
