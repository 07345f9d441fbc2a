"""Checks of single fields: choices, names, numbers, labels, selectors and amounts.

v1.37: k8s.io/apimachinery pkg/api/validation, pkg/apis/meta/v1/validation, pkg/apis/core/validation. Each check appends
to ``faults``, with paths in the manifest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache

from kschedlab.messages import later
from kschedlab.objects.model import LabelSelector, LabelSelectorRequirement, ResourceList
from kschedlab.objects.names import label_key_fault, label_value_fault, name_fault
from kschedlab.objects.problems import WRITTEN, Faults, Path, one_of, shortened
from kschedlab.objects.quantity import INT64_MAX, NANO, Quantity, QuantityError
from kschedlab.objects.requests import is_extended, is_pod_level
from kschedlab.objects.selectors import label_expression_fault

_SET_OPERATORS = ("In", "NotIn", "Exists", "DoesNotExist")
PREEMPTION_POLICIES = ("PreemptLowerPriority", "Never")
RESTART_POLICIES = ("Always", "OnFailure", "Never")
EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")


def check_choice(value: str, choices: Iterable[str], path: Path, faults: Faults) -> None:
    if value not in choices:
        problem = later('"{value}" is not a valid value', value=shortened(value)) if value else later("is missing")
        faults.note(path, "{problem}: expected {choices}", problem=problem, choices=one_of(choices))


def check_present(value: object, path: Path, faults: Faults) -> None:
    if not value:
        faults.note(path, "is missing")


def check_name(name: str, path: Path, faults: Faults, fault_of: Callable[[str], str | None] = name_fault) -> None:
    faults.note(path, fault_of(name) if name else "is missing")


def check_count(count: int | None, path: Path, faults: Faults) -> None:
    if count is not None and count < 0:
        faults.note(path, "{value} is negative", value=count)


def check_labels(labels: dict[str, str], path: Path, faults: Faults) -> None:
    for key, value in labels.items():
        if fault := label_key_fault(key) or label_value_fault(value):
            faults.note((*path, key), fault)


def check_selector(selector: LabelSelector | None, path: Path, faults: Faults) -> None:
    if selector is None:
        return
    check_labels(selector.matchLabels, (*path, "matchLabels"), faults)
    for i, e in enumerate(selector.matchExpressions):
        check_expression(e, _SET_OPERATORS, (*path, "matchExpressions", i), faults)


def check_expression(
    requirement: LabelSelectorRequirement,
    operators: tuple[str, ...],
    path: Path,
    faults: Faults,
    free_values: bool = False,
) -> None:
    """Check a requirement on labels. ``free_values``: its values need not be valid label values."""
    if fault := label_expression_fault(requirement.operator, requirement.values, operators):
        faults.note((*path, fault[0]), fault[1])
    faults.note((*path, "key"), label_key_fault(requirement.key))
    for i, value in enumerate(() if free_values else requirement.values):
        faults.note((*path, "values", i), label_value_fault(value))


_STANDARD = frozenset({"cpu", "memory", "ephemeral-storage"})
_INTEGERS = frozenset(
    ("pods", "resourcequotas", "services", "replicationcontrollers", "secrets", "configmaps")
    + ("persistentvolumeclaims", "services.nodeports", "services.loadbalancers")
)
HUGE_PAGES = "hugepages-"


def check_requested(resources: ResourceList, path: Path, faults: Faults, pod_level: bool = False) -> None:
    """Check the names and amounts of what a container, a pod or its overhead asks for."""
    for name, amount in resources.items():
        if pod_level and not is_pod_level(name):
            message = later('"{name}" cannot be requested at pod level: use cpu, memory or hugepages-...')
            faults.note((*path, name), message, name=shortened(name))
        elif fault := _requested_fault(name, amount):
            faults.note((*path, name), fault, str(amount))


@lru_cache(65536)
def _requested_fault(resource: str, amount: Quantity) -> str | None:
    return _resource_fault(resource) or amount_fault(resource, amount) or _huge_page_fault(resource, amount)


@lru_cache(4096)
def _resource_fault(name: str) -> str | None:
    if name in _STANDARD or (name.startswith(HUGE_PAGES) and "/" not in name):
        return label_key_fault(name)
    if "/" not in name:
        message = later('"{name}" is not a resource: use cpu, memory, ephemeral-storage, hugepages-... or domain/name')
        return later(message, name=shortened(name))
    if (fault := label_key_fault(name)) or "kubernetes.io/" in name or is_extended(name):
        return fault
    message = later('"{name}" is not a resource: a name with a domain must not start with "requests."')
    return later(message, name=shortened(name))


@lru_cache(65536)
def amount_fault(resource: str, amount: Quantity) -> str | None:
    """What is wrong with an amount: negative, a fraction where only whole numbers count, or too large."""
    if amount.nanos < 0:
        return later("{value} is negative", value=WRITTEN)
    if (resource in _INTEGERS or is_extended(resource)) and amount.nanos % NANO:
        return later("{value} is not a whole number: {resource} cannot be divided", value=WRITTEN, resource=resource)
    if amount.overflows(milli=resource == "cpu"):
        unit = later("milli cpu") if resource == "cpu" else later("units")
        return later(
            "{value} is too large: the scheduler counts at most {most} {unit}", value=WRITTEN, most=INT64_MAX, unit=unit
        )
    return None


def _huge_page_fault(resource: str, amount: Quantity) -> str | None:
    """What is wrong with an amount of huge pages: it must be a multiple of the page's size."""
    if not resource.startswith(HUGE_PAGES):
        return None
    size = resource.removeprefix(HUGE_PAGES)
    try:
        page = Quantity(size)
    except QuantityError:
        return later('"{size}" in its name is not the size of a page, such as 2Mi', size=shortened(size))
    if page.nanos <= 0 or page.nanos % NANO or amount.value() % page.value():
        return later("{value} is not a multiple of the size of a page, {size}", value=WRITTEN, size=size)
    return None
