"""Simulates a cluster: API server, scheduler, controllers, kubelets and a timeline on one virtual clock.

    simulation = Simulation(load("cluster.yaml"), seed=7)
    simulation = Simulation.of(load_scenario("cluster.yaml", "outage.yaml"))
    simulation.run()
    simulation.log, simulation.pods(), simulation.cluster, simulation.report()

The same input with the same seed gives the same log, byte for byte.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping
from functools import partial
from itertools import islice
from typing import Any, TypeAlias

import simpy

from kschedlab.cluster.cluster import Cluster
from kschedlab.generations import LATEST, Generation, Profiles, api_of, profiles_of
from kschedlab.generations.feature_gates import FeatureGateError, with_gates
from kschedlab.manifests.decoding import Origin
from kschedlab.manifests.loading import Objects
from kschedlab.messages import later
from kschedlab.objects.meta import SECOND, Time
from kschedlab.objects.model import ApiObject, Pod
from kschedlab.objects.problems import ManifestError, Problem, expected
from kschedlab_configuration.loading import load_configuration
from kschedlab_simulation.clock import Idle
from kschedlab_simulation.controllers.autoscalers import Autoscalers
from kschedlab_simulation.controllers.cron_jobs import CronJobs
from kschedlab_simulation.controllers.daemon_sets import DaemonSets
from kschedlab_simulation.controllers.disruption import Disruption
from kschedlab_simulation.controllers.kubelet import Kubelet
from kschedlab_simulation.controllers.node_lifecycle import NodeLifecycle
from kschedlab_simulation.controllers.owners import Owners, OwnersSettings
from kschedlab_simulation.controllers.ownership import GarbageCollector
from kschedlab_simulation.controllers.podgc import PodGC
from kschedlab_simulation.controllers.quotas import Quotas
from kschedlab_simulation.controllers.resource_claims import ResourceClaims
from kschedlab_simulation.controllers.volumes import VolumeControllers
from kschedlab_simulation.durations import newest_time, parse_duration
from kschedlab_simulation.events import Broadcaster
from kschedlab_simulation.informers import Informers
from kschedlab_simulation.log import Began, Changed, Log, LogEntry
from kschedlab_simulation.report import Report, report_of
from kschedlab_simulation.scheduler.kube_scheduler import KubeScheduler
from kschedlab_simulation.scheduler.startup import StartUp
from kschedlab_simulation.server.api import ApiServer
from kschedlab_simulation.state import objects_of, rank
from kschedlab_simulation.status import ApiError
from kschedlab_simulation.timeline.actions import TimelineEntry
from kschedlab_simulation.timeline.manifest_objects import INITIAL, ManifestObject, ObjectReader
from kschedlab_simulation.timeline.runner import TimelineRunner
from kschedlab_simulation.timeline.scenario import Scenario, Settings

START = int(Time.parse("2026-01-01T00:00:00Z"))
"""The start time if neither the caller nor any object gives a time."""

SETTLE_TIMEOUT = 24 * 3600 * SECOND
"""Microseconds after the timeline's last action at which a run that never settles ends."""

DEFAULT = Settings()

InitialObject: TypeAlias = ApiObject | ManifestObject | Mapping[str, Any]
"""An object at the start, or its manifest."""

_PROGRESS_INTERVAL = 256
_ACTIVE_PARTS = ("active", "backoff")

Progress = Callable[[int, int], None]
"""Called regularly with the number of bound pods and the number of all pods so far."""


class Simulation:
    """A simulated cluster, from its start.

    ``objects``: the initial objects or their manifests. ``generation``: the scheduler, its name, or one per
    schedulerName (profiles); ``seed``: for tie-breaking and generated names; ``timeline``: the scheduled actions;
    ``settings``: kubelet, latencies and workload controllers; ``start``: microseconds since 1970, by default the
    newest time in the objects; ``plugins``: the user's plugins. ManifestError if a manifest has faults or the API
    server rejects an object.

    ``until``: microseconds after the start at which :meth:`run` ends by default. ``scheduler``: False for a cluster
    that another program schedules. ``profiles``: the scheduler's.
    """

    def __init__(
        self,
        objects: Cluster | Objects | Iterable[InitialObject] = (),
        generation: str | Profiles = LATEST,
        seed: int = 0,
        timeline: Iterable[TimelineEntry] = (),
        settings: Settings = DEFAULT,
        *,
        start: int | None = None,
        plugins: Iterable[object] = (),
        until: int | None = None,
        scheduler: bool = True,
    ) -> None:
        self.profiles = profiles = profiles_of(generation)
        entries = sorted(timeline, key=lambda entry: entry.at)
        initial = _objects(objects)
        start = newest_time(map(_typed, initial)) if start is None else start
        self.start = start = int(START if start is None else start)  # no Time, which would change the log's format
        self.until = until
        self.env = simpy.Environment(initial_time=start)
        self.log = Log()
        self.log.write(Began(at=start, generation=_generation_names(profiles), seed=seed))
        self.api = ApiServer(self.env, self.log, api_of(profiles), seed=seed)
        self._restore(initial)
        rng = random.Random(seed)
        self._start_up = StartUp(
            self.env, self.api, profiles, self.log, rng=rng, plugins=plugins, latencies=settings.latencies
        )
        self._timeline_runner = TimelineRunner(self.env, self.api, self.log, seed)
        self._last_action_at = start + (entries[-1].at if entries else 0)
        self._pod_counter = _PodCounter(self.log)
        self._tried_at, self._tried = 0, dict[str, int]()
        self._has_scheduler = scheduler
        if scheduler:
            self._start_up.start()
        self._informers = Informers(self.env, self.api)
        self._start_controllers(settings, seed)
        self.env.process(self._timeline(entries))

    @classmethod
    def of(
        cls,
        scenario: Scenario,
        generation: str | Profiles | None = None,
        seed: int | None = None,
        plugins: Iterable[object] = (),
        scheduler: bool = True,
    ) -> Simulation:
        """A simulation from files; ``generation`` and ``seed`` override the files' values. ManifestError."""
        if not isinstance(scenario, Scenario):
            raise expected(later("a scenario, as load_scenario(...) returns it"), scenario)
        options = scenario.options
        profiles: str | Profiles = generation or options.generation or LATEST
        if options.config and (generation is None or isinstance(generation, str)):
            name = generation or options.generation
            profiles = load_configuration(options.config, name or None)
        try:
            profiles = with_gates(profiles_of(profiles), options.feature_gates)
        except FeatureGateError as error:
            raise ManifestError([Problem(0, 0, "featureGates", str(error))]) from None
        if options.adapt is not None:
            profiles = options.adapt(profiles_of(profiles))
        return cls(
            scenario.objects,
            profiles,
            options.seed or 0 if seed is None else seed,
            scenario.entries,
            options.settings,
            start=options.start,
            plugins=plugins,
            until=options.until,
            scheduler=scheduler,
        )

    # -- state

    @property
    def now(self) -> int:
        """The virtual clock: microseconds since 1970."""
        return self.api.now

    @property
    def scheduler(self) -> KubeScheduler:
        """The scheduler with its queue, cache and metrics."""
        return self._start_up.scheduler

    def pods(self) -> list[Pod]:
        """The pods in the API server, in key order."""
        return self.api.list(Pod)[0]

    @property
    def objects(self) -> list[ApiObject]:
        """All objects in the API server."""
        return [obj for store in self.api.stores for obj in store.objects.values()]

    @property
    def cluster(self) -> Cluster:
        """The cluster at this moment, for ``explain``, ``what_if`` and other decisions; it doesn't follow the run."""
        return Cluster(objects_of(self.objects), self.api.generation_api)

    def report(self, wall: float | None = None) -> Report:
        """The report of the run. ``wall``: its wall-clock seconds, for the pods per second."""
        return report_of(self.log, wall)

    @property
    def settled(self) -> bool:
        """Whether nothing more happens without an outside event.

        The timeline is over, no pod is active, in backoff or being bound, and no kubelet or controller has pending
        work. Unschedulable pods may remain: only an event would help them. A rejected pod group backs off and returns
        for ever; it counts once it was tried again without any change in between.
        """
        if self._timeline_runner.busy or not self.scheduler.running:
            return False
        for _, _, _, event in self.env._queue:
            if not _is_flush(event):
                return False
        places = self.scheduler.context.queue.places()
        return self._in_vain([key for key, place in places.items() if place.part in _ACTIVE_PARTS])

    def _in_vain(self, active: Collection[str]) -> bool:
        """Whether these pods all belong to groups that were tried again since the last change."""
        tries = self.scheduler.parts.tries() if active else {}
        if self._tried_at != self.api.version:
            self._tried_at, self._tried = self.api.version, {}
        for key in tries:
            self._tried.setdefault(key, tries[key])
        return all(key in tries and tries[key] > self._tried[key] for key in active)

    def __repr__(self) -> str:
        pods = self.pods()
        waiting = sum(not pod.spec.nodeName for pod in pods)
        seconds = (self.now - self.start) / SECOND
        return f"<Simulation after {seconds:g} s: {len(pods):,} pods, {waiting:,} without a node>"

    # -- running

    def step(self) -> list[LogEntry]:
        """Run until the log grows, and return the new entries; none once the simulation has settled."""
        length = len(self.log)
        while len(self.log) == length and not self.settled and self.env.peek() <= self._last_action_at + SETTLE_TIMEOUT:
            self.env.step()
        return self.log.entries[length:]

    def run(self, until: int | str | None = None, progress: Progress | None = None) -> None:
        """Run until this time after the start (microseconds, or a duration such as ``90s``), or until it settles.

        ``until`` defaults to the scenario's. A run that never settles ends a day after the timeline's last action.
        ValueError if ``until`` is not a duration.
        """
        for steps, _ in enumerate(self._advance(until)):
            if progress is not None and steps % _PROGRESS_INTERVAL == 0:
                progress(*self._pod_counter.now())
        if progress is not None:
            progress(*self._pod_counter.now())

    def follow(self, until: int | str | None = None) -> Iterator[LogEntry]:
        """As :meth:`run`, but yields the entries of the log: the existing ones first, then new ones as they come."""
        yielded = 0
        for _ in self._advance(until):
            yield from islice(self.log.entries, yielded, None)
            yielded = len(self.log)
        yield from islice(self.log.entries, yielded, None)

    def _advance(self, until: int | str | None) -> Iterator[None]:
        """Process the environment's events one by one."""
        duration = parse_duration(until) if isinstance(until, str) else until
        limit = self.until if duration is None else duration
        end = self._last_action_at + SETTLE_TIMEOUT if limit is None else self.start + limit
        while self.env.peek() <= end and not (limit is None and self.settled):
            self.env.step()
            yield
        if limit is not None and end > self.now:
            self.env.run(until=end)

    # -- the parts

    def _restore(self, objects: Iterable[ApiObject | ManifestObject]) -> None:
        """Store the initial objects. ManifestError with all that the API server rejects."""
        objects, problems = [*objects], []
        self.api.leave_uids(map(_typed, objects))
        for obj in objects:
            try:
                self.api.restore(_typed(obj))
            except ApiError as error:
                why = str(error)
                problems.append(obj.problem(why) if isinstance(obj, ManifestObject) else Problem(0, 0, "objects", why))
        if problems:
            raise ManifestError(problems)

    def _start_controllers(self, settings: Settings, seed: int) -> None:
        env, api, informers = self.env, self.api, self._informers
        broadcaster = Broadcaster(lambda: api.now, self.log)
        broadcaster.start()
        record = broadcaster.record
        latency = partial(settings.controllers.latency, seed)
        workloads = (
            (
                DaemonSets(env, api, informers, record, latency("daemons")),
                CronJobs(env, api, informers, record, latency("cron")),
                Autoscalers(env, api, informers, record, latency("autoscalers")),
            )
            if settings.recreate
            else ()
        )
        unbatched = OwnersSettings(recreate=settings.recreate, delay=0)
        controllers = (
            Owners(env, api, informers, unbatched, record, latency("owners")),
            *workloads,
            Disruption(env, api, informers, record=record, latency=latency("disruption")),
            VolumeControllers(env, api, informers, record=record),
            ResourceClaims(env, api, informers, record, latency("claims")),
            NodeLifecycle(env, api, informers, record, latency("nodes")),
            PodGC(env, api, informers),
            Quotas(env, api, informers, latency("quotas")),
            GarbageCollector(env, api, informers, latency("garbage")),
        )
        if settings.kubelet is not None:
            Kubelet(env, api, informers, settings.kubelet, record, seed).start()
        for controller in controllers:
            controller.start()
        informers.start()

    def _timeline(self, entries: list[TimelineEntry]) -> Generator[Any, Any, None]:
        self._timeline_runner.busy += 1
        if self._has_scheduler:
            yield self.scheduler.informers.synced
        yield self._informers.synced
        self._timeline_runner.busy -= 1
        yield from self._timeline_runner.run(entries)


def _generation_names(profiles: Profiles) -> str:
    return (
        profiles.name if isinstance(profiles, Generation) else ", ".join(profile.name for profile in profiles.values())
    )


def _objects(objects: Cluster | Objects | Iterable[InitialObject]) -> list[ApiObject | ManifestObject]:
    """All objects, owners before their dependents: ReplicaSets and pods last. ManifestError."""
    objects = objects.objects if isinstance(objects, Cluster) else objects
    if isinstance(objects, Objects):
        return _ordered(objects)
    if isinstance(objects, str | Mapping) or not isinstance(objects, Iterable):
        raise expected(later("a Cluster or a list of objects"), objects)
    reader, initial = ObjectReader(), list[ApiObject | ManifestObject]()
    for index, each in enumerate(objects):
        if isinstance(each, ApiObject | ManifestObject):
            initial.append(each)
        else:
            initial += reader.objects(each, Origin(None, index, ()), INITIAL)
    reader.finish()
    return _ordered(initial)


def _ordered(objects: Iterable[ApiObject | ManifestObject]) -> list[ApiObject | ManifestObject]:
    return sorted(objects, key=lambda obj: rank(_typed(obj)))


def _typed(obj: ApiObject | ManifestObject) -> ApiObject:
    return obj.obj if isinstance(obj, ManifestObject) else obj


def _is_flush(event: simpy.Event) -> bool:
    """Whether nothing waits for the event but a flush timer of the queue, which runs while any pod is in the queue."""
    if isinstance(event, Idle):
        return True
    for callback in event.callbacks or ():
        process = getattr(callback, "__self__", None)
        if not (isinstance(process, simpy.Process) and process.name == _FLUSH):
            return False
    return True


_FLUSH = KubeScheduler._flush.__name__


class _PodCounter:
    """Counts all pods and those bound to a node as the log grows."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._read = 0
        self._bound = 0
        self._created = 0

    def now(self) -> tuple[int, int]:
        entries = self._log.entries
        for i in range(self._read, len(entries)):
            entry = entries[i]
            if isinstance(entry, Changed) and entry.kind == "Pod":
                self._count_change(entry.old, entry.new)
        self._read = len(entries)
        return self._bound, self._created

    def _count_change(self, old: Pod | None, new: Pod | None) -> None:
        self._created += old is None
        if new is None:
            self._created -= old is not None and not old.spec.nodeName
        else:
            self._bound += bool(new.spec.nodeName) and (old is None or not old.spec.nodeName)
