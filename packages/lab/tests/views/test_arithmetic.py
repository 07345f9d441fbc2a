"""Every line of arithmetic, worked out again, gives the number that the engine has, on the vectors' clusters."""

import math
import re
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from kschedlab.build import cluster, node, pod
from kschedlab.cluster.cluster import Cluster
from kschedlab.decision import Decision
from kschedlab.manifests.loading import decode_objects
from kschedlab.program.decide import Scenario
from kschedlab.scheduler import schedule
from kschedlab_lab.panels.score_cluster import PLUGINS
from kschedlab_lab.views.arithmetic import Calculation, added, steps, summed
from tests.conformance.compare import read
from tests.course import GENERATIONS
from tests.samples import sampled

SCENARIOS = Path(__file__).parents[4] / "tests" / "conformance" / "scenarios"
THEMES = ("images", "interpod", "mixed", "nodeaffinity", "resources", "spread", "taints", "owned")
UNITS = {"m": 1, "Mi": 1 << 20}
NUMBER = re.compile(r"(\d+)(Mi|m)(?![a-z])")


def value(formula: str) -> float:
    """The formula worked out."""
    plain = NUMBER.sub(lambda found: str(int(found[1]) * UNITS[found[2]]), formula)
    plain = re.sub(r"\|(.*)\|", r"abs(\1)", plain).replace("×", "*")
    if "ln(" not in plain and "abs(" not in plain and "((" not in plain:
        plain = plain.replace("/", "//")
    return float(eval(plain, {"ln": math.log, "max": max, "min": min, "abs": abs, "__builtins__": {}}))  # our own text


def result(step: Calculation) -> int:
    return int(NUMBER.sub(lambda found: str(int(found[1]) * UNITS[found[2]]), step.result))


def decisions(theme: str, generation: str, most: int = 30) -> Iterator[Decision]:
    """Decisions in which something is scored."""
    rules, found = GENERATIONS[generation], 0
    for line in read(SCENARIOS / f"{theme}.jsonl.gz"):
        scenario = msgspec.json.decode(line, type=Scenario)
        if scenario.pod and found < most:
            decision = schedule(scenario.pod, Cluster(decode_objects(scenario.objects), rules.api), rules)
            if decision.scores is not None:
                found += 1
                yield decision
    assert found > 5


@pytest.mark.parametrize("theme", sampled(THEMES, 4))
@pytest.mark.parametrize("generation", ["v1.20", "v1.37"])
def test_the_arithmetic_comes_out(theme: str, generation: str) -> None:
    for decision in decisions(theme, generation):
        scores = decision.scores
        assert scores is not None
        for place, position in list(enumerate(scores.nodes.tolist()))[:6]:
            node = decision.cluster.names[position]
            for which, plugin in enumerate(scores.plugins):
                told = steps(decision, plugin, node)
                numbers = {step.what: result(step) for step in told}
                row = scores.rows[which]
                expected = (row.raw[place], row.normalized[place], scores.results[which, place])
                assert (numbers["raw"], numbers["normalised"], numbers["weighted"]) == expected
                for step in told:
                    assert math.floor(value(step.formula)) == result(step), (plugin, node, str(step))
            assert value(summed(decision, node).formula) == scores.total[place]


def test_there_is_a_formula_for_each_plugin_of_the_lesson_somewhere() -> None:
    plugins, found = {*PLUGINS}, set()
    for theme in THEMES:
        for decision in decisions(theme, "v1.20", 20):
            for plugin in plugins - found:
                node = decision.cluster.names[int(decision.scores.nodes[0])]
                if any("/" in step.formula or "|" in step.formula for step in steps(decision, plugin, node)):
                    found.add(plugin)
    assert found == plugins


def test_where_every_node_has_0_all_get_the_least_points_or_the_most() -> None:
    decision = schedule(pod("p"), cluster(node("a"), node("b")), "v1.20")
    for plugin, score in (("NodeAffinity", "0"), ("TaintToleration", "100")):
        (final,) = (step for step in steps(decision, plugin, "a") if "everywhere" in step.remark)
        assert (final.result, final.remark) == (score, f"0 everywhere: all get {score}")


def test_sums_of_negative_numbers() -> None:
    assert added([50, -30, 0]) == "50 - 30 + 0"


def test_a_node_or_plugin_without_a_score_is_refused() -> None:
    decision = next(decisions("taints", "v1.20"))
    with pytest.raises(KeyError, match="Nobody has no score of"):
        steps(decision, "Nobody", decision.names[0])
