"""Does Binder understand binder/? Reads the image's recipe that repo2docker writes; no docker is needed."""

import subprocess
import sys
from itertools import pairwise
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
STEPS = {
    "the image with Python 3.11": "environment-2epy-2d3-2e11-2dlinux",
    "the pinned libraries": 'pip install --no-cache-dir -r "binder/requirements.txt"',
    "the repository": "COPY --chown=0:0 src/ ${REPO_DIR}/",
    "our package": "RUN ./binder/postBuild",
    "our settings": 'ENV R2D_ENTRYPOINT="${REPO_DIR}/binder/start"',
}


def recipe() -> str:
    """The Dockerfile that Binder would build from this repository."""
    command = [sys.executable, "-m", "repo2docker", "--no-build", "--debug", str(ROOT)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def missing_steps(dockerfile: str) -> list[str]:
    """The steps that are absent or out of order: libraries first, to stay when the repository changes."""
    places = [dockerfile.find(line) for line in STEPS.values()]
    return [step for step, (last, place) in zip(STEPS, pairwise([-1, *places]), strict=True) if place <= last]


def main() -> int:
    """Print each step and whether Binder would take it."""
    missing = missing_steps(recipe())
    for step in STEPS:
        print("BAD" if step in missing else "ok ", step)
    return bool(missing)


if __name__ == "__main__":
    sys.exit(main())
