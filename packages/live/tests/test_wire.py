"""Objects on the wire: complete JSON, and the fields that the model lacks."""

from kschedlab.objects.model import Deployment, Node, Pod, ResourceSlice
from kschedlab_live.wire.objects import typed
from kschedlab_live.wire.rest import owned_rest, rest_of, with_rest
from kschedlab_simulation.state import complete

POD = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "web", "labels": None},
    "spec": {
        "initContainers": None,
        "containers": [
            {
                "name": "a",
                "image": "i",
                "env": [{"name": "A", "value": "1"}],
                "ports": [{"containerPort": 80, "name": "x"}],
            },
            {"name": "b", "image": "j", "livenessProbe": {"httpGet": {"port": 80}}},
        ],
        "volumes": [{"name": "v", "emptyDir": {}}],
        "hostname": "h",
        "affinity": {"podAffinity": {"unknown": 1}},
    },
}


def test_defaults_are_written():
    found = complete(typed(POD, Pod))
    assert (found["kind"], found["apiVersion"]) == ("Pod", "v1")
    assert found["spec"]["schedulerName"] == "default-scheduler" and found["spec"]["restartPolicy"] == "Always"
    assert found["spec"]["containers"][0]["ports"] == [{"containerPort": 80, "name": "x", "protocol": "TCP"}]
    assert found["spec"]["containers"][0]["resources"] == {} and found["status"] == {}
    assert "initContainers" not in found["spec"] and "priority" not in found["spec"]


def test_zeros_that_mean_something_are_written():
    selector = {"matchLabels": {}}
    spec = {"replicas": 0, "selector": selector, "template": {"spec": {"terminationGracePeriodSeconds": 0}}}
    found = complete(typed({"metadata": {"name": "d"}, "spec": spec}, Deployment))
    assert found["spec"]["replicas"] == 0 and found["spec"]["selector"] == {}
    assert found["spec"]["template"]["spec"]["terminationGracePeriodSeconds"] == 0
    node = typed({"metadata": {"name": "n"}, "status": {"allocatable": {"cpu": "1000m"}}}, Node)
    assert complete(node)["status"]["allocatable"] == {"cpu": "1"}


def test_the_rest_comes_back_where_it_was():
    rest = rest_of(POD, Pod)
    found = with_rest(complete(typed(POD, Pod)), rest)
    for field in ("hostname", "volumes"):
        assert found["spec"][field] == POD["spec"][field]
    for there, here in zip(POD["spec"]["containers"], found["spec"]["containers"], strict=True):
        assert there.items() <= {**here, "ports": there.get("ports")}.items()


def test_the_rest_goes_with_its_part():
    rest = rest_of(POD, Pod)
    changed = {**POD, "spec": {"containers": [POD["spec"]["containers"][1]]}}
    found = with_rest(complete(typed(changed, Pod)), rest)
    assert [each["name"] for each in found["spec"]["containers"]] == ["b"]
    assert found["spec"]["containers"][0]["livenessProbe"] and "env" not in found["spec"]["containers"][0]
    assert "affinity" not in found["spec"]


def test_controllers_pass_on_the_rest_of_a_template():
    template = {"metadata": {"name": "ignored"}, "spec": POD["spec"]}
    rest = rest_of({"metadata": {"name": "d"}, "spec": {"template": template, "paused": False}}, Deployment)
    of_set = owned_rest(rest, "ReplicaSet")
    assert owned_rest(of_set, "Pod") == owned_rest(rest, "Pod")
    assert with_rest(complete(typed(POD, Pod)), owned_rest(rest, "Pod"))["spec"]["hostname"] == "h"


def test_the_rest_in_a_map_comes_back_with_its_key():
    attributes = {"a": {"string": "x", "later": 1}, "b": {"later": 2}, "c": {"int": 3}}
    device = {"name": "gpu", "attributes": attributes, "later": True}
    spec = {"driver": "d", "nodeName": "n", "pool": {"name": "p", "resourceSliceCount": 1}, "devices": [device]}
    data = {"metadata": {"name": "s"}, "spec": spec}
    found = with_rest(complete(typed(data, ResourceSlice)), rest_of(data, ResourceSlice))
    (shown,) = found["spec"]["devices"]
    assert shown["later"] is True
    assert {name: shown["attributes"][name].get("later") for name in "abc"} == {"a": 1, "b": 2, "c": None}
