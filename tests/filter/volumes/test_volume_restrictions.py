"""VolumeRestrictions: rows of v1.37's volume_restrictions_test.go, and preemption."""

import pytest

from kschedlab.build import cluster, node, pod
from kschedlab.filter.volumes.volume_restrictions import CLAIM_TAKEN, DISK_TAKEN, VolumeRestrictions
from kschedlab.scheduler import schedule
from tests.storage import claim, mount
from tests.verdicts import refused

PLUGIN = VolumeRestrictions()
ALONE = {"accessModes": ["ReadWriteOncePod"]}


def disk(source, read_only=False, **fields):
    return {"name": "v", source: fields | ({"readOnly": True} if read_only else {})}


def gce(name, read_only=False):
    return disk("gcePersistentDisk", read_only, pdName=name)


def ebs(name, read_only=False):
    return disk("awsElasticBlockStore", read_only, volumeID=name)


def iscsi(iqn, read_only=False):
    return disk("iscsi", read_only, targetPortal="t", iqn=iqn, lun=0)


def rbd(*monitors, read_only=False, **fields):
    return disk("rbd", read_only, monitors=list(monitors), image="i", **fields)


@pytest.mark.parametrize(
    ("wanted", "mounted", "passes"),
    [
        (gce("d"), gce("d"), False),
        (gce("d"), gce("other"), True),
        (gce("d", read_only=True), gce("d", read_only=True), True),
        (gce("d", read_only=True), gce("d"), False),
        (gce("d"), gce("d", read_only=True), False),
        (ebs("d"), ebs("d"), False),
        (ebs("d"), ebs("other"), True),
        (ebs("d", read_only=True), ebs("d", read_only=True), False),
        (ebs("d"), gce("d"), True),
        (iscsi("d"), iscsi("d"), False),
        (iscsi("d", read_only=True), iscsi("d", read_only=True), True),
        (iscsi("d"), iscsi("other"), True),
        (rbd("a", "b"), rbd("b", "c"), False),
        (rbd("a", "b"), rbd("c", "d"), True),
        (rbd("a"), rbd("a", pool="other"), True),
        (rbd("a", pool="rbd"), rbd("a"), False),
        (rbd("a", read_only=True), rbd("a", read_only=True), True),
        ({"name": "v", "emptyDir": {}}, {"name": "v", "emptyDir": {}}, True),
    ],
)
def test_disks_on_the_same_node(wanted, mounted, passes):
    running = pod("r", "n", volumes=[mounted])
    found = refused(PLUGIN, pod("p", volumes=[wanted]), node("n"), node("m"), running)
    assert found == ({} if passes else {"n": [DISK_TAKEN]})


def test_a_read_write_once_pod_claim_in_use_refuses_every_node():
    objects = [node("n"), node("m"), claim("c", **ALONE), pod("r", "n", volumes=[mount("c")])]
    taken = {"n": [CLAIM_TAKEN], "m": [CLAIM_TAKEN]}
    assert refused(PLUGIN, pod("p", volumes=[mount("c")]), *objects) == taken
    assert refused(PLUGIN, pod("p", volumes=[mount("d")]), *objects, claim("d", **ALONE)) == {}


def test_a_shared_claim_may_be_in_use():
    objects = [node("n"), claim("c"), pod("r", "n", volumes=[mount("c")])]
    assert refused(PLUGIN, pod("p", volumes=[mount("c")]), *objects) == {}


def test_a_claim_of_the_same_name_elsewhere_is_another_claim():
    running = pod("r", "n", volumes=[mount("c")], namespace="other")
    objects = [node("n"), claim("c", **ALONE), claim("c", namespace="other", **ALONE), running]
    assert refused(PLUGIN, pod("p", volumes=[mount("c")]), *objects) == {}


def test_the_disks_reason_precedes_the_claims():
    objects = [node("n"), node("m"), claim("c", **ALONE), pod("r", "n", volumes=[mount("c"), gce("d") | {"name": "w"}])]
    wanted = pod("p", volumes=[mount("c"), gce("d") | {"name": "w"}])
    assert refused(PLUGIN, wanted, *objects) == {"n": [DISK_TAKEN], "m": [CLAIM_TAKEN]}


def test_a_claim_that_does_not_exist_rejects_the_pod():
    found = refused(PLUGIN, pod("p", volumes=[mount("c")]), node("n"))
    assert found == {"*": ['persistentvolumeclaim "c" not found']}


def test_preemption_evicts_the_pod_that_mounts_the_disk():
    running = [pod("holds", "n", volumes=[gce("d")]), pod("other", "n", volumes=[gce("e")])]
    decision = schedule("default/p", cluster(node("n"), *running, pod("p", volumes=[gce("d")], priority=1)))
    assert [victim.key for victim in decision.preemption.victims] == ["default/holds"]


def bound(name):
    return claim(name, f"pv-{name}", **ALONE), {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"name": f"pv-{name}"},
        "spec": {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOncePod"], "hostPath": {"path": "/x"}},
    }


def test_preemption_evicts_the_pod_that_uses_the_claim_on_any_node():
    running = [pod("uses", "n", volumes=[mount("c")]), pod("other", "m")]
    preemptor = pod("p", volumes=[mount("c")], priority=1)
    decision = schedule("default/p", cluster(node("n"), node("m"), *bound("c"), *running, preemptor))
    assert decision.nominated_node == "n"
    assert [victim.key for victim in decision.preemption.victims] == ["default/uses"]


def test_a_victims_claim_counts_by_its_name_whatever_its_namespace():
    """v1.37: volume_restrictions.go, conflictingPVCRefCountForPod, ignores the namespace."""
    namesake = pod("namesake", "m", volumes=[mount("c")], namespace="other")
    running = [pod("uses", "n", volumes=[mount("c")], priority=9), namesake, claim("c", namespace="other")]
    preemptor = pod("p", volumes=[mount("c")], priority=1)
    decision = schedule("default/p", cluster(node("n"), node("m"), *bound("c"), *running, preemptor))
    assert decision.nominated_node == "m"
    assert [victim.key for victim in decision.preemption.victims] == ["other/namesake"]


def test_it_skips_pods_without_such_volumes():
    world = cluster(
        node("n"), claim("c"), pod("p", volumes=[{"name": "v", "configMap": {"name": "x"}}, mount("c", "w")])
    )
    assert PLUGIN.prepare(world.pending["default/p"], world) is None
