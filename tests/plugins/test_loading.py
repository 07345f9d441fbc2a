"""Plugins by module and name, installed ones, and those that a configuration names."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from kschedlab.build import cluster, node, pod
from kschedlab.generations import V1_13, V1_20, V1_37, Generation
from kschedlab.manifests.loading import ManifestError
from kschedlab.plugins import PluginNotFoundError, load_plugin, node_filter, node_score
from kschedlab.scheduler import schedule
from kschedlab_configuration import load_configuration

MINE = """
from kschedlab.plugins import Plugin, node_filter, node_score

@node_filter("ColdNode")
def cold(pod, node):                       # None: it passes; else the reason
    return None if int(node.metadata.labels.get("celsius", 0)) < 60 else "node(s) were too hot"

@node_score("PackByLabel", weight=5)
def pack(pod, node):                       # 0 to 100
    return 100 if node.metadata.labels.get("pool") == pod.metadata.labels.get("pool") else 0

class Named(Plugin):
    def filter(self, pod, node):
        return None

class Needy:
    def __init__(self, size):
        self.size = size

def plain(pod, node):
    return None

number = 7
"""


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    name = f"mine_{abs(hash(tmp_path))}"
    (tmp_path / f"{name}.py").write_text(MINE)
    (tmp_path / f"{name}_broken.py").write_text("import no_such_thing\n")
    (tmp_path / f"{name}_raises.py").write_text("x = 1\nraise RuntimeError('not today')\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    return name


def test_plugins_are_loaded_by_module_and_name(mine: str) -> None:
    generation = V1_37.plus(load_plugin(f"{mine}:cold"), load_plugin(f"{mine}:pack"), load_plugin(f"{mine}:Named"))
    assert generation.plugin_names[-3:] == ("ColdNode", "Named", "PackByLabel") or generation.plugins


@pytest.mark.parametrize(
    ("reference", "words"),
    [
        ("no_such_module:x", 'there is no module "no_such_module": create no_such_module.py in the current folder'),
        ("MINE:colt", 'has no "colt"; its plugins are: cold, pack'),
        ("MINE:plain", r'plain is a plain function: put @node_filter\("Name"\)'),
        ("MINE:number", '"int" is not a plugin'),
        ("MINE:Needy", "Needy: missing a required argument: 'size': give it a default"),
        ("MINE.py:cold", "write MINE:cold, for cold in the file MINE.py"),
        ("MINE:", "write MINE:NAME, for NAME in the file MINE.py"),
        (":cold", "write MODULE:cold, for cold in the file MODULE.py"),
        ("MINE_broken:x", "cannot be imported: ModuleNotFoundError: No module named 'no_such_thing'"),
        ("MINE_raises:x", r"cannot be imported: RuntimeError: not today \(in <module>, line 2: .*\)"),
        ("ColdNode", 'no installed plugin "ColdNode"; installed plugins: .* name the file too.*MODULE:ColdNode'),
    ],
)
def test_errors_say_what_is_missing(mine: str, reference: str, words: str) -> None:
    with pytest.raises(PluginNotFoundError, match=words.replace("MINE", mine)):
        load_plugin(reference.replace("MINE", mine))


@pytest.mark.usefixtures("hot_racks")
def test_installed_plugins_are_found_by_their_entry_points() -> None:
    rack: Any = load_plugin("CoolRack")
    assert rack.limit == 60 and V1_37.plus(rack, load_plugin("Cooler")).plugin_names[-1] == "Cooler"
    with pytest.raises(PluginNotFoundError, match="Broken.*cannot be loaded: AttributeError"):
        load_plugin("Broken")
    with pytest.raises(PluginNotFoundError, match='"NotAPlugin" is not a plugin'):
        load_plugin("Other")
    with pytest.raises(PluginNotFoundError, match="installed plugins: Broken, CoolRack, Cooler, Other, Renamed"):
        load_plugin("Coolrack")


def test_a_plugin_that_two_packages_declare_is_not_chosen(hot_racks: Path) -> None:
    twin = hot_racks / "twin-1.0.dist-info"
    twin.mkdir()
    (twin / "METADATA").write_text("Metadata-Version: 2.1\nName: twin\nVersion: 1.0\n")
    (twin / "entry_points.txt").write_text("[kschedlab.plugins]\nCoolRack = twin:Rack\n")
    with pytest.raises(PluginNotFoundError, match='plugin "CoolRack" is declared twice: hot_racks.*twin:Rack'):
        load_plugin("CoolRack")


# -- configurations

V1 = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
V1BETA1 = V1.replace("/v1", "/v1beta1")
WORLD = cluster(node("hot", labels={"celsius": "70"}), node("warm", labels={"celsius": "50"}), node("cold"), pod("web"))


def configured(text: str, *plugins: object, base: Generation | None = None) -> Generation:
    (generation,) = load_configuration(text, base, plugins).values()
    return generation


@pytest.mark.usefixtures("hot_racks")
@pytest.mark.parametrize(
    ("version", "enabled"),
    [
        (V1, "filter: {enabled: [{name: CoolRack}]}, score: {enabled: [{name: Cooler, weight: 9}]}"),
        (V1BETA1, "filter: {enabled: [{name: CoolRack}]}, score: {enabled: [{name: Cooler, weight: 9}]}"),
        (V1, "multiPoint: {enabled: [{name: CoolRack}, {name: Cooler, weight: 9}]}"),
    ],
)
def test_a_configuration_names_installed_plugins(version: str, enabled: str) -> None:
    generation = configured(f"{version}profiles:\n- plugins: {{{enabled}}}\n")
    decision = schedule("default/web", WORLD, generation)
    assert decision.verdict("hot").reasons == ("node(s) were in a hot rack",) and decision.node == "cold"
    assert dict(generation.plugins).keys() == {"CoolRack", "Cooler"}
    assert [weight for score, weight in generation.scores if score.name == "Cooler"] == [9]


@pytest.mark.usefixtures("hot_racks")
def test_a_configuration_gives_a_plugin_arguments_and_its_place() -> None:
    text = f"""{V1}
profiles:
- plugins:
    filter: {{enabled: [{{name: CoolRack}}, {{name: NodePorts}}], disabled: [{{name: "*"}}]}}
    score: {{enabled: [{{name: Cooler}}]}}
  pluginConfig:
  - name: CoolRack
    args: {{limit: 40}}
  - name: Cooler
    args: {{a: 1}}
"""
    profiles = load_configuration(text)
    generation = profiles["default-scheduler"]
    assert [each.name for each in generation.filters if each.name in ("CoolRack", "NodePorts")] == [
        "CoolRack",
        "NodePorts",
    ]
    assert schedule("default/web", WORLD, generation).names == ["cold"]
    assert [weight for score, weight in generation.scores if score.name == "Cooler"] == [3], "its own weight"
    (warning,) = (each for each in profiles.warnings if "Cooler" in each)
    assert '"Cooler" takes no arguments' in warning


@pytest.mark.usefixtures("hot_racks")
@pytest.mark.parametrize(
    ("profile", "words"),
    [
        ("plugins: {filter: {enabled: [{name: Broken}]}}", r"4: profiles\[0\].plugins.filter.enabled\[0\].*be loaded"),
        ("plugins: {filter: {enabled: [{name: Nobody}]}}", 'FilterPlugin "Nobody" does not exist'),
        ("plugins: {filter: {enabled: [{name: Cooler}]}}", 'plugin "Cooler" does not extend FilterPlugin plugin'),
        ("plugins: {score: {enabled: [{name: Renamed}]}}", 'declared as "Renamed" calls itself "Cooler"'),
        (
            "plugins: {filter: {enabled: [{name: CoolRack}]}}\n  pluginConfig: [{name: CoolRack, args: {limt: 4}}]",
            r"5: profiles\[0\].pluginConfig\[0\].*got an unexpected keyword argument 'limt'",
        ),
        (
            "plugins: {filter: {enabled: [{name: CoolRack}]}}\n  pluginConfig: [{name: CoolRack, args: [1]}]",
            "expected a map of fields",
        ),
    ],
)
def test_faults_of_plugins_have_their_place_too(profile: str, words: str) -> None:
    with pytest.raises(ManifestError, match=words):
        configured(f"{V1}profiles:\n- {profile}\n")


@node_filter("ColdNode")
def cold(pod: Any, node: Any) -> str | None:
    return None if int(node.metadata.labels.get("celsius", 0)) < 60 else "too hot"


@node_score("PackByLabel", weight=5)
def pack(pod: Any, node: Any) -> int:
    return 100


def test_given_plugins_are_in_every_profile_unless_the_file_names_them() -> None:
    text = f"{V1}profiles:\n- schedulerName: a\n- schedulerName: b\n"
    for profile in load_configuration(text, None, [cold, pack]).values():
        assert dict(profile.plugins) == {"ColdNode": cold, "PackByLabel": pack}
    named = f"{text}  plugins: {{score: {{enabled: [{{name: PackByLabel, weight: 7}}]}}}}\n"
    profiles = load_configuration(named, V1_37.plus(cold, pack))
    assert dict(profiles["a"].plugins) == {"ColdNode": cold}
    assert dict(profiles["b"].plugins) == {"PackByLabel": pack, "ColdNode": cold}
    assert [weight for score, weight in profiles["b"].scores if score.name == "PackByLabel"] == [7]
    policy = "apiVersion: v1\nkind: Policy\npredicates: [{name: PodFitsResources}]\n"
    for base in (V1_13.plus(cold), None):
        assert dict(configured(policy, *([] if base else [cold]), base=base).plugins) == {"ColdNode": cold}
    assert dict(configured(V1BETA1, base=V1_20.plus(cold)).plugins) == {"ColdNode": cold}


# -- the program


CLUSTER = """
apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: Node, metadata: {name: hot, labels: {celsius: "80", pool: web}}, status: &s {allocatable: {cpu: "4", memory: 8Gi, pods: "10"}}}
- {apiVersion: v1, kind: Node, metadata: {name: mild}, status: *s}
- {apiVersion: v1, kind: Node, metadata: {name: near, labels: {pool: web}}, status: *s}
- apiVersion: v1
  kind: Pod
  metadata: {name: web, namespace: default, labels: {pool: web}}
  spec: {containers: [{name: c, image: i}]}
"""  # noqa: E501


def program(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    (folder / "mine.py").write_text(MINE)
    (folder / "cluster.yaml").write_text(CLUSTER)
    root = Path(__file__).parents[2]
    code = f"import sys; sys.path[0] = {str(root)!r}; from kschedlab.program.main import main; sys.exit(main())"
    return subprocess.run(
        [sys.executable, "-c", code, *arguments], cwd=folder, capture_output=True, text=True, check=False
    )


BOTH = ("--plugin", "mine:cold", "--plugin", "mine:pack")


def test_the_program_takes_plugins_of_the_current_folder(tmp_path: Path) -> None:
    explained = program(tmp_path, "explain", "cluster.yaml", *BOTH)
    assert explained.returncode == 0, explained.stderr
    for word in ("too hot", "ColdNode", "PackByLabel", "near"):
        assert word in explained.stdout
    simulated = program(tmp_path, "simulate", "cluster.yaml", *BOTH)
    assert simulated.returncode == 0 and re.search(r"web .*near", simulated.stdout), simulated.stderr
    compared = program(tmp_path, "compare", "cluster.yaml", "--pod", "default/web", *BOTH)
    assert compared.returncode == 0 and "PackByLabel" not in compared.stdout, "no rule of it is a cause"


def test_the_program_takes_plugins_beside_a_configuration(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text(
        f"{V1}profiles:\n- plugins: {{score: {{enabled: [{{name: PackByLabel, weight: 77}}]}}}}\n"
    )
    explained = program(tmp_path, "explain", "cluster.yaml", "--config", "config.yaml", *BOTH)
    assert explained.returncode == 0 and "too hot" in explained.stdout, explained.stderr
    assert "7700" in explained.stdout


@pytest.mark.parametrize(
    ("plugin", "words"),
    [
        ("nobody:cold", 'there is no module "nobody"'),
        ("mine:colt", 'module mine has no "colt"; its plugins are: cold, pack'),
        ("Nobody", 'no installed plugin "Nobody"'),
    ],
)
def test_the_program_says_what_is_missing(tmp_path: Path, plugin: str, words: str) -> None:
    for command in ("explain", "compare"):
        more = ("--pod", "default/web") if command == "compare" else ()
        result = program(tmp_path, command, "cluster.yaml", *more, "--plugin", plugin)
        assert result.returncode == 2 and words in result.stderr and "Traceback" not in result.stderr


@pytest.mark.parametrize("command", [("explain", "cluster.yaml"), ("simulate", "cluster.yaml")])
def test_the_program_refuses_a_plugin_that_is_there_already(tmp_path: Path, command: tuple[str, ...]) -> None:
    result = program(tmp_path, *command, "--plugin", "mine:cold", "--plugin", "mine:cold")
    assert result.returncode == 2 and 'already has a plugin "ColdNode"' in result.stderr
    assert "Traceback" not in result.stderr


def test_bench_says_that_a_plugin_fails(tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text(
        'from kschedlab.plugins import node_filter\nno = node_filter("No")(lambda pod, node: False)\n'
    )
    (tmp_path / "work.json").write_text(json.dumps({"objects": [node("n1")], "queue": [pod("web")]}))
    result = program(tmp_path, "bench", "work.json", "--plugin", "bad:no")
    assert result.returncode == 0 and json.loads(result.stdout)["bound"] == 0
    assert '1 of 1 pods could not be decided; the first: running "No" filter plugin: returned False' in result.stderr
