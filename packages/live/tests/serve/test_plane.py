"""A served cluster in which nothing happens."""

import asyncio
from pathlib import Path

import pytest

from kschedlab_live.serve.server import Server, Serving
from kschedlab_simulation.timeline.scenario import loads_scenario
from packages.live.tests.serve.served import TWO_NODES


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
    assert 1 <= turns < 100
