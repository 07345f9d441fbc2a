"""Protobuf beside the real client: objects that client-go has written in both forms (real/clients, messages.go)."""

import base64
import gzip
import json
import random
from pathlib import Path

import pytest

from kschedlab_live.serve.kinds import SERVED
from kschedlab_live.wire.objects import parsed, without_nulls
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


# -- messages by hand: k8s.io/api core/v1 and coordination/v1, apimachinery meta/v1, generated.proto of v1.37


def number(field: int, value: int) -> bytes:
    return varint(field << 3) + varint(value)


def varint(value: int) -> bytes:
    return bytes([value]) if value < 128 else bytes([value & 127 | 128]) + varint(value >> 7)


def part(field: int, *inside: bytes) -> bytes:
    return varint(field << 3 | 2) + varint(len(b"".join(inside))) + b"".join(inside)


def read(api_version: str, kind: str, *inside: bytes) -> dict:
    return read_object(MAGIC + part(1, part(1, api_version.encode()), part(2, kind.encode())) + part(2, *inside))


def metadata(*inside: bytes) -> dict:
    return read("v1", "ConfigMap", part(1, *inside))["metadata"]


def test_fields_of_a_later_version_are_passed_over():
    later = varint(99 << 3 | 1) + b"8 bytes!", varint(98 << 3 | 5) + b"four", number(97, 2**63), part(96, b"text")
    assert metadata(*later, part(1, b"a")) == {"name": "a"}


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (b"\x05", 5),
        (varint(2**63 - 1), 2**63 - 1),
        (varint(2**63), -(2**63)),
        (varint(2**64 - 1), -1),
        (b"\xff" * 9 + b"\x7f", -1),  # Go drops what is beyond 64 bits
        (b"\xff" * 10 + b"\x01", None),
    ],
)
def test_a_number_has_64_bits_in_ten_bytes_at_most(written, expected):
    field = varint(7 << 3) + written  # generation
    if expected is None:
        with pytest.raises(ApiError, match="more than ten bytes"):
            metadata(field)
    else:
        assert metadata(field) == {"generation": expected}


@pytest.mark.parametrize(
    ("inside", "moment"),
    [
        ((number(1, 0),), "1970-01-01T00:00:00Z"),
        ((number(2, 5),), "1970-01-01T00:00:00Z"),
        ((number(1, 253_402_300_799),), "9999-12-31T23:59:59Z"),
        ((number(1, 253_402_300_800),), None),
        ((number(1, 2**64 - 1),), None),
    ],
)
def test_a_moment_is_from_1970_to_9999(inside, moment):
    if moment is None:
        with pytest.raises(ApiError, match="from 1970 to 9999"):
            metadata(part(8, *inside))
    else:
        assert metadata(part(8, *inside)) == {"creationTimestamp": moment}


@pytest.mark.parametrize(
    ("inside", "moment"),
    [
        ((number(1, 90),), "1970-01-01T00:01:30.000000Z"),
        ((number(2, 1_999),), "1970-01-01T00:00:00.000001Z"),
        ((number(1, 1), number(2, 999_999_999)), "1970-01-01T00:00:01.999999Z"),
    ],
)
def test_a_moment_may_have_microseconds(inside, moment):
    lease = read("coordination.k8s.io/v1", "Lease", part(2, part(4, *inside)))
    assert lease["spec"]["renewTime"] == moment


def test_what_is_not_written_is_empty():
    """A map's value, the number of an IntOrString, the JSON of managed fields."""
    assert metadata(part(11, part(1, b"a"))) == {"labels": {"a": ""}}
    assert read("v1", "ConfigMap", part(3, part(1, b"a")))["binaryData"] == {"a": ""}
    for inside, most in (((), 0), ((number(2, 3),), 3), ((number(1, 1), part(3, b"25%")), "25%")):
        deployment = read("apps/v1", "Deployment", part(2, part(4, part(2, part(1, *inside)))))
        assert deployment["spec"]["strategy"]["rollingUpdate"] == {"maxUnavailable": most}
    entries = metadata(part(17, part(7, part(1, b'{"f:data":{}}'))))["managedFields"]
    assert [each["fieldsV1"] for each in entries] == [{"f:data": {}}]


@pytest.mark.parametrize(("begin", "end"), [(b"[", b"]"), (b'{"a":', b"}")])
def test_a_body_nests_a_hundred_levels(begin, end):
    inner = begin.replace(b'"a":', b"") + end
    parsed(begin * 99 + inner + end * 99)
    with pytest.raises(ApiError, match="deeper than 100 levels"):
        parsed(begin * 100 + inner + end * 100)
