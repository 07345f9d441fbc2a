"""Prints how large kschedlab is, what a decision loads, and which translations are missing: python -m tools.report"""

import subprocess
import sys
from pathlib import Path

from kschedlab_lab.language.catalogue import read, texts
from tools.catalogue import LANGUAGE, missing

ROOT = Path(__file__).resolve().parents[1]
IMPORT = "from kschedlab import schedule"
DECIDE = """
from kschedlab import schedule
from kschedlab.build import cluster, node, pod
print(schedule("default/web", cluster(node("a", cpu="4", pods="9"), pod("web", cpu="1"))))
"""
LOADED = """
import sys
for name, module in sys.modules.items():
    if name.partition(".")[0].startswith(("kschedlab", "kube_cel")) and module.__file__:
        print("loaded", len(open(module.__file__, encoding="utf-8").readlines()))
"""


def lines(folder: Path, pattern: str) -> int:
    """Of all files below a folder that match."""
    return sum(len(path.read_text(encoding="utf-8").splitlines()) for path in folder.rglob(pattern))


def loaded(program: str) -> list[int]:
    """The lines of each of our modules that a program loads."""
    output = subprocess.check_output([sys.executable, "-c", program + LOADED], text=True, cwd=ROOT)
    return [int(line.split()[1]) for line in output.splitlines() if line.startswith("loaded ")]


def main() -> None:
    """Print the report."""
    for folder in (ROOT / "kschedlab", *sorted(ROOT.glob("packages/*/k*/"))):
        print(f"{folder.name:24} {lines(folder, '*.py'):7,} lines of Python {lines(folder, '*.js'):6,} of JavaScript")
    for what, program in (("importing schedule", IMPORT), ("printing a decision", DECIDE)):
        modules = loaded(program)
        print(f"{what:24} {len(modules):7,} modules {sum(modules):14,} lines")
    print(f"{'translations':24} {len(missing(texts(read(LANGUAGE)))):7,} missing")


if __name__ == "__main__":
    main()
