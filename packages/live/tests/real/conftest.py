"""One real control plane for the tests of a file."""

from collections.abc import Iterator

import pytest

from packages.live.tests.real.plane import Plane, running


@pytest.fixture(scope="module")
def plane(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Plane]:
    with running(tmp_path_factory.mktemp("plane")) as found:
        yield found
