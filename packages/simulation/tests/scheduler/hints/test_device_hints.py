"""Hints about devices; the vectors hold the answers of v1.37's own hints."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from kschedlab.build import cluster
from kschedlab.filter.dynamic_resources import DynamicResources
from kschedlab.filter.node_resources import NodeResourcesFit
from kschedlab.manifests.decoding import decode
from kschedlab.manifests.defaults import with_defaults
from kschedlab.queue.events import event
from kschedlab.queue.requeueing import EventHints
from kschedlab_simulation.scheduler.hints.table import queueing_hints
from packages.devices.tests.device_manifests import unchecked

VECTORS = Path(__file__).parent / "vectors" / "device-hints.jsonl.gz"
with gzip.open(VECTORS) as lines:
    SCENARIOS = [json.loads(line) for line in lines]


def document(data: dict[str, Any] | None) -> Any:
    if data is None:
        return None
    found, faults = decode(data, data["kind"])
    assert not faults, faults
    return with_defaults(found, {})


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario["id"])
def test_hints_answer_as_the_real_plugins(scenario: dict[str, Any]) -> None:
    claims = [each for each in scenario["objects"] if each["kind"] == "ResourceClaim"]
    world = cluster(*(each for each in scenario["objects"] if each not in claims))
    for claim in claims:
        world.add(unchecked(claim))
    registrations = EventHints(queueing_hints([NodeResourcesFit(), DynamicResources()], lambda: world))
    pod = world.pending[scenario["pod"]].pod
    answers = []
    for asked in scenario["questions"]:
        hints = registrations.hints_for(event(asked["resource"], asked["action"]))[asked["plugin"]]
        answers.append(any(hint(pod, document(asked.get("old")), document(asked.get("new"))) for hint in hints))
    assert answers == scenario["answers"]


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario["id"])
def test_a_pod_that_is_not_asked_would_have_stayed(scenario: dict[str, Any]) -> None:
    """Only pods that name what an event concerns are asked; the real hints want none of the others."""
    world = cluster(*(each for each in scenario["objects"] if each["kind"] != "ResourceClaim"))
    registrations = EventHints(queueing_hints([NodeResourcesFit(), DynamicResources()], lambda: world))
    named = registrations.every_narrowing.names(world.pending[scenario["pod"]].pod)
    for asked, answer in zip(scenario["questions"], scenario["answers"], strict=True):
        happened = event(asked["resource"], asked["action"])
        registrations.hints_for(happened)
        concerned = registrations.narrowings[happened].concerned(document(asked.get("old")), document(asked.get("new")))
        assert concerned is None or not answer or named & concerned
