"""The hashes of templates are those that v1.37's controllers compute (tests/oracle/hashes.py made the vectors)."""

import json
from pathlib import Path

import pytest

from kschedlab.manifests.decoding import decode
from kschedlab.objects.model import Deployment, StatefulSet
from kschedlab_simulation.controllers.template_hash import template_hash
from packages.simulation.tests.controllers.stage import NODE, Stage, owner, template
from tests.oracle.hashes import deployment_with, hashes

VECTORS = [json.loads(line) for line in (Path(__file__).parent / "template_hashes.jsonl").read_text().splitlines()]


@pytest.mark.parametrize("vector", VECTORS, ids=range(len(VECTORS)))
def test_hashes_are_the_real_ones(vector):
    assert hashes(vector["template"]) == {"hash": vector["hash"], "revision": vector["revision"]}


def test_a_collision_gives_another_hash():
    made, _ = decode(deployment_with(template()), "Deployment")
    spec = made.spec.template
    assert len({template_hash(spec), template_hash(spec, 1), template_hash(spec, 2)}) == 3


def test_replica_sets_and_revisions_are_named_by_them():
    stage = Stage(NODE, owner("Deployment"), owner("StatefulSet", "db")).run(1)
    names = hashes(owner("Deployment")["spec"]["template"])
    deployment, pods = stage.get(Deployment, "web"), stage.names()
    assert any(name.startswith(f"web-{names['hash']}-") for name in pods)
    assert deployment.metadata.annotations["deployment.kubernetes.io/revision"] == "1"
    assert stage.get(StatefulSet, "db").status.updateRevision == f"db-{names['revision']}"
