"""Random objects to validate: a valid object of every kind, then one or two edits of fields that the package reads.

The edits follow the types of the model: wherever a text, number, amount, list or map may stand, something else is put
there, mostly from the values that make a difference for a field of that name.
"""

import copy
import random
from collections.abc import Callable, Iterator
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, NamedTuple, Union, get_args, get_origin, get_type_hints

import msgspec

from kschedlab.manifests.decoding import KINDS
from kschedlab.objects.kinds import RESOURCES
from kschedlab.objects.meta import Time
from kschedlab.objects.quantity import Quantity
from tests.oracle.valid_objects import VALID

NAMES = ("a", "web-1", "a.b", "example.com/x", "kubernetes.io/x", "pods.example.com", "0", "default", "node-1", "data")
BAD_NAMES = ("", "A", "a_b", "-a", "a.", "a" * 63, "a" * 64, "a" * 253, "a" * 254, "a/b/c", "/a", "a/", "é", "a..b")
BAD_NAMES += (" a", "a b", "a\n", "Example.com/X", "a" * 64 + "/x", "x/" + "a" * 64, "_a", "1.2.3.4", "a,b", "a=b")
TEXTS: dict[str, tuple[str, ...]] = {
    "operator": ("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt", "Equal", "in", "", "gt"),
    "effect": ("NoSchedule", "PreferNoSchedule", "NoExecute", "None", "noschedule", "", "NoScheduleNoAdmit"),
    "whenUnsatisfiable": ("DoNotSchedule", "ScheduleAnyway", "donotschedule", ""),
    "nodeAffinityPolicy": ("Honor", "Ignore", "honor", ""),
    "nodeTaintsPolicy": ("Honor", "Ignore", "ignore", ""),
    "restartPolicy": ("Always", "OnFailure", "Never", "always", "", "never"),
    "preemptionPolicy": ("PreemptLowerPriority", "Never", "never", ""),
    "phase": ("Pending", "Running", "Succeeded", "Failed", "Unknown", "running", "", "Bound", "Available", "Lost"),
    "protocol": ("TCP", "UDP", "SCTP", "tcp", "", "HTTP"),
    "accessModes": ("ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod", "RWO", "readwriteonce", ""),
    "volumeMode": ("Filesystem", "Block", "block", ""),
    "reclaimPolicy": ("Delete", "Retain", "Recycle", "delete", ""),
    "persistentVolumeReclaimPolicy": ("Delete", "Retain", "Recycle", "delete", ""),
    "volumeBindingMode": ("Immediate", "WaitForFirstConsumer", "immediate", ""),
    "podManagementPolicy": ("OrderedReady", "Parallel", "parallel", ""),
    "unhealthyPodEvictionPolicy": ("IfHealthyBudget", "AlwaysAllow", "alwaysallow", ""),
    "status": ("True", "False", "Unknown", "true", ""),
    "resize": ("", "Proposed", "InProgress", "infeasible"),
    "type": ("Ready", "PodScheduled", "Available", "example.com/x", "", "a b"),
    "reason": ("", "Evicted", "a b", "DisruptionTarget"),
    "hostIP": ("", "10.0.0.1", "0.0.0.0", "::1", "127.0.0.1", "host", "10.0.0.01"),
    "podIP": ("", "10.0.0.1", "::1", "host"),
    "ip": ("", "10.0.0.1", "::1", "host", "10.0.0.256"),
    "iqn": ("iqn.2001-04.com.example:storage", "eui.02004567A425678D", "naa.52004567BA64678D", "iqn", "", "eui.1", "x"),
    "diskURI": ("https://a.blob.core.windows.net/c/d.vhd", "/subscriptions/a/disks/d", "", "disk"),
    "kind": ("Shared", "Dedicated", "Managed", "managed", "", "ReplicaSet", "Event"),
    "apiVersion": ("v1", "apps/v1", "", "a/b/c", "/", "apps/"),
    "name": (
        "a",
        "web-1",
        "main",
        "data",
        "http",
        "cpu",
        "http-port-name-toolong",
        "8080",
        "a--b",
        "system-node-critical",
        "system-x",
    ),
    "values": ("", "a", "5", "-3", "x y", "+5", "99999999999999999999", "a" * 63, "a" * 64, "1.5"),
    "key": ("metadata.name", "zone", "example.com/x", "", "a b", "kubernetes.io/hostname"),
    "finalizers": ("foregroundDeletion", "orphan", "example.com/x", "x", "", "a b"),
    "minAvailable": ("50%", "101%", "-1%", "half", "", "0%", "100%", "1000000000000%", "05%", "1"),
    "maxUnavailable": ("50%", "101%", "-1%", "half", "", "0%", "100%", "1000000000000%", "05%", "1"),
    "declaredFeatures": ("A", "UserNamespaces", "a", "A/b", "A/", "", "Z"),
    "allocationMode": ("ExactCount", "All", "", "all", "Exactly"),
    "matchAttribute": ("gpu.example.com/model", "model", "a/b/c", "/model", "gpu.example.com/", "", "x/1a"),
    "distinctAttribute": ("gpu.example.com/model", "model", "a/b/c", "/model", "gpu.example.com/", "", "x/1a"),
    "request": ("r0", "r1/s0", "r1", "r0/s0", "r1/s9", "", "r1/s0/x", "A"),
    "requests": ("r0", "r1/s0", "r1", "r0/s0", "r1/s9", "", "r1/s0/x", "A"),
    "source": ("FromClass", "FromClaim", "", "fromClass"),
    "pool": ("p0", "a/b", "", "A", "a//b", "a" * 254),
    "device": ("d0", "", "A", "a.b"),
    "counterSet": ("set-0", "", "A", "a.b"),
    "shareID": ("8f3b5c9e-0000-4000-8000-000000000001", "8F3B5C9E-0000-4000-8000-000000000001", "", "x"),
    "version": ("1.2.3", "1.2", "v1.2.3", "1.2.3-rc.1+b", "01.2.3", "", "1.2.3-" + "a" * 64),
    "string": ("a100", "", "a" * 64, "a" * 65, "é" * 33),
    "bindingConditions": ("Ready", "example.com/Ready", "Failed", "", "a b"),
    "bindingFailureConditions": ("Failed", "example.com/Failed", "Ready", "", "a b"),
    "extendedResourceName": (
        "example.com/gpu",
        "gpu",
        "kubernetes.io/gpu",
        "requests.a/b",
        "",
        "a b/c",
        "a/" + "b" * 60,
    ),
    "deviceClassName": ("gpu", "", "A", "a_b"),
    "driver": ("csi.example.com", "CSI.example.com", "a_b", "", "a" * 64),
    "provisioner": ("csi.example.com", "kubernetes.io/no-provisioner", "Example.com/X", "", "a b"),
    "attacher": ("csi.example.com", "CSI.example.com", "a_b", "", "a" * 64),
    "nodeID": ("a", "", "a" * 256, "a" * 257, "a b"),
    "storageClassName": ("standard", "", "A", "a_b"),
    "priorityClassName": ("high", "", "A", "a_b", "system-node-critical"),
    "uid": ("u", ""),
    "matchLabelKeys": ("app", "tier", "version", "example.com/tier", "", "a b"),
    "mismatchLabelKeys": ("app", "tier", "version", "example.com/tier", "", "a b"),
    "topologyKey": ("zone", "kubernetes.io/hostname", "", "a b"),
    "path": ("/data", "", "a/../b", "/..", "..a", "/"),
    "claimName": ("data", "web-logs", "web-1-logs", "data-0-data", "node-a-logs", "", "A"),
    "volumeName": ("pv-1", "", "A"),
    "generateName": ("web-", "", "A-"),
}
KEYS = (
    "model",
    "gpu.example.com/model",
    "1a",
    "a-b",
    "/x",
    "x/",
    "app",
    "example.com/x",
    "",
    "a b",
    "a/b/c",
    "A",
    "kubernetes.io/hostname",
    "a" * 64,
    "-a",
    "Example.com/x",
)
RESOURCE_KEYS = (
    "cpu",
    "memory",
    "ephemeral-storage",
    "storage",
    "pods",
    "example.com/gpu",
    "hugepages-2Mi",
    "hugepages-",
)
RESOURCE_KEYS += ("hugepages-x", "gpu", "", "requests.example.com/x", "requests.cpu", "kubernetes.io/x", "a b", "A/B")
RESOURCE_KEYS += (
    "attachable-volumes-x",
    "hugepages-3Mi",
    "requests.a/b",
    "limits.cpu",
    "x.kubernetes.io/y",
    "a/" + "b" * 60,
)
AMOUNTS = (
    "0",
    "1",
    "-1",
    "0.5",
    "100m",
    "1.5",
    "1e3",
    "1Gi",
    "2Mi",
    "3Mi",
    "-1m",
    "0.1m",
    "1n",
    "",
    "x",
    "1 ",
    "1i",
    "+1",
)
AMOUNTS += (0, 1, 2, -1, "4", "8", "2M", "-0.1m", "0.0001", "1E", "1.5Gi", "10", "1000000000n", "-0", "1e-3", "64")
AMOUNTS += ("9223372036854775807", "9223372036854775808", "9223372036854776k", "8Ei", "1e30", "1e65", "1e-65", "0" * 65)
NUMBERS = (
    -(2**31),
    -1,
    0,
    1,
    2,
    3,
    20,
    50,
    80,
    99,
    100,
    101,
    255,
    256,
    8080,
    65535,
    65536,
    10**9,
    10**9 + 1,
    2**31 - 1,
)
TOO_LARGE = (2**31, -(2**31) - 1, 2**63, -(2**63) - 1)
TIMES = ("2024-01-31T12:00:00Z", "2024-01-31T12:00:00+02:00", "2024-01-31T12:00:00.5Z", "2024-01-31", "", "now")
TIMES += ("2024-01-31 12:00:00Z", "2024-02-30T12:00:00Z", "2024-01-31T12:00:00", "2024-W01-1T00:00:00Z")
TIMES += (
    "2024-01-31T12:00:00z",
    "2024-01-31t12:00:00Z",
    "2024-01-31T25:00:00Z",
    "2024-01-31T12:00Z",
    "20240131T120000Z",
)
TIMES += ("2024-01-31T12:00:00+0200", "2024-01-31T12:00:00,5Z", "2024-01-31T12:00:60Z", "2024-01-31T24:00:00Z")
TIMES += ("2024-01-31T12:00:00.123456789Z", "2024-01-31T12:00:00+24:00", "0000-01-01T00:00:00Z", "2024-1-31T12:00:00Z")
WRONG_TYPES = ("text", 7, True, [], {}, ["x"], {"a": "b"}, 1.5, 1.0, 1e30)
NEVER = ("apiVersion", "kind")
"""Fields of an object that no edit touches: they say what it is."""


def random_object(rng: random.Random, kind: str | None = None) -> dict[str, Any]:
    """A valid object with up to three edits, mostly one."""
    kind = kind or rng.choices(tuple(VALID), [8 if each == "Pod" else 1 for each in VALID])[0]
    made = VALID[kind](rng)
    for _ in range(rng.choice((0, 1, 1, 1, 1, 1, 2, 2, 3))):
        edit(rng, made)
    return made


def edit(rng: random.Random, manifest: dict[str, Any]) -> None:
    """Change one place of the object."""
    places = list(_places(manifest, KINDS[manifest["kind"]]))
    present = [place for place in places if place.present]
    rng.choice(present if present and rng.random() < 0.75 else places).edit(rng)


class Place(NamedTuple):
    """A field of a map or an item of a list, with the type that the API expects there."""

    parent: Any
    key: Any
    expected: Any
    name: str

    @property
    def present(self) -> bool:
        """Whether something is there."""
        return not isinstance(self.parent, dict) or self.key in self.parent

    def edit(self, rng: random.Random) -> None:
        """Put something else there, or leave it out."""
        chance = rng.random()
        if self.present and chance < 0.15:
            del self.parent[self.key]
        elif chance < 0.18:
            self.parent[self.key] = None
        elif chance < 0.23:
            self.parent[self.key] = copy.deepcopy(rng.choice(WRONG_TYPES))
        elif self.present and isinstance(self.parent[self.key], list | dict) and chance < 0.8:
            _change_inside(rng, self.parent[self.key], self.expected, self.name)
        else:
            self.parent[self.key] = value_of(rng, self.expected, self.name)


def _change_inside(rng: random.Random, value: Any, expected: Any, name: str) -> None:
    """Add to a list or map, or double an item."""
    types = _members(expected)
    if isinstance(value, list) and types:
        if value and rng.random() < 0.5:
            value.insert(rng.randrange(len(value) + 1), copy.deepcopy(rng.choice(value)))
        else:
            value.append(value_of(rng, types[0], name))
    elif isinstance(value, dict) and get_origin(_plain(expected)) is dict:
        amounts = types[-1] is Quantity
        value[rng.choice(RESOURCE_KEYS if amounts else KEYS)] = value_of(rng, types[-1], name)
    elif isinstance(value, dict) and _is_struct(expected):
        fields = _fields(_plain(expected))
        if not fields:
            return
        field = rng.choice(tuple(fields))
        value[field] = value_of(rng, fields[field], field)


def _places(value: Any, expected: Any, name: str = "") -> Iterator[Place]:
    if isinstance(value, dict) and _is_struct(expected):
        for field, kind in _fields(_plain(expected)).items():
            if field in NEVER and "metadata" in value:
                continue
            yield Place(value, field, kind, field)
            yield from _places(value.get(field), kind, field)
    elif isinstance(value, dict) and get_origin(_plain(expected)) is dict:
        for key in value:
            yield Place(value, key, _members(expected)[1], name)
            yield from _places(value[key], _members(expected)[1], name)
    elif isinstance(value, list) and get_origin(_plain(expected)) is tuple:
        for i, item in enumerate(value):
            yield Place(value, i, _members(expected)[0], name)
            yield from _places(item, _members(expected)[0], name)


def _is_struct(expected: Any) -> bool:
    plain = _plain(expected)
    return isinstance(plain, type) and issubclass(plain, msgspec.Struct)


def _plain(expected: Any) -> Any:
    """The type without None, limits and alternatives."""
    if get_origin(expected) in (Union, UnionType):
        return _plain(next(member for member in get_args(expected) if member is not NoneType))
    return get_args(expected)[0] if get_origin(expected) is Annotated else expected


def _members(expected: Any) -> tuple[Any, ...]:
    return get_args(_plain(expected))


@cache
def _fields(struct: type[msgspec.Struct]) -> dict[str, Any]:
    """The types of a struct's fields. What is not modelled (Any) is left out."""
    hints = get_type_hints(struct, include_extras=True)
    names = zip(struct.__struct_encode_fields__, struct.__struct_fields__, strict=True)
    return {written: hints[name] for written, name in names if _plain(hints[name]) is not Any}


def value_of(rng: random.Random, expected: Any, name: str) -> Any:
    """A value of that type, valid or not, for a field of that name."""
    alternatives = [each for each in get_args(expected) if each is not NoneType]
    if get_origin(expected) in (Union, UnionType) and str in alternatives and len(alternatives) > 1:
        return rng.choice((_text, _number))(rng, name)
    plain = _plain(expected)
    if plain in _SCALARS:
        return _SCALARS[plain](rng, name)
    if get_origin(plain) is tuple:
        return [value_of(rng, get_args(plain)[0], name) for _ in range(rng.choice((0, 1, 1, 2)))]
    if get_origin(plain) is dict:
        amounts = get_args(plain)[1] is Quantity
        keys = RESOURCE_KEYS if amounts else KEYS
        return {rng.choice(keys): value_of(rng, get_args(plain)[1], "values") for _ in range(rng.choice((0, 1, 1, 2)))}
    fields = _fields(plain)
    chosen = rng.sample(tuple(fields), min(len(fields), rng.choice((0, 1, 1, 2, 3))))
    return {field: value_of(rng, fields[field], field) for field in chosen}


def _text(rng: random.Random, name: str) -> str:
    if name in TEXTS and rng.random() < 0.75:
        return rng.choice(TEXTS[name])
    return rng.choice(NAMES if rng.random() < 0.4 else BAD_NAMES)


def _number(rng: random.Random, name: str) -> int:
    return rng.choice(NUMBERS if rng.random() < 0.95 else TOO_LARGE)


_SCALARS: dict[Any, Callable[[random.Random, str], Any]] = {
    str: _text,
    int: _number,
    bool: lambda rng, _: rng.random() < 0.5,
    Quantity: lambda rng, _: rng.choice(AMOUNTS),
    Time: lambda rng, _: rng.choice(TIMES),
}
NOT_COMPARED = {"CronJob", "DaemonSet", "HorizontalPodAutoscaler", "LimitRange", "ResourceQuota"}
"""Kinds that only a simulation reads, of which names, labels and templates are checked."""
assert set(VALID) == {kind.__name__ for kind in RESOURCES} - NOT_COMPARED
