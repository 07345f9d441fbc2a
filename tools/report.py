"""Print how large each package is and how much a decision loads: python -m tools.report"""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LOADED = """
import sys
from pathlib import Path

def loaded():
    files = [m.__file__ for n, m in sys.modules.items() if n.split(".")[0].startswith(("kschedlab", "kube_cel"))]
    return f"{len(files)} modules, {sum(len(Path(f).read_text('utf-8').splitlines()) for f in files if f):,} lines"

from kschedlab import Cluster, schedule
print("from kschedlab import schedule:", loaded())
from kschedlab.build import node, pod
decision = schedule("default/web", Cluster.from_dicts([node("a"), node("b"), pod("web", cpu=1)]))
print("a decision:", loaded())
str(decision)
print("a decision, printed:", loaded())
"""


def main() -> None:
    total = 0
    for folder in (ROOT / "kschedlab", *sorted(ROOT.glob("packages/*/k*/"))):
        files = [*folder.rglob("*.py"), *folder.rglob("*.js"), *folder.rglob("*.css")]
        lines = sum(len(path.read_text(encoding="utf-8").splitlines()) for path in files)
        total += lines
        print(f"{folder.name:25} {len(files):4} files {lines:7,} lines")
    print(f"{'all':25} {total:18,} lines")
    sys.stdout.flush()
    subprocess.run([sys.executable, "-c", LOADED], check=True)


if __name__ == "__main__":
    main()
