"""Google's cluster traces of 2019: machines and instances of a Borg cell.

Their format: google/cluster-data, clusterdata_trace_format_v3.proto. Amounts are shares of the largest machine.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from kschedlab.build import Manifest, node, pod
from kschedlab.messages import say
from kschedlab.objects.meta import SECOND
from kschedlab_experiments.arrivals.tables import TableRow, records
from kschedlab_experiments.arrivals.trace import Arrival, Trace

EVENTS = {
    **{"SUBMIT": 0, "QUEUE": 1, "ENABLE": 2, "SCHEDULE": 3, "EVICT": 4, "FAIL": 5, "FINISH": 6, "KILL": 7, "LOST": 8},
    **{"UPDATE_PENDING": 9, "UPDATE_RUNNING": 10},
}
ENDS = {EVENTS[name] for name in ("FAIL", "FINISH", "KILL", "LOST")}
MACHINES = {"EVENT_TYPE_UNKNOWN": 0, "ADD": 1, "REMOVE": 2, "UPDATE": 3}
NEVER = 2**62
"""Later times stand for what happened after the trace (2^63 - 1)."""


def google(
    machines: str | os.PathLike[str],
    instances: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    *,
    cpus: int = 64,
    memory: int = 256,
) -> Trace:
    """The trace in files of the tables ``machine_events`` and ``instance_events``, as JSON lines or CSV, or gzip.

    ``cpus``, ``memory``: CPUs and GiB of the largest machine, which the trace does not tell. An instance becomes a pod
    that arrives when it was first submitted and runs from the first SCHEDULE to its end. Alloc instances reserve
    room and are pods, too; tasks in them take none of a machine's. InputValueError with file and line.
    """
    nodes, later = _machines(machines, cpus, memory)
    paths = [instances] if isinstance(instances, str | os.PathLike) else list(instances)
    read = _Instances()
    for path in paths:
        for row in records(path, ("time", "type", "collection_id", "instance_index")):
            read.take(row)
    arrivals = sorted(read.arrivals(cpus, memory), key=lambda each: each.at)
    left_out = [say("{number:,} machines that came, went or changed later", number=later)] if later else []
    return Trace(nodes, arrivals, left_out=(*left_out, *read.left_out()))


def _machines(path: str | os.PathLike[str], cpus: int, memory: int) -> tuple[list[Manifest], int]:
    """The machines at the start, and the number of later changes."""
    nodes: dict[int, Manifest] = {}
    later = 0
    for row in records(path, ("time", "machine_id", "type")):
        if row.whole("time") > 0:
            later += 1
        elif row.choice("type", MACHINES) == MACHINES["ADD"]:
            number = row.whole("machine_id")
            room = _amounts(row, "capacity", cpus, memory) | {"pods": "1000"}
            labels = {"switch": _label(row.text("switch_id", "")), "platform": _label(row.text("platform_id", ""))}
            nodes[number] = node(f"machine-{number}", labels={k: v for k, v in labels.items() if v}, allocatable=room)
    return list(nodes.values()), later


@dataclass
class _Instance:
    submitted: float
    row: TableRow
    began: float | None = None
    ended: float | None = None


@dataclass
class _Instances:
    """The instances so far, by collection and index."""

    known: dict[tuple[int, int], _Instance] = field(default_factory=dict)
    inside: int = 0
    constrained: int = 0
    evicted: int = 0

    def take(self, row: TableRow) -> None:
        at, kind = row.whole("time"), row.choice("type", EVENTS)
        if at > NEVER:
            return
        if row.whole("alloc_collection_id", 0):
            self.inside += kind == EVENTS["SUBMIT"]
            return
        key = row.whole("collection_id"), row.whole("instance_index")
        if (one := self.known.get(key)) is None:
            one = self.known[key] = _Instance(at / SECOND, row)
            self.constrained += bool(row.text("constraint", ""))
        if kind == EVENTS["SCHEDULE"] and one.began is None:
            one.began = at / SECOND
        elif kind == EVENTS["EVICT"]:
            self.evicted += 1
        elif kind in ENDS:
            one.ended = at / SECOND

    def arrivals(self, cpus: int, memory: int) -> Iterator[Arrival]:
        for (collection, index), one in self.known.items():
            requests = _amounts(one.row, "resource_request", cpus, memory)
            made = pod(f"instance-{collection}-{index}", priority=one.row.whole("priority", 0), requests=requests)
            made["metadata"]["labels"] = {"collection": str(collection)}
            seconds = None
            if one.ended is not None:
                seconds = max(one.ended - (one.submitted if one.began is None else one.began), 1.0)
            yield Arrival(one.submitted, made, seconds)

    def left_out(self) -> Iterator[str]:
        if self.inside:
            yield say("{number:,} tasks inside alloc instances", number=self.inside)
        if self.constrained:
            yield say("the constraints of {number:,} instances", number=self.constrained)
        if self.evicted:
            yield say("{number:,} evictions by Borg, whose instances run on here", number=self.evicted)


def _amounts(row: TableRow, name: str, cpus: int, memory: int) -> dict[str, str]:
    """The resources of this field: at least 1m and 1Mi of what is not 0."""
    cpu, bytes_ = row.number(f"{name}.cpus", 0), row.number(f"{name}.memory", 0)
    amounts = {"cpu": f"{round(cpu * cpus * 1000) or 1}m"} if cpu else {}
    return amounts | ({"memory": f"{round(bytes_ * memory * 1024) or 1}Mi"} if bytes_ else {})


def _label(text: str) -> str:
    """The text as a label's value: the traces have base64 there."""
    return "".join(c if c.isalnum() and c.isascii() else "-" for c in text)[:63].strip("-")
