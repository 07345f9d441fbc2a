"""What a field means that a manifest leaves out."""

import importlib
import pkgutil
from collections.abc import Iterator

import msgspec

from kschedlab import objects

SET = {
    "CSIDriverSpec.attachRequired": True,
    "CronJobSpec.failedJobsHistoryLimit": 1,
    "CronJobSpec.successfulJobsHistoryLimit": 3,
    "DeploymentSpec.progressDeadlineSeconds": 600,
    "DeploymentSpec.revisionHistoryLimit": 10,
    "RollingUpdateDaemonSet.maxUnavailable": 1,
}
"""By field, what the API server puts there. v1.37: pkg/apis/apps/v1, batch/v1 and storage/v1, defaults.go."""


def defaults() -> Iterator[tuple[str, object]]:
    """Each number and each switch of an object that may be left out, and what it is then."""
    for module in pkgutil.iter_modules(objects.__path__, f"{objects.__name__}."):
        for part in vars(importlib.import_module(module.name)).values():
            if isinstance(part, type) and issubclass(part, msgspec.Struct):
                for field in msgspec.structs.fields(part):
                    if isinstance(field.default, int):
                        yield f"{part.__name__}.{field.name}", field.default


def test_a_number_or_switch_that_is_left_out_is_0_or_off_unless_the_api_server_sets_it():
    assert {field: value for field, value in defaults() if value} == SET
