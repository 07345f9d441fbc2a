"""Statuses: as JSON they are what apimachinery v0.37.0 makes of the same errors (statuses.json)."""

import json
from pathlib import Path

import msgspec
import pytest

from kschedlab.objects.model import Pod, PodDisruptionBudget, ReplicaSet
from kschedlab.objects.problems import Fault
from kschedlab_simulation.status import (
    ApiError,
    StatusCause,
    field_error,
    forbidden_value,
    ignore_deleted,
    invalid_value,
    required,
)

REAL = json.loads(Path(__file__).with_name("statuses.json").read_text(encoding="utf-8"))
FIELDS = [
    required("spec.containers"),
    invalid_value("spec.replicas", -1, "must be greater than or equal to 0"),
    forbidden_value("spec", "no"),
    invalid_value("metadata.name", 'A"b<c>', "bad"),
]
CAUSE = StatusCause("DisruptionBudget", "The disruption budget b needs 2 healthy pods and has 2 currently")
OURS = {
    "not_found": ApiError.not_found(Pod, "web"),
    "not_found_group": ApiError.not_found(PodDisruptionBudget, "b"),
    "already_exists": ApiError.already_exists(Pod, "web"),
    "no_name_left": ApiError.name_generation_failed(Pod, "web-x"),
    "conflict": ApiError.conflict(PodDisruptionBudget, "b"),
    "binding": ApiError.conflict(Pod, "web", 'pod web is already assigned to node "n1"', resource_name="pods/binding"),
    "forbidden": ApiError.forbidden(Pod, "web", "no PriorityClass with name high was found"),
    "expired": ApiError.expired(3, 7),
    "gone": ApiError.gone("gone"),
    "invalid": ApiError.invalid(ReplicaSet, "rs", FIELDS),
    "invalid_one": ApiError.invalid(Pod, "web", FIELDS[:1]),
    "invalid_none": ApiError.invalid(Pod, "web", []),
    "bad_request": ApiError.bad_request("no sense"),
    "too_many_requests": ApiError.too_many_requests(
        "Cannot evict pod as it would violate the pod's disruption budget.", 0, CAUSE
    ),
    "later": ApiError.too_many_requests("later", 10),
}


@pytest.mark.parametrize("name", sorted(REAL))
def test_statuses_equal_the_real_ones(name: str) -> None:
    assert json.loads(msgspec.json.encode(OURS[name].status)) == REAL[name]


def test_what_no_rule_refuses_has_the_servers_own_codes() -> None:
    """apimachinery pkg/api/errors, NewGenericServerResponse; apiserver responsewriters/status.go, ErrorToAPIStatus."""
    missing, broken = ApiError.no_such_resource(), ApiError.unknown("broken")
    assert (missing.code, missing.reason) == (404, "NotFound") and (broken.code, broken.reason) == (500, "")


def test_an_error_prints_its_message() -> None:
    error = OURS["not_found"]
    assert (str(error), error.code, error.reason) == ('pods "web" not found', 404, "NotFound")


def test_what_is_gone_or_replaced_is_ignored_but_nothing_else() -> None:
    for ignored in ("not_found", "conflict"):
        with ignore_deleted():
            raise OURS[ignored]
    with pytest.raises(ApiError, match="no sense"), ignore_deleted():
        raise OURS["bad_request"]


def test_faults_of_validation_become_causes() -> None:
    missing = field_error(Fault(("spec", "containers", 0, "name"), "is missing"))
    wrong = field_error(Fault(("spec", "containers", 0, "image"), '"A" is not a name'))
    assert (missing.type, missing.field, missing.body) == (
        "FieldValueRequired",
        "spec.containers[0].name",
        "Required value",
    )
    assert (wrong.type, wrong.body) == ("FieldValueInvalid", 'Invalid value: "A" is not a name')
