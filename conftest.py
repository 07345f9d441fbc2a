"""Settings of every test run, also of one package alone.

No test may depend on PYTHONHASHSEED: only notebooks run with a fixed one.
"""

import gc
import os

import pytest
from hypothesis import HealthCheck, Phase, settings

# A shared machine can be slow; the property under test may still hold.
settings.register_profile("ci", deadline=None, print_blob=True, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("local", deadline=None)
# Whether there is an example, not the smallest one.
settings.register_profile(
    "any", deadline=None, phases=(Phase.explicit, Phase.generate), suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE") or ("ci" if os.environ.get("CI") else "local"))

# What is imported while the tests are collected stays: to look for garbage in it again and again takes long.
gc.disable()


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    gc.freeze()
    gc.enable()
    gc.set_threshold(50_000, 20, 10)  # a tenth of the processor's time less than with 700
