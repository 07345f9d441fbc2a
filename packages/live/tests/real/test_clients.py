"""Kubernetes' own Go client on a served cluster: its typed clients, in protobuf and in JSON (clients/drive.go)."""

from pathlib import Path

from packages.live.tests.real.binaries import go, need_go
from packages.live.tests.serve.served import TWO_NODES, served


def test_typed_clients(tmp_path: Path) -> None:
    need_go("the program with client-go")
    with served(tmp_path, TWO_NODES, "--speed", "10") as cluster:
        printed = go(Path(__file__).parent / "clients", "run", ".", "drive", str(cluster.path))
    assert printed.count("all as expected") == 3
