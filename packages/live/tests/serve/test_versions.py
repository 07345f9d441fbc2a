"""Two versions of one object. v1.37: pkg/apis/autoscaling/v1/conversion.go; k8s.io/api core/v1 and events/v1."""

import pytest

from kschedlab_live.serve.versions import as_asked, as_kept


def autoscaler(version: str, **fields) -> dict:
    return {
        "apiVersion": f"autoscaling/{version}",
        "kind": "HorizontalPodAutoscaler",
        "metadata": {"name": "a"},
    } | fields


def metric(name: str, **target) -> dict:
    return {"type": "Resource", "resource": {"name": name, "target": target}}


CPU = metric("cpu", type="Utilization", averageUtilization=50)


def test_the_older_autoscaler_aims_at_a_share_of_the_cpu():
    older = autoscaler("v1", spec={"maxReplicas": 3, "targetCPUUtilizationPercentage": 50}, status={})
    newer = autoscaler("v2", spec={"maxReplicas": 3, "metrics": [CPU]}, status={})
    assert as_kept(older) == newer == as_asked(newer, "autoscaling/v2")
    assert as_asked(newer, "autoscaling/v1") == older
    assert as_kept(newer) == newer


@pytest.mark.parametrize("metrics", [[], [metric("memory", averageUtilization=50)], [metric("cpu", averageValue="1")]])
def test_what_the_older_autoscaler_cannot_say_it_leaves_out(metrics):
    status = {"currentReplicas": 2, "currentMetrics": [CPU], "conditions": [{"type": "AbleToScale"}]}
    newer = autoscaler("v2", spec={"maxReplicas": 3, "metrics": metrics}, status=status)
    assert as_asked(newer, "autoscaling/v1") == autoscaler("v1", spec={"maxReplicas": 3}, status={"currentReplicas": 2})
    bare = autoscaler("v1", spec={"maxReplicas": 3})
    assert as_kept(bare) == autoscaler("v2", spec={"maxReplicas": 3})


def test_an_event_has_its_own_names_in_each_version():
    newer = {
        **{"apiVersion": "events.k8s.io/v1", "kind": "Event", "regarding": {"name": "web"}, "note": "n"},
        **{"reportingController": "c", "deprecatedSource": {"component": "k"}, "deprecatedCount": 2},
        **{"deprecatedFirstTimestamp": "f", "deprecatedLastTimestamp": "l", "eventTime": "e", "series": {"count": 3}},
    }
    older = {
        **{"apiVersion": "v1", "kind": "Event", "involvedObject": {"name": "web"}, "message": "n"},
        **{"reportingComponent": "c", "source": {"component": "k"}, "count": 2},
        **{"firstTimestamp": "f", "lastTimestamp": "l", "eventTime": "e", "series": {"count": 3}},
    }
    assert as_kept(newer) == as_kept(older) == older == as_asked(older, "v1")
    assert as_asked(older, "events.k8s.io/v1") == newer
