"""The configuration of the cluster's kube-scheduler, where its pods or ConfigMaps show it."""

import json

import pytest

from kschedlab.build import node, pod
from kschedlab_live.why.configuration import flags_of, mounted

MOST = """
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- schedulerName: packing
  pluginConfig:
  - {name: NodeResourcesFit, args: {scoringStrategy: {type: MostAllocated, resources: [{name: cpu, weight: 1}]}}}
"""
EXTENDER = MOST + "extenders: [{urlPrefix: 'http://10.0.0.1/', filterVerb: filter}]\n"


def scheduler(*flags, name="kube-scheduler-cp", volumes=(), mounts=()):
    made = pod(name, on="n1", namespace="kube-system", volumes=list(volumes))
    made["spec"]["containers"][0] |= {"command": ["/usr/bin/kube-scheduler", *flags], "volumeMounts": list(mounts)}
    return made


def config_map(name, namespace="kube-system", **data):
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": namespace}, "data": data}


FROM_MAP = {
    "volumes": [{"name": "c", "configMap": {"name": "packing-config"}}],
    "mounts": [{"name": "c", "mountPath": "/etc/sched"}],
}


def test_a_static_pod_with_a_file_on_its_node(kubectl, why):
    kubectl(node("n1"), pod("web"), scheduler("--config=/etc/kubernetes/sched.yaml", "--v=2"))
    said = why("web")
    assert "kube-scheduler's configuration is /etc/kubernetes/sched.yaml, a file on the node of" in said
    assert "which kubectl cannot read: defaults are assumed. Copy the file and name it with --config." in said


def test_a_static_pod_without_configuration(kubectl, why):
    fake = kubectl(node("n1"), pod("web"), scheduler("--leader-elect=true"))
    assert "Decided with" not in why("web")
    assert "configmaps" not in [call[1] for call in fake.gets]


def test_feature_gates(kubectl, why):
    def said(gates, **more):
        kubectl(node("n1"), pod("web"), scheduler("--feature-gates", gates), **more)
        return why("web")

    obeyed = said("NominatedNodeNameForExpectation=false,OpenAPIEnums=true")
    assert "kube-scheduler runs with the feature gate NominatedNodeNameForExpectation=false." in obeyed
    assert "OpenAPIEnums" not in obeyed, "that is its default"
    assert "feature gate SchedulerAsyncAPICalls is not modelled, and stays off." in said("SchedulerAsyncAPICalls=true")
    assert "each pod is decided on its own here." in said("GenericWorkload=true")
    assert "--feature-gates=Gone=true: decided without them (no feature gate" in said("Gone=true")
    older = said("NominatedNodeNameForExpectation=false", version="v1.20.3")
    assert "decided without them (feature gates are settings of v1.37: v1.20 has none)" in older


def test_a_configuration_in_a_config_map(kubectl, why):
    ours = pod("web", schedulerName="packing", cpu=1)
    maps = config_map("packing-config", **{"config.yaml": MOST})
    objects = (
        node("n1"),
        node("n2"),
        pod("a", on="n2", cpu=2),
        ours,
        scheduler("--config=/etc/sched/config.yaml", **FROM_MAP),
    )
    kubectl(*objects, maps)
    said = why("web")
    assert "default/web is pending: it fits now, and would go to n2." in said, "the fuller node"
    assert "kube-scheduler's configuration is from ConfigMap kube-system/packing-config." in said
    kubectl(*objects)
    assert 'configmaps "packing-config" not found' in why("web")
    kubectl(*objects, config_map("packing-config", **{"config.yaml": "kind: Nonsense"}))
    assert "cannot be used, so defaults are assumed" in why("web")
    kubectl(*objects, config_map("packing-config", other="x"))
    assert "default/web is another scheduler's pod: its schedulerName is packing." in why("web")


def test_a_configuration_and_feature_gates(kubectl, why):
    flags = "--config=/etc/sched/config.yaml", "--feature-gates=NominatedNodeNameForExpectation=false"
    ours = pod("web", schedulerName="packing", cpu=1)
    maps = config_map("packing-config", **{"config.yaml": MOST})
    kubectl(node("n1"), node("n2"), pod("a", on="n2", cpu=2), ours, scheduler(*flags, **FROM_MAP), maps)
    said = why("web")
    assert "default/web is pending: it fits now, and would go to n2." in said, "the fuller node"
    assert "kube-scheduler runs with the feature gate NominatedNodeNameForExpectation=false." in said


def test_extenders_are_not_asked(kubectl, why):
    maps = config_map("packing-config", **{"config.yaml": EXTENDER})
    ours = pod("web", schedulerName="packing", cpu=1)
    kubectl(node("n1"), ours, scheduler("--config=/etc/sched/config.yaml", **FROM_MAP), maps)
    said = why("web")
    assert "it fits now, and would go to n1." in said
    assert "Extenders are not asked: nothing leaves this machine." in said


def test_a_policy_in_a_config_map(kubectl, why):
    policy = {"kind": "Policy", "apiVersion": "v1", "predicates": [{"name": "PodFitsHostPorts"}], "priorities": []}
    maps = config_map("old", **{"policy.cfg": json.dumps(policy)})
    objects = node("n1"), pod("web", cpu=9), scheduler("--policy-configmap=old"), maps
    kubectl(*objects, version="v1.16.3")
    said = why("web")
    assert "it fits now, and would go to n1." in said, "nothing asks for room"
    assert "kube-scheduler's configuration is from ConfigMap kube-system/old." in said


@pytest.mark.parametrize(
    "extra", ["{config: /etc/s.yaml}", "[{name: config, value: /etc/s.yaml}, {name: v, value: '2'}]"]
)
def test_kubeadm_s_config_map(extra, kubectl, why):
    settings = f"apiVersion: kubeadm.k8s.io/v1beta4\nkind: ClusterConfiguration\nscheduler:\n  extraArgs: {extra}\n"
    objects = node("n1"), pod("web")
    kubectl(*objects, config_map("kubeadm-config", ClusterConfiguration=settings), narrow=["pods"])
    assert "kube-scheduler's configuration is /etc/s.yaml, a file on the control plane's nodes, which" in why("web")
    assert "is not visible" not in why("web"), "kubeadm's ConfigMap says what its pod would"
    kubectl(*objects, config_map("kubeadm-config", ClusterConfiguration="\t: ["), narrow=["pods"])
    assert "it fits now" in why("web")
    fake = kubectl(*objects)
    assert "kube-scheduler's pod is not visible: its default configuration is assumed." in why("web")
    assert len(fake.gets) == 2, "who sees all pods and no scheduler is not in a cluster of kubeadm"


def test_a_file_of_the_user_comes_first(kubectl, why, tmp_path):
    file = tmp_path / "mine.yaml"
    file.write_text(MOST)
    kubectl(node("n1"), node("n2"), pod("a", on="n2", cpu=2), pod("web", schedulerName="packing", cpu=1), pod("other"))
    assert "would go to n2." in why("web", "--config", str(file))
    assert "default/other is another scheduler's pod" in why("other", "--config", str(file))
    kubectl(node("n1"), pod("web", schedulerName="packing", cpu=1), version="v1.20.1")
    assert "decided as" not in why("web", "--config", str(file)), "the file names the generation"


def test_flags():
    words = ["--config=/a", "-v", "2", "--leader-elect", "--feature-gates", "A=true", "--config-x"]
    assert flags_of(words) == {
        "config": "/a", "v": "2", "leader-elect": "true", "feature-gates": "A=true", "config-x": "true"
    }  # fmt: skip


def test_where_a_file_is_mounted_from():
    items = [{"key": "k", "path": "sub/s.yaml"}]
    one = scheduler(volumes=[{"name": "c", "configMap": {"name": "m", "items": items}}],
                    mounts=[{"name": "c", "mountPath": "/etc/sched"}])  # fmt: skip
    assert mounted(one, "/etc/sched/sub/s.yaml") == ("m", "k")
    assert mounted(one, "/etc/other.yaml") is None
    sub = scheduler(volumes=[{"name": "c", "configMap": {"name": "m"}}],
                    mounts=[{"name": "c", "mountPath": "/s.yaml", "subPath": "k"}])  # fmt: skip
    assert mounted(sub, "/s.yaml") == ("m", "k")
    assert mounted({"spec": {"containers": 3, "volumes": [None]}}, "/s.yaml") is None


def test_a_name_that_is_none_is_not_given_to_kubectl(kubectl, why):
    odd = {"volumes": [{"name": "c", "configMap": {"name": "--raw=/x"}}], "mounts": FROM_MAP["mounts"]}
    fake = kubectl(node("n1"), pod("web"), scheduler("--config=/etc/sched/c.yaml", **odd))
    assert "its name is not valid" in why("web")
    assert not any("--raw" in word for call in fake.calls for word in call)
