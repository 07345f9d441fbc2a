"""What is wrong with a file or a plugin is told in Chinese: names, fields and values stay as Kubernetes spells them."""

import gzip
import json
import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path

import pytest

from kschedlab import Generation, schedule
from kschedlab.build import cluster
from kschedlab.manifests.known_fields import known
from kschedlab.manifests.loading import ManifestError, decode_objects, load, loads
from kschedlab.plugins import Plugin, check_plugin, load_plugin, node_filter, node_score
from kschedlab.plugins.framework import POINTS
from kschedlab_lab.exercises import Lesson, sheets
from kschedlab_lab.exercises.seeds import parse_seeds
from kschedlab_lab.language import language
from kschedlab_lab.panels import (
    generations,
    overview_path,
    queue_heap,
    your_cluster,
    your_plugin,
)
from kschedlab_lab.panels.cluster_source import COMMAND, from_files, from_paths
from kschedlab_simulation import Simulation
from packages.lab.tests.language.shown import english

DATA = Path(__file__).parents[4] / "tests" / "manifests"
VALIDATION = Path(__file__).parents[3] / "validation" / "tests"
VERDICTS = VALIDATION / "data/validation.jsonl.gz"
FOLDERS = (DATA / "bad", VALIDATION / "bad")
BAD = [path for folder in FOLDERS for path in sorted(folder.iterdir()) if path.suffix != ".txt"]
RECORDED = [json.loads(line) for line in gzip.decompress(VERDICTS.read_bytes()).splitlines()]

FIELDS = {field for fields in known().types.values() for field in fields}
KINDS = {kind for kinds in known().kinds.values() for kind in kinds}
VALUES = (
    "Always Never Equal Exists Honor Ignore Block Filesystem Delete Recycle Retain Immediate Managed Shared Dedicated "
    "Pending Running Succeeded Failed Unknown Recreate Parallel Restart All None Gt Lt In NotIn true false TCP UDP "
    "kubectl yaml lambda pods cpu memory storage limit request "
    "Ki Mi Gi Ti Pi Ei Kubernetes Pod Server tag surrogate objects"
)
"""Values of fields, resources, suffixes, and words that Chinese texts have, too."""
EXPRESSION = re.compile(r"[.]cel[.]expression：.*", re.DOTALL)
"""What cel-go says of a selector, which is English in every language."""
CODE = re.compile(r"[\w.@<>]*\([^()]*\)")
FRAMEWORK = re.compile(r"(running|applying score) .*?(failed with: |filter plugin: |after normalizing)")
"""How kube-scheduler's framework begins what it says of a plugin."""


pytestmark = pytest.mark.release


@pytest.fixture(autouse=True)
def chinese() -> Iterator[None]:
    language("zh")
    yield
    language("en")


def untranslated(errors: Iterable[str], given: str) -> dict[str, str]:
    """The English words of these messages that neither Kubernetes nor the input has."""
    names = FIELDS | KINDS | {*VALUES.split(), *re.findall(r"[A-Za-z]+", given)}
    found = english(CODE.sub("", EXPRESSION.sub("", each)) for each in errors)
    return {word: text for word, text in found.items() if word not in names}


@pytest.mark.parametrize("path", BAD, ids=lambda path: path.name)
def test_a_bad_manifest_is_refused_in_chinese(path: Path) -> None:
    with pytest.raises(ManifestError) as error:
        load(path)
    shown = [problem.message for problem in error.value.problems]
    assert untranslated(shown, path.read_text(encoding="utf-8")) == {}
    assert all(re.search("[一-鿿]", message) for message in shown)


def test_what_the_api_server_refuses_is_told_in_chinese() -> None:
    said: list[str] = []
    for each in RECORDED:
        try:
            said += decode_objects([each["object"]]).report.warnings
        except ManifestError as error:
            said += map(str, error.problems)
    given = json.dumps([each["object"] for each in RECORDED])
    assert len(said) > 500
    assert untranslated(said, given) == {}


WRITTEN = (
    "",
    "- 1",
    "a: [",
    "a: 1: 2",
    "a: 'b",
    "\ta: 1",
    "\0",
    '{"kind": "Pod" "a"}',
    "kind: Pd\nmetadata: {name: a}",
    "apiVersion: v1\nkind: Node\nmetadata: {name: a}",
    "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: [{name: A}]}",
)
UPLOADED = {"a.yaml": b"\xff", "b.yaml": b"", "c.yaml.gz": b"\x1f\x8b"}


def test_the_panel_of_lesson_07_says_in_chinese_what_is_wrong() -> None:
    panel = your_cluster.panel()
    files = [*UPLOADED.items(), *(("d.yaml", text.encode()) for text in WRITTEN)]
    said = [problem for each in files for problem in panel.reading(partial(from_files, [each])).problems]
    said += panel.reading(lambda: from_paths(["no/such/file"])).problems
    for settings in (
        {"pod": "nobody"},
        {"node": "nobody"},
        {"question": "nobody"},
        {"generation": "nobody"},
        {"nobody": "1"},
    ):
        with pytest.raises(ValueError) as error:
            panel.move(**settings)
        said.append(str(error.value))
    typed = "pod question node show generation change nobody why what would change it"
    packed = "Compressed file ended before the end-of-stream marker was reached"
    assert untranslated(said, f"pasted {COMMAND} {typed} {packed}") == {}


class Unmade(Plugin):
    """A plugin that needs an argument."""

    def __init__(self, argument: int) -> None:
        self.argument = argument


def plain(pod: object, node: object) -> None:
    """A function that is no plugin yet."""


V1_37 = Generation.named("v1.37")
COLD, COOLER = node_filter("Cold")(plain), node_score("Cooler")(lambda pod, node: 1)
MISTAKES: tuple[Callable[[], object], ...] = (
    lambda: V1_37.plus(Unmade),
    lambda: V1_37.plus(plain),
    lambda: V1_37.plus([COLD]),
    lambda: V1_37.plus("Cold"),
    lambda: V1_37.plus(7),
    lambda: V1_37.plus(COLD, COLD),
    lambda: V1_37.plus(COLD).plugin("Cold").score("default/web", cluster()),
    lambda: V1_37.plus(COOLER).plugin("Cooler").filter("default/web", cluster()),
    lambda: V1_37.plugin("Cold"),
    lambda: V1_37.weighted(NodeAffinity=-1),
    lambda: V1_37.weighted(Cold=1),
    lambda: node_filter("")(plain),
    lambda: node_filter("Cold")(lambda: None),  # type: ignore[arg-type, misc]
    lambda: node_filter("Cold", hint=lambda pod, old, new: True),
    lambda: load_plugin("nothing"),
    lambda: load_plugin("nothing.py"),
    lambda: load_plugin("nothing:Cold"),
    lambda: load_plugin("json:Cold"),
    lambda: load_plugin("json:dumps"),
    lambda: schedule("default/none", cluster()),
    lambda: Generation.named("Cold"),
)
SETTINGS = (
    "pops none ant bee cat dog elk fox gnu new which priority calls story balanced image least nodes spread "
    "taints avoided down across off overview queue score map reduce preemption generations your cluster plugin devices"
)
TYPED: tuple[Callable[[], object], ...] = (
    lambda: queue_heap.panel(calls=99),
    lambda: queue_heap.panel(calls=None),
    lambda: queue_heap.panel(calls=[]),
    lambda: queue_heap.panel().restore("99"),
    lambda: queue_heap.panel().ask("99"),  # type: ignore[arg-type]
    lambda: generations.panel(without="99"),
    lambda: your_cluster.panel([]),  # type: ignore[arg-type]
    lambda: loads(99),  # type: ignore[arg-type]
    lambda: load(99),  # type: ignore[arg-type]
    lambda: Simulation.of(99),  # type: ignore[arg-type]
    lambda: Lesson("99"),
    lambda: Lesson("queue", seed="99"),  # type: ignore[arg-type]
    lambda: Lesson("queue")[99],
    lambda: Lesson("queue")["99"],  # type: ignore[index]
    lambda: sheets("queue", ""),
)
"""What a reader may type into a cell of a lesson; 99 and what is empty are wrong everywhere."""


@pytest.mark.parametrize("mistake", TYPED)
def test_what_is_wrong_in_a_cell_is_told_in_chinese(mistake: Callable[[], object]) -> None:
    with pytest.raises((ValueError, TypeError, LookupError, ManifestError)) as error:
        mistake()
    words = "experiments node rack high low int str list dict Question Roster of load scenario right informer what if"
    given = f"{SETTINGS} NodeResourcesBalancedAllocation web {words} without {' '.join(generations.CHANGES)}"
    assert re.search("[一-鿿]", str(error.value))
    assert untranslated([str(error.value)], given) == {}


def test_a_chinese_reader_may_type_what_is_shown_with_full_width_marks() -> None:
    assert overview_path.panel(story="绑定失败").settings == overview_path.panel(story="bind failure").settings
    typed = queue_heap.panel().restore("calls：3")
    assert typed.settings == queue_heap.panel(calls=3).settings
    assert parse_seeds("1，3、5～7") == [1, 3, 5, 6, 7]


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_with_a_plugin_is_told_in_chinese(mistake: Callable[[], object]) -> None:
    with pytest.raises((ValueError, TypeError, KeyError)) as error:
        mistake()
    given = f"{' '.join(POINTS)} Cold Cooler Unmade plain dumps json nothing py none prepare NAME kschedlab plugins"
    assert re.search("[一-鿿]", str(error.value))
    assert untranslated([str(error.value)], given) == {}


WRONG_ANSWERS = (0.5, None, 7_000, 2**70)


def test_a_plugin_s_wrong_answer_is_told_in_chinese() -> None:
    world = cluster(*your_plugin.manifests())
    scores = [node_score("Half")(lambda pod, node, wrong=wrong: wrong) for wrong in WRONG_ANSWERS]  # type: ignore[misc]
    filters = [
        node_filter("Half")(lambda pod, node: 7),  # type: ignore[arg-type, return-value]
        node_filter("Half")(lambda pod, node: node.colour),
        node_filter("Half")(lambda pod, node: {}["zone"]),
    ]
    for plugin in (*scores, *filters):
        event = schedule("default/web", world, V1_37.plus(plugin)).event
        said = [FRAMEWORK.sub("", str(each)) for each in (event, check_plugin(plugin))]
        assert all(re.search("[一-鿿]", each) for each in said)
        assert (
            untranslated(said, "Half int None Status rack probe normalize colour name labels zone KeyError requested")
            == {}
        )
