"""The tables of workloads and what belongs to them. v1.37: pkg/printers/internalversion/printers.go."""

from __future__ import annotations

from typing import Any

from kschedlab.objects.meta import Time
from kschedlab.text.words import human_duration
from kschedlab_live.serve.tables.cells import (
    NONE,
    UNKNOWN,
    UNSET,
    Columns,
    Data,
    age_of,
    containers,
    joined,
    labels,
    maps,
    name_of,
    number,
    part,
    selector,
    since,
    text,
)


def _template(data: Data) -> tuple[str, str]:
    return containers(part(data, "spec", "template", "spec"))


def _replicas(data: Data, now: int) -> list[Any]:
    desired = number(data, "spec", "replicas")
    return [
        name_of(data),
        desired,
        number(data, "status", "replicas"),
        number(data, "status", "readyReplicas"),
        age_of(data, now),
        *_template(data),
    ]


def _replica_set(data: Data, now: int) -> list[Any]:
    return [*_replicas(data, now), selector(part(data, "spec", "selector"))]


def _replication_controller(data: Data, now: int) -> list[Any]:
    return [*_replicas(data, now), labels(part(data, "spec", "selector"))]


def _deployment(data: Data, now: int) -> list[Any]:
    ready = f"{number(data, 'status', 'readyReplicas')}/{number(data, 'spec', 'replicas')}"
    updated, available = number(data, "status", "updatedReplicas"), number(data, "status", "availableReplicas")
    chosen = selector(part(data, "spec", "selector"))
    return [name_of(data), ready, updated, available, age_of(data, now), *_template(data), chosen]


def _stateful_set(data: Data, now: int) -> list[Any]:
    ready = f"{number(data, 'status', 'readyReplicas')}/{number(data, 'spec', 'replicas')}"
    return [name_of(data), ready, age_of(data, now), *_template(data)]


def _daemon_set(data: Data, now: int) -> list[Any]:
    status = part(data, "status")
    nodes = labels(part(data, "spec", "template", "spec", "nodeSelector"))
    numbers = [number(status, name) for name in _COUNTED_DAEMONS]
    chosen = selector(part(data, "spec", "selector"))
    return [name_of(data), *numbers, nodes, age_of(data, now), *_template(data), chosen]


_COUNTED_DAEMONS = (
    "desiredNumberScheduled",
    "currentNumberScheduled",
    "numberReady",
    "updatedNumberScheduled",
    "numberAvailable",
)
_JOB_STATES = ("Complete", "Failed")
_LATER_JOB_STATES = ("Suspended", "FailureTarget", "SuccessCriteriaMet")


def _job(data: Data, now: int) -> list[Any]:
    true = {text(c, "type") for c in maps(data, "status", "conditions") if text(c, "status") == "True"}
    states = [state for state in _JOB_STATES if state in true]
    states += ["Terminating"] if part(data, "metadata", "deletionTimestamp") else []
    states += [state for state in _LATER_JOB_STATES if state in true]
    wanted, succeeded = part(data, "spec", "completions"), number(data, "status", "succeeded")
    parallelism = number(data, "spec", "parallelism")
    completions = f"{succeeded}/{wanted}" if wanted is not None else f"{succeeded}/1"
    if wanted is None and parallelism > 1:
        completions += f" of {parallelism}"
    chosen = selector(part(data, "spec", "selector"))
    cells = [name_of(data), (states or ["Running"])[0], completions, _job_duration(data, now), age_of(data, now)]
    return [*cells, *_template(data), chosen]


def _job_duration(data: Data, now: int) -> str:
    began, ended = part(data, "status", "startTime"), part(data, "status", "completionTime")
    if not isinstance(began, str):
        return ""
    try:
        return human_duration((Time.parse(ended) if isinstance(ended, str) else now) - Time.parse(began))
    except ValueError:
        return ""


def _cron_job(data: Data, now: int) -> list[Any]:
    spec = part(data, "spec")
    template = containers(part(spec, "jobTemplate", "spec", "template", "spec"))
    last = part(data, "status", "lastScheduleTime")
    return [
        name_of(data),
        text(spec, "schedule"),
        text(spec, "timeZone", otherwise=NONE),
        bool(part(spec, "suspend")),
        len(maps(data, "status", "active")),
        since(last, now) if last else NONE,
        age_of(data, now),
        *template,
        selector(part(spec, "jobTemplate", "spec", "selector")),
    ]


def _autoscaler(data: Data, now: int) -> list[Any]:
    spec = part(data, "spec")
    target = part(spec, "scaleTargetRef")
    cells = [f"{text(target, 'kind')}/{text(target, 'name')}", _targets(spec)]
    least = part(spec, "minReplicas")
    bounds = [UNSET if least is None else str(least), str(number(spec, "maxReplicas"))]
    return [name_of(data), *cells, *bounds, str(number(data, "status", "currentReplicas")), age_of(data, now)]


def _targets(spec: Data) -> str:
    """What an autoscaler aims at (formatHPAMetrics). No metric has a current value: the simulation measures none."""
    texts = [_target(metric) for metric in maps(spec, "metrics")]
    shown = ", ".join(texts[:2]) or NONE
    return f"{shown} + {len(texts) - 2} more..." if len(texts) > 2 else shown


def _target(metric: Data) -> str:
    kind = text(metric, "type")
    source = part(metric, kind[:1].lower() + kind[1:])
    value, average = part(source, "target", "value"), part(source, "target", "averageValue")
    if kind in ("Resource", "ContainerResource"):
        percent = part(source, "target", "averageUtilization")
        aim = average if average is not None else "<auto>" if percent is None else f"{percent}%"
        return f"{text(source, 'name')}: {UNKNOWN}/{aim}"
    if kind not in ("Pods", "Object", "External"):
        return "<unknown type>"
    return f"{UNKNOWN}/{value if average is None else average}" + (" (avg)" if average and kind != "Pods" else "")


def _budget(data: Data, now: int) -> list[Any]:
    least, most = part(data, "spec", "minAvailable"), part(data, "spec", "maxUnavailable")
    bounds = ["N/A" if bound is None else str(bound) for bound in (least, most)]
    return [name_of(data), *bounds, number(data, "status", "disruptionsAllowed"), age_of(data, now)]


def _revision(data: Data, now: int) -> list[Any]:
    owner = next((entry for entry in maps(data, "metadata", "ownerReferences") if entry.get("controller")), None)
    group = text(owner, "apiVersion").rpartition("/")[0]
    kind = text(owner, "kind").lower() + (f".{group}" if group else "")
    controller = f"{kind}/{text(owner, 'name')}" if owner else NONE
    return [name_of(data), controller, number(data, "revision"), age_of(data, now)]


def _pod_group(data: Data, now: int) -> list[Any]:
    policy = "Gang" if part(data, "spec", "schedulingPolicy", "gang") is not None else "Basic"
    conditions = {text(entry, "type"): entry for entry in maps(data, "status", "conditions")}
    status = "Pending"
    if first := conditions.get("PodGroupInitiallyScheduled"):
        status = "Scheduled" if text(first, "status") == "True" else "Unschedulable"
    if disrupted := conditions.get("DisruptionTarget"):
        status = text(disrupted, "reason")
    workload = text(data, "spec", "workloadRef", "workloadName", otherwise=NONE)
    return [name_of(data), policy, workload, status, age_of(data, now)]


def _service(data: Data, now: int) -> list[Any]:
    spec = part(data, "spec")
    kind = text(spec, "type", otherwise="ClusterIP")
    addresses = part(spec, "clusterIPs") or [text(spec, "clusterIP", otherwise=NONE)]
    external = joined(part(spec, "externalIPs") or ()) or ("<pending>" if kind == "LoadBalancer" else NONE)
    if kind == "ExternalName":
        external = text(spec, "externalName")
    ports = joined(map(_port, maps(spec, "ports"))) or NONE
    chosen = labels(part(spec, "selector"))
    return [name_of(data), kind, str(addresses[0]), external, ports, age_of(data, now), chosen]


def _port(port: Data) -> str:
    node = f":{port['nodePort']}" if port.get("nodePort") else ""
    return f"{port.get('port')}{node}/{port.get('protocol', 'TCP')}"


_WIDE = "Containers* Images* Selector*"
_INTEGERS = dict.fromkeys(["Desired", "Current", "Ready", "Up-to-date", "Available", "Active"], "integer")

TABLES: dict[str, Columns] = {
    "replicasets": Columns(f"Name Desired Current Ready Age {_WIDE}", _replica_set, _INTEGERS),
    "replicationcontrollers": Columns(f"Name Desired Current Ready Age {_WIDE}", _replication_controller, _INTEGERS),
    "deployments": Columns(f"Name Ready Up-to-date Available Age {_WIDE}", _deployment),
    "statefulsets": Columns("Name Ready Age Containers* Images*", _stateful_set),
    "daemonsets": Columns(
        f"Name Desired Current Ready Up-to-date Available Node_Selector Age {_WIDE}", _daemon_set, _INTEGERS
    ),
    "jobs": Columns(f"Name Status Completions Duration Age {_WIDE}", _job),
    "cronjobs": Columns(
        f"Name Schedule Timezone Suspend Active Last_Schedule Age {_WIDE}",
        _cron_job,
        {"Suspend": "boolean", "Active": "integer"},
    ),
    "poddisruptionbudgets": Columns(
        "Name Min_Available Max_Unavailable Allowed_Disruptions Age", _budget, {"Allowed Disruptions": "integer"}
    ),
    "horizontalpodautoscalers": Columns("Name Reference Targets MinPods MaxPods Replicas Age", _autoscaler),
    "controllerrevisions": Columns("Name Controller Revision Age", _revision),
    "podgroups": Columns("Name Policy Workload Status Age", _pod_group),
    "services": Columns("Name Type Cluster-IP External-IP Port(s) Age Selector*", _service),
}
