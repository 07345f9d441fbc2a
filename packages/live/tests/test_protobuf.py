"""Protobuf beside the real client: objects that client-go has written in both forms (real/clients, messages.go)."""

import base64
import gzip
import json
import random
from pathlib import Path

import pytest

from kschedlab_live.serve.kinds import SERVED
from kschedlab_live.wire.objects import without_nulls
from kschedlab_live.wire.protobuf import MAGIC, read_object
from kschedlab_simulation.status import ApiError

RECORDED = Path(__file__).parent / "data" / "messages.jsonl.gz"


def recorded() -> list[tuple[bytes, dict]]:
    lines = map(json.loads, gzip.decompress(RECORDED.read_bytes()).splitlines())
    return [(base64.b64decode(line["protobuf"]), line["json"]) for line in lines]


def test_it_reads_what_client_go_writes():
    kinds = set()
    for raw, written in recorded():
        assert without_nulls(read_object(raw)) == without_nulls(written)
        kinds.add((written["apiVersion"], written["kind"]))
    others = ("APIService", "CustomResourceDefinition")  # client-go's scheme has not these
    assert kinds >= {(version, each.kind) for (version, _), each in SERVED.items() if each.kind not in others}


@pytest.mark.parametrize(
    "raw",
    [b"k8s\0\x0a", b"k8s\0\x0b\x00", b"k8s\0" + b"\xff" * 20, b"k8s\0\x08\x01", b"k8s\0\x0a\x02\x0a\x01", b"no", b""],
)
def test_what_is_no_object_is_refused(raw):
    with pytest.raises(ApiError) as refused:
        read_object(raw)
    assert refused.value.code in (400, 415)


def test_damaged_objects_are_read_or_refused():
    rng = random.Random(0)
    for raw, _ in recorded() * 5:
        damaged = bytearray(raw[len(MAGIC) :])
        for _ in range(rng.randint(1, 4)):
            damaged[rng.randrange(len(damaged))] = rng.randrange(256)
        try:
            json.dumps(read_object(MAGIC + bytes(damaged)))
        except ApiError as refused:
            assert refused.code in (400, 415)
