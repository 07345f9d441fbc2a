"""Places pods one after the other, as the scheduler would, without evicting any."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import NamedTuple

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.pending_pod import checked_cluster
from kschedlab.cluster.pods import PodInfo, same_info
from kschedlab.decision import Decision
from kschedlab.explanation import NoProfileError
from kschedlab.generations import Generation, Profiles, api_of, profile_for, profiles_of
from kschedlab.queue.order import queue_order
from kschedlab.scheduler import Scheduler


class Placed(NamedTuple):
    """``cluster``: with the pods that fit. ``nodes``: the node of each; ``left``: the others, with the reason."""

    cluster: Cluster
    nodes: dict[str, str]
    left: dict[str, str]


def without_preemption(generation: str | Profiles) -> Profiles:
    """The profiles, which evict no pod."""
    profiles = profiles_of(generation)
    if isinstance(profiles, Mapping):
        return {name: _patient(profile) for name, profile in profiles.items()}
    return _patient(profiles)


def _patient(generation: Generation) -> Generation:
    return replace(generation, preemption=replace(generation.preemption, enabled=False))


def beginning(cluster: Cluster, profiles: Profiles) -> Placed:
    """A fork in which the pending pods that fit have their nodes: they come before any plan."""
    fork = checked_cluster(cluster).under(api_of(profiles)).fork()
    return place(queue_order(fork.pending.values()), fork, profiles)


def decide(info: PodInfo, cluster: Cluster, profiles: Profiles) -> Decision:
    """Where the pod goes. NoProfileError if no profile schedules it."""
    own = profile_for(info.pod, profiles)
    if own is None:
        raise NoProfileError(info)
    return Scheduler(cluster, own, exhaustive=True).decide(info)


def bind(decision: Decision, cluster: Cluster) -> None:
    """Give the pod its node in this cluster, with its claims."""
    Scheduler(cluster, decision.generation).commit(decision)


def place(infos: Iterable[PodInfo], cluster: Cluster, profiles: Profiles) -> Placed:
    """Place the pods on a fork of the cluster, in this order.

    A pod like one that found no node is not tried again before another pod is placed.
    """
    fork = cluster.fork()
    nodes, left = dict[str, str](), dict[str, str]()
    refused: list[tuple[PodInfo, str]] = []
    for info in infos:
        if (why := next((why for other, why in refused if same_info(other.pod, info.pod)), None)) is not None:
            left[info.key] = why
            continue
        try:
            decision = decide(info, fork, profiles)
        except NoProfileError as error:
            left[info.key] = str(error)
            continue
        if decision.node is None:
            left[info.key] = decision.event
            refused.append((info, decision.event))
            continue
        bind(decision, fork)
        nodes[info.key] = decision.node
        refused = []
    return Placed(fork, nodes, left)
