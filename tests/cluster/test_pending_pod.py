"""Any pod as one that waits."""

import pytest

from kschedlab.build import cluster, node, pod
from kschedlab.cluster.pending_pod import as_pending
from kschedlab.manifests.loading import decode_objects

WORLD = cluster(node("n1"), pod("there", "n1", 1), pod("waiting", cpu=2), pod("lost", "n9", 3))


@pytest.mark.parametrize(
    ("asked", "runs_on", "cpu"),
    [
        ("default/there", "n1", 1000),
        ("default/waiting", None, 2000),
        ("default/lost", None, 3000),
        (pod("new", cpu=4), None, 4000),
        (pod("new", "n1", 4), None, 4000),
        (decode_objects([pod("new", cpu=5)]).pods[0], None, 5000),
    ],
)
def test_a_pod_of_any_form_waits(asked, runs_on, cpu):
    info, fork, found = as_pending(asked, WORLD)
    assert (info.request["cpu"], info.pod.spec.nodeName, found) == (cpu, "", runs_on)
    assert info.key not in fork.pods.row_of
    assert WORLD.pods.row_of.keys() == {"default/there"}


def test_what_is_not_a_pod():
    with pytest.raises(KeyError) as missing:
        as_pending("default/ther", WORLD)
    assert str(missing.value).startswith('no pod "default/ther"; there are 3: default/there, ')
    with pytest.raises(ValueError, match="expected the manifest of one pod, got Node"):
        as_pending(node("n2"), WORLD)


def test_what_the_status_of_a_running_pod_reports_no_longer_counts_when_it_is_taken_off():
    """v1.37: noderesources/fit.go, computePodResourceRequest."""
    resized = pod("p", on="n1", cpu=1)
    reported = {"name": "main", "allocatedResources": {"cpu": "3"}, "resources": {"requests": {"cpu": "3"}}}
    resized["status"] |= {"containerStatuses": [reported]}
    world = cluster(node("n1", cpu=4), node("n2", cpu=2), resized)
    assert world.pods.info(world.pods.row_of["default/p"]).placed["cpu"] == 3000
    assert as_pending("default/p", world).info.request == as_pending(resized, world).info.request == {"cpu": 1000}
