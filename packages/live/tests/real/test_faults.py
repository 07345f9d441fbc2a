"""What goes wrong in a cluster: nothing is bound twice, and no pod is lost."""

from __future__ import annotations

import json
import socket
import threading
from contextlib import suppress
from pathlib import Path

from packages.live.tests.real.plane import TOKEN, Kubelets, Plane, node, pod, until
from packages.live.tests.real.schedulers import Program, scheduler

LEASE = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kschedlab"
CREATED = 40


def cluster(plane: Plane) -> None:
    if not plane.call("GET", "/api/v1/nodes")[1]["items"]:
        plane.create(*(node(f"n{i:02d}") for i in range(10)))


def burst(plane: Plane, prefix: str, count: int = CREATED) -> None:
    plane.create(*(pod(f"{prefix}-{i:02d}") for i in range(count)))


def check(kubelets: Kubelets, plane: Plane, prefix: str, count: int) -> None:
    """All are bound, and each was only ever seen on one node."""
    assert len(plane.bound(prefix)) == count
    assert all(len(nodes) == 1 for nodes in kubelets.seen.values())


def test_the_api_server_goes_and_comes_back(plane: Plane) -> None:
    cluster(plane)
    burst(plane, "away")
    with scheduler(plane.kubeconfig, "--no-lease") as program, Kubelets(plane) as kubelets:
        until(lambda: plane.bound("away"))
        plane.stop_server()
        program.wait_for("cannot watch")
        plane.start_server()
        burst(plane, "back")
        until(lambda: len(plane.bound("away")) == len(plane.bound("back")) == CREATED)
        check(kubelets, plane, "away", CREATED)
        check(kubelets, plane, "back", CREATED)


def test_two_without_a_lease_bind_each_pod_once(plane: Plane) -> None:
    """Their bindings conflict all the time."""
    cluster(plane)
    own = plane.kubeconfig, "--no-lease"
    with scheduler(*own) as one, scheduler(*own) as two, Kubelets(plane) as kubelets:
        for each in (one, two):
            each.wait_for("synchronized")
        burst(plane, "twice", 2 * CREATED)
        until(lambda: len(plane.bound("twice")) == 2 * CREATED)
        until(lambda: one.says("is already assigned to node") or two.says("is already assigned to node"))
        check(kubelets, plane, "twice", 2 * CREATED)
        burst(plane, "after", 5)
        until(lambda: len(plane.bound("after")) == 5)


class Cable:
    """Everything between the scheduler and the API server goes through here, until it is cut."""

    def __init__(self, port: int) -> None:
        self._to = port
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = self._listening.getsockname()[1]
        self._open: list[socket.socket] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                here, _ = self._listening.accept()
                there = socket.create_connection(("127.0.0.1", self._to))
            except OSError:
                return
            self._open += [here, there]
            for pair in ((here, there), (there, here)):
                threading.Thread(target=self._carry, args=pair, daemon=True).start()

    @staticmethod
    def _carry(source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(65536):
                target.sendall(data)
        for each in (source, target):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)

    def cut(self) -> None:
        """Break all connections; new ones work."""
        broken, self._open = self._open, []
        for each in broken:
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()

    def close(self) -> None:
        self._listening.close()
        self.cut()


def test_the_watches_are_cut_again_and_again(plane: Plane, tmp_path: Path) -> None:
    cluster(plane)
    cable, access = Cable(plane.port), plane.access(TOKEN)
    access["clusters"][0]["cluster"]["server"] = f"https://127.0.0.1:{cable.port}"
    path = tmp_path / "kubeconfig"
    path.write_text(json.dumps(access), encoding="utf-8")
    with scheduler(path, "--no-lease") as program, Kubelets(plane) as kubelets:
        program.wait_for("synchronized")
        for number in range(4):
            burst(plane, f"cut{number}", 10)
            cable.cut()
        until(lambda: len(plane.bound("cut")) == 40)
        check(kubelets, plane, "cut", 40)
    cable.close()


def test_one_leads_and_the_next_takes_over_at_once_when_it_stops(plane: Plane) -> None:
    cluster(plane)
    with scheduler(plane.kubeconfig) as one:
        one.wait_for("leads")
        with scheduler(plane.kubeconfig) as two:
            two.wait_for("synchronized")
            burst(plane, "first", 10)
            until(lambda: len(plane.bound("first")) == 10)
            assert not two.says("leads") and not two.says("Scheduled")
            assert one.stop() == 0
            two.wait_for("leads", 10)
            burst(plane, "second", 10)
            until(lambda: len(plane.bound("second")) == 10)


def test_a_leader_that_lost_its_lease_ends_and_binds_nothing_more(plane: Plane) -> None:
    cluster(plane)
    program = Program(plane.kubeconfig)
    try:
        program.wait_for("leads")
        now = plane.call("GET", LEASE)[1]["spec"]["renewTime"]
        stolen = {"spec": {"holderIdentity": "a thief", "leaseDurationSeconds": 2, "renewTime": now}}
        until(lambda: plane.call("PATCH", LEASE, stolen, "application/merge-patch+json")[0] == 200)
        assert program.wait() == 1
        assert program.says("the lease kube-system/kschedlab is lost: a thief holds it")
    finally:
        if program.process.poll() is None:
            program.kill()
    burst(plane, "later", 5)
    assert not plane.bound("later")
    with scheduler(plane.kubeconfig) as heir:
        heir.wait_for("leads")
        until(lambda: len(plane.bound("later")) == 5)


def test_a_leader_that_dies_is_replaced_when_its_lease_ends(plane: Plane) -> None:
    cluster(plane)
    program = Program(plane.kubeconfig)
    program.wait_for("leads")
    program.kill()
    with scheduler(plane.kubeconfig) as heir:
        heir.wait_for("synchronized")
        burst(plane, "orphan", 5)
        heir.wait_for("leads", 45)
        until(lambda: len(plane.bound("orphan")) == 5)
