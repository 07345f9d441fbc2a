import gzip
import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from kschedlab.build import node, node_affinity, pod, term
from kschedlab.cluster.labels import required_terms
from kschedlab.filter.node import NodeName
from kschedlab.filter.pod_topology_spread import PodTopologySpread
from kschedlab.manifests.loading import decode_objects
from kschedlab.objects.model import (
    CSIDriver,
    Node,
    NodeStatus,
    Pod,
    PodSpec,
    Toleration,
    TopologySpreadConstraint,
    VolumeAttachment,
    VolumeAttachmentSpec,
)
from kschedlab.objects.quantity import Quantity
from kschedlab.queue.events import NODE_ADD, bits
from kschedlab.queue.queued_pod import QueuedPodInfo
from kschedlab.queue.requeueing import AFTER_BACKOFF, SKIP, EventHints
from kschedlab_simulation.scheduler.hints.inter_pod_affinity import affinity_after_pod
from kschedlab_simulation.scheduler.hints.nodes import affinity_after_node, features_after_itself, features_after_node
from kschedlab_simulation.scheduler.hints.pod_cache import PodCache
from kschedlab_simulation.scheduler.hints.pod_topology_spread import SpreadHints
from kschedlab_simulation.scheduler.hints.resources import resources_after_node, resources_after_scale_down
from kschedlab_simulation.scheduler.hints.table import DEFAULT, by_profile, queueing_hints, skip
from kschedlab_simulation.scheduler.hints.volumes import binding_after_driver, limits_after_detach
from packages.simulation.tests.scheduler.hints.hint_questions import ask
from tests.queue.events import REGISTERED

VECTORS = Path(__file__).parent / "vectors"


def questions() -> dict[str, list[dict[str, Any]]]:
    found = defaultdict(list)
    with gzip.open(VECTORS / "hints.jsonl.gz") as lines:
        for question in map(json.loads, lines):
            found[question.get("plugin", question["ask"])].append(question)
    return found


QUESTIONS = questions()


@pytest.mark.parametrize("plugin", QUESTIONS)
def test_hints_answer_as_the_real_plugins(plugin: str) -> None:
    for question in QUESTIONS[plugin]:
        assert ask(question) == question["says"], question["id"]


def test_vectors_cover_both_answers_of_every_hint() -> None:
    said = defaultdict(set)
    for question in QUESTIONS.values():
        for each in question:
            if each["ask"] == "hint":
                said[each["plugin"], each["resource"], each["action"]].add(each["says"]["queue"])
    assert sum(len(verdicts) == 2 for verdicts in said.values()) >= 38


def test_a_node_helps_a_pod_that_one_of_several_terms_of_its_affinity_matches() -> None:
    either = node_affinity(term("disk In ssd"), term("disk In nvme"))
    (waiting,) = decode_objects([pod("p", affinity=either)]).pods
    hdd, ssd, nvme = decode_objects([node(disk, labels={"disk": disk}) for disk in ("hdd", "ssd", "nvme")]).nodes
    helps = affinity_after_node()
    assert [helps(waiting, None, each) for each in (hdd, ssd, nvme)] == [False, True, True]
    assert helps(waiting, hdd, nvme) and not helps(waiting, ssd, nvme)
    (enforcing,) = decode_objects([pod("x", affinity=node_affinity(term("disk In nvme")))]).pods
    helps = affinity_after_node(required_terms(enforcing.spec))
    assert [helps(waiting, None, each) for each in (hdd, ssd, nvme)] == [False, False, True], "with addedAffinity"


@pytest.mark.parametrize(
    ("before", "after", "driver", "helps"),
    [(True, False, "d", True), (True, None, "d", True), (True, True, "d", False), (False, False, "d", False)]
    + [(None, False, "d", False), (True, False, "other", False)],
)
def test_a_driver_that_no_longer_tracks_capacity_helps_pods_with_its_inline_volumes(
    before: bool | None, after: bool | None, driver: str, helps: bool
) -> None:
    """v1.37: volume_binding.go, isSchedulableAfterCSIDriverChange."""
    driver_of = {"apiVersion": "storage.k8s.io/v1", "kind": "CSIDriver", "metadata": {"name": "d"}}
    specs = ({} if tracks is None else {"storageCapacity": tracks} for tracks in (before, after))
    old, new = (decode_objects([driver_of | {"spec": spec}]).of(CSIDriver)[0] for spec in specs)
    volumes = [{"name": "data", "csi": {"driver": driver}}]
    (waiting,) = decode_objects([pod("p", volumes=volumes)]).pods
    assert binding_after_driver(waiting, old, new) is helps


@pytest.mark.parametrize(
    ("driver", "volume", "helps"),
    [
        ("ebs.csi.aws.com", {"awsElasticBlockStore": {"volumeID": "vol-1"}}, True),
        ("pd.csi.storage.gke.io", {"awsElasticBlockStore": {"volumeID": "vol-1"}}, False),
        ("ebs.csi.aws.com", {"persistentVolumeClaim": {"claimName": "c"}}, True),
        ("ebs.csi.aws.com", {"emptyDir": {}}, False),
    ],
)
def test_a_detached_volume_helps_a_pod_with_a_claim_or_a_volume_of_its_driver(
    driver: str, volume: dict[str, Any], helps: bool
) -> None:
    """v1.37: nodevolumelimits/csi.go, isSchedulableAfterVolumeAttachmentDeleted."""
    (waiting,) = decode_objects([pod("p", volumes=[{"name": "data"} | volume])]).pods
    gone = VolumeAttachment(spec=VolumeAttachmentSpec(attacher=driver))
    assert limits_after_detach(waiting, gone, None) is helps


def test_features_that_a_node_declares_anew_or_a_pod_needs_no_longer_help() -> None:
    """v1.37: nodedeclaredfeatures.go, isSchedulableAfterNodeChange, isSchedulableAfterTargetPodUpdate."""
    plain, able = Node(), Node(status=NodeStatus(declaredFeatures=("UserNamespacesHostNetworkSupport",)))
    assert [features_after_node(Pod(), old, able) for old in (None, plain, able)] == [True, True, False]
    needs, less = (Pod(spec=PodSpec(hostNetwork=True, hostUsers=users)) for users in (False, True))
    assert features_after_itself(less, needs, less) and not features_after_itself(needs, needs, needs)


def test_plugins_register_for_what_the_real_ones_do() -> None:
    assert {(one.plugin, one.event.resource, bits(one.event.actions)) for one in DEFAULT} == {
        (plugin, happens.resource, mask) for plugin, happens, mask in REGISTERED
    }


def test_a_profile_registers_its_plugins_and_the_two_default_ones() -> None:
    plugins = {one.plugin for one in queueing_hints([NodeName()])}
    assert plugins == {"NodeName", "SchedulingGates", "DefaultPreemption"}


def test_a_plugin_without_registrations_gets_every_event() -> None:
    class MyOwn:
        name = "MyOwn"

        def prepare(self, pod, cluster):
            return None

    hints = EventHints(queueing_hints([MyOwn()]))
    assert "MyOwn" in hints.hints_for(NODE_ADD)


def test_hints_of_a_profile_apply_to_its_own_pods() -> None:
    def strategy(scheduler: str) -> int:
        waiting = QueuedPodInfo(Pod(spec=PodSpec(schedulerName=scheduler)), 0, 0)
        waiting.record_failure(waiting.pod, ["NodeName"])
        return hints.strategy(waiting, NODE_ADD, None, Node())

    never = tuple(one._replace(hint=skip) for one in queueing_hints([NodeName()]))
    hints = EventHints(by_profile({"eager": queueing_hints([NodeName()]), "lazy": never}))
    assert (strategy("eager"), strategy("lazy")) == (AFTER_BACKOFF, SKIP)


def test_hard_default_constraints_need_the_cluster() -> None:
    hard = TopologySpreadConstraint(maxSkew=1, topologyKey="zone", whenUnsatisfiable="DoNotSchedule")
    with pytest.raises(ValueError, match="need the cluster"):
        queueing_hints([PodTopologySpread(defaults=(hard,))])


@pytest.mark.parametrize(("policy", "helps"), [("Honor", True), ("Ignore", False)])
def test_new_tolerations_help_where_a_constraint_honours_taints(policy: str, helps: bool) -> None:
    constraint = TopologySpreadConstraint(
        maxSkew=1, topologyKey="zone", whenUnsatisfiable="DoNotSchedule", nodeTaintsPolicy=policy
    )
    old = Pod(spec=PodSpec(topologySpreadConstraints=(constraint,)))
    new = Pod(spec=PodSpec(topologySpreadConstraints=(constraint,), tolerations=(Toleration(operator="Exists"),)))
    assert SpreadHints().after_itself(new, old, new) is helps
    assert not SpreadHints().after_itself(new, new, new)


@pytest.mark.parametrize(
    ("before", "after", "helps"),
    [
        (None, {"app": "web", "tier": "db"}, True),
        (None, {"app": "web"}, False),  # one of two terms
        ({"app": "web"}, {"app": "web", "tier": "db"}, True),
        ({"app": "web", "tier": "db"}, {"app": "web", "tier": "db"}, False),
    ],
)
def test_a_pod_helps_if_all_terms_of_the_affinity_match_it(
    before: dict[str, str] | None, after: dict[str, str], helps: bool
) -> None:
    """v1.37: interpodaffinity/plugin.go, isSchedulableAfterAssignedPodChange."""
    terms = [
        {"topologyKey": "zone", "labelSelector": {"matchLabels": each}} for each in ({"app": "web"}, {"tier": "db"})
    ]
    affinity = {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": terms}}
    (waiting,) = decode_objects([pod("p", affinity=affinity)]).pods
    old = decode_objects([pod("q", "n", labels=before)]).pods[0] if before is not None else None
    (new,) = decode_objects([pod("q", "n", labels=after)]).pods
    assert affinity_after_pod(waiting, old, new) is helps


@pytest.mark.parametrize(("on", "then_on", "helps"), [("n", "n", True), ("", "n", False), ("n", "", False)])
def test_new_labels_help_on_a_pod_that_has_a_node_before_and_after(on: str, then_on: str, helps: bool) -> None:
    """v1.37: podtopologyspread/plugin.go and interpodaffinity/plugin.go, isSchedulableAfterAssignedPodChange."""
    selector = {"labelSelector": {"matchLabels": {"app": "web"}}, "topologyKey": "zone"}
    affinity = {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [selector]}}
    spread = [selector | {"maxSkew": 1, "whenUnsatisfiable": "DoNotSchedule"}]
    (waiting,) = decode_objects([pod("p", affinity=affinity, topologySpreadConstraints=spread)]).pods
    old, new = decode_objects([pod("q", on), pod("r", then_on, labels={"app": "web"})]).pods
    assert SpreadHints().after_assigned_pod(waiting, old, new) is helps
    assert affinity_after_pod(waiting, old, new) is helps


@pytest.mark.parametrize(("pods", "helps"), [({}, False), ({"pods": "0"}, False), ({"pods": "1"}, True)])
def test_a_node_helps_if_it_allows_a_pod(pods: dict[str, str], helps: bool) -> None:
    allocatable = {name: Quantity(amount) for name, amount in ({"cpu": "8"} | pods).items()}
    assert resources_after_node()(Pod(), None, Node(status=NodeStatus(allocatable=allocatable))) is helps


@pytest.mark.parametrize(
    ("before", "after", "helps"),
    [({"cpu": "2m"}, {"cpu": "1m"}, True), ({"cpu": "1m"}, {}, True), ({}, {}, False), ({}, {"cpu": "1m"}, False)]
    + [({"memory": "2Gi"}, {"memory": "1Gi"}, False)],
)
def test_a_pod_that_requests_less_helps_those_that_request_the_same_resource(
    before: dict[str, str], after: dict[str, str], helps: bool
) -> None:
    """v1.37: noderesources/fit.go, isSchedulableAfterPodScaleDown."""
    waiting, old, new = decode_objects(
        [pod("p", requests={"cpu": "1"}), pod("q", "n", requests=before), pod("r", "n", requests=after)]
    ).pods
    assert resources_after_scale_down(waiting, old, new) is helps


def test_values_are_cached_per_pod_until_the_cache_is_full() -> None:
    asked = []
    prepared = PodCache(lambda pod: asked.append(pod) or len(asked), size=2)
    one, other, third = Pod(), Pod(), Pod()
    assert [prepared(one), prepared(one), prepared(other), prepared(one)] == [1, 1, 2, 1]
    assert prepared(third) == 3
    assert prepared(one) == 4
