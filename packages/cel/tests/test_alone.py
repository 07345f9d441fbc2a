"""kube_cel works where nothing else of this repository is installed."""

import subprocess
import sys

PROGRAM = """
import sys
sys.modules["kschedlab"] = None  # an import of it fails
from types import SimpleNamespace as Any

from kube_cel import compile, fault

device = Any(
    attributes={"model": Any(given={"string": "a100"}), "driverVersion": Any(given={"version": "1.2.3"})},
    capacity={"memory": Any(value="40Gi")},
    allowMultipleAllocations=False,
)
D = 'device.attributes["gpu.example.com"]'
C = 'device.capacity["gpu.example.com"]'
for text in (
    f'{D}.model == "a100"',
    f'{D}.driverVersion.isLessThan(semver("1.2.3"))',
    f'{C}.memory.compareTo(quantity("32Gi")) > 0',
):
    expression = compile(text)
    last = expression.steps("gpu.example.com", device)[-1]
    print(expression.matches("gpu.example.com", device), last.values, fault(text))
"""


def test_kube_cel_needs_no_kschedlab() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["True ('true',) None", "False ('false',) None", "True ('true',) None"]
