"""Random configurations, run by the real schedulers and by this package."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from kschedlab.generations import Generation
from kschedlab.manifests.loading import ManifestError
from kschedlab.program.decide import decide_line
from kschedlab_configuration import load_configuration
from kschedlab_configuration.faults import decoded
from kschedlab_configuration.versions import VERSIONS, Version
from tests.conformance.compare import differences

VECTORS = Path(__file__).parent / "vectors"


def rows(name: str) -> list[dict[str, Any]]:
    with gzip.open(VECTORS / name) as lines:
        return [json.loads(line) for line in lines]


VERSION_FILES = [path.name for path in sorted(VECTORS.glob("plugins-*.jsonl.gz"))]
PLUGINS = [(name.removesuffix(".jsonl.gz").split("-")[1], row) for name in VERSION_FILES for row in rows(name)]
FILES = "decisions.jsonl.gz", "devices.jsonl.gz", "betas.jsonl.gz"
DECISIONS = [pytest.param(row, id=row["scenario"]["id"]) for name in FILES for row in rows(name)]


def version_of(base: str, row: dict[str, Any]) -> Version:
    return next(each for each in VERSIONS if (each.base, each.name) == (base, row["config"]["apiVersion"]))


@pytest.mark.parametrize(("base", "row"), PLUGINS)
def test_profiles_run_the_same_plugins_as_the_real_scheduler(base, row):
    version = version_of(base, row)
    profiles = decoded(row["config"], version.configuration, (), []).profiles
    generations = load_configuration(json.dumps(row["config"]), base)
    for profile, (name, generation) in zip(profiles, generations.items(), strict=True):
        expected = dict(row["profiles"][name])
        assert generation.percentage == expected.pop("percentageOfNodesToScore")
        weights = version.catalogue.plugins(profile.plugins)
        lists = version.catalogue.lists(profile.plugins)
        assert {point: [[each, weights[point][each]] for each in lists[point]] for point in expected} == expected


@pytest.mark.parametrize(("base", "row"), PLUGINS)
def test_generations_score_with_the_same_plugins(base, row):
    """VolumeBinding never scores from v1.30 to v1.36, and ServiceAffinity is not modelled."""
    modelled = version_of(base, row).all_scores(Generation.named(base))
    for name, generation in load_configuration(json.dumps(row["config"]), base).items():
        scores = [(score.name, weight) for score, weight in generation.scores]
        expected = [tuple(pair) for pair in row["profiles"][name]["score"] if pair[0] in modelled]
        assert scores == list(dict.fromkeys(expected))


@pytest.mark.parametrize("row", rows("refused.jsonl.gz"))
def test_what_the_real_scheduler_refuses_is_refused(row):
    with pytest.raises(ManifestError):
        load_configuration(json.dumps(row["config"]), row["base"])


@pytest.mark.parametrize("row", rows("addresses.jsonl.gz"))
def test_bind_addresses_are_refused_in_the_real_scheduler_s_words(row):
    refused = []
    try:
        load_configuration(json.dumps(row["config"]), row["base"])
    except ManifestError as error:
        refused = [str(problem).removeprefix("<text>:1: ") for problem in error.problems]
    assert refused == sorted(row["errors"])


@pytest.mark.parametrize("row", DECISIONS)
def test_decisions_equal_the_real_scheduler_s(row):
    profiles = load_configuration(json.dumps(row["config"]), Generation.named(row["generation"]))
    verdict = json.loads(json.dumps(decide_line(json.dumps(row["scenario"]), profiles)))
    assert not list(differences([row["verdict"]], [verdict]))


@pytest.mark.parametrize("row", DECISIONS)
def test_each_of_these_configurations_changes_the_decision(row):
    usual = decide_line(json.dumps(row["scenario"]), Generation.named(row["generation"]))
    assert list(differences([row["verdict"]], [json.loads(json.dumps(usual))]))
