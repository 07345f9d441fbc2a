"""What waits before it tries again does not wait."""

import pytest


@pytest.fixture
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """What waits before it tries again does not wait."""
    for name in ("FIRST_PAUSE", "LONGEST_PAUSE", "ABSENT_PAUSE"):
        monkeypatch.setattr(f"kschedlab_live.schedule.reflector.{name}", 0.001)
