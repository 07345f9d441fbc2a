"""The front ends as the browser gets them: one module each, bundled when the package was built (hatch_build.py)."""

from pathlib import Path

BUNDLES = Path(__file__).parents[1] / "bundles"


def front_end(name: str) -> str:
    """The script of a widget, such as ``stage``. RuntimeError where it was not built."""
    try:
        return (BUNDLES / f"{name}.js").read_text(encoding="utf-8")
    except FileNotFoundError:
        raise RuntimeError(f"{name}.js was not built: install kschedlab-lab again (make .venv/installed)") from None
