"""Timelines: how they are read, and all errors with file and line."""

from pathlib import Path

import pytest
from hypothesis import given, strategies as st

import benchmarks.perf  # noqa: F401  # reads scheduler_perf
from kschedlab.generations import GENERATIONS
from kschedlab.objects.model import Deployment, Node, Pod, ReplicaSet, Taint
from kschedlab.objects.problems import ManifestError
from kschedlab_simulation.controllers.drain import DrainSettings
from kschedlab_simulation.timeline.actions import (
    ChangeTaints,
    Cordon,
    Create,
    Delete,
    Drain,
    Evict,
    Label,
    RemoveTaint,
    RunOperations,
    Scale,
    Update,
    describe,
)
from kschedlab_simulation.timeline.manifest_objects import respelt
from kschedlab_simulation.timeline.scenario import load_scenario, loads_scenario
from kschedlab_simulation.timeline.targets import NamedTarget, SelectedTargets

LINES = (Path(__file__).parent / "wrong-entries.txt").read_text().splitlines()
WRONG_ENTRIES = list(zip(LINES[::2], map(str.strip, LINES[1::2]), strict=True))
"""An entry, and on the next line its error."""

SECOND = 1_000_000
NODE = "---\n{apiVersion: v1, kind: Node, metadata: {name: n1}}\n"
POD = "---\n{apiVersion: v1, kind: Pod, metadata: {name: web}, spec: {containers: [{name: c, image: i}]}}\n"
WEB = """---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  selector: {matchLabels: {app: web}}
  template: {metadata: {labels: {app: web}}, spec: {containers: [{name: c, image: i}]}}
"""


RS = """---
apiVersion: apps/v1
kind: ReplicaSet
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template: {metadata: {labels: {app: web}}, spec: {containers: [{name: c, image: i}]}}
"""


def action(entry, more=NODE + POD + WEB + RS):
    (entry,) = loads_scenario(f"timeline:\n- {{at: 3s, {entry}}}\n{more}").entries
    assert entry.at == 3 * SECOND
    return entry.action


def problems(text, name="run.yaml"):
    with pytest.raises(ManifestError) as error:
        loads_scenario(text, name)
    return str(error.value).splitlines()


def test_what_is_not_set_is_as_the_documents_say():
    """docs/scenarios.md, the `simulation` map."""
    spelt = """simulation:
      recreate: true
      kubelet: {start: 2s, run: 1m, jitter: 0s}
      controllers: {least: 10ms, most: 20ms}
      latencies: {cycle: 1ms, preempt: 1ms, bind: 2ms, status: 2ms, delete: 2ms, volumes: 10m}
"""
    assert loads_scenario(NODE).options.settings == loads_scenario(spelt + NODE).options.settings
    assert loads_scenario(NODE).options.settings.latencies.watch == 0


def test_all_wrong_entries_are_told_at_once():
    told = problems("\n".join(["timeline:", *LINES[::2], NODE + POD + WEB]))
    assert [why for _, why in WRONG_ENTRIES if not any(line.endswith(why) for line in told)] == []


# -- what is read


WEB_POD, N1 = NamedTarget(Pod, "default", "web"), NamedTarget(Node, "", "n1")


@pytest.mark.parametrize(
    ("entry", "expected", "told"),
    [
        ("delete: pod/web", Delete((WEB_POD,)), "delete pod default/web"),
        ("delete: [po/web, Node/n1], grace: 10s", Delete((WEB_POD, N1), 10), "delete pod default/web, node n1"),
        ("evict: web, grace: 0s", Evict((WEB_POD,), 0), "evict pod default/web"),
        (
            "scale: deploy/web, namespace: shop, replicas: 0",
            Scale((NamedTarget(Deployment, "shop", "web"),), 0),
            "scale deployment shop/web to 0",
        ),
        (
            "scale: rs/web, replicas: 3",
            Scale((NamedTarget(ReplicaSet, "default", "web"),), 3),
            "scale replicaset default/web to 3",
        ),
        ("cordon: n1", Cordon((N1,), True), "cordon node n1"),
        ("uncordon: [n1]", Cordon((N1,), False), "uncordon node n1"),
        ("drain: n1", Drain((N1,), DrainSettings(300 * SECOND)), "drain node n1"),
        ("drain: nodes/n1, timeout: 1m, grace: 5s", Drain((N1,), DrainSettings(60 * SECOND, 5)), "drain node n1"),
        ("label: no/n1, labels: {a: b, c: null}", Label((N1,), {"a": "b", "c": None}), "label node n1 a=b c-"),
        (
            'taint: n1, taints: ["a=b:NoSchedule", "c:NoExecute", "d-", "e:NoSchedule-"]',
            ChangeTaints(
                (N1,),
                (
                    Taint("a", "b", "NoSchedule"),
                    Taint("c", "", "NoExecute"),
                    RemoveTaint("d", ""),
                    RemoveTaint("e", "NoSchedule"),
                ),
            ),
            "taint node n1 a=b:NoSchedule c:NoExecute d- e:NoSchedule-",
        ),
        (
            "delete: pods, namespace: shop, selector: {app: web}",
            Delete(SelectedTargets(Pod, "shop", {"app": "web"})),
            "delete pods with app=web in shop",
        ),
        (
            "cordon: nodes, selector: {pool: old}",
            Cordon(SelectedTargets(Node, "", {"pool": "old"}), True),
            "cordon nodes with pool=old",
        ),
    ],
)
def test_acts(entry, expected, told):
    found = action(entry)
    assert found == expected
    assert describe(found) == told


def test_objects_inline_and_from_files(tmp_path: Path):
    (tmp_path / "pods").mkdir()
    (tmp_path / "pods" / "two.yaml").write_text(POD + POD.replace("web", "api"))
    run = tmp_path / "run.yaml"
    run.write_text(f"timeline:\n- at: 0s\n  namespace: shop\n  create:\n  - pods\n  - {NODE[4:]}")
    (entry,) = load_scenario(run).entries
    assert isinstance(entry.action, Create)
    assert [one.name for one in entry.action.objects] == ["pod shop/web", "pod shop/api", "node n1"]
    assert describe(entry.action) == "create 3 objects"


def test_a_list_of_objects_and_generated_names():
    found = action("create: {kind: List, items: [{kind: Service, metadata: {generateName: s-}}]}")
    assert isinstance(found, Create)
    assert describe(found) == "create service default/s-*"


def test_an_update_needs_no_more_than_a_name():
    found = action("update: {kind: Pod, metadata: {name: web, labels: {a: null}}}")
    assert isinstance(found, Update)
    assert found.objects[0].data["metadata"]["labels"] == {"a": None}
    assert describe(found) == "update pod default/web"


def test_operations_in_a_timeline():
    found = action("params: {nodes: 2}, ops: [{opcode: createNodes, countParam: $nodes}, {opcode: barrier}]", more="")
    assert isinstance(found, RunOperations)
    assert [operation.fields.opcode for operation in found.operations] == ["createNodes", "barrier"]
    assert found.operations[0].fields.count == 2
    assert describe(found) == "ops: createNodes, barrier"


def test_the_simulation_map():
    text = """
simulation:
  start: 2026-01-01T08:00:00Z
  generation: v1.20
  seed: 3
  until: 1m30s
  recreate: false
  config: scheduler.yaml
  kubelet: {start: 100ms, stop: 0s, run: 5s}
  latencies: {cycle: 0, bind: 5ms}
"""
    options = loads_scenario(text, "folder/run.yaml").options
    assert str(options.start) == "2026-01-01T08:00:00Z"
    assert (options.generation, options.seed, options.until) == ("v1.20", 3, 90 * SECOND)
    assert options.config == "folder/scheduler.yaml"
    settings = options.settings
    assert not settings.recreate
    assert (settings.kubelet.start, settings.kubelet.stop, settings.kubelet.run) == (100_000, 0, 5 * SECOND)
    assert (settings.latencies.cycle, settings.latencies.bind, settings.latencies.status) == (0, 5_000, 2_000)


def test_several_timelines_are_merged_in_order_of_time():
    text = "timeline:\n- {at: 1s, cordon: n1}\n- {at: 3s, uncordon: n1}\n---\ntimeline:\n- {at: 2s, drain: n1}\n" + NODE
    assert [entry.at for entry in loads_scenario(text).entries] == [SECOND, 2 * SECOND, 3 * SECOND]


def test_entries_of_one_moment_keep_their_order():
    text = "timeline:\n- {at: 1s, cordon: n1}\n- {at: 1s, uncordon: n1}\n- {at: 1s, drain: n1}\n" + NODE
    assert [describe(entry.action) for entry in loads_scenario(text).entries] == [
        "cordon node n1",
        "uncordon node n1",
        "drain node n1",
    ]


@pytest.mark.parametrize("kind", ["replicas", "create"])
def test_a_simulation_creates_200_000_objects_at_once_at_most(kind):
    def entry(count):
        if kind == "replicas":
            return f"timeline:\n- {{at: 1s, scale: deploy/web, namespace: shop, replicas: {count}}}\n{WEB}"
        return f"{WEB}  replicas: {count}\n"

    assert loads_scenario(entry(200_000)).report.lines() == []
    assert "200001 is more than 200,000" in problems(entry(200_001))[0]


def test_a_file_without_anything_in_it_is_named(tmp_path: Path):
    full, empty = tmp_path / "full.yaml", tmp_path / "empty.yaml"
    full.write_text(NODE)
    empty.write_text("# nothing\n")
    (warning,) = load_scenario(full, empty).report.warnings
    assert "empty.yaml" in warning
    with pytest.raises(ManifestError, match="empty.yaml"):
        load_scenario(empty)


def test_each_object_of_a_list_is_read():
    items = "{metadata: {name: a}}, {apiVersion: v1, kind: Service}, {apiVersion: v1, kind: Namespace}"
    found = problems(f"{{apiVersion: v1, kind: List, items: [{items}]}}\n")
    assert [text for text in ("kind is missing", "Service", "Namespace") if text in "\n".join(found)] == [
        "kind is missing",
        "Service",
        "Namespace",
    ]


def test_what_kubernetes_does_not_know_is_warned_of_or_refused_if_strict(tmp_path: Path):
    run = tmp_path / "run.yaml"
    run.write_text(
        f"{NODE[4:]}---\n{{apiVersion: v1, kind: Node, metadata: {{name: n2}}, spec: {{taint: []}}}}\n"
        "---\n{apiVersion: v1, kind: Podd, metadata: {name: p}}\n"
    )
    warnings = load_scenario(run).report.warnings
    assert len(warnings) == 2
    with pytest.raises(ManifestError) as error:
        load_scenario(run, strict=True)
    assert str(error.value).splitlines() == warnings


def test_unsupported_kinds_are_reported():
    report = loads_scenario("{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}\n" + NODE).report
    assert report.lines() == ["ignored, because nothing in a simulation reads them: ConfigMap (1)"]


def test_a_field_that_is_unknown_in_several_places_is_warned_of_once():
    containers = "[{name: a, image: i, portz: 1}, {name: b, image: i, portz: 1}, {name: c, image: i, command0: 1}]"
    pods = f"{{apiVersion: v1, kind: Pod, metadata: {{name: web}}, spec: {{containers: {containers}}}}}\n"
    warnings = loads_scenario(pods, "run.yaml").report.warnings
    assert warnings == [
        "run.yaml:1: Pod default/web: spec.containers[0].portz: is not a field of Container: did you mean ports?",
        "run.yaml:1: Pod default/web: spec.containers[2].command0: is not a field of Container: did you mean command?",
    ]


def test_objects_of_a_list_in_json_have_their_lines(tmp_path: Path):
    run = tmp_path / "run.json"
    run.write_text('{"kind": "List", "items": [\n{"kind": "Node", "apiVersion": "v1"},\n{"kind": "Pod"}]}')
    with pytest.raises(ManifestError) as error:
        load_scenario(run)
    assert [line.partition(": ")[0] for line in str(error.value).splitlines()] == [f"{run}:2", f"{run}:3", f"{run}:3"]


def test_fields_of_another_case_are_respelt_but_not_the_keys_of_maps():
    """encoding/json of Go, which reads scheduler_perf's templates, ignores the case of fields."""
    written = {"Spec": {"DEVICES": [{"Capacity": {"Memory": {"Value": "1Gi"}}}]}}
    spelt = {"spec": {"devices": [{"capacity": {"Memory": {"value": "1Gi"}}}]}}
    assert respelt(written, "ResourceSlice") == spelt


# -- what is refused


@pytest.mark.parametrize(("entry", "expected"), WRONG_ENTRIES)
def test_invalid_entries(entry, expected):
    found = problems(f"# a comment\ntimeline:\n{entry}\n{NODE}{POD}")
    assert f"run.yaml:3: {expected}" in found


def test_all_errors_are_reported_with_their_lines():
    text = """
simulation:
  generation: v1.99
  until: soon
  kubelet: {starts: 1s}
  latencies: 3
timeline:
- at: 2s
  cordon: n1
- at: 1s
  uncordon: n1
- at: 3s
  drain: n1
  timeout: never
other: 1
---
timeline: 5
"""
    *earlier, last = GENERATIONS
    expected = f"{', '.join(earlier)} or {last}"
    assert problems(text) == [
        f"run.yaml:3: generation: expected {expected}",
        'run.yaml:4: until: "soon" is not a duration such as 300ms, 3s or 1h2m3.5s',
        "run.yaml:5: kubelet.starts: is not one of start, stop, run, jitter",
        "run.yaml:6: latencies: expected a map with cycle, preempt, bind, status, delete or volumes",
        'run.yaml:10: at: "1s" is before "2s": entries must be in order of time',
        'run.yaml:14: timeout: "never" is not a duration such as 300ms, 3s or 1h2m3.5s',
        "run.yaml:15: other: is not allowed here: a timeline document has simulation and timeline",
        "run.yaml:17: expected a list of entries, each with at and an action",
    ]


def test_a_second_simulation_map_is_an_error():
    assert problems("simulation: {seed: 1}\n---\nsimulation: {seed: 2}\n") == [
        "run.yaml:3: is defined twice, first at run.yaml:1"
    ]


def test_a_file_that_is_missing_is_named_twice(tmp_path: Path):
    run = tmp_path / "run.yaml"
    run.write_text("timeline:\n- at: 0s\n  create: lost.yaml\n")
    with pytest.raises(ManifestError) as error:
        load_scenario(run)
    assert str(error.value).splitlines() == [
        f"{tmp_path}/lost.yaml: there is no such file or folder",
        f"{run}:3: create: cannot be used",
    ]


# -- what cannot be


@pytest.mark.parametrize(
    ("entries", "expected"),
    [
        (
            "- {at: 1s, delete: pod/api}",
            "run.yaml:2: delete: pod default/api does not exist at 1s: not yet created, or already deleted",
        ),
        (
            "- {at: 1s, delete: [pod/web, no/n2]}",
            "run.yaml:2: delete[1]: node n2 does not exist at 1s: not yet created, or already deleted",
        ),
        (
            "- {at: 1s, cordon: n2}",
            "run.yaml:2: cordon: node n2 does not exist at 1s: not yet created, or already deleted",
        ),
        (
            "- {at: 1s, delete: node/n1}\n- {at: 2s, drain: n1}",
            "run.yaml:3: drain: node n1 does not exist at 2s: not yet created, or already deleted",
        ),
        (
            "- {at: 1s, scale: rs/web, replicas: 3}",
            "run.yaml:2: scale: replicaset default/web does not exist at 1s: not yet created, or already deleted",
        ),
        (
            "- {at: 1s, update: {kind: Node, metadata: {name: n2}}}",
            "run.yaml:2: Node n2: node n2 does not exist at 1s: not yet created, or already deleted",
        ),
        (
            "- {at: 1s, create: {kind: Node, metadata: {name: n1}}}",
            "run.yaml:2: Node n1: already exists: it is first defined at run.yaml:4",
        ),
        (
            "- {at: 1s, evict: web-1}",
            "run.yaml:2: evict: pod default/web-1 does not exist at 1s: not yet created, or already deleted",
        ),
    ],
)
def test_impossible_timelines_are_found_before_they_run(entries, expected):
    assert problems(f"timeline:\n{entries}\n{NODE}{POD}") == [expected]


@pytest.mark.parametrize(
    "entries",
    [
        ["{at: 1s, delete: pod/web-79bbf947f7-abcde, namespace: shop}"],
        ["{at: 1s, delete: rs/web-79bbf947f7, namespace: shop}"],
        ["{at: 1s, delete: node/n1}", "{at: 2s, create: {kind: Node, metadata: {name: n1}}}", "{at: 3s, drain: n1}"],
        ["{at: 1s, create: {kind: Node, metadata: {generateName: extra-}}}", "{at: 3s, drain: extra-abcde}"],
        ["{at: 1s, ops: [{opcode: createNodes, count: 1}]}", "{at: 3s, drain: node-0-abcde}"],
        ["{at: 1s, delete: pod/web}", "{at: 2s, delete: pod/web}"],
        ["{at: 1s, delete: pods, selector: {app: gone}}"],
    ],
)
def test_what_depends_on_the_run_is_not_an_error(entries):
    lines = "".join(f"- {entry}\n" for entry in entries)
    assert len(loads_scenario(f"timeline:\n{lines}{NODE}{POD}{WEB}").entries) == len(entries)


@given(st.text(st.sampled_from(list("timeline:-{}[],at3s \n\"'cordn1")), max_size=60))
def test_any_text_is_a_scenario_or_an_error(text):
    try:
        loads_scenario(text)
    except ManifestError as error:
        assert error.problems
