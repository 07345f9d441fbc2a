"""Settings of every test run. No test may depend on PYTHONHASHSEED: only notebooks run with a fixed one."""

import os

from hypothesis import HealthCheck, settings

# A shared machine can be slow; the property under test may still hold.
settings.register_profile("ci", deadline=None, print_blob=True, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("local", deadline=None)
settings.load_profile("ci" if os.environ.get("CI") else "local")
