"""The clock of a served cluster, and a cluster in which nothing happens."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from kschedlab.objects.meta import SECOND
from kschedlab.program.main import main
from kschedlab_live.serve.plane import Clock, speed_of
from kschedlab_live.serve.server import Server, Serving
from kschedlab_simulation.timeline.scenario import loads_scenario
from packages.live.tests.serve.served import TWO_NODES, served


def test_an_idle_cluster_sleeps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It looks at the clock when something is due, not all the time: a spinning loop turns thousands of times."""
    plane = Server(loads_scenario(TWO_NODES), Serving(tmp_path / "kubeconfig")).plane
    while not plane.advance():
        pass
    turns, advance = 0, plane.advance

    def counted() -> bool:
        nonlocal turns
        turns += 1
        return advance()

    monkeypatch.setattr(plane, "advance", counted)

    async def idle() -> None:
        following = asyncio.create_task(plane.run())
        await asyncio.sleep(1)
        following.cancel()

    asyncio.run(idle())
    assert 1 <= turns < 5


def test_a_step_is_as_long_as_it_was_asked_for_on_a_slow_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kschedlab_live.serve.plane.SLICE", -1.0)  # each event ends a slice
    plane = Server(loads_scenario(TWO_NODES), Serving(tmp_path / "kubeconfig", paused=True)).plane
    start = plane.now
    asyncio.run(plane.step(10 * SECOND))
    assert plane.now == plane.clock.now() == start + 10 * SECOND


class Wall:
    def __init__(self):
        self.seconds = 100.0

    def __call__(self):
        return self.seconds


def test_time_follows_the_wall_at_its_speed():
    wall = Wall()
    clock = Clock(7 * SECOND, speed=2, wall=wall)
    wall.seconds += 3
    assert clock.now() == 13 * SECOND
    assert clock.seconds_until(15 * SECOND) == 1
    clock.run(speed=10)
    wall.seconds += 1
    assert clock.now() == 23 * SECOND


def test_time_stands_and_moves_by_hand():
    wall = Wall()
    clock = Clock(0, paused=True, wall=wall)
    wall.seconds += 9
    assert clock.now() == 0 and clock.seconds_until(SECOND) is None
    clock.move(5)
    assert clock.now() == 5
    clock.run(paused=False)
    wall.seconds += 1
    assert clock.now() == SECOND + 5


@pytest.mark.parametrize("text", ["0", "-1", "1001", "nan", "inf", "fast", ""])
def test_speeds_that_are_none(text):
    with pytest.raises(ValueError, match="expected a number from 0.001 to 1000, such as 10"):
        speed_of(text)


def test_the_command_shows_and_changes_it(tmp_path, capsys):
    def clock(*arguments, status=0):
        assert main(["clock", *arguments, "--kubeconfig", str(tmp_path / "kubeconfig")]) == status
        out, error = capsys.readouterr()
        return (out or error).strip()

    assert "start kschedlab serve" in clock(status=2)
    timeline = "---\ntimeline:\n- {at: 30s, label: node/n1, labels: {late: 'yes'}}\n"
    with served(tmp_path, TWO_NODES + timeline, "--paused") as cluster:
        before = clock()
        assert before.endswith("stopped")
        assert clock("step", "10s") > before
        assert "late" not in cluster.http.get("/api/v1/nodes/n1").text
        clock("step", "20s")
        assert "late" in cluster.http.get("/api/v1/nodes/n1").text
        assert clock("speed", "5").endswith("stopped")
        assert clock("resume").endswith("running at speed 5")
        assert "pause it before you step" in clock("step", "1s", status=2)
        assert "takes no value" in clock("pause", "1", status=2)
        assert clock("pause").endswith("stopped")
