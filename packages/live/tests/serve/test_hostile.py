"""Hostile requests get a Status with what is wrong; the server stays up and says nothing of its inside."""

import os
import random

import pytest

from packages.live.tests.serve.hostile import hostile
from packages.live.tests.serve.served import TWO_NODES, served

REQUESTS = int(os.environ.get("KSCHEDLAB_HOSTILE", "250"))
SEED = int(os.environ.get("KSCHEDLAB_SEED", "0"))


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    with served(tmp_path_factory.mktemp("hostile"), TWO_NODES, "--speed", "100") as each:
        yield each


@pytest.mark.parametrize("requests", [80, pytest.param(REQUESTS, marks=pytest.mark.nightly)])
def test_every_answer_is_a_status_or_an_object(cluster, requests):
    rng = random.Random(SEED)
    for number in range(requests):
        request = hostile(rng)
        answer = cluster.http.request(request.method, request.path, headers=request.headers, content=request.body)
        case = f"request {number} of seed {SEED}: {request}: {answer.text[:300]}"
        assert answer.status_code < 500 or answer.status_code == 501, case
        if request.method != "HEAD" and answer.status_code >= 400:
            status = answer.json()
            assert status["kind"] == "Status" and status["message"], case
            assert "Traceback" not in status["message"] and "kschedlab/" not in status["message"], case
    assert cluster.http.get("/readyz").text == "ok"
    assert cluster.http.get("/api/v1/pods").status_code == 200
