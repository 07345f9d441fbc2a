"""Loading manifests from every kind of source."""

import gzip
import io
import json
import os
import sys
from pathlib import Path

import msgspec
import pytest
import yaml

from kschedlab.build import node_affinity, pod, term
from kschedlab.manifests.loading import ManifestError, decode_objects, load, loads
from kschedlab.objects.model import ResourceSlice, StatefulSet
from tests.saying import says

NODE = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1"}}
POD = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "web"},
    "spec": {"nodeName": "n1", "containers": [{"name": "app", "resources": {"requests": {"cpu": "1.5"}}}]},
}
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
YAML = """\
apiVersion: v1
kind: Node
metadata: {name: n1}
---
apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  nodeName: n1
  containers:
  - name: app
    resources: {requests: {cpu: 1.5}}
"""


def names(objects) -> tuple[list[str], list[str]]:
    return [node.metadata.name for node in objects.nodes], [pod.key for pod in objects.pods]


SHAPES = {
    "yaml documents": YAML,
    "yaml list": f"apiVersion: v1\nkind: List\nitems:\n- {json.dumps(NODE)}\n- {json.dumps(POD)}\n",
    "json list": json.dumps({"apiVersion": "v1", "kind": "List", "items": [NODE, POD]}, indent=4),
    "json lines": f"{json.dumps(NODE)}\n{json.dumps(POD)}\n",
    "json one after the other": f"{json.dumps(NODE, indent=2)}\n{json.dumps(POD, indent=2)}",
    "lists in a list": json.dumps(
        {
            "kind": "List",
            "items": [
                {"apiVersion": "v1", "kind": "NodeList", "items": [{"metadata": {"name": "n1"}}]},
                {"apiVersion": "v1", "kind": "PodList", "items": [{k: POD[k] for k in ("metadata", "spec")}]},
            ],
        }
    ),
    "flow yaml": "{apiVersion: v1, kind: Node, metadata: {name: n1}}\n---\n" + YAML.split("---\n")[1],
    "empty documents": f"---\n# nothing\n---\n{YAML}---\n",
    "windows": YAML.replace("\n", "\r\n"),
    "nulls": YAML.replace("{name: web}", "{name: web, creationTimestamp: null, labels: ~}"),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_every_form_loads_the_same_objects(shape):
    objects = loads(SHAPES[shape])
    assert names(objects) == (["n1"], ["default/web"])
    assert objects.pods[0].spec.containers[0].resources.requests["cpu"].milli() == 1500
    assert objects.report.counts == {"Node": 1, "Pod": 1}
    assert objects.report.lines() == []


def test_a_list_can_be_empty():
    assert names(loads('{"apiVersion": "v1", "kind": "List", "items": []}')) == ([], [])


EMPTY = (
    "# kubectl get nodes\n",
    "---\n",
    "---\n# a\n---\nnull\n",
    '{"kind": "List", "items": []}',
    "kind: PodList\nitems: []\n",
)


@pytest.mark.parametrize("content", EMPTY)
def test_a_file_without_an_object_does_not_look_like_a_healthy_cluster(tmp_path, monkeypatch, content):
    monkeypatch.chdir(tmp_path)
    Path("a.yaml").write_text(content)
    for sources in (["a.yaml"], ["."], ["a.yaml", "a.yaml"]):
        with pytest.raises(ManifestError, match=r"^a\.yaml: it has no objects$"):
            load(*sources)
    Path("b.yaml").write_text(YAML)
    objects = load(".")
    assert names(objects) == (["n1"], ["default/web"])
    assert objects.report.lines() == ["a.yaml: it has no objects"]


TWICE = {
    "a space before the colon": '{"kind": "Pod", "spec": {"priority": 1, "priority" : 2}}',
    "an escape in the key": '{"kind": "Pod", "spec": {"priority": 1, "\\u0070riority": 2}}',
    "an escape elsewhere": '{"kind": "Pod", "spec": {"priority": 1, "priority": 2, "hostname": "\\u003a"}}',
    "a key that ends in a backslash": '{"kind": "Pod", "metadata": {"labels": {"a\\\\": "b", "a\\\\": "c"}}}',
    "the list's items": '{"kind": "List", "items": [1], "items" : []}',
    "an item of the list": '{"kind": "List", "items": [{"kind": "Pod", "kind"\t: "Node"}]}',
    "deep inside": '{"kind": "List", "items": [{"kind": "List", "items": [{"a": [{"b": {"c": 1, "c"\n: 2}}]}]}]}',
    "the second of two": '{"kind": "Node"}\n{"kind": "Pod", "kind" : "Node"}',
}


@pytest.mark.parametrize("text", ["{{- if .Values.x }}\nkind: Pod", "kind: Pod\nmetadata:\n  name: {{ .Values.name }}"])
def test_what_looks_like_a_template_is_to_be_rendered_first(text):
    with pytest.raises(ManifestError, match=r"^a\.yaml:[13]: .* helm template"):
        loads(text, "a.yaml")


@pytest.mark.parametrize("case", TWICE)
def test_json_that_repeats_a_key_is_refused_however_it_is_written(case):
    with pytest.raises(ManifestError, match='the key ".*" appears twice in the same map'):
        loads(TWICE[case])
    with pytest.raises(ManifestError, match='the key ".*" appears twice in the same map'):
        decode_objects([msgspec.Raw(TWICE[case].partition('{"kind": "Node"}\n')[2].encode() or TWICE[case].encode())])


def test_json_without_repeated_keys_is_read_however_it_is_written():
    odd = json.dumps(POD).replace('"kind":', '"\\u006bind" :').replace("web", "\\u0077eb")
    assert names(loads(odd)) == ([], ["default/web"]) == names(decode_objects([msgspec.Raw(odd.encode())]))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_encodings(tmp_path, encoding):
    (tmp_path / "a.yaml").write_text(YAML, encoding=encoding)
    assert names(load(tmp_path / "a.yaml")) == (["n1"], ["default/web"])


def test_a_folder_and_its_subfolders_sorted_by_name(tmp_path):
    (tmp_path / "b").mkdir()
    for name, number in (("b/x.yml", 2), ("a.json", 1), ("c.yaml", 3), ("notes.txt", 9)):
        (tmp_path / name).write_text(json.dumps(NODE | {"metadata": {"name": f"n{number}"}}))
    assert names(load(tmp_path))[0] == ["n1", "n2", "n3"]


def test_a_file_reached_twice_is_read_once(tmp_path):
    (tmp_path / "a.yaml").write_text(YAML)
    (tmp_path / "b.yaml").symlink_to(tmp_path / "a.yaml")
    (tmp_path / "loop").symlink_to(tmp_path, target_is_directory=True)
    assert names(load(tmp_path, tmp_path / "a.yaml")) == (["n1"], ["default/web"])


def test_a_link_to_a_folder_is_followed(tmp_path):
    for name in ("here", "elsewhere"):
        (tmp_path / name).mkdir()
    (tmp_path / "elsewhere/a.yaml").write_text(YAML)
    (tmp_path / "here/link").symlink_to(tmp_path / "elsewhere", target_is_directory=True)
    assert names(load(tmp_path / "here")) == (["n1"], ["default/web"])


def test_standard_input_and_open_files(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(YAML.encode())))
    assert names(load("-")) == (["n1"], ["default/web"])
    assert names(load(io.StringIO(YAML))) == names(load(io.BytesIO(YAML.encode()))) == (["n1"], ["default/web"])


def refused(*sources) -> str:
    with pytest.raises(ManifestError) as caught:
        load(*sources)
    return str(caught.value)


def test_a_compressed_file(tmp_path):
    path = tmp_path / "cluster.json.gz"
    path.write_bytes(gzip.compress(b'{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1"}}'))
    assert [node.metadata.name for node in load(path).nodes] == ["n1"]
    for content in (b"{}", path.read_bytes()[:20], path.read_bytes()[:12] + b"\xff" * 20):
        path.write_bytes(content)
        with pytest.raises(ManifestError, match="cluster.json.gz: cannot be read: "):
            load(path)


def test_sources_that_cannot_be_read(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("empty.yaml").write_text("")
    Path("latin.yaml").write_bytes(b"a: 1\nb: caf\xe9\n")
    Path("folder").mkdir()
    os.mkfifo("pipe.yaml")
    assert refused("gone.yaml", "empty.yaml", "latin.yaml", "folder", "pipe.yaml", "https://example.com/a.yaml").split(
        "\n"
    ) == [
        "gone.yaml: there is no such file or folder",
        "empty.yaml: is empty",
        "latin.yaml:2: is not UTF-8 text (byte 0xe9)",
        "folder: has no files that end in .yaml, .yml or .json",
        "pipe.yaml: is not a regular file: pipe what it holds into - (standard input)",
        "https://example.com/a.yaml: URLs are not supported: download the file first",
    ]


def test_a_symbolic_link_to_itself_is_named_as_such(tmp_path):
    loop = tmp_path / "loop.yaml"
    loop.symlink_to(loop)
    for source in (loop, tmp_path):
        with pytest.raises(ManifestError, match=r"loop\.yaml: cannot be read: Too many levels of symbolic links"):
            load(source)


def test_a_long_key_or_kind_or_name_is_cut_in_messages(tmp_path):
    long = "x" * 1_000_000
    for text in (
        f"kind: Pod\nmetadata: {{name: a}}\nspec: {{nodeSelector: {{{long}: 1}}}}\n",
        f"kind: Pod\nmetadata: {{name: a}}\nspec: {{containers: [{{resources: {{requests: {{{long}: a}}}}}}]}}\n",
        f"kind: Pod\nmetadata: {{name: a}}\nspec: {{affinity: {{nodeAffinity: {{{REQUIRED}: "
        f"{{nodeSelectorTerms: [{{matchExpressions: [{{key: a, operator: {long}}}]}}]}}}}}}}}\n",
        f"a: *{long}\n",
        f"a: !{long} b\n",
        f"? {long}\n: {{{long}: 1, {long}: 2}}\n",
        f'{{"{long}": 1, "{long}": 2}}',
    ):
        with pytest.raises(ManifestError) as caught:
            loads(text)
        assert max(map(len, str(caught.value).splitlines())) < 2500
    (line,) = decode_objects([{"kind": f"{long}{i}"} for i in range(100)]).report.lines()
    assert len(line) < 2500 and line.endswith(" and 70 more kinds")


def test_python_values_that_json_lacks_are_read_or_named():
    def refusal(**spec):
        with pytest.raises(ManifestError) as caught:
            decode_objects([POD | {"spec": POD["spec"] | spec}])
        return str(caught.value).removeprefix("objects[0]: Pod default/web: spec.")

    half = {"containers": [{"name": "c", "resources": {"requests": {"cpu": 0.5, "memory": 1e9}}}]}
    (found,) = decode_objects([POD | {"spec": half}]).pods
    assert [str(each) for each in found.spec.containers[0].resources.requests.values()] == ["500m", "1G"]
    half["containers"][0]["resources"]["requests"]["cpu"] = float("nan")
    assert "is not a quantity" in refusal(**half)
    assert refusal(priority=1.5) == "priority: 1.5 is a number, not a whole number"
    assert refusal(priority={1}) == "priority: {1} is a Python set, not a whole number"
    assert refusal(nodeSelector={1: "a"}) == "nodeSelector: the key 1 is a number, not text: put it in quotes"


def test_a_file_without_read_permission(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("a.yaml").write_text(YAML)

    def forbidden(self, mode):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", forbidden)
    assert refused("a.yaml") == "a.yaml: cannot be read: Permission denied"


def test_errors_of_all_files_are_reported_and_nothing_is_loaded(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("a.yaml").write_text(YAML)
    Path("b.yaml").write_text(YAML.replace("web", "Web"))
    messages = refused("a.yaml", "b.yaml").split("\n")
    assert messages[0] == "b.yaml:1: Node n1: is defined twice, first at a.yaml:1"
    assert messages[1].startswith('b.yaml:7: Pod default/Web: metadata.name: "Web" is not a valid name')


def test_unknown_kinds_are_counted_and_named():
    others = [
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}},
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "b"}},
        {"apiVersion": "serving.knative.dev/v1", "kind": "Service", "metadata": {"name": "c"}, "spec": 1},
        {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d"}},
    ]
    report = decode_objects([NODE, *others]).report
    assert report.counts == {"Node": 1}
    assert report.lines() == [
        "ignored, because the scheduler does not read them: "
        "ConfigMap (2), Deployment.apps (1), Service.serving.knative.dev (1)"
    ]


def test_kinds_that_are_not_modelled_are_reported_separately():
    others = [
        {"apiVersion": "scheduling.k8s.io/v1beta1", "kind": "Workload", "metadata": {"name": "a"}},
        {"apiVersion": "scheduling.k8s.io/v1beta1", "kind": "PodGroup", "metadata": {"name": "b"}},
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}},
    ]
    assert decode_objects([NODE, *others]).report.lines() == [
        "ignored, because the feature gate GenericWorkload is off: "
        "PodGroup.scheduling.k8s.io (1), Workload.scheduling.k8s.io (1)",
        "ignored, because the scheduler does not read them: ConfigMap (1)",
    ]


def test_fields_that_are_not_modelled_are_reported_with_their_place():
    spec = POD["spec"] | {"nodeName": "", "schedulingGroup": {"podGroupName": "g"}}
    text = "\n".join(json.dumps(POD | {"metadata": {"name": name}, "spec": spec}) for name in ("a", "b", "c"))
    assert loads(text, "pods.json").report.lines() == [
        "pods.json:1: Pod default/a: spec.schedulingGroup: is not modelled without the feature gate GenericWorkload: "
        "the pod is scheduled on its own (and 2 more of kind Pod)",
    ]


WARNINGS = [
    ({"runtimeClassName": "kata"}, "spec.runtimeClassName: is not resolved"),
    (
        {"tolerations": [{"key": "a", "operator": "Gt", "value": "1"}]},
        "spec.tolerations[0].operator: Gt tolerates nothing",
    ),
    (
        {"affinity": node_affinity(term("generation Gt ten"))},
        f'spec.affinity.nodeAffinity.{REQUIRED}.nodeSelectorTerms[0].matchExpressions[0].values[0]: "ten" is not a '
        "whole number, so this term matches no node",
    ),
    (
        {"affinity": node_affinity(preferred=[(1, term("generation Lt 1.5"))])},
        "spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].preference.matchExpressions[0]"
        '.values[0]: "1.5" is not a whole number, so this term matches no node',
    ),
    ({"nodeName": "n9"}, 'spec.nodeName: there is no node "n9": decisions ignore the pod'),
    (
        {"containers": [{"name": "a", "ports": [{"containerPort": 1, "hostPort": 1}] * 2}]},
        "spec.containers[0].ports[1].hostPort: 1 is used twice in the pod",
    ),
]


@pytest.mark.parametrize(("spec", "message"), WARNINGS, ids=[next(iter(spec)) for spec, _ in WARNINGS])
def test_warnings(spec, message):
    (line,) = decode_objects([NODE, POD | {"spec": POD["spec"] | spec}]).report.lines()
    assert line.startswith(f"objects[1]: Pod default/web: {message}")


def test_duplicate_taints_and_old_budgets_are_warnings():
    taints = [{"key": "a", "effect": "NoSchedule"}] * 2
    budget = {
        "apiVersion": "policy/v1beta1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": "b"},
        "spec": {"selector": {}},
    }
    first, second = decode_objects([NODE | {"spec": {"taints": taints}}, budget]).report.lines()
    assert first.startswith("objects[0]: Node n1: spec.taints[1]: a with NoSchedule appears twice")
    assert second.startswith("objects[1]: PodDisruptionBudget default/b: spec.selector: is empty")


def test_raw_and_parsed_json_load_the_same_objects():
    raws = [msgspec.Raw(json.dumps(manifest).encode()) for manifest in (NODE, POD)]
    assert decode_objects(raws) == decode_objects([NODE, POD])


def test_faults_of_parsed_objects_name_their_index():
    with pytest.raises(ManifestError) as caught:
        decode_objects(
            [
                msgspec.Raw(b'{"kind": "Node", "kind": "Pod"}'),
                NODE,
                {"kind": "Pod", "metadata": {"name": 7}},
                [],
                msgspec.Raw(b'{"kind": "\xff"}'),
            ]
        )
    assert str(caught.value).split("\n") == [
        'objects[0]: cannot be read: the key "kind" appears twice in the same map',
        'objects[2]: Pod default/7: metadata.name: 7 is a number, not text: put it in quotes ("7")',
        "objects[2]: Pod default/7: spec.containers: a pod needs at least one container",
        "objects[3]: expected a Kubernetes object with apiVersion, kind and metadata",
        "objects[4]: cannot be read: 'utf-8' codec can't decode byte 0xff in position 0: invalid start byte",
    ]


def test_a_sum_that_is_too_large_names_the_pod_that_exceeds_it():
    """A pod of the same name in another namespace is not to blame."""
    pods = [pod("web"), pod("big", on="n1", memory="5E"), pod("web", on="n1", memory="5E", namespace="shop")]
    with pytest.raises(ManifestError, match=r"^objects\[2\]: Pod shop/web: .* memory on node n1 add up to more than"):
        decode_objects(pods)


def test_input_is_not_changed():
    manifests = [json.loads(json.dumps(manifest)) for manifest in (NODE, POD)]
    decode_objects(manifests)
    assert manifests == [NODE, POD]


def test_generated_names_are_numbered():
    made = [pod("x") | {"metadata": {"generateName": "web-"}} for _ in range(2)]
    assert [each.metadata.name for each in decode_objects(made).pods] == ["web-00001", "web-00002"]
    with pytest.raises(ManifestError, match=r"metadata\.name: is missing"):
        decode_objects([pod("x") | {"metadata": {}}])


def test_a_generated_name_leaves_room_for_its_number():
    """v1.37: k8s.io/apiserver pkg/storage/names/generate.go keeps 58 characters."""
    (made,) = decode_objects([pod("x") | {"metadata": {"generateName": "a" * 70}}]).pods
    assert made.metadata.name == "a" * 58 + "00001"


def test_the_requests_on_a_node_may_add_up_to_the_greatest_int64():
    half, rest = 2**62, 2**62 - 1
    fitting = [pod("a", memory=half, on="n1"), pod("b", memory=rest, on="n1")]
    assert len(decode_objects(fitting).pods) == 2
    with pytest.raises(ManifestError) as caught:
        decode_objects([*fitting, pod("c", memory=1, on="n1"), pod("d", memory=1, on="n1")])
    (problem,) = caught.value.problems
    assert "default/c" in str(problem)


def test_null_is_zero_or_false_in_a_list():
    attributes = {"a": {"ints": [None, 2]}, "b": {"bools": [None, True]}}
    pool = {"name": "p", "generation": 1, "resourceSliceCount": 1}
    spec = {"driver": "d.example.com", "nodeName": "n", "pool": pool}
    spec |= {"devices": [{"name": "gpu", "attributes": attributes}]}
    head = {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "metadata": {"name": "s"}}
    (published,) = decode_objects([head | {"spec": spec}]).of(ResourceSlice)
    read = published.spec.devices[0].attributes
    assert {name: each.given for name, each in read.items()} == {"a": {"ints": (0, 2)}, "b": {"bools": (False, True)}}


@pytest.mark.parametrize("before", ["", "\n", "\n\n"])
def test_an_item_of_a_json_list_is_located_from_the_start_of_the_file(before):
    with pytest.raises(ManifestError, match=rf"^<text>:{3 + len(before)}: Pod default/p: spec: expected a map"):
        loads(before + '{"kind": "List", "items": [\n{"kind": "Pod", "metadata": {"name": "p"},\n"spec": ["x"]}]}')


def test_one_cause_is_one_error():
    with pytest.raises(ManifestError) as caught:
        decode_objects([pod(f"p-{i}", cpu=f"{i}x") for i in range(40)])
    assert len(caught.value.problems) == 40
    (line,) = str(caught.value).splitlines()
    assert '"0x" is not a quantity' in line and "39 more" in line


@pytest.mark.parametrize("written", [json.dumps, yaml.safe_dump], ids=["JSON", "YAML"])
def test_an_item_that_names_its_kind_does_not_get_the_version_of_its_list(written):
    items = [
        {"kind": "StatefulSet", "metadata": {"name": "db"}, "spec": {}},
        {"metadata": {"name": "p"}} | {"spec": {"containers": [{"name": "main"}]}},
    ]
    objects = loads(written({"kind": "PodList", "apiVersion": "v1", "items": items}))
    assert [each.metadata.name for each in (*objects.pods, *objects.of(StatefulSet))] == ["p", "db"]
    assert objects.report.lines() == []


def test_the_first_item_of_a_list_is_found_behind_text_that_looks_like_it():
    text = '{"kind": "List",\n "metadata": {},\n "apiVersion": "v1",\n "items": [\n  {},\n  {"kind": "Pod"}\n ]}'
    with pytest.raises(ManifestError) as error:
        loads(text)
    assert [problem.line for problem in error.value.problems] == [5, 6, 6]


def test_objects_show_how_many_of_each_kind_there_are():
    assert repr(decode_objects([])) == "<Objects: none>"
    shown = repr(decode_objects([POD, NODE, POD | {"metadata": {"name": "other"}}]))
    assert says(shown, "Node", "1", "Pod", "2")
