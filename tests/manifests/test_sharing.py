"""Pods of one template share the parts that are equal."""

from kschedlab.build import pod
from kschedlab.manifests.loading import decode_objects
from tests.affinity import affinity, by

ANTI = affinity(apart=[by("zone", "app In web")])


def test_equal_parts_are_one_object():
    first, second = decode_objects([pod(n, affinity=ANTI, cpu="1", labels={"own": n}) for n in "ab"]).pods
    assert first.spec.affinity is second.spec.affinity and first.spec.containers is second.spec.containers
    assert (first.metadata.labels, second.metadata.labels) == ({"own": "a"}, {"own": "b"})


def test_parts_that_differ_stay_apart():
    texts = [("1", "1Gi"), ("1", "1G"), ("1001m", "1Gi")]
    pods = decode_objects([pod(f"p{i}", cpu=cpu, memory=memory) for i, (cpu, memory) in enumerate(texts)]).pods
    found = [pod.spec.containers[0].resources.requests for pod in pods]
    assert [(str(each["cpu"]), str(each["memory"])) for each in found] == texts
