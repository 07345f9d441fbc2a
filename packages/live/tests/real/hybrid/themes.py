"""Small scenarios, one for each theme. No two nodes are equal, so that no decision is a tie."""

from __future__ import annotations

import json
from typing import Any

Data = dict[str, Any]


def node(name: str, cpu: str, memory: str = "8Gi", labels: Data | None = None, taints: Any = (), **more: str) -> Data:
    amounts = {"cpu": cpu, "memory": memory, "pods": "20", **more}
    metadata = {"name": name, "labels": {"kubernetes.io/hostname": name} | (labels or {})}
    ready = [{"type": "Ready", "status": "True"}]
    status = {"allocatable": amounts, "capacity": amounts, "conditions": ready}
    return {"apiVersion": "v1", "kind": "Node", "metadata": metadata, "spec": {"taints": [*taints]}, "status": status}


def pod(
    name: str, cpu: str = "1", labels: Data | None = None, ports: Any = (), more: Data | None = None, **spec: Any
) -> Data:
    requests = {"cpu": cpu} | (more or {})
    container: Data = {"name": "c", "image": "i", "resources": {"requests": requests}, "ports": [*ports]}
    if more:
        container["resources"]["limits"] = more
    metadata = {"name": name, "namespace": "default", "labels": labels or {}}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {"containers": [container]} | spec}


def priority(name: str, value: int, **more: Any) -> Data:
    metadata = {"name": name}
    return {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": metadata, "value": value, **more}


def owner(kind: str, name: str, replicas: int, template: Data, **spec: Any) -> Data:
    labels = {"app": name}
    inside = {"metadata": {"labels": labels | template["metadata"]["labels"]}, "spec": template["spec"]}
    spec = {"replicas": replicas, "selector": {"matchLabels": labels}, "template": inside} | spec
    return {"apiVersion": "apps/v1", "kind": kind, "metadata": {"name": name, "namespace": "default"}, "spec": spec}


def scenario(objects: list[Data], timeline: list[Data], until: str = "12s") -> str:
    """The scenario as text: JSON is YAML."""
    head = {"simulation": {"kubelet": {"start": "300ms", "stop": "1s"}, "until": until}, "timeline": timeline}
    return "\n---\n".join(json.dumps(each, indent=1) for each in [head, *objects])


def at(seconds: float, **action: Any) -> Data:
    return {"at": f"{seconds}s"} | action


def _required(key: str, operator: str, *values: str) -> Data:
    term = {"matchExpressions": [{"key": key, "operator": operator, "values": [*values]}]}
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]}}}


def _term(app: str, topology: str = "kubernetes.io/hostname") -> Data:
    return {"labelSelector": {"matchLabels": {"app": app}}, "topologyKey": topology}


REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
BUSY = {"key": "busy", "value": "yes", "effect": "NoSchedule"}
A, B, C = node("a", "2", "4Gi"), node("b", "4", "9Gi"), node("c", "7", "12Gi")
ON_A = {"kubernetes.io/hostname": "a"}
LOW, HIGH = priority("low", 10), priority("high", 1000)
ZONES = [
    node(n, c, m, {"zone": z})
    for n, c, m, z in (("a", "2", "4Gi", "x"), ("b", "4", "9Gi", "y"), ("c", "7", "12Gi", "y"))
]


def _spread(app: str, when: str, skew: int = 1) -> list[Data]:
    selector = {"matchLabels": {"app": app}}
    return [{"maxSkew": skew, "topologyKey": "zone", "whenUnsatisfiable": when, "labelSelector": selector}]


def _budget(name: str, least: int) -> Data:
    spec = {"minAvailable": least, "selector": {"matchLabels": {"app": name}}}
    metadata = {"name": name, "namespace": "default"}
    return {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": metadata, "spec": spec}


APART = _term("w", "zone")

THEMES: dict[str, str] = {
    "resources": scenario([A, B, C], [at(i / 2, create=pod(f"p{i}", cpu)) for i, cpu in enumerate("3122321")]),
    "memory": scenario(
        [A, B, C], [at(i, create=pod(f"p{i}", "100m", more={"memory": f"{m}Gi"})) for i, m in enumerate((5, 8, 7, 4))]
    ),
    "extended resource": scenario(
        [A, node("g", "4", **{"example.com/gpu": "2"})],
        [at(i, create=pod(f"p{i}", more={"example.com/gpu": "1"})) for i in range(3)],
    ),
    "taints": scenario(
        [node("a", "2", taints=[BUSY]), node("b", "4", taints=[BUSY | {"key": "other"}])],
        [
            at(0, create=pod("none")),
            at(1, create=pod("one", tolerations=[{"key": "busy", "operator": "Exists"}])),
            at(2, create=pod("wrong", tolerations=[{"key": "other", "value": "no"}])),
            at(3, taint="b", taints=["other-"]),
        ],
    ),
    "prefer no schedule": scenario(
        [node("a", "4", taints=[BUSY | {"effect": "PreferNoSchedule"}]), node("b", "2")],
        [at(i, create=pod(f"p{i}")) for i in range(3)],
    ),
    "node affinity": scenario(
        [node("a", "2", labels={"disk": "ssd"}), node("b", "4", labels={"disk": "hdd"}), C],
        [
            at(0, create=pod("in", affinity=_required("disk", "In", "ssd"))),
            at(1, create=pod("not-in", affinity=_required("disk", "NotIn", "ssd", "hdd"))),
            at(2, create=pod("nowhere", affinity=_required("disk", "In", "tape"))),
            at(3, create=pod("full", "2", affinity=_required("disk", "In", "ssd"))),
            at(5, label="node/c", labels={"disk": "tape"}),
        ],
    ),
    "preferred node affinity": scenario(
        [node("a", "4", labels={"disk": "ssd"}), node("b", "8", "16Gi")],
        [
            at(
                i,
                create=pod(
                    f"p{i}",
                    affinity={
                        "nodeAffinity": {
                            PREFERRED: [
                                {
                                    "weight": weight,
                                    "preference": {"matchExpressions": [{"key": "disk", "operator": "Exists"}]},
                                }
                            ]
                        }
                    },
                ),
            )
            for i, weight in enumerate((1, 50, 100))
        ],
    ),
    "pod affinity": scenario(
        ZONES,
        [
            at(0, create=pod("early", affinity={"podAffinity": {REQUIRED: [_term("db", "zone")]}})),
            at(1, create=pod("db", "2", {"app": "db"}, nodeSelector={"zone": "x"})),
            at(4, create=pod("late", affinity={"podAffinity": {REQUIRED: [_term("db", "zone")]}})),
            at(6, delete="pod/db"),
        ],
    ),
    "pod anti-affinity": scenario(
        ZONES,
        [
            at(i, create=pod(f"p{i}", labels={"app": "w"}, affinity={"podAntiAffinity": {REQUIRED: [APART]}}))
            for i in range(3)
        ]
        + [at(4, delete="pod/p0")],
    ),
    "preferred pod affinity": scenario(
        ZONES,
        [at(0, create=pod("db", labels={"app": "db"}))]
        + [
            at(
                1 + i,
                create=pod(f"p{i}", affinity={kind: {PREFERRED: [{"weight": 80, "podAffinityTerm": _term("db")}]}}),
            )
            for i, kind in enumerate(("podAffinity", "podAntiAffinity"))
        ],
    ),
    "spread": scenario(
        ZONES,
        [
            at(i, create=pod(f"p{i}", labels={"app": "s"}, topologySpreadConstraints=_spread("s", "DoNotSchedule")))
            for i in range(6)
        ],
    ),
    "spread anyway": scenario(
        ZONES,
        [
            at(i, create=pod(f"p{i}", labels={"app": "s"}, topologySpreadConstraints=_spread("s", "ScheduleAnyway")))
            for i in range(5)
        ],
    ),
    "host ports": scenario(
        [A, B],
        [
            at(i, create=pod(f"p{i}", "500m", ports=[{"containerPort": 80, "hostPort": 80}]))
            for i in range(3)
        ]
        + [at(4, delete="pod/p1")],
    ),
    "node name and schedulers": scenario(
        [A, B],
        [
            at(0, create=pod("other", schedulerName="volcano")),
            at(1, create=pod("ours")),
            at(2, create=pod("there", nodeName="a")),
        ],
    ),
    "preempt the cheapest": scenario(
        [A, B, C, LOW, priority("middle", 100), HIGH],
        [
            at(0, create=pod("c1", "7", priorityClassName="low")),
            at(0.6, create=pod("b1", "4", priorityClassName="middle")),
            at(1.2, create=pod("a1", "2", priorityClassName="low")),
            at(4, create=pod("urgent", "2", priorityClassName="high")),
        ],
    ),
    "preempt several": scenario(
        [C, LOW, priority("middle", 100), HIGH],
        [at(i / 2, create=pod(f"low{i}", "2", priorityClassName="low")) for i in range(3)]
        + [at(4, create=pod("urgent", "5", priorityClassName="high"))]
        + [at(5, create=pod("waits", "3", priorityClassName="middle"))],
    ),
    "preempt with a budget": scenario(
        [A, B, LOW, HIGH, _budget("kept", 1)],
        [
            at(0, create=pod("kept", "2", {"app": "kept"}, priorityClassName="low", nodeSelector=ON_A)),
            at(1, create=pod("free", "4", priorityClassName="low")),
            at(4, create=pod("urgent", "2", priorityClassName="high")),
        ],
    ),
    "nominated, then a better node": scenario(
        [A, LOW, HIGH],
        [
            at(0, create=pod("low", "2", priorityClassName="low", terminationGracePeriodSeconds=5)),
            at(3, create=pod("urgent", "2", priorityClassName="high")),
            at(3.4, create=C),
        ],
    ),
    "deployment scaled": scenario(
        [A, B, C],
        [
            at(0, create=owner("Deployment", "web", 2, pod("x"))),
            at(3, scale="deployment/web", replicas=5),
            at(6, scale="deployment/web", replicas=1),
        ],
    ),
    "cordon and uncordon": scenario(
        [A, B],
        [at(0, cordon="b"), at(1, create=pod("p1", "2")), at(2, create=pod("p2", "2")), at(5, uncordon="b")],
    ),
    "tolerated cordon": scenario(
        [A, C],
        [
            at(0, cordon="c"),
            at(1, create=pod("p", tolerations=[{"key": "node.kubernetes.io/unschedulable", "operator": "Exists"}])),
        ],
    ),
    "labels of a pod change": scenario(
        [A, LOW],
        [
            at(0, create=pod("w", labels={"app": "w"})),
            at(1, create=pod("p", affinity={"podAntiAffinity": {REQUIRED: [_term("w")]}})),
            at(4, label="pod/w", labels={"app": "other"}),
        ],
    ),
}  # fmt: skip
