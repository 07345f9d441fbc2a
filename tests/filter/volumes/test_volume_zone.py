"""VolumeZone: rows of v1.37's volume_zone_test.go."""

import pytest

from kschedlab.build import cluster, node, pod
from kschedlab.filter.volumes.volume_zone import NO_CLASS, NO_VOLUME_NAME, ZONE_CONFLICT, VolumeZone
from tests.storage import claim, mount, storage_class, volume
from tests.verdicts import judged, refused

ZONE, REGION = "topology.kubernetes.io/zone", "topology.kubernetes.io/region"
OLD_ZONE, OLD_REGION = "failure-domain.beta.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/region"
PLUGIN = VolumeZone()
WANTED = pod("p", volumes=[mount("c")])
CLAIM = claim("c", "pv")


@pytest.mark.parametrize(
    ("of_node", "of_volume", "passes"),
    [
        ({}, {ZONE: "a"}, True),
        ({ZONE: "a"}, {}, True),
        ({ZONE: "a"}, {ZONE: "a"}, True),
        ({ZONE: "b"}, {ZONE: "a"}, False),
        ({ZONE: "b"}, {ZONE: "a__b"}, True),
        ({ZONE: "c"}, {ZONE: "a__b"}, False),
        ({REGION: "r"}, {REGION: "r", "other": "x"}, True),
        ({REGION: "r"}, {ZONE: "a"}, False),
        ({ZONE: "a", REGION: "r"}, {ZONE: "a", REGION: "s"}, False),
        ({OLD_ZONE: "a"}, {OLD_ZONE: "a"}, True),
        ({OLD_ZONE: "a"}, {OLD_ZONE: "b"}, False),
        ({ZONE: "a"}, {OLD_ZONE: "a"}, True),
        ({ZONE: "b"}, {OLD_ZONE: "a"}, False),
        ({OLD_ZONE: "a"}, {ZONE: "a"}, False),
        ({OLD_ZONE: "b", ZONE: "a"}, {OLD_ZONE: "a"}, False),
        ({REGION: "r"}, {OLD_REGION: "r"}, True),
        ({REGION: "s"}, {OLD_REGION: "r"}, False),
        ({OLD_REGION: "s"}, {OLD_REGION: "r"}, False),
        ({ZONE: "x"}, {ZONE: ""}, True),
        ({ZONE: "x"}, {ZONE: "a____b"}, True),
    ],
)
def test_labels(of_node, of_volume, passes):
    found = refused(PLUGIN, WANTED, node("n", labels=of_node), CLAIM, volume("pv", labels=of_volume))
    assert found == ({} if passes else {"n": [ZONE_CONFLICT]})


def test_every_volume_must_fit_and_evicting_pods_does_not_help():
    objects = [node("n", labels={ZONE: "a"}), CLAIM, claim("d", "pw")]
    volumes = [volume("pv", labels={ZONE: "a"}), volume("pw", labels={ZONE: "b"})]
    _, verdicts = judged(PLUGIN, pod("p", volumes=[mount("c"), mount("d", "w")]), *objects, *volumes)
    assert verdicts.unresolvable().tolist() == [True]


@pytest.mark.parametrize(
    ("objects", "reason"),
    [
        ([], 'persistentvolumeclaim "c" not found'),
        ([CLAIM], 'persistentvolume "pv" not found'),
        ([claim("c", of="")], NO_CLASS),
        ([claim("c")], 'storageclass.storage.k8s.io "wait" not found'),
        ([claim("c"), storage_class("wait", waits=False)], NO_VOLUME_NAME),
    ],
)
def test_a_volume_that_cannot_be_found_rejects_the_pod(objects, reason):
    assert refused(PLUGIN, WANTED, node("n"), *objects) == {"*": [reason]}


def test_a_claim_that_waits_for_its_first_consumer_is_ignored():
    assert refused(PLUGIN, WANTED, node("n", labels={ZONE: "a"}), claim("c"), storage_class("wait")) == {}


def test_it_skips_pods_without_claims():
    world = cluster(node("n", labels={ZONE: "a"}), pod("p", volumes=[{"name": "v", "emptyDir": {}}]))
    assert PLUGIN.prepare(world.pending["default/p"], world) is None
