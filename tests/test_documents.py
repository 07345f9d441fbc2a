"""What the documents show works: the names that they import, and the schemas of the program's JSON."""

import ast
import json
import re
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from kschedlab.build import as_yaml, budget, node, pod
from kschedlab.manifests.sources import KUBECTL_KINDS
from kschedlab.program.main import main

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("**/*.md")), *sorted(ROOT.glob("packages/*/README.md"))]
IMPORT = re.compile(r"^\s*(?:>>> )?((?:from [\w.]+ )?import [\w ,.*()]+)$", re.MULTILINE)
OF_A_READER = {"mine"}
"""Modules that a document lets its reader write."""


def imports(page):
    for line in IMPORT.findall(page.read_text(encoding="utf-8")):
        (statement,) = ast.parse(line).body
        if not (isinstance(statement, ast.ImportFrom) and statement.module in OF_A_READER):
            yield line


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_name_can_be_imported_from_where_the_page_says(page):
    for line in imports(page):
        exec(line, {})


def test_the_pages_import_something():
    lines = [line for page in PAGES for line in imports(page)]
    assert "from kschedlab_simulation import Simulation" in lines and "from kschedlab import explain" in lines


SHORT = {"pdb": "poddisruptionbudgets", "pc": "priorityclasses", "ns": "namespaces", "svc": "services"}
SHORT |= {"rc": "replicationcontrollers", "rs": "replicasets", "sts": "statefulsets", "sc": "storageclasses"}
SHORT |= {"pv": "persistentvolumes", "pvc": "persistentvolumeclaims"}
GET = re.compile(r"kubectl get (nodes,pods,\S+) -A")
LESSONS = (ROOT / "notebooks/07-your-cluster.ipynb", ROOT / "notebooks/zh/07-your-cluster.ipynb")


def test_a_page_that_exports_a_cluster_names_every_kind_that_a_decision_reads():
    every = {*KUBECTL_KINDS.split(",")}
    lists = {page: kinds.split(",") for page in PAGES for kinds in GET.findall(page.read_text(encoding="utf-8"))}
    assert lists.keys() >= {ROOT / "README.md", ROOT / "packages/why/README.md"}
    for page, kinds in lists.items():
        assert {SHORT.get(kind, kind) for kind in kinds} == every, page
    for lesson in LESSONS:
        assert all(kind in lesson.read_text(encoding="utf-8") for kind in every), lesson


SECTION = re.compile(r"^## (.+?)\n.*?```json\n(.*?)```", re.DOTALL | re.MULTILINE)
JSON_PAGE = (ROOT / "docs/json.md").read_text(encoding="utf-8")
SCHEMAS = {name: json.loads(text) for name, text in SECTION.findall(JSON_PAGE)}


def test_the_schemas_are_schemas():
    assert SCHEMAS.keys() == {"explain", "why", "why --pending", "plan fit", "plan add", "plan drain", "experiment"}
    for schema in SCHEMAS.values():
        Draft202012Validator.check_schema(schema)


@pytest.mark.parametrize(
    ("name", "command"),
    [
        ("explain", ["explain"]),
        ("why", ["why", "web", "--add-node", "like=a"]),
        ("why", ["why", "vip"]),
        ("why", ["why", "done"]),
        ("why --pending", ["why", "--pending"]),
    ],
)
def test_what_the_program_prints_is_as_its_schema_says(name, command, tmp_path, capsys):
    gpu = {"key": "gpu", "value": "yes", "effect": "NoSchedule"}
    objects = (
        *(node("a"), node("b", taints=[gpu]), pod("run", on="a", cpu=3), pod("web", cpu=9), pod("fits")),
        *(pod("vip", cpu=4, priority=9), pod("gated", schedulingGates=[{"name": "x.io/q"}])),
        *(budget("keep", 0, {"app": "x"}), pod("done") | {"status": {"phase": "Succeeded"}}),
        pod("other", schedulerName="volcano"),
    )
    (tmp_path / "all.yaml").write_text(as_yaml(objects))
    assert main([command[0], str(tmp_path / "all.yaml"), *command[1:], "--output", "json"]) == 0
    printed = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert printed
    for each in printed:
        Draft202012Validator(SCHEMAS[name]).validate(each)
        unknown = each.keys() - SCHEMAS[name]["properties"].keys()
        assert not unknown or unknown <= {"notes", "unreadable", "left out"}, "the page names every field"
        if "decision" in each:
            Draft202012Validator(SCHEMAS["explain"]).validate(each["decision"])


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("plan fit", ["FILE"]),
        ("plan fit", ["FILE", "--most", "1", "--no-check"]),
        ("plan add", []),
        ("plan drain", ["--force"]),
        ("experiment", ["--generation", "v1.20", "--generation", "v1.37", "--seeds", "1-2"]),
    ],
)
def test_plans_and_experiments_are_as_their_schemas_say(name, options, tmp_path, capsys):
    objects = [node("a", cpu=4), node("b", cpu=2), pod("run", on="a", cpu=1), pod("web", cpu=3), pod("more", cpu=3)]
    file = str(tmp_path / "all.yaml")
    Path(file).write_text(as_yaml(objects))
    command = [*name.split(), file, *(file if each == "FILE" else each for each in options)]
    assert main([*command, "--output", "json"]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert lines
    for each in lines:
        Draft202012Validator(SCHEMAS[name]).validate(each)
        assert each.keys() == SCHEMAS[name]["properties"].keys(), "the page names every field"
