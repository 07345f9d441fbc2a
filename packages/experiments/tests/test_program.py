"""The program's command ``experiment``."""

import csv
import json

import pytest

from kschedlab.build import as_yaml, deployment, node, pod
from kschedlab.program.main import main
from kschedlab_experiments.experiment import PACKING
from tests.saying import says

DEFAULT = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    nodes = [node(name, labels={"kubernetes.io/hostname": name}) for name in "abc"]
    (tmp_path / "s.yaml").write_text(as_yaml([*nodes, deployment("web", 4, cpu="500m")]))
    (tmp_path / "a.yaml").write_text(DEFAULT)
    (tmp_path / "b.yaml").write_text(PACKING)
    (tmp_path / "pool.yaml").write_text(as_yaml([node("large", cpu=64)]))
    (tmp_path / "wide.yaml").write_text(as_yaml([node(f"n{n}") for n in range(6)]))
    return tmp_path


def run(capsys, *arguments):
    status = main(["experiment", *map(str, arguments)])
    output = capsys.readouterr()
    return status, output.out, output.err


def test_two_configurations(folder, capsys):
    given = ("s.yaml", "--config", "a.yaml", "--config", "b.yaml", "--seeds", "1-6", "--wide")
    files = ("--csv", "r.csv", "--html", "r.html", "--out", "runs.jsonl")
    status, out, err = run(capsys, *given, *files, "--jobs", 2)
    assert (status, err) == (0, "")
    assert says(out, "b compared with a", "6 seeds", "imbalance of cpu")
    rows = list(csv.DictReader((folder / "r.csv").open()))
    assert [row["variant"] for row in rows] == ["a"] * 6 + ["b"] * 6
    assert (folder / "r.html").read_text().startswith("<!DOCTYPE html>")
    assert len((folder / "runs.jsonl").read_text().splitlines()) == 13
    assert run(capsys, *given, "--out", "runs.jsonl")[1] == out  # in one process, from the file


def test_generations_and_json(folder, capsys):
    given = ("s.yaml", "--generation", "v1.13", "--generation", "v1.37", "--seeds", "3,5", "--output", "json")
    status, out, _ = run(capsys, *given)
    made = json.loads(out)
    assert status == 0 and made["variants"] == ["v1.13", "v1.37"]
    assert [(row["variant"], row["seed"]) for row in made["runs"]] == [
        ("v1.13", 3),
        ("v1.13", 5),
        ("v1.37", 3),
        ("v1.37", 5),
    ]


def test_pools(folder, capsys):
    _, out, _ = run(capsys, "s.yaml", "--nodes", "pool.yaml", "--nodes", "wide.yaml", "--seeds", "1-2", "--wide")
    assert says(out, "wide compared with pool", "nodes without pods")


def test_one_variant_alone(folder, capsys):
    _, out, _ = run(capsys, "s.yaml", "--seeds", "1-2", "--wide")
    assert says(out, "v1.37", "standard deviation", "pods placed")


def test_what_is_given_once_is_the_same_for_all_variants(folder, capsys):
    """v1.28 does not know that a pod itself has requests; b.yaml fills one of the six wide nodes."""
    large = pod("large")
    large["spec"]["resources"] = {"requests": {"cpu": "65"}}
    (folder / "t.yaml").write_text(as_yaml([node("own"), deployment("web", 4, cpu="500m"), large]))
    a, b, old, new, pool, wide = (
        *(("--config", "a.yaml"), ("--config", "b.yaml"), ("--generation", "v1.28"), ("--generation", "v1.37")),
        *(("--nodes", "pool.yaml"), ("--nodes", "wide.yaml")),
    )
    for given, made in (
        ((a, b, old, wide), {"a": (5, 1), "b": (5, 5)}),
        ((old, new, b, wide), {"v1.28": (5, 5), "v1.37": (4, 5)}),
        ((pool, wide, b, old), {"pool": (5, 0), "wide": (5, 5)}),
        ((b, old, wide), {"b": (5, 5)}),
        ((old, wide), {"v1.28": (5, 1)}),
        ((wide,), {"v1.37": (4, 2)}),
    ):
        _, out, _ = run(capsys, "t.yaml", *sum(given, ()), "--seeds", "1", "--output", "json")
        rows = json.loads(out)["runs"]
        assert {row["variant"]: (row["placed"], round(row["empty_nodes"])) for row in rows} == made


def test_a_dump_is_replayed(folder, capsys):
    pods = [
        pod(f"p{n}", "a") | {"metadata": {"name": f"p{n}", "creationTimestamp": f"2026-01-01T00:0{n}:00Z"}}
        for n in range(3)
    ]
    (folder / "dump.yaml").write_text(as_yaml([node("a"), *pods, deployment("web", 2)]))
    status, out, err = run(capsys, "dump.yaml", "--replay", "--seeds", "1", "--output", "json")
    assert status == 0 and json.loads(out)["runs"][0]["placed"] == 3
    assert says(err, "1 of kind Deployment")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("absent.yaml",), ["absent.yaml", "no such file"]),
        (("s.yaml", "--config", "s.yaml"), ["s.yaml", "one configuration"]),
        (("s.yaml", "--config", "a.yaml", "--config", "b.yaml", "--generation", "v1.13", "--generation", "v1.37"),
         ["--config", "--generation"]),
        (("s.yaml", "--nodes", "a.yaml"), ["a.yaml"]),
        (("s.yaml", "--csv", "s.yaml"), ["s.yaml", "another file"]),
        (("s.yaml", "--html", "no/where.html"), ["no/where.html", "folder"]),
        (("-",), ["standard input", "file first"]),
        (("s.yaml", "--out", "s.yaml"), ["s.yaml"]),
        (("s.yaml", "--seeds", "1", "--out", "a.yaml"), ["a.yaml", "another one"]),
        (("pool.yaml", "--replay"), ["pool.yaml", "Pod"]),
    ],
)  # fmt: skip
def test_wrong_files_are_named(folder, capsys, arguments, words):
    status, out, err = run(capsys, *arguments)
    assert (status, out) == (2, "") and "Traceback" not in err
    assert says(err, *words)


@pytest.mark.parametrize(
    "option",
    [("--seeds", "3-1"), ("--seeds", "x"), ("--seeds", "1-999999999"), ("--jobs", "0"), ("--confidence", "2"),
     ("--until", "soon"), ("--generation", "v9")],
)  # fmt: skip
def test_wrong_options_are_refused(folder, capsys, option):
    with pytest.raises(SystemExit) as ended:
        main(["experiment", "s.yaml", *option])
    assert ended.value.code == 2
    assert says(capsys.readouterr().err, option[0])


@pytest.mark.parametrize(
    ("option", "last", "more"),
    [
        ("--seeds", "0-99999", "0-100000"),
        ("--seeds", "1-50000,7-50006", "1-50000,7-50007"),
        ("--seeds", f"{'0' * 39}1", f"{'0' * 40}1"),
        ("--seeds", "5-5", "5-4"),
        ("--jobs", "1024", "1025"),
        ("--jobs", "1", "0"),
        ("--confidence", "0.999", "1"),
        ("--confidence", "0.001", "0"),
    ],
)
def test_the_last_value_of_an_option_is_accepted_and_the_next_one_refused(folder, capsys, option, last, more):
    status, _, err = run(capsys, "absent.yaml", option, last)
    assert status == 2 and says(err, "absent.yaml") and option not in err
    with pytest.raises(SystemExit):
        main(["experiment", "absent.yaml", option, more])
    assert says(capsys.readouterr().err, option, more.split(",")[-1][:40])


def test_what_an_experiment_leaves_out_of_its_files_is_told(folder, capsys):
    (folder / "more.yaml").write_text("{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}")
    status, _, err = run(capsys, "s.yaml", "more.yaml", "--seeds", "1")
    assert status == 0 and says(err, "ConfigMap (1)")


def test_extenders_are_asked_only_with_the_users_word(folder, capsys):
    (folder / "e.yaml").write_text(
        f"{DEFAULT}extenders: [{{urlPrefix: 'http://192.0.2.1/x', filterVerb: f, httpTimeout: 1s}}]\n"
    )
    status, _, err = run(capsys, "s.yaml", "--config", "e.yaml")
    assert status == 2 and says(err, "http://192.0.2.1/x", "--call-extenders")
