"""NodeVolumeLimits: rows in the manner of v1.37's csi_test.go."""

import pytest

from kschedlab.build import cluster, node, pod
from kschedlab.filter.volumes.csi_limits import NOT_INSTALLED, NodeVolumeLimits
from kschedlab.filter.volumes.volume_limits import TOO_MANY_VOLUMES
from kschedlab.scheduler import schedule
from tests.storage import attachment, claim, csi, csi_driver, csi_node, ephemeral, mount, storage_class, volume
from tests.verdicts import refused

PLUGIN = NodeVolumeLimits()
LIMIT = {"csi_example_com": 2}
FULL = {"n": [TOO_MANY_VOLUMES]}
EBS = {"name": "v", "awsElasticBlockStore": {"volumeID": "vol-1"}}


def bound(*names, **fields):
    """Claims, each with a volume of the driver."""
    claims = [claim(name, f"pv-{name}") for name in names]
    return [*claims, *(volume(f"pv-{name}", csi=csi(f"h-{name}"), **fields) for name in names)]


def using(name, on, *claims, **spec):
    return pod(name, on, volumes=[mount(c, f"v{i}") for i, c in enumerate(claims)], **spec)


CLUSTER = [node("n"), csi_node("n", **LIMIT), *bound("a", "b", "c", "d")]


@pytest.mark.parametrize(
    ("running", "wanted", "want"),
    [
        ([], ["a"], {}),
        ([], ["a", "b"], {}),
        ([], ["a", "b", "c"], FULL),
        ([["a"]], ["b"], {}),
        ([["a", "b"]], ["c"], FULL),
        ([["a"], ["b"]], ["c"], FULL),
        ([["a", "b"]], ["a"], {}),
        ([["a"], ["a"]], ["b"], {}),
        ([["a"], ["a"], ["b"]], ["c"], FULL),
        ([["a", "b", "c"]], ["a", "b"], {}),
    ],
)
def test_each_volume_counts_once(running, wanted, want):
    pods = [using(f"r{i}", "n", *claims) for i, claims in enumerate(running)]
    assert refused(PLUGIN, using("p", "", *wanted), *CLUSTER, *pods) == want


def test_a_driver_without_a_limit_and_a_node_without_a_csi_node_accept_any_number():
    objects = [node("n"), node("m"), csi_node("n", csi_example_com=None), *bound("a", "b", "c")]
    assert refused(PLUGIN, using("p", "", "a", "b", "c"), *objects) == {}


def test_volumes_attached_without_a_pod_count_and_twice_if_wanted():
    attached = [attachment("1", "pv-a", "n"), attachment("2", "pv-b", "n")]
    assert refused(PLUGIN, using("p", "", "c"), *CLUSTER, *attached) == FULL
    assert refused(PLUGIN, using("p", "", "a"), *CLUSTER, *attached) == FULL
    assert refused(PLUGIN, using("p", "", "a"), *CLUSTER, *attached, using("r", "n", "a")) == {}
    elsewhere = [attachment("1", "pv-a", "m"), attachment("2", "pv-b", "n", driver="other")]
    assert refused(PLUGIN, using("p", "", "c", "d"), *CLUSTER, *elsewhere) == {}


def test_an_unbound_claim_counts_for_its_classes_driver():
    objects = [
        *CLUSTER,
        storage_class("wait"),
        storage_class("nfs", "example.com/nfs"),
        claim("w"),
        using("r", "n", "a", "b"),
    ]
    assert refused(PLUGIN, using("p", "", "w"), *objects) == FULL
    assert refused(PLUGIN, using("p", "", "x"), *objects, claim("x", of="nfs")) == {}


@pytest.mark.parametrize("provisioner", ["kubernetes.io/aws-ebs", "ebs.csi.aws.com"])
def test_a_class_of_an_in_tree_plugin_counts_for_the_driver_that_replaced_it(provisioner):
    objects = [node("n"), csi_node("n", ebs_csi_aws_com=0), storage_class("wait", provisioner), claim("w")]
    assert refused(PLUGIN, using("p", "", "w"), *objects) == FULL


def test_an_in_tree_volume_counts_for_the_driver_that_replaced_it():
    objects = [node("n"), node("m"), csi_node("n", ebs_csi_aws_com=1)]
    same = pod("r", "n", volumes=[EBS])
    other = pod("r", "n", volumes=[EBS | {"awsElasticBlockStore": {"volumeID": "aws://zone/vol-2"}}])
    assert refused(PLUGIN, pod("p", volumes=[EBS]), *objects, same) == {}
    assert refused(PLUGIN, pod("p", volumes=[EBS]), *objects, other) == FULL
    moved = [claim("c", "pv"), volume("pv", awsElasticBlockStore={"volumeID": "vol-1"})]
    assert refused(PLUGIN, using("p", "", "c"), *objects, *moved, other) == FULL
    assert refused(PLUGIN, using("p", "", "c"), *objects, *moved, same) == {}


def test_plugins_that_are_not_counted():
    vsphere = {"name": "v", "vsphereVolume": {"volumePath": "[x] y"}}
    objects = [
        node("n"),
        csi_node("n", csi_vsphere_vmware_com=0),
        storage_class("wait", "kubernetes.io/vsphere-volume"),
    ]
    assert refused(PLUGIN, pod("p", volumes=[vsphere, mount("w", "w")]), *objects, claim("w")) == {}


def test_ephemeral_volumes_count():
    objects = [node("n"), csi_node("n", csi_example_com=0), storage_class("wait"), claim("p-v", owner="u")]
    wanted = pod("p", volumes=[ephemeral("v")])
    wanted["metadata"]["uid"] = "u"
    assert refused(PLUGIN, wanted, *objects) == FULL


def test_a_driver_can_require_that_it_is_installed():
    objects = [node("n"), node("m"), node("o"), csi_node("n", **LIMIT), csi_node("m", other=1), *bound("a")]
    absent = [NOT_INSTALLED.format(driver="csi.example.com")]
    wanted = using("p", "", "a")
    assert refused(PLUGIN, wanted, *objects) == {}
    assert refused(PLUGIN, wanted, *objects, csi_driver(preventPodSchedulingIfMissing=False)) == {}
    found = refused(PLUGIN, wanted, *objects, csi_driver(preventPodSchedulingIfMissing=True))
    assert found == {"m": absent, "o": absent}


def test_an_in_tree_volume_requires_its_driver_only_on_nodes_with_a_csi_node():
    objects = [node("n"), node("m"), csi_node("m", other=None)]
    driver = csi_driver("ebs.csi.aws.com", preventPodSchedulingIfMissing=True)
    found = refused(PLUGIN, pod("p", volumes=[EBS]), *objects, driver)
    assert found == {"m": [NOT_INSTALLED.format(driver="ebs.csi.aws.com")]}


def test_a_claim_that_does_not_exist():
    found = refused(PLUGIN, using("p", "", "x"), node("n"))
    assert found == {"n": ['looking up PVC default/x: persistentvolumeclaim "x" not found']}
    assert refused(PLUGIN, using("p", "", "a"), *CLUSTER, using("r", "n", "x", "b")) == {}


def test_a_running_pod_with_another_pods_claim_is_an_error():
    running = pod("r", "n", volumes=[ephemeral("v")])
    objects = [*CLUSTER, claim("r-v", owner="somebody"), running, using("p", "", "a")]
    decision = schedule("default/p", cluster(*objects))
    fault = "PVC default/r-v was not created for pod default/r (pod is not owner)"
    assert decision.error == f'running "NodeVolumeLimits" filter plugin: {fault}'
    assert decision.node is None


def test_an_error_on_a_node_that_is_refused_before_does_not_count():
    running = pod("r", "n", volumes=[ephemeral("v")])
    objects = [*CLUSTER, node("m"), claim("r-v", owner="somebody"), running]
    decision = schedule("default/p", cluster(*objects, using("p", "", "a", nodeSelector={"x": "y"})))
    assert not decision.error


def test_preemption_evicts_pods_with_volumes():
    running = [using("one", "n", "a"), using("two", "n", "b", priority=1), pod("none", "n")]
    decision = schedule("default/p", cluster(*CLUSTER, *running, using("p", "", "c", priority=2)))
    assert [victim.key for victim in decision.preemption.victims] == ["default/one"]


def test_volumes_of_nominated_pods_count():
    nominated = using("q", "", "a", "b", nominated="n", priority=5)
    assert refused(PLUGIN, using("p", "", "c"), *CLUSTER, nominated) == FULL
    assert refused(PLUGIN, using("p", "", "c", priority=6), *CLUSTER, nominated) == {}


def test_counts_follow_binding_and_evicting():
    world = cluster(*CLUSTER, using("one", "", "a", "b"), using("p", "", "c"))
    assert schedule("default/p", world).node == "n"
    world.bind(world.pending["default/one"], "n")
    assert schedule("default/p", world).node is None
    world.evict("default/one")
    assert schedule("default/p", world).node == "n"


def test_it_skips_pods_without_volumes_that_are_attached():
    world = cluster(node("n"), csi_node("n", **LIMIT), pod("p", volumes=[{"name": "v", "secret": {"secretName": "s"}}]))
    assert PLUGIN.prepare(world.pending["default/p"], world) is None
