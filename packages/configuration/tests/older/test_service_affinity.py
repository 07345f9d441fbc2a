"""ServiceAffinity: rows of v1.13's predicates_test.go (TestServiceAffinity), and more."""

from dataclasses import replace

import pytest

from kschedlab.build import cluster, node, pod
from kschedlab.filter.plugin import SchedulingError
from kschedlab.generations import V1_16
from kschedlab.scheduler import schedule
from kschedlab_configuration.older.service_affinity import NO_NODE, VIOLATED, ServiceAffinity
from tests.verdicts import judged, refused

FOO = {"foo": "bar"}
PLACES = {"m1": ("r1", "z11"), "m2": ("r1", "z12"), "m3": ("r2", "z21"), "m4": ("r2", "z22"), "m5": ("r2", "z22")}
NODES = [node(name, labels={"region": region, "zone": zone}) for name, (region, zone) in PLACES.items()]
REGION, BOTH = ("region",), ("region", "zone")


def service(namespace="default"):
    metadata = {"name": "s", "namespace": namespace}
    return {"apiVersion": "v1", "kind": "Service", "metadata": metadata, "spec": {"selector": FOO}}


def like(on="", namespace="default", **spec):
    return pod(f"like-{on or 'p'}", on, labels=FOO, namespace=namespace, **spec)


@pytest.mark.parametrize(
    ("labels", "asking", "objects", "fits"),
    [
        (REGION, pod("p"), [], "m1 m2 m3 m4 m5"),
        (REGION, pod("p", nodeSelector={"region": "r1"}), [], "m1 m2"),
        (REGION, pod("p", nodeSelector={"region": "r9"}), [], ""),
        (REGION, like(), [like("m1"), service()], "m1 m2"),
        (REGION, like(), [like("m3"), service()], "m3 m4 m5"),
        (REGION, like(namespace="ns1"), [like("m3", "ns1"), service("ns2")], "m1 m2 m3 m4 m5"),
        (REGION, like(namespace="ns1"), [like("m3", "ns2"), service("ns1")], "m1 m2 m3 m4 m5"),
        (REGION, like(namespace="ns1"), [like("m3", "ns1"), service("ns1")], "m3 m4 m5"),
        (BOTH, like(), [like("m2"), service()], "m2"),
        (BOTH, like(), [like("m5"), service()], "m4 m5"),
        (BOTH, like(nodeSelector={"region": "r1"}), [like("m5"), service()], ""),
        (("region", "rack"), like(), [like("m3"), service()], "m3 m4 m5"),
        (REGION, like(), [like("m1"), like("m3"), service()], "m1 m2"),
        (REGION, like(), [pod("other", "m3", labels={"foo": "baz"}), service()], "m1 m2 m3 m4 m5"),
        ((), like(), [like("m3"), service()], "m1 m2 m3 m4 m5"),
    ],
    ids=[
        "nothing scheduled",
        "pod with region label match",
        "pod with region label mismatch",
        "service pod, region match",
        "service pod, another region",
        "service in different namespace",
        "pod in different namespace",
        "service and pod in same namespace",
        "multiple labels, one node has all",
        "multiple labels, two nodes have all",
        "the pod's own nodeSelector goes first",
        "a label that the node followed does not have",
        "the pod that came first is followed",
        "only pods with the same labels are followed",
        "no labels",
    ],
)
def test_service_affinity(labels, asking, objects, fits):
    found = refused(ServiceAffinity(labels=labels), asking, *NODES, *objects)
    assert found == {name: [VIOLATED] for name in PLACES if name not in fits.split()}


def test_where_the_first_pod_is_evicted_the_next_one_counts():
    generation = replace(V1_16, filters=(*V1_16.filters, ServiceAffinity(labels=REGION)))
    one = {"cpu": "1", "memory": "1Gi", "pods": "9"}
    full, free = node("full", labels={"region": "r2"}, allocatable=one), node("free", labels={"region": "r1"})
    objects = [full, free, like("full", requests={"cpu": "1"}), service()]
    asking = like(requests={"cpu": "1"}, priority=10)
    alone = schedule("default/like-p", cluster(*objects, asking), generation)
    assert alone.verdict("free").reasons == (VIOLATED,) and alone.nominated_node == "full"
    with_another = schedule("default/like-p", cluster(*objects, like("free"), asking), generation)
    assert with_another.verdict("free").reasons == (VIOLATED,) and with_another.nominated_node is None


def test_the_real_scheduler_fails_if_the_only_pod_is_nominated():
    nominated = pod("waiting", labels=FOO, nominated="m1", priority=5)
    with pytest.raises(SchedulingError, match=NO_NODE):
        judged(ServiceAffinity(labels=REGION), like(), *NODES, nominated, service())
    assert refused(ServiceAffinity(labels=REGION), like(), *NODES, nominated) == {}
