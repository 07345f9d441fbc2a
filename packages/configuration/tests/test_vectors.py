"""Random configurations, run by the real schedulers and by this package."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from kschedlab.program.decide import decide_line
from kschedlab_configuration import load_configuration
from kschedlab_configuration.faults import decoded
from kschedlab_configuration.fields import KubeSchedulerConfiguration
from kschedlab_configuration.plugin_catalogues import V1
from tests.conformance.compare import differences
from tests.course import GENERATIONS

VECTORS = Path(__file__).parent / "vectors"


def rows(name: str) -> list[dict[str, Any]]:
    with gzip.open(VECTORS / name) as lines:
        return [json.loads(line) for line in lines]


PLUGINS = rows("plugins-v1.37.jsonl.gz")
FILES = "decisions.jsonl.gz", "devices.jsonl.gz"
DECISIONS = [pytest.param(row, id=row["scenario"]["id"]) for name in FILES for row in rows(name)]


@pytest.mark.parametrize("row", PLUGINS)
def test_profiles_run_the_same_plugins_as_the_real_scheduler(row):
    profiles = decoded(row["config"], KubeSchedulerConfiguration, (), []).profiles
    generations = load_configuration(json.dumps(row["config"]))
    for profile, (name, generation) in zip(profiles, generations.items(), strict=True):
        expected = row["profiles"][name]
        assert generation.percentage == expected.pop("percentageOfNodesToScore")
        plugins = V1.plugins(profile.plugins)
        assert {point: [list(pair) for pair in weights.items()] for point, weights in plugins.items()} == expected


@pytest.mark.parametrize("row", PLUGINS)
def test_generations_score_with_the_same_plugins(row):
    for name, generation in load_configuration(json.dumps(row["config"])).items():
        scores = [(score.name, weight) for score, weight in generation.scores]
        expected = [tuple(pair) for pair in row["profiles"][name]["score"]]
        assert scores == expected


@pytest.mark.parametrize("row", DECISIONS)
def test_decisions_equal_the_real_scheduler_s(row):
    profiles = load_configuration(json.dumps(row["config"]), GENERATIONS[row["generation"]])
    verdict = json.loads(json.dumps(decide_line(json.dumps(row["scenario"]), profiles)))
    assert not list(differences([row["verdict"]], [verdict]))


@pytest.mark.parametrize("row", DECISIONS)
def test_each_of_these_configurations_changes_the_decision(row):
    usual = decide_line(json.dumps(row["scenario"]), GENERATIONS[row["generation"]])
    assert list(differences([row["verdict"]], [json.loads(json.dumps(usual))]))
