"""Puts kubectl beside this Python: get_kubectl.py [FOLDER]. For Binder, whose image has none.

It comes from Kubernetes' own downloads (kubernetes.io/docs/tasks/tools), and must have the sum that stands there. The
sum is from the same host, so it finds a broken download; that the host is the right one is left to HTTPS.
"""

import hashlib
import os
import platform
import shutil
import sys
import urllib.request
from pathlib import Path

VERSION = "v1.37.0"
DOWNLOADS = "https://dl.k8s.io/release"
MACHINES = {"x86_64": "amd64", "AMD64": "amd64", "aarch64": "arm64", "arm64": "arm64"}


def fetch(folder: Path, downloads: str = DOWNLOADS) -> Path:
    """The program, in this folder. OSError if it cannot be fetched; ValueError if it is not what was promised."""
    url = f"{downloads}/{VERSION}/bin/{sys.platform}/{MACHINES[platform.machine()]}/kubectl"
    with urllib.request.urlopen(f"{url}.sha256", timeout=30) as answer:
        wanted = answer.read().decode("ascii").split()[0]
    with urllib.request.urlopen(url, timeout=300) as answer:
        program = answer.read()
    if (found := hashlib.sha256(program).hexdigest()) != wanted:
        raise ValueError(f"{url}: its sum is {found}, not {wanted}")
    path = folder / "kubectl"
    new = path.with_name(".kubectl.new")
    new.write_bytes(program)
    new.chmod(0o755)
    os.replace(new, path)
    return path


def main() -> int:
    """Fetch it, unless the PATH has one."""
    if there := shutil.which("kubectl"):
        print(f"kubectl is there already: {there}")
        return 0
    try:
        print(fetch(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(sys.executable).parent))
    except (OSError, ValueError, KeyError) as problem:
        print(f"no kubectl: {problem!r}; the lessons run without it", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
