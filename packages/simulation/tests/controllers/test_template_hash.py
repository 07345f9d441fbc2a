"""The hashes of templates are those that v1.37's controllers compute (tests/oracle/hashes.py made the vectors)."""

import json
from pathlib import Path

import pytest

from kschedlab.objects.model import Deployment, StatefulSet
from packages.simulation.tests.controllers.stage import NODE, Stage, owner
from tests.oracle.hashes import hashes

VECTORS = [json.loads(line) for line in (Path(__file__).parent / "template_hashes.jsonl").read_text().splitlines()]


@pytest.mark.parametrize("vector", VECTORS, ids=range(len(VECTORS)))
def test_hashes_are_the_real_ones(vector):
    assert hashes(vector["template"], vector.get("collisions")) == {
        "hash": vector["hash"],
        "revision": vector["revision"],
    }


def test_replica_sets_and_revisions_are_named_by_them():
    stage = Stage(NODE, owner("Deployment"), owner("StatefulSet", "db")).run(1)
    names = hashes(owner("Deployment")["spec"]["template"])
    deployment, pods = stage.get(Deployment, "web"), stage.names()
    assert any(name.startswith(f"web-{names['hash']}-") for name in pods)
    assert deployment.metadata.annotations["deployment.kubernetes.io/revision"] == "1"
    assert stage.get(StatefulSet, "db").status.updateRevision == f"db-{names['revision']}"
