"""Azure's trace for packing of 2020: virtual machines that arrive, and the share of a machine that each type takes.

Its format, a file of SQLite: Azure/AzurePublicDataset, AzureTracesForPacking2020.md.
"""

from __future__ import annotations

import math
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from kschedlab.build import Manifest, node, pod
from kschedlab.messages import later, say
from kschedlab.objects.problems import InputValueError
from kschedlab_experiments.arrivals.trace import Arrival, Trace

DAY = 86_400
HIGH, LOW = 100, 0
"""The priorities of pods for VMs of high (0 in the trace) and low priority (1)."""
NETWORK = "azure.example/nic"
"""The resource for network bandwidth, in thousandths of the machine's."""
SHARES = ("core", "memory", "ssd", "nic")


def azure(
    path: str | os.PathLike[str],
    *,
    nodes: int,
    machine: int | None = None,
    cpus: int = 64,
    memory: int = 512,
    ssd: int = 4096,
) -> Trace:
    """The trace on so many nodes of one kind of machine.

    ``machine``: the ``machineId``, by default the one that takes most types. ``cpus``, ``memory``, ``ssd``: CPUs, GiB
    and GiB of a machine, which the trace does not tell. A VM that was there before the trace arrives at its start; one
    without an end runs for ever. InputValueError if the file is not such a trace or has no such machine.
    """
    try:
        with closing(sqlite3.connect(f"{Path(path).resolve().as_uri()}?mode=ro", uri=True)) as trace:
            types, chosen = _types(trace, machine)
            vms = list(
                trace.execute("SELECT vmId, vmTypeId, priority, starttime, endtime FROM vm ORDER BY starttime, vmId")
            )
    except sqlite3.Error as error:
        need = (
            "vm (vmId, vmTypeId, priority, starttime, endtime) and vmType (vmTypeId, machineId, core, memory, ssd, nic)"
        )
        words = later("{file}: {error}: expected a file of SQLite with the tables {need}")
        raise InputValueError(words, file=path, error=error, need=need) from None
    sizes = {"core": cpus * 1000, "memory": memory * 1024, "ssd": ssd * 1024, "nic": 1000}
    room = {"cpu": str(cpus), "memory": f"{memory}Gi", "ephemeral-storage": f"{ssd}Gi", NETWORK: "1000", "pods": "1000"}
    there = [node(f"machine-{number}", labels={"machine": str(chosen)}, allocatable=room) for number in range(nodes)]
    missing = sum(vm[1] not in types for vm in vms)
    words = later("{number:,} VMs of types that machine {machine} does not take")
    left_out = (say(words, number=missing, machine=chosen),) if missing else ()
    return Trace(there, list(_arrivals(vms, types, sizes)), left_out=left_out)


def _types(trace: sqlite3.Connection, machine: int | None) -> tuple[dict[Any, tuple[float, ...]], int]:
    """The shares of each type on the machine, and which one it is."""
    rows = list(trace.execute("SELECT machineId, vmTypeId, core, memory, ssd, nic FROM vmType"))
    machines = sorted({row[0] for row in rows})
    if not machines or machine is not None and machine not in machines:
        words = later("the trace has no machine {machine}; it has {machines}")
        raise InputValueError(words, machine=machine, machines=[str(each) for each in machines] or say("none"))
    counts = {each: sum(row[0] == each for row in rows) for each in machines}
    chosen = max(machines, key=lambda each: counts[each]) if machine is None else machine
    return {row[1]: tuple(float(share or 0) for share in row[2:]) for row in rows if row[0] == chosen}, chosen


def _arrivals(vms: list[Any], types: dict[Any, tuple[float, ...]], sizes: dict[str, int]) -> Iterator[Arrival]:
    for name, kind, priority, start, end in vms:
        if kind not in types:
            continue
        at = max(float(start), 0.0) * DAY
        seconds = None if end is None else max(float(end) * DAY - at, 1.0)
        requests = dict(_requests(dict(zip(SHARES, types[kind], strict=True)), sizes))
        made: Manifest = pod(f"vm-{name}", priority=LOW if priority else HIGH, requests=requests)
        made["metadata"]["labels"] = {"type": str(kind)}
        yield Arrival(at, made, seconds)


def _requests(shares: dict[str, float], sizes: dict[str, int]) -> Iterator[tuple[str, str]]:
    """The amounts, rounded up: what fills a machine may not fit twice."""
    units = {"core": ("cpu", "m"), "memory": ("memory", "Mi"), "ssd": ("ephemeral-storage", "Mi"), "nic": (NETWORK, "")}
    for name, share in shares.items():
        if share > 0:
            resource, unit = units[name]
            yield resource, f"{math.ceil(round(share * sizes[name], 6))}{unit}"
