"""The clock of a scheduler that runs in a real cluster."""

import time

from kschedlab_live.schedule.clock import WallClock


def test_it_shows_the_time_on_the_wall() -> None:
    assert abs(WallClock().now / 1_000_000 - time.time()) < 5
