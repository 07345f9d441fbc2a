"""The table of docs/live.md with kubectl v1.37 itself; `make test` runs it with the kubectl that is installed."""

from tests.live.binaries import binary
from tests.serve.served import TWO_NODES, served
from tests.serve.test_kubectl import run_the_table


def test_every_command_of_the_table(tmp_path):
    with served(tmp_path, TWO_NODES, "--speed", "10", kubectl=str(binary("kubectl"))) as cluster:
        run_the_table(cluster)
