"""Where the package's validation differs from the API server's on purpose, with the reasons.

docs/validation.md shows both lists; a test compares them.
"""

import re
from typing import NamedTuple


class Difference(NamedTuple):
    """A difference. ``kinds``, ``where``, ``what``: regular expressions for the kind, the path and the message."""

    name: str
    reason: str
    where: str
    what: str = ""
    kinds: str = ".*"

    def covers(self, kind: str, where: str, what: str) -> bool:
        """Whether this finding is the difference."""
        return bool(re.fullmatch(self.kinds, kind) and re.fullmatch(self.where, where) and re.search(self.what, what))


VECTORS = "The real scheduler's vectors contain it, so its answer is known. A warning says that the API refuses it."
CLAIMED = "The simulation provisions it for a claim without a request. A warning says that the API refuses it."
GATE = "A feature gate that is off by default decides; an export of a cluster where it is on has it. A warning says so."
UNREAD = "No scheduler reads it."
SOURCES = "The model has the sources that schedulers read; others, such as nfs, it cannot tell from none."
STATUS = "A controller or kubelet writes it, no scheduler reads it, and exports of older versions have it."
OWNER = "Written by hand, a manifest cannot know the uid: the simulation finds the owner by its kind and name."
GENERATED = "An exported Job has the selector that the API server gave it."


DROPPED = "Without its gate the API server drops it, and with the gate refuses it; here, nothing is dropped in silence."
EMPTY = "An empty list is the same as none here."

VOLUME, SLICE = "PersistentVolume", "ResourceSlice"
PODS = "(?!ResourceClaim).*"
WORKLOADS = "ReplicaSet|StatefulSet|Deployment|Job|ReplicationController"

LET_THROUGH = (
    Difference("A container without an image", UNREAD, r".*ontainers\[\d+\]\.image", "Required"),
    Difference("What exitCodes of restartPolicyRules say", UNREAD, r".*\.exitCodes\..*"),
    Difference("A Service's ports", UNREAD, r"spec\.ports.*", "", "Service"),
    Difference("A StatefulSet's serviceName", UNREAD, r"spec\.serviceName", "", "StatefulSet"),
    Difference("A PersistentVolume without a source", SOURCES, "spec", "must specify a volume type", VOLUME),
    Difference("A PersistentVolume without capacity", CLAIMED, r"spec\.capacity", r"Required|: (null|\{\})", VOLUME),
    Difference("A claim without a request for storage", VECTORS, r".*resources\[storage\]", "Required"),
    Difference("The same taint twice", VECTORS, r"metadata\.taints\[\d+\]", "unique by key and effect", "Node"),
    Difference("The same host port twice in a pod", VECTORS, r".*\.hostPort", "Duplicate"),
    Difference("The form of iscsi.iqn and azureDisk.diskURI", VECTORS, r".*\.(iqn|diskURI)", "format|Unsupported"),
    Difference("ReadWriteOncePod with other access modes", VECTORS, r"spec\.accessModes", "may not use", VOLUME),
    Difference("A local volume without nodeAffinity", VECTORS, r"spec\.nodeAffinity", "Local", VOLUME),
    Difference("volumeAttributesClassName without csi", VECTORS, r"spec\.csi", "volumeAttributesClass", VOLUME),
    Difference("A topology twice", VECTORS, r"allowedTopologies.*(Expressions|key)", "Duplicate", "StorageClass"),
    Difference(
        "Tolerations with Gt and Lt", GATE, r".*tolerations\[\d+\]\.operator", 'NotSupported.*: "(Gt|Lt)"', PODS
    ),
    Difference(
        "Attributes that are lists, and selectors for them",
        GATE,
        r".*\.(attributes\[.*\]|cel\.expression)",
        "exactly one value must|must specify one of: .int|undeclared reference to 'includes'|expression of type 'any'",
        "ResourceSlice|DeviceClass|ResourceClaim.*",
    ),
    Difference("hostNetwork with hostUsers: false", GATE, r".*spec\.hostNetwork", "hostUsers"),
    Difference("An owner without apiVersion or uid", OWNER, r".*ownerReferences.*\.(apiVersion|uid)", "Required"),
    Difference("A Job's selector", GENERATED, r"spec\.(selector|template\.metadata.*)", "auto-|does not", "Job"),
    Difference("Other metadata of a claim's template", UNREAD, r".*laimTemplate\.metadata\..*", "cannot be set"),
    Difference("nominatedNodeName of a bound pod", STATUS, r"status\.nominatedNodeName", "already bound", "Pod"),
    Difference("hostIP, podIP and podIPs of a pod", STATUS, r"status\.(hostIP|podIP).*", "", "Pod"),
    Difference("A pod's qosClass", STATUS, r"status\.qosClass", "immutable", "Pod"),
    Difference("The conditions of a budget", STATUS, r"status\.conditions.*", "", "PodDisruptionBudget"),
    Difference("The metadata in a ResourceClaimTemplate", UNREAD, r"spec\.metadata\..*", "", "ResourceClaimTemplate"),
    Difference("An empty list of devices or counters beside the other", EMPTY, "spec", "only one of .shared", SLICE),
    Difference("A pod's extendedResourceClaimStatus", STATUS, r"status\.extendedResourceClaimStatus.*", "", "Pod"),
    Difference("The conditions of a DeviceTaintRule", STATUS, r"status\.conditions.*", "", "DeviceTaintRule"),
    Difference(
        "What drivers write of a claim's devices", STATUS, r"status\.devices.*", "^(?!.*an allocated)", "ResourceClaim"
    ),
    Difference("The status of a workload", STATUS, r"status\b.*", "", WORKLOADS),
)
"""What the API server refuses and the package accepts."""

REFUSED_HERE = (
    Difference(
        "Devices and counters in one slice",
        "The API server refuses it, too: only its answer to an empty list differs.",
        "spec",
        "has both shared",
        SLICE,
    ),
    Difference(
        "An attribute with a list beside another value", DROPPED, r"spec\.devices.*", "must have exactly one of", SLICE
    ),
    Difference(
        "An invalid list of an attribute, and invalid compatibilityGroups",
        DROPPED,
        r"spec\.devices.*\.(ints|bools|strings|versions|compatibilityGroups)\b.*",
        "",
        SLICE,
    ),
    Difference("Invalid claims of a pod group", DROPPED, r"(spec|status)\.resourceClaim.*", "", "PodGroup"),
    Difference("A schedulingGroup without a valid podGroupName", DROPPED, r".*spec\.schedulingGroup.*"),
    Difference(
        "A pod's phase that does not exist",
        "Pods that have succeeded or failed hold no resources: a misspelt phase changes decisions.",
        r"status\.phase",
        "is not a valid value",
        "Pod",
    ),
    Difference(
        "Amounts beyond 2^63 - 1 (of cpu: thousandths)",
        "The real scheduler's sums wrap around, and it decides on a wrong number.",
        ".*",
        "is too large|or too large|less than 8Ei",
    ),
    Difference(
        "Amounts with an exponent beyond 64, or with more than 64 characters",
        "Go computes for minutes, or its exponent wraps around.",
        ".*",
        "exponent is beyond 64|more than 64 characters",
    ),
    Difference(
        "Times in the year 0, and offsets of 24 hours",
        "Python's calendar lacks them.",
        ".*",
        r'"(0000-|.*24:00").*not a time',
    ),
)
"""What the API server accepts and the package refuses."""
