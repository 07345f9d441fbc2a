"""Start-up of v1.16, step by step from its log, and the pods that the informers see."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import simpy

from kschedlab.generations import V1_16
from kschedlab.manifests.loading import decode_objects
from kschedlab.objects.meta import SECOND
from kschedlab.objects.model import Pod
from kschedlab.simulation.log import Log, Step
from kschedlab.simulation.scheduler import startup
from kschedlab.simulation.scheduler.context import Latencies
from kschedlab.simulation.scheduler.startup import StartUp
from kschedlab.simulation.server.api import ApiServer
from kschedlab.simulation.simulation import START
from kschedlab.testing import Manifest, node, pod as a_pod
from kschedlab.views.loop import NotebookTable

WATCH = SECOND // 20
"""Microseconds that the informers need to fill their caches."""

SOURCE: Mapping[str, str] = {
    startup.CONFIGURATION: "Options.Config",
    startup.ALGORITHMS: "scheduler.New: CreateFromProvider or CreateFromConfig",
    startup.SCHEDULER: "scheduler.New: NewFromConfig, AddAllEventHandlers",
    startup.BROADCASTER: "StartRecordingToSink",
    startup.HTTP: "newHealthzHandler, newMetricsHandler",
    startup.INFORMERS: "PodInformer.Run, InformerFactory.Start",
    startup.SYNCED: "InformerFactory.WaitForCacheSync",
    startup.ELECTION: "LeaderElector.Run",
    startup.RUN: "sched.Run: wait.Until(sched.scheduleOne)",
}
"""Each step's functions in v1.16: cmd/kube-scheduler/app/server.go (Run) and pkg/scheduler/scheduler.go."""

POLICY = """\
kind: Policy
apiVersion: v1
predicates: [{name: PodFitsResources}]
priorities: [{name: LeastRequestedPriority, weight: 2}]
"""


def started(configuration: str = "") -> NotebookTable:
    """Every step of start-up until the first pod can be popped. ``configuration``: a file's text, or ""."""
    env, log = simpy.Environment(initial_time=START), Log()
    api = ApiServer(env, log, V1_16.api)
    latencies = Latencies(watch=WATCH)
    with StartUp(env, api, V1_16, log, configuration=configuration or None, port=0, latencies=latencies) as start:
        start.start()
        env.run(until=START + SECOND)
    rows = (
        (f"{(each.at - START) / SECOND:.3f}", each.step, SOURCE[each.step], each.detail)
        for each in log
        if isinstance(each, Step)
    )
    return NotebookTable(("seconds", "step", "v1.16", "detail"), tuple(rows))


def _pods() -> Iterator[Manifest]:
    """Pods in every phase, a terminating one, and one of another scheduler."""
    yield a_pod("running", "node-a", 1)
    yield a_pod("succeeded", "node-a", 1) | {"status": {"phase": "Succeeded"}}
    yield a_pod("failed", "node-a", 1) | {"status": {"phase": "Failed"}}
    going = a_pod("terminating", "node-a", 1)
    going["metadata"] |= {"deletionTimestamp": "2026-01-01T00:00:30Z", "deletionGracePeriodSeconds": 30}
    yield going
    yield a_pod("pending", "", 9)
    yield a_pod("not-mine", "", 1, schedulerName="another-scheduler")


def seen() -> NotebookTable:
    """The pods that the scheduler's informer holds, and the handler that receives each."""
    env, log = simpy.Environment(initial_time=START), Log()
    api = ApiServer(env, log, V1_16.api)
    objects = decode_objects([node("node-a"), *_pods()])
    for document in (*objects.nodes, *objects.pods):
        api.restore(document)
    start = StartUp(env, api, V1_16, log)
    start.start()
    env.run(until=START + SECOND)
    found = start.scheduler.context
    cached, queued = found.cache.cluster().pods.row_of, found.queue.places()
    rows = (
        _row(
            each,
            "sees it" if found.pods.get(each.key) is not None else "-",
            "the cache" if each.key in cached else "the queue" if each.key in queued else "nobody",
        )
        for each in objects.pods
    )
    return NotebookTable(("pod", "phase", "spec.nodeName", "informer", "handed to"), tuple(rows))


def _row(pod: Pod, informer: str, to: str) -> tuple[str, ...]:
    going = " (terminating)" if pod.metadata.deletionTimestamp is not None else ""
    return pod.metadata.name, (pod.status.phase or "Pending") + going, pod.spec.nodeName or "-", informer, to
