"""Arrivals: generators from a seed, traces, and a cluster's own dump."""

import json
import random
import sqlite3
from itertools import islice

import pytest

from kschedlab.build import as_yaml, node, pod
from kschedlab.objects.problems import InputTypeError, ManifestError
from kschedlab_experiments import (
    Arrival,
    Bursts,
    Diurnal,
    Experiment,
    Generated,
    Poisson,
    Trace,
    azure,
    dump,
    google,
    openb,
)
from tests.saying import says


def times(pattern, number, seed=1):
    return list(islice(pattern.times(random.Random(seed)), number))


def placed(trace):
    results = Experiment(trace, seeds=[1]).run()
    return int(results["placed"][0, 0])


# -- generators


def test_a_poisson_process_has_its_rate():
    assert 9_000 < times(Poisson(1.0), 10_000)[-1] < 11_000
    assert times(Poisson(1.0), 5) == times(Poisson(1.0), 5) != times(Poisson(1.0), 5, seed=2)


def test_a_day_has_a_night():
    at = [moment % 100 for moment in times(Diurnal(1.0, swing=0.9, day=100), 10_000)]
    night, noon = sum(moment < 10 or moment > 90 for moment in at), sum(40 < moment < 60 for moment in at)
    assert noon > 5 * night and 9_000 < times(Diurnal(1.0, day=100), 10_000)[-1] < 11_000


def test_bursts_come_at_once():
    at = times(Bursts(5, every=60), 50)
    assert at[:5] == [0.0] * 5 and len(set(at)) == 10 and at == sorted(at)
    assert 540_000 < times(Bursts(1, every=60), 10_000)[-1] < 660_000


def test_pods_are_drawn_by_weight_and_run_for_a_while():
    templates = {"a": pod("a"), "b": pod("b")}
    made = Generated([node("n")], templates, Poisson(1.0), 400, {"a": 3, "b": 1}, seconds={"a": 50.0})
    drawn = made.arrivals(1)
    mine = [each for each in drawn if each.pod["metadata"]["name"].startswith("a-")]
    assert 260 < len(mine) < 340 and drawn == made.arrivals(1) != made.arrivals(2)
    assert 40 < sum(each.seconds for each in mine) / len(mine) < 60
    assert all(each.seconds is None for each in drawn if each not in mine)
    alone = Generated([], templates, Poisson(1.0), 50, {"a": 1}).arrivals(1)
    assert all(each.pod["metadata"]["name"].startswith("a-") for each in alone)


def test_pods_that_are_drawn_in_another_order_are_another_experiment():
    templates, weights = {"a": pod("a"), "b": pod("b")}, {"a": 3, "b": 1}
    made = Generated([], templates, Poisson(1.0), 9, weights)
    turned = Generated([], dict(reversed(templates.items())), Poisson(1.0), 9, weights)
    assert made.arrivals(1) != turned.arrivals(1) and made.fingerprint() != turned.fingerprint()
    same = Generated([], templates, Poisson(1.0), 9, dict(reversed(weights.items())))
    assert made.arrivals(1) == same.arrivals(1) and made.fingerprint() == same.fingerprint()


@pytest.mark.parametrize("pattern", [Poisson(0), Bursts(0, 1), Bursts(1, 0), Diurnal(1, swing=2), Diurnal(1, day=0)])
def test_a_wrong_pattern_is_refused(pattern):
    with pytest.raises(ValueError) as error:
        times(pattern, 3)
    assert says(str(error.value), "expected")


# -- traces


def test_a_trace_is_cut_hastened_and_shuffled():
    trace = Trace([node("n")], [Arrival(10 * n, pod(f"p{n}"), 100.0) for n in range(5)])
    assert [each.at for each in trace.first(2).faster(10).arrivals] == [0, 1]
    assert trace.faster(10).arrivals[0].seconds == 10 and trace.faster(0.5).arrivals[1].at == 20
    mixed = [entry.action.objects[0].metadata.name for entry in trace.shuffled().scenario(1).entries]
    assert sorted(mixed) == [f"p{n}" for n in range(5)] != mixed
    assert trace.shuffled().fingerprint() != trace.fingerprint() != trace.first(4).fingerprint()
    with pytest.raises(ValueError, match="more than 0"):
        trace.faster(0)
    assert says(repr(Trace([node("n"), pod("p"), pod("r")], [Arrival(5400, pod("q"))])), "1 nodes, 1 pods in 1.5 h")
    assert says(repr(Trace([], [Arrival(359_830, pod("q"))])), "in 100 h")
    assert says(repr(Trace([], [])), "0 pods in 0 h")
    turned = [each._replace(pod=dict(reversed(each.pod.items()))) for each in trace.arrivals]
    assert Trace(trace.objects, turned).fingerprint() == trace.fingerprint(), "the order of keys means nothing"


def test_a_faulty_manifest_of_a_trace_is_named_by_its_place():
    wrong = pod("Q_")
    for trace, place in (
        (Trace([node("A_")], []), "objects[0]: Node A_"),
        (Trace([node("a"), node("B_")], []), "objects[1]: Node B_"),
        (Trace([node("a")], [Arrival(1, wrong), Arrival(0, pod("p"))]), "objects[1]: Pod default/Q_"),
    ):
        with pytest.raises(ManifestError) as error:
            trace.scenario(1)
        assert str(error.value).startswith(f"{place}: metadata.name")


NODES = "sn,cpu_milli,memory_mib,gpu,model\nn0,64000,262144,2,P100\nn1,96000,393216,8,G2\nn2,32000,131072,0,\n"
PODS = """name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time
p1,6000,12288,1,460,,LS,Running,20,100,30
p0,12000,16384,1,1000,P100|V100M32,LS,Running,0,50,0
p2,8000,30517,0,0,,LS,Pending,30,90,
p3,88000,327680,8,1000,,BE,Failed,40,60,40
"""


def test_openb(tmp_path):
    (tmp_path / "nodes.csv").write_text(NODES)
    (tmp_path / "pods.csv").write_text(PODS)
    trace = openb(tmp_path / "nodes.csv", tmp_path / "pods.csv")
    assert [(each.at, each.seconds) for each in trace.arrivals] == [(0, 50), (20, 70), (30, 60), (40, 20)]
    assert trace.objects[1]["status"]["allocatable"]["alibabacloud.com/gpu-milli"] == "8000"
    results = Experiment(trace, seeds=[1]).run()
    assert results["placed"][0, 0] == 4
    assert placed(trace.where(lambda each: each["metadata"]["name"] in ("p0", "p3"))) == 2


@pytest.mark.parametrize(
    ("nodes", "pods", "words"),
    [
        (NODES.replace("gpu", "gpus"), PODS, ["n.csv", "gpu", "columns"]),
        (NODES, PODS.replace("12288", "many"), ["p.csv:2", "memory_mib", "many"]),
        (NODES, PODS.replace("12288", "nan"), ["p.csv:2", "memory_mib", "nan"]),
        (NODES, PODS.replace("12288", "inf"), ["p.csv:2", "memory_mib", '"inf" is not a number']),
        (NODES, PODS.replace(",8,1000", ",8.5,1000"), ["p.csv:5", "num_gpu", "8.5"]),
        (NODES.replace("n1,96000", "n1,"), PODS, ["n.csv:3", "cpu_milli", "missing"]),
        (None, PODS, ["n.csv", "No such file"]),
    ],
)
def test_a_wrong_table_is_refused_with_its_line(tmp_path, nodes, pods, words):
    if nodes is not None:
        (tmp_path / "n.csv").write_text(nodes)
    (tmp_path / "p.csv").write_text(pods)
    with pytest.raises(ValueError) as error:
        openb(tmp_path / "n.csv", tmp_path / "p.csv")
    assert says(str(error.value), *words)


def event(time, kind, collection=7, index=0, **more):
    return {"time": str(time), "type": kind, "collection_id": str(collection), "instance_index": index, **more}


def test_google(tmp_path):
    """As BigQuery exports it: 64-bit numbers are texts, enums are numbers."""
    machines = [
        {"time": "0", "machine_id": "1", "type": 1, "switch_id": "a/b=", "capacity": {"cpus": 1.0, "memory": 1.0}},
        {"time": "0", "machine_id": "2", "type": "ADD", "capacity": {"cpus": 0.5, "memory": 0.25}},
        {"time": "900000000", "machine_id": "2", "type": 2},
    ]
    ask = {"resource_request": {"cpus": 0.25, "memory": 0.125}, "priority": 200}
    events = [
        event(600_000_000, 0, **ask),
        event(601_000_000, 3),
        event(650_000_000, 4),
        event(700_000_000, 6),
        event(610_000_000, "SUBMIT", index=1, constraint=[{"name": "x"}], **ask),
        event(620_000_000, 0, collection=8, alloc_collection_id="7", **ask),
        event(2**63 - 1, 6, index=1),
    ]
    (tmp_path / "m.json").write_text("\n".join(map(json.dumps, machines)))
    (tmp_path / "i.json").write_text("\n".join(map(json.dumps, events)))
    trace = google(tmp_path / "m.json", [tmp_path / "i.json"], cpus=40, memory=100)
    assert [each["status"]["allocatable"]["cpu"] for each in trace.objects] == ["40000m", "20000m"]
    first, second = trace.arrivals
    assert (first.at, first.seconds, second.at, second.seconds) == (600, 99, 610, None)
    assert first.pod["spec"]["priority"] == 200
    assert first.pod["spec"]["containers"][0]["resources"]["requests"] == {"cpu": "10000m", "memory": "12800Mi"}
    assert says(repr(trace), "1 machines", "1 tasks", "1 instances", "1 evictions")
    assert placed(trace) == 2


@pytest.mark.parametrize(
    ("name", "number", "ends"),
    [
        *[("QUEUE", 1, False), ("ENABLE", 2, False), ("EVICT", 4, False), ("FAIL", 5, True), ("FINISH", 6, True)],
        *[("KILL", 7, True), ("LOST", 8, True), ("UPDATE_PENDING", 9, False), ("UPDATE_RUNNING", 10, False)],
    ],
)
def test_an_instance_of_google_ends_by_an_event_that_its_name_or_its_number_says(tmp_path, name, number, ends):
    """instance_events of the 2019 trace (clusterdata-2019, EventType)."""
    machine = {"time": "0", "machine_id": "1", "type": 1, "capacity": {"cpus": 1.0, "memory": 1.0}}
    (tmp_path / "m.json").write_text(json.dumps(machine))
    ask = {"resource_request": {"cpus": 0.25, "memory": 0.125}, "priority": 200}
    for type in (name, number):
        events = [event(600_000_000, "SUBMIT", **ask), event(601_000_000, "SCHEDULE"), event(700_000_000, type)]
        (tmp_path / "i.json").write_text("\n".join(map(json.dumps, events)))
        (arrival,) = google(tmp_path / "m.json", [tmp_path / "i.json"], cpus=40, memory=100).arrivals
        assert arrival.seconds == (99 if ends else None)


def test_google_as_csv_and_its_faults(tmp_path):
    (tmp_path / "m.csv").write_text("time,machine_id,type,capacity.cpus,capacity.memory\n0,1,1,1.0,1.0\n")
    head = "time,type,collection_id,instance_index,resource_request.cpus,resource_request.memory\n"
    (tmp_path / "i.csv").write_text(f"{head}5,0,1,0,0.5,0.5\n")
    trace = google(tmp_path / "m.csv", tmp_path / "i.csv")
    assert placed(trace) == 1 and trace.arrivals[0].pod["spec"]["priority"] == 0
    room = trace.objects[0]["status"]["allocatable"]
    assert (room["cpu"], room["memory"]) == ("64000m", f"{256 * 1024}Mi")
    for line, words in (("5,EXPLODE,1,0,0.5,0.5", ["i.csv:2", "type", "EXPLODE"]), ("5,0,,0,1,1", ["collection_id"])):
        (tmp_path / "i.csv").write_text(f"{head}{line}\n")
        with pytest.raises(ValueError) as error:
            google(tmp_path / "m.csv", tmp_path / "i.csv")
        assert says(str(error.value), *words)
    (tmp_path / "i.json").write_text("{}\n[1]\n")
    with pytest.raises(ValueError, match=r"i\.json:1: time"):
        google(tmp_path / "m.csv", tmp_path / "i.json")


def test_small_amounts_and_long_names_of_google(tmp_path):
    """A label's value has at most 63 characters; a machine that comes a microsecond after the start is left out."""
    machine = {"type": 1, "switch_id": "s" * 70, "capacity": {"cpus": 1e-9, "memory": 1e-9}}
    machines = [{"time": str(time), "machine_id": str(time), **machine} for time in (0, 1)]
    (tmp_path / "m.json").write_text("\n".join(map(json.dumps, machines)))
    (tmp_path / "i.json").write_text(json.dumps(event(0, 0, resource_request={"cpus": 0, "memory": 1e-9})))
    trace = google(tmp_path / "m.json", tmp_path / "i.json")
    (there,), (arrival,) = trace.objects, trace.arrivals
    assert there["metadata"]["labels"]["switch"] == "s" * 63
    assert (there["status"]["allocatable"]["cpu"], there["status"]["allocatable"]["memory"]) == ("1m", "1Mi")
    assert arrival.pod["spec"]["containers"][0]["resources"]["requests"] == {"memory": "1Mi"}
    assert says(repr(trace), "1 machines")
    (tmp_path / "i.json").write_text(json.dumps(event(0, 0)))
    (arrival,) = google(tmp_path / "m.json", tmp_path / "i.json").arrivals
    assert not arrival.pod["spec"]["containers"][0].get("resources", {}).get("requests")


def test_azure(tmp_path):
    with sqlite3.connect(tmp_path / "trace.sqlite") as made:
        made.execute("CREATE TABLE vm (vmId, tenantId, vmTypeId, priority, starttime REAL, endtime REAL)")
        made.execute("CREATE TABLE vmType (id, vmTypeId, machineId, core, memory, hdd, ssd, nic)")
        made.executemany(
            "INSERT INTO vm VALUES (?,?,?,?,?,?)",
            [(0, 0, 5, 0, -3.5, 0.5), (1, 0, 5, 1, 0.25, None), (2, 0, 6, 0, 0.5, 1.0), (3, 0, 9, 0, 0.3, 1.0)],
        )
        made.executemany(
            "INSERT INTO vmType VALUES (?,?,?,?,?,?,?,?)",
            [(0, 5, 16, 0.5, 0.5, None, 0.1, 0.25), (1, 6, 16, 1 / 3, 0.125, 0, 0, 0), (2, 5, 17, 1, 1, 0, 1, 1)],
        )
    trace = azure(tmp_path / "trace.sqlite", nodes=2, cpus=8, memory=16)
    assert [(each.at, each.seconds) for each in trace.arrivals] == [(0, 43200), (21600, None), (43200, 43200)]
    assert [each.pod["spec"]["priority"] for each in trace.arrivals] == [100, 0, 100]
    asked = trace.arrivals[0].pod["spec"]["containers"][0]["resources"]["requests"]
    assert asked == {"cpu": "4000m", "memory": "8192Mi", "ephemeral-storage": "419431Mi", "azure.example/nic": "250"}
    asked = trace.arrivals[2].pod["spec"]["containers"][0]["resources"]["requests"]
    assert asked == {"cpu": "2667m", "memory": "2048Mi"}
    assert says(repr(trace), "1 VMs", "machine 16") and placed(trace) == 3
    room = azure(tmp_path / "trace.sqlite", nodes=1).objects[0]["status"]["allocatable"]
    assert (room["cpu"], room["memory"], room["ephemeral-storage"]) == ("64", "512Gi", "4096Gi")
    with sqlite3.connect(tmp_path / "trace.sqlite") as made:
        made.executemany("INSERT INTO vmType VALUES (?,?,17,1,1,0,1,1)", [(3, 7), (4, 8)])
    most = azure(tmp_path / "trace.sqlite", nodes=1).objects[0]
    assert most["metadata"]["labels"]["machine"] == "17", "it takes three types"
    with pytest.raises(ValueError) as error:
        azure(tmp_path / "trace.sqlite", nodes=2, machine=18)
    assert says(str(error.value), 18, 16, 17)
    (tmp_path / "text").write_text("no database at all, but long enough to have a head of one hundred bytes" * 3)
    with pytest.raises(ValueError, match="vmType"):
        azure(tmp_path / "text", nodes=1)


# -- dumps


def running(name, created, on="n1", **metadata):
    made = pod(name, on, cpu=1)
    owner = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web", "uid": "u", "controller": True}
    made["metadata"] |= {"creationTimestamp": created, "uid": f"u-{name}", "ownerReferences": [owner]} | metadata
    return made


def test_a_dump_of_kubectl_is_replayed(tmp_path):
    """kubectl cluster-info dump --output-directory: nodes.json, and a folder for each namespace."""
    finished = running("done", "2026-05-01T08:00:30Z")
    ended = {"terminated": {"exitCode": 0, "finishedAt": "2026-05-01T08:02:00Z"}}
    finished["status"] = {
        "phase": "Succeeded",
        "startTime": "2026-05-01T08:01:00Z",
        "containerStatuses": [{"name": "main", "state": ended}],
    }
    claimed = running("data", "2026-05-01T08:05:00Z")
    claimed["spec"]["volumes"] = [{"name": "d", "persistentVolumeClaim": {"claimName": "d"}}]
    claimed["spec"]["containers"][0]["volumeMounts"] = [{"name": "d", "mountPath": "/d"}]
    mirror = running("etcd", "2026-05-01T07:00:00Z", annotations={"kubernetes.io/config.mirror": "x"})
    pods = [claimed, running("web", "2026-05-01T08:00:00Z"), finished, mirror]
    nodes = [node("n1", labels={"kubernetes.io/hostname": "n1"}), node("n2")]
    (tmp_path / "default" / "web").mkdir(parents=True)
    (tmp_path / "nodes.json").write_text(json.dumps({"kind": "NodeList", "apiVersion": "v1", "items": nodes}))
    (tmp_path / "default" / "pods.json").write_text(json.dumps({"kind": "PodList", "apiVersion": "v1", "items": pods}))
    replicas = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": "web", "namespace": "default"}}
    (tmp_path / "default" / "replicasets.json").write_text(json.dumps(replicas))
    (tmp_path / "default" / "web" / "logs.txt").write_text("{not: json")
    trace = dump(tmp_path)
    assert [(each.pod["metadata"]["name"], each.at, each.seconds) for each in trace.arrivals] == [
        ("web", 0, None),
        ("done", 30, 60),
        ("data", 300, None),
    ]
    assert all("ownerReferences" not in each.pod["metadata"] for each in trace.arrivals)
    assert says(repr(trace), "1 of kind ReplicaSet", "1 volumes") and placed(trace) == 3


def test_must_gather_is_replayed(tmp_path):
    """A file for each node, and for pods both a list and a file for each: each pod arrives once."""
    image = tmp_path / "must-gather.local.1" / "quay-io-openshift"
    core, namespace = image / "cluster-scoped-resources" / "core" / "nodes", image / "namespaces" / "shop"
    core.mkdir(parents=True)
    (namespace / "core").mkdir(parents=True)
    (namespace / "pods" / "web").mkdir(parents=True)
    (core / "n1.yaml").write_text(as_yaml([node("n1")]))
    web = running("web", "2026-05-01T08:00:00Z", namespace="shop")
    (namespace / "core" / "pods.yaml").write_text(json.dumps({"kind": "PodList", "apiVersion": "v1", "items": [web]}))
    (namespace / "pods" / "web" / "web.yaml").write_text(as_yaml([web]))
    (image / "version.yaml").write_text("must-gather: [1")
    assert placed(dump(tmp_path)) == len(dump(tmp_path).arrivals) == 1


def replayed(folder, *pods, **more):
    """The trace of a dump with these pods, and the manifests of the pods by name."""
    (folder / "dump.yaml").write_text(as_yaml([node("n1"), *pods, *more.get("others", ())]))
    trace = dump(folder)
    return trace, {each.pod["metadata"]["name"]: each.pod for each in trace.arrivals}


def test_only_volumes_whose_claims_are_in_the_dump_are_mounted(tmp_path):
    """A claim belongs to a namespace; what needs no claim stays."""
    claim = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "d", "namespace": "shop"}}
    pods = []
    for namespace in ("shop", "other"):
        made = running(f"in-{namespace}", "2026-05-01T08:00:00Z", namespace=namespace)
        claimed = {"name": "data", "persistentVolumeClaim": {"claimName": "d"}}
        made["spec"]["volumes"] = [{"name": "tmp", "emptyDir": {}}, claimed]
        mounts = [{"name": "tmp", "mountPath": "/tmp"}, {"name": "data", "mountPath": "/d"}]  # noqa: S108 - a container's
        made["spec"]["containers"][0]["volumeMounts"] = mounts
        made["spec"]["initContainers"] = [{"name": "init", "volumeMounts": mounts[1:]}, {"name": "second"}]
        pods.append(made)
    trace, made = replayed(tmp_path, *pods, others=[claim])
    assert made["in-shop"]["spec"]["volumes"] == pods[0]["spec"]["volumes"]
    assert made["in-shop"]["spec"]["containers"] == pods[0]["spec"]["containers"]
    assert [each["name"] for each in made["in-other"]["spec"]["volumes"]] == ["tmp"]
    containers = made["in-other"]["spec"]["containers"] + made["in-other"]["spec"]["initContainers"]
    assert [[mount["name"] for mount in each["volumeMounts"]] for each in containers] == [["tmp"], [], []]
    (left_out,) = trace.left_out
    assert says(left_out, "1 volumes")


def test_a_pod_of_a_dump_keeps_the_priority_that_it_had(tmp_path):
    """The class may not be in the dump; a pod that has no number yet gets that of its class."""
    both, named = (running(name, "2026-05-01T08:00:00Z") for name in ("both", "named"))
    both["spec"] |= {"priority": 0, "priorityClassName": "gone"}
    named["spec"] |= {"priorityClassName": "high"}
    _, made = replayed(tmp_path, both, named)
    assert made["both"]["spec"]["priority"] == 0 and "priorityClassName" not in made["both"]["spec"]
    assert made["named"]["spec"]["priorityClassName"] == "high"


@pytest.mark.parametrize(
    ("phase", "start", "ends", "seconds"),
    [
        ("Succeeded", "08:01:00", ["08:01:30", "08:02:00", "08:01:10"], 60),
        ("Failed", "08:01:00", ["08:01:02"], 2),
        ("Succeeded", "08:01:00", ["08:01:00"], 1),
        ("Succeeded", "08:01:00", [None, "08:01:05"], 5),
        ("Running", "08:01:00", ["08:01:30"], None),
        ("Succeeded", None, ["08:01:30"], None),
        ("Succeeded", "08:01:00", [], None),
    ],
)
def test_a_finished_pod_of_a_dump_runs_until_its_last_container_ended(tmp_path, phase, start, ends, seconds):
    made = running("p", "2026-05-01T08:00:00Z")
    states = [{"terminated": {"finishedAt": f"2026-05-01T{end}Z"}} if end else {"waiting": {}} for end in ends]
    made["status"] = {"phase": phase, "containerStatuses": [{"state": each} for each in states]}
    made["status"] |= {"startTime": f"2026-05-01T{start}Z"} if start else {}
    (arrival,) = replayed(tmp_path, made)[0].arrivals
    assert arrival.seconds == seconds


def test_a_pod_that_does_not_say_when_it_was_created_arrives_first(tmp_path):
    pods = [running("early", "2026-05-01T08:00:00Z"), running("late", "2026-05-01T08:00:10Z"), running("never", None)]
    trace, _ = replayed(tmp_path, *pods)
    assert {each.pod["metadata"]["name"]: each.at for each in trace.arrivals} == {"early": 0, "never": 0, "late": 10}


def test_a_dump_is_its_files_of_json_and_yaml_that_hold_objects(tmp_path):
    (tmp_path / "logs.yaml").mkdir()
    (tmp_path / "logs.yaml" / "notes.txt").write_text(as_yaml([running("text", "2026-05-01T08:00:00Z")]))
    (tmp_path / "values.yml").write_text("kind: Pod\n---\n[1, 2]\n---\nmetadata: none\n")
    (tmp_path / "web.json").write_text(json.dumps(running("web", "2026-05-01T08:00:00Z")))
    trace, made = replayed(tmp_path, running("db", "2026-05-01T08:00:00Z"))
    assert sorted(made) == ["db", "web"] and trace.left_out == ()


def test_a_folder_without_nodes_or_pods_is_refused(tmp_path):
    (tmp_path / "n.yaml").write_text(as_yaml([node("n")]))
    with pytest.raises(ValueError) as error:
        dump(tmp_path)
    assert says(str(error.value), tmp_path.name, "Pod")
    with pytest.raises(ValueError, match="no such file"):
        dump(tmp_path / "absent")


def test_arrivals_that_are_none_are_named():
    for given in (["pods.yaml", 3], 3, []):
        with pytest.raises(InputTypeError) as error:
            Experiment(given)
        assert says(str(error.value), "arrivals: Files")
