"""The table of docs/live.md with kubectl v1.37 itself; `make test` runs it with the kubectl that is installed."""

from packages.live.tests.real.binaries import binary
from packages.live.tests.serve.served import TWO_NODES, served
from packages.live.tests.serve.test_kubectl import run_the_table


def test_every_command_of_the_table(tmp_path):
    with served(tmp_path, TWO_NODES, "--speed", "10", kubectl=str(binary("kubectl"))) as cluster:
        run_the_table(cluster)
