"""Alibaba's GPU trace "openb": 1,523 nodes and 8,152 pods of 2023, with GPUs shared in thousandths.

Its format: alibaba/clusterdata, cluster-trace-gpu-v2023/README.md; manifests as its pod_csv_to_yaml.py makes them.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from kschedlab.build import Manifest, node, node_affinity, pod, term
from kschedlab_experiments.arrivals.tables import TableRow, rows
from kschedlab_experiments.arrivals.trace import Arrival, Trace
from kschedlab_experiments.gpus import COUNT, EACH, MILLI, MODEL

NODES = ("sn", "cpu_milli", "memory_mib", "gpu", "model")
PODS = ("name", "cpu_milli", "memory_mib", "num_gpu", "gpu_milli", "gpu_spec", "creation_time", "deletion_time")
PER_NODE = "1001"
"""How many pods a node takes, in the trace's own manifests."""


def openb(nodes: str | os.PathLike[str], pods: str | os.PathLike[str]) -> Trace:
    """The trace in ``openb_node_list_*.csv`` and ``openb_pod_list_*.csv``.

    A pod requests ``num_gpu * gpu_milli`` of the resource ``alibabacloud.com/gpu-milli``, so that any scheduler
    counts GPUs; :class:`kschedlab_experiments.gpus.SharedGpus` also keeps devices apart. It arrives at its
    ``creation_time`` and runs from ``scheduled_time`` to ``deletion_time``. InputValueError with file and line.
    """
    made = [_node(row) for row in rows(nodes, NODES)]
    arrivals = [_arrival(row) for row in rows(pods, PODS)]
    return Trace(made, sorted(arrivals, key=lambda each: each.at))


def _node(row: TableRow) -> Manifest:
    gpus = row.whole("gpu")
    room = {"cpu": f"{row.whole('cpu_milli')}m", "memory": f"{row.whole('memory_mib')}Mi", "pods": PER_NODE}
    labels = {"kubernetes.io/hostname": row.text("sn")}
    if gpus:
        room |= {COUNT: str(gpus), EACH: str(gpus * MILLI)}
        labels[MODEL] = row.text("model")
    return node(row.text("sn"), labels=labels, allocatable=room)


def _arrival(row: TableRow) -> Arrival:
    gpus, each = row.whole("num_gpu"), min(row.whole("gpu_milli", 0), MILLI)
    requests: Mapping[str, str] = {EACH: str(gpus * each)} if gpus else {}
    models = [model for model in row.text("gpu_spec", "").split("|") if model]
    affinity: Manifest = {"affinity": node_affinity(term(f"{MODEL} In {','.join(models)}"))} if models and gpus else {}
    made = pod(
        row.text("name"),
        cpu=f"{row.whole('cpu_milli')}m",
        memory=f"{row.whole('memory_mib')}Mi",
        requests=requests,
        **affinity,
    )
    if gpus:
        given = {COUNT: str(gpus), EACH: str(each)} | ({MODEL: "|".join(models)} if models else {})
        made["metadata"]["annotations"] = given
    created = row.number("creation_time")
    started = row.number("scheduled_time", created)
    return Arrival(created, made, max(row.number("deletion_time") - started, 1.0))
