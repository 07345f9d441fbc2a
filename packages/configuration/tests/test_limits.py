"""The last value that is accepted, and the next one: v1.37, pkg/scheduler/apis/config/validation; v1.16's Policy."""

import json
import re
from typing import Any

import pytest

from kschedlab.generations import GENERATIONS, V1_13, V1_20, V1_37, Generation
from kschedlab.manifests.loading import ManifestError
from kschedlab_configuration import load_configuration

Document = dict[str, Any]
V1_22 = GENERATIONS["v1.22"]


def configuration(**fields: Any) -> Document:
    return {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"} | fields


def arguments(plugin: str, **args: Any) -> Document:
    return configuration(profiles=[{"pluginConfig": [{"name": plugin, "args": args}]}])


def weighing(weight: int) -> Document:
    strategy = {"type": "LeastAllocated", "resources": [{"name": "cpu", "weight": weight}]}
    return arguments("NodeResourcesFit", scoringStrategy=strategy)


def balancing(weight: int) -> Document:
    return arguments("NodeResourcesBalancedAllocation", resources=[{"name": "cpu", "weight": weight}])


def shaped(*points: tuple[int, int]) -> Document:
    shape = [{"utilization": utilization, "score": score} for utilization, score in points]
    ratio = {"type": "RequestedToCapacityRatio", "requestedToCapacityRatio": {"shape": shape}}
    return arguments("NodeResourcesFit", scoringStrategy=ratio)


def attracting(weight: int) -> Document:
    return arguments("InterPodAffinity", hardPodAffinityWeight=weight)


def spreading(skew: int) -> Document:
    constraint = {"maxSkew": skew, "topologyKey": "zone", "whenUnsatisfiable": "ScheduleAnyway"}
    return arguments("PodTopologySpread", defaultingType="List", defaultConstraints=[constraint])


def preempting(percentage: int, absolute: int) -> Document:
    both = {"minCandidateNodesPercentage": percentage, "minCandidateNodesAbsolute": absolute}
    return arguments("DefaultPreemption", **both)


def extending(**fields: Any) -> Document:
    return configuration(extenders=[{"urlPrefix": "http://127.0.0.1:8888", "filterVerb": "filter"} | fields])


def policy(**fields: Any) -> Document:
    return {"apiVersion": "v1", "kind": "Policy"} | fields


def prioritizing(weight: int) -> Document:
    return policy(priorities=[{"name": "LeastRequestedPriority", "weight": weight}])


LIMITS = {
    "the least weight of a resource": (weighing(1), weighing(-1)),
    "the greatest weight of a resource": (weighing(100), weighing(101)),
    "the weight of a balanced resource": (balancing(1), balancing(2)),
    "the least utilization": (shaped((0, 1), (5, 2)), shaped((-1, 1), (5, 2))),
    "the greatest utilization": (shaped((0, 1), (100, 2)), shaped((0, 1), (101, 2))),
    "the least score": (shaped((0, 0)), shaped((0, -1))),
    "the greatest score": (shaped((0, 10)), shaped((0, 11))),
    "growing utilization": (shaped((5, 1), (6, 1)), shaped((5, 1), (5, 1))),
    "growing utilization of the last points": (shaped((1, 1), (5, 1), (6, 1)), shaped((1, 1), (6, 1), (6, 1))),
    "the least hard weight": (attracting(0), attracting(-1)),
    "the greatest hard weight": (attracting(100), attracting(101)),
    "the least skew": (spreading(1), spreading(0)),
    "no least percentage of candidates": (preempting(0, 1), preempting(-1, 1)),
    "the greatest percentage of candidates": (preempting(100, 0), preempting(101, 0)),
    "no least number of candidates": (preempting(1, 0), preempting(1, -1)),
    "some candidates": (preempting(0, 1), preempting(0, 0)),
    "the least time to bind": (
        arguments("VolumeBinding", bindTimeoutSeconds=0),
        arguments("VolumeBinding", bindTimeoutSeconds=-1),
    ),
    "the least time to search devices": (
        arguments("DynamicResources", filterTimeout="0s"),
        arguments("DynamicResources", filterTimeout="-1ns"),
    ),
    "the least time to bind devices": (
        arguments("DynamicResources", bindingTimeout="1s"),
        arguments("DynamicResources", bindingTimeout="999ms"),
    ),
    "the name of an ignored resource": (
        arguments("NodeResourcesFit", ignoredResources=["example.com/gpu"]),
        arguments("NodeResourcesFit", ignoredResources=["example.com/-gpu"]),
    ),
    "the name of an ignored group": (
        arguments("NodeResourcesFit", ignoredResourceGroups=["example.com"]),
        arguments("NodeResourcesFit", ignoredResourceGroups=["-example.com"]),
    ),
    "the least parallelism": (configuration(parallelism=1), configuration(parallelism=-1)),
    "the least backoff": (configuration(podInitialBackoffSeconds=1), configuration(podInitialBackoffSeconds=-1)),
    "the greatest backoff": (
        configuration(podInitialBackoffSeconds=5, podMaxBackoffSeconds=5),
        configuration(podInitialBackoffSeconds=6, podMaxBackoffSeconds=5),
    ),
    "the least percentage of nodes": (
        configuration(percentageOfNodesToScore=0),
        configuration(percentageOfNodesToScore=-1),
    ),
    "the greatest percentage of nodes": (
        configuration(percentageOfNodesToScore=100),
        configuration(percentageOfNodesToScore=101),
    ),
    "the least weight of an extender": (
        extending(prioritizeVerb="p", weight=1),
        extending(prioritizeVerb="p", weight=0),
    ),
    "the longest wait for an extender": (extending(httpTimeout="1h"), extending(httpTimeout="1h0m1s")),
    "one binder": (extending(bindVerb="b"), extending() | {"extenders": extending(bindVerb="b")["extenders"] * 2}),
}
OF_A_POLICY = {
    "the least hard weight": (
        policy(hardPodAffinitySymmetricWeight=0),
        policy(hardPodAffinitySymmetricWeight=-1),
    ),
    "the greatest hard weight": (
        policy(hardPodAffinitySymmetricWeight=100),
        policy(hardPodAffinitySymmetricWeight=101),
    ),
    "the least weight of a priority": (prioritizing(1), prioritizing(0)),
    "the least weight of an extender": (
        policy(extenders=extending(prioritizeVerb="p", weight=1)["extenders"]),
        policy(extenders=extending(prioritizeVerb="p", weight=0)["extenders"]),
    ),
    "the longest wait for an extender": (
        policy(extenders=extending(httpTimeout=3600 * 10**9)["extenders"]),
        policy(extenders=extending(httpTimeout=3601 * 10**9)["extenders"]),
    ),
}


def of_beta(plugin: str, weight: int) -> Document:
    """A score of v1beta1 whose only resource has this weight."""
    args: Document = {"resources": [{"name": "cpu", "weight": weight}]}
    if plugin == "RequestedToCapacityRatio":
        args["shape"] = [{"utilization": 0, "score": 0}]
    return arguments(plugin, **args) | {"apiVersion": "kubescheduler.config.k8s.io/v1beta1"}


def listening(port: int, version: str = "v1beta2") -> Document:
    document = configuration(metricsBindAddress=f"0.0.0.0:{port}")
    return document | {"apiVersion": f"kubescheduler.config.k8s.io/{version}"}


RATIO, LEAST_ALLOCATED = "RequestedToCapacityRatio", "NodeResourcesLeastAllocated"
OF_BETAS = {
    "the least weight of a ratio's resource": (V1_20, of_beta(RATIO, 1), of_beta(RATIO, 0)),
    "the default weight of a ratio's resource": (V1_22, of_beta(RATIO, 0), of_beta(RATIO, -1)),
    "the least weight of an allocated resource": (V1_20, of_beta(LEAST_ALLOCATED, 1), of_beta(LEAST_ALLOCATED, 0)),
    "the greatest weight of an allocated resource": (
        V1_22,
        of_beta(LEAST_ALLOCATED, 100),
        of_beta(LEAST_ALLOCATED, 101),
    ),
    "the least port": (V1_22, listening(1), listening(0)),
    "the greatest port": (V1_20, listening(65535, "v1beta1"), listening(65536, "v1beta1")),
}
"""v1.20, v1.22: the same validation; config/v1beta1/defaults.go of v1.22 gives a ratio's resource the weight 1."""
CASES = [pytest.param(V1_37, *pair, id=name) for name, pair in LIMITS.items()]
CASES += [pytest.param(V1_13, *pair, id=f"{name} of a Policy") for name, pair in OF_A_POLICY.items()]
CASES += [pytest.param(*case, id=name) for name, case in OF_BETAS.items()]


@pytest.mark.parametrize(("base", "last", "next_one"), CASES)
def test_the_last_value_is_accepted_and_the_next_one_refused(base: Generation, last: Document, next_one: Document):
    assert load_configuration(json.dumps(last), base)
    with pytest.raises(ManifestError):
        load_configuration(json.dumps(next_one), base)


@pytest.mark.parametrize(
    ("port", "why"),
    [
        (2**63 - 1, "must be empty or with an explicit 0 port"),
        (2**63, f'strconv.Atoi: parsing "{2**63}": value out of range'),
        (-(2**63), "must be empty or with an explicit 0 port"),
        (-(2**63) - 1, f'strconv.Atoi: parsing "{-(2**63) - 1}": value out of range'),
    ],
)
def test_a_port_is_read_as_go_reads_it(port: int, why: str):
    with pytest.raises(ManifestError, match=re.escape(why)):
        load_configuration(json.dumps(listening(port)), "v1.24")


IN_RANGE = "must be between 1 and 65535, inclusive"
NO_IP = "must be a valid IP address"
NO_SOCKET = "must be a valid socket address format"
PORT_0 = "must be empty or with an explicit 0 port"


@pytest.mark.parametrize(
    ("base", "version", "address", "why"),
    [
        ("v1.22", "v1beta2", "[::1]:10251", ""),
        ("v1.22", "v1beta2", ":10251", ""),
        ("v1.22", "v1beta2", "0.0.0.0:http", IN_RANGE),
        ("v1.22", "v1beta2", "0.0.0.0:0", IN_RANGE),
        ("v1.22", "v1beta2", "0.0.0.0:65536", IN_RANGE),
        ("v1.22", "v1beta2", "localhost:10251", NO_IP),
        ("v1.22", "v1beta2", "localhost", NO_SOCKET),
        ("v1.22", "v1beta1", "localhost", ""),
        ("v1.22", "v1beta2", "10.0.0.1", ""),
        ("v1.24", "v1beta2", "", ""),
        ("v1.24", "v1beta2", "[::1]:0", ""),
        ("v1.24", "v1beta2", "localhost:0", NO_IP),
        ("v1.24", "v1beta2", "[fe80::1%eth0]:0", NO_IP),
        ("v1.24", "v1beta2", "0.0.0.0:1", PORT_0),
        ("v1.24", "v1beta2", "0.0.0.0:http", 'strconv.Atoi: parsing "http": invalid syntax'),
        ("v1.24", "v1beta2", "10.0.0.1", "missing port in address"),
        ("v1.24", "v1beta2", "[::1]", "missing port in address"),
        ("v1.24", "v1beta2", "::1:0", "too many colons in address"),
        ("v1.24", "v1beta2", "[::1:0", "missing ']' in address"),
        ("v1.24", "v1beta2", "a[b:0", "unexpected '[' in address"),
    ],
)
def test_the_addresses_of_health_and_metrics(base: str, version: str, address: str, why: str):
    """v1.22: pkg/apis/core/validation of a socket address; v1.24: none, or port 0; Go: net.SplitHostPort."""
    document = configuration(healthzBindAddress=address) | {"apiVersion": f"kubescheduler.config.k8s.io/{version}"}
    if not why:
        assert load_configuration(json.dumps(document), base)
        return
    with pytest.raises(ManifestError, match=re.escape(why)):
        load_configuration(json.dumps(document), base)
