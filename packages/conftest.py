"""The packages' tests run with the settings of all tests: a shared machine can be slow."""

import tests.conftest  # noqa: F401
