"""Older limits of disks and CSI volumes: rows in the style of v1.20's non_csi_test.go and csi_test.go."""

from dataclasses import replace

import pytest

from kschedlab.build import node, pod
from kschedlab.filter.volumes.attachments import limit_resource
from kschedlab.filter.volumes.csi_migration import Migration
from kschedlab.filter.volumes.older_limits import (
    AZURE_DISK,
    CINDER,
    EBS,
    GCE_PD,
    INSTANCE_TYPE,
    DiskLimits,
    StepsAside,
)
from kschedlab.filter.volumes.volume_limits import TOO_MANY_VOLUMES
from kschedlab.generations import GENERATIONS
from tests.storage import claim, csi, csi_node, ephemeral, mount, storage_class, volume
from tests.verdicts import PLENTY, judged, refused

EBS_LIMITS = DiskLimits("EBSLimits", EBS)
CSI_LIMITS = next(each for each in GENERATIONS["v1.20"].filters if each.name == "NodeVolumeLimits")
FULL = {"n": [TOO_MANY_VOLUMES]}


def ebs(*disks):
    return [{"name": f"e{i}", "awsElasticBlockStore": {"volumeID": disk}} for i, disk in enumerate(disks)]


def using(name, on, *volumes, **spec):
    return pod(name, on, volumes=list(volumes), **spec)


def limited(limit, resource="attachable-volumes-aws-ebs"):
    return node("n", allocatable=PLENTY | {resource: str(limit)})


@pytest.mark.parametrize(
    ("running", "wanted", "limit", "want"),
    [
        ([], ["a"], 1, {}),
        ([], ["a", "b"], 1, FULL),
        ([], ["a", "a"], 1, {}),
        ([["a"]], ["b"], 2, {}),
        ([["a"]], ["b"], 1, FULL),
        ([["a"]], ["a"], 1, {}),
        ([["a"], ["a"]], ["b"], 2, {}),
        ([["a", "b"]], ["a"], 1, FULL),
        ([["a", "b"]], [], 1, {}),
    ],
    ids=[
        "one",
        "two at once",
        "the same twice",
        "room for another",
        "no room for another",
        "there already",
        "shared by two pods",
        "there already, but the node is beyond its limit",
        "the pod wants none",
    ],
)
def test_each_disk_counts_once(running, wanted, limit, want):
    pods = [using(f"r{i}", "n", *ebs(*disks)) for i, disks in enumerate(running)]
    assert refused(EBS_LIMITS, using("p", "", *ebs(*wanted)), limited(limit), *pods) == want


@pytest.mark.parametrize(
    ("sort", "wanted", "number"),
    [
        (EBS, lambda i: {"awsElasticBlockStore": {"volumeID": f"d{i}"}}, 39),
        (GCE_PD, lambda i: {"gcePersistentDisk": {"pdName": f"d{i}"}}, 16),
        (AZURE_DISK, lambda i: {"azureDisk": {"diskName": f"d{i}", "diskURI": "u"}}, 16),
        (CINDER, lambda i: {"cinder": {"volumeID": f"d{i}"}}, 256),
    ],
)
def test_the_default_limits(sort, wanted, number):
    disks = [{"name": f"v{i}"} | wanted(i) for i in range(number + 1)]
    plugin = DiskLimits("Limits", sort)
    assert refused(plugin, using("p", "", *disks[:number]), node("n")) == {}
    assert refused(plugin, using("p", "", *disks), node("n")) == FULL


@pytest.mark.parametrize(
    ("machine", "limit"), [("m5.large", 25), ("c5d.xlarge", 25), ("t3.nano", 25), ("z1d.large", 25), ("m4.large", 39)]
)
@pytest.mark.parametrize("label", INSTANCE_TYPE)
def test_some_machine_types_have_lower_limits(machine, limit, label):
    disks = ebs(*(f"d{i}" for i in range(limit + 1)))
    there = node("n", labels={label: machine})
    assert refused(EBS_LIMITS, using("p", "", *disks[:limit]), there) == {}
    assert refused(EBS_LIMITS, using("p", "", *disks), there) == FULL


def test_claims_count_by_their_volume_or_else_by_their_class():
    objects = [
        limited(1),
        using("r", "n", *ebs("vol-1")),
        storage_class("ebs", "kubernetes.io/aws-ebs"),
        storage_class("other", "example.com/other"),
        claim("same", "pv-same", of="ebs"),
        volume("pv-same", awsElasticBlockStore={"volumeID": "vol-1"}),
        claim("new", "pv-new", of="ebs"),
        volume("pv-new", awsElasticBlockStore={"volumeID": "vol-2"}),
        claim("foreign", "pv-foreign", of="ebs"),
        volume("pv-foreign", gcePersistentDisk={"pdName": "x"}),
        claim("unbound", of="ebs"),
        claim("lost", "gone", of="ebs"),
        claim("elsewhere", of="other"),
        claim("classless", of=""),
    ]
    full = {
        name
        for name in ("same", "new", "foreign", "unbound", "lost", "elsewhere", "classless", "absent")
        if refused(EBS_LIMITS, using("p", "", mount(name)), *objects) == FULL
    }
    assert full == {"new", "unbound", "lost"}


def test_a_missing_claim_counted_too():
    plugin = DiskLimits("MaxEBSVolumeCount", EBS, counts_claims_of_any_class=True)
    objects = [limited(1), using("r", "n", *ebs("vol-1")), claim("unbound", of="other")]
    assert refused(plugin, using("p", "", mount("unbound")), *objects) == FULL
    assert refused(plugin, using("p", "", mount("absent")), *objects) == FULL


def bound(*names):
    """Claims, each with a volume of the driver."""
    return [*(claim(name, f"pv-{name}") for name in names), *(volume(f"pv-{n}", csi=csi(f"h-{n}")) for n in names)]


def claiming(name, on, *claims):
    return using(name, on, *(mount(c, f"v{i}") for i, c in enumerate(claims)))


CSI = [node("n"), csi_node("n", csi_example_com=2), *bound("a", "b", "c", "d")]


@pytest.mark.parametrize(
    ("running", "wanted", "want"),
    [
        ([], ["a", "b"], {}),
        ([], ["a", "b", "c"], FULL),
        ([["a", "b"]], ["c"], FULL),
        ([["a", "b"]], ["a"], {}),
        ([["a", "b", "c"]], ["a"], {}),
        ([["a", "b", "c"]], ["a", "d"], FULL),
    ],
)
def test_a_node_above_its_limit_accepts_csi_volumes_that_it_has(running, wanted, want):
    pods = [claiming(f"r{i}", "n", *claims) for i, claims in enumerate(running)]
    assert refused(CSI_LIMITS, claiming("p", "", *wanted), *CSI, *pods) == want


def test_a_nominated_pods_volume_is_not_new_but_the_pod_may_never_arrive():
    """With the pod the volume is not new; without it the limit is exceeded."""
    nominated = claiming("q", "", "c") | {"status": {"nominatedNodeName": "n"}}
    assert refused(CSI_LIMITS, claiming("p", "", "c"), *CSI, claiming("r", "n", "a", "b"), nominated) == FULL


def test_the_csi_node_overrides_the_nodes_own_limit():
    resource = limit_resource("csi.example.com")
    objects = [limited(1, resource), *bound("a", "b")]
    assert refused(CSI_LIMITS, claiming("p", "", "a", "b"), *objects) == FULL
    assert refused(CSI_LIMITS, claiming("p", "", "a", "b"), *objects, csi_node("n", csi_example_com=2)) == {}
    assert refused(replace(CSI_LIMITS, reads_csi_nodes=False), claiming("p", "", "a", "b"), *CSI) == {}


def test_unbound_claims_count_for_the_driver_of_their_class():
    objects = [*CSI, claiming("r", "n", "a", "b"), storage_class("wait"), claim("new")]
    assert refused(CSI_LIMITS, claiming("p", "", "new"), *objects) == FULL
    assert refused(replace(CSI_LIMITS, counts_unbound_claims=False), claiming("p", "", "new"), *objects) == {}


def test_disks_without_a_claim_are_no_csi_volumes():
    assert refused(CSI_LIMITS, using("p", "", *ebs("a", "b", "c")), *CSI) == {}


def test_long_driver_names_are_shortened():
    """To 23 letters and the first 16 of the name's SHA-1."""
    assert limit_resource("csi.example.com") == "attachable-volumes-csi-csi.example.com"
    assert limit_resource("a" * 39) == "attachable-volumes-csi-" + "a" * 39
    assert limit_resource("d" * 40) == "attachable-volumes-csi-" + "d" * 23 + "4e99f0e6374ba7bf"
    assert limit_resource("a" * 60) == "attachable-volumes-csi-" + "a" * 23 + "13d956033d9af449"


def test_evicting_pods_is_always_said_to_help():
    _, verdicts = judged(EBS_LIMITS, using("p", "", *ebs("a", "b")), limited(1))
    assert not verdicts.unresolvable().any()


@pytest.mark.parametrize(
    ("steps_aside", "annotation", "want"),
    [
        (StepsAside.NOWHERE, "kubernetes.io/aws-ebs", FULL),
        (StepsAside.WHERE_LISTED, "kubernetes.io/gce-pd", FULL),
        (StepsAside.WHERE_LISTED, "kubernetes.io/gce-pd,kubernetes.io/aws-ebs", {}),
        (StepsAside.WITH_CSI_NODE, "", {}),
    ],
)
def test_disks_of_a_migrated_plugin_are_left_to_the_driver(steps_aside, annotation, want):
    there = csi_node("n")
    there["metadata"]["annotations"] = {"storage.alpha.kubernetes.io/migrated-plugins": annotation}
    plugin = replace(EBS_LIMITS, steps_aside=steps_aside)
    assert refused(plugin, using("p", "", *ebs("a", "b")), limited(1), there) == want
    assert refused(plugin, using("p", "", *ebs("a", "b")), limited(1)) == FULL


def test_generic_ephemeral_volumes_count_by_their_claims():
    wanted = using("p", "", ephemeral("v"))
    wanted["metadata"]["uid"] = "u"
    objects = [limited(0), storage_class("wait", "kubernetes.io/aws-ebs"), claim("p-v", owner="u")]
    assert refused(replace(EBS_LIMITS, checks_claims=True), wanted, *objects) == FULL
    assert refused(EBS_LIMITS, wanted, *objects) == {}


def test_claims_of_in_tree_volumes_count_only_where_their_plugin_is_migrated():
    plugin = replace(CSI_LIMITS, migration=Migration((), where_listed=("kubernetes.io/cinder",)))
    wanted = [claiming("p", "", "c"), claim("c", "pv"), volume("pv", cinder={"volumeID": "d"})]
    there = csi_node("n", cinder_csi_openstack_org=0)
    assert refused(plugin, *wanted[:1], node("n"), there, *wanted[1:]) == {}
    there["metadata"]["annotations"] = {"storage.alpha.kubernetes.io/migrated-plugins": "kubernetes.io/cinder"}
    assert refused(plugin, *wanted[:1], node("n"), there, *wanted[1:]) == FULL
