"""Tables with kubectl's own columns, made on the server as the real one makes them (meta.k8s.io/v1, Table)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from kschedlab.objects.model import Pod
from kschedlab_live.serve.kinds import Served
from kschedlab_live.serve.tables import cluster, kept, workloads
from kschedlab_live.serve.tables.cells import Columns, Data
from kschedlab_live.serve.tables.custom import printed
from kschedlab_simulation.kubectl import wide_cells

_PODS = "Name Ready Status Restarts Age IP* Node* Nominated_Node* Readiness_Gates*"
_TABLES = workloads.TABLES | cluster.TABLES | kept.TABLES


def table(served: Served, objects: Iterable[tuple[Any, Data]], now: int, version: str, include: str) -> Data:
    """A table of objects, each typed and as JSON.

    ``include``: what each row has of its object: ``None``, ``Metadata`` or ``Object``.
    """
    columns = printed(served.custom) if served.custom else _TABLES.get(served.resource.name, cluster.NAMED)
    names = _PODS if served.model is Pod else columns.names
    rows = [_row(columns, obj, data, now, include) for obj, data in objects]
    return {
        "kind": "Table",
        "apiVersion": "meta.k8s.io/v1",
        "metadata": {"resourceVersion": version},
        "columnDefinitions": [_definition(name, columns) for name in names.split()],
        "rows": rows,
    }


def _definition(marked: str, columns: Columns) -> Data:
    name = marked.rstrip("*").replace("_", " ")
    return {
        "name": name,
        "type": columns.types.get(name, "string"),
        "format": "name" if name == "Name" else "",
        "description": "",
        "priority": int(marked.endswith("*")),
    }


def _row(columns: Columns, obj: Any, data: Data, now: int, include: str) -> Data:
    cells = list(wide_cells(obj, now)) if isinstance(obj, Pod) else columns.cells(data, now)
    if include == "None":
        return {"cells": cells}
    if include == "Object":
        return {"cells": cells, "object": data}
    partial = {"kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "metadata": data.get("metadata", {})}
    return {"cells": cells, "object": partial}
