"""Run notebooks and save what they show, so that a second run saves the same bytes: refresh.py [NOTEBOOK ...]

Without arguments: all notebooks. Nothing random is saved: no widget state, no model ids, no times. What the panels and
exercises of the English ones say goes into their transcripts (``tools/transcripts``).
"""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

from kschedlab_lab.language import LANGUAGES

NOTEBOOKS = Path(__file__).resolve().parents[1] / "notebooks"
WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"  # holds the model's id, new in every run
METADATA = {
    "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


def paths() -> list[Path]:
    """All notebooks: the English set, then its translations in folders named after their languages."""
    return [path for folder in (".", *LANGUAGES) for path in sorted((NOTEBOOKS / folder).glob("*.ipynb"))]


def executed(path: Path, timeout: int = 120) -> str:
    """The notebook as it is saved after running all of its cells.

    `timeout` is in seconds for each cell; a cell that raises is a `nbclient.exceptions.CellExecutionError`.
    """
    os.environ["PYTHONHASHSEED"] = "0"  # the kernel inherits it: a set prints in the same order each time
    os.environ["KSCHEDLAB_PROGRESS"] = "off"  # nobody has solved anything in a saved notebook
    notebook = nbformat.read(path, as_version=4)
    client = NotebookClient(
        notebook,
        timeout=timeout,
        kernel_name="python3",
        coalesce_streams=True,
        record_timing=False,
        store_widget_state=False,
        resources={"metadata": {"path": str(path.parent)}},
    )
    try:
        client.execute()
    except RuntimeError as error:
        if "before replying" not in str(error):
            raise
        client.execute()  # on a busy machine, another kernel can take a port before this one does
    notebook.metadata = nbformat.from_dict(METADATA)
    for cell in notebook.cells:
        if "outputs" in cell:
            cell["outputs"] = [each for each in cell["outputs"] if forget_model_id(each)]
    return str(nbformat.writes(notebook)) + "\n"


def forget_model_id(output: dict[str, Any]) -> bool:
    """Take away what only a running kernel understands; whether anything is left to be saved."""
    return WIDGET_VIEW not in output.get("data", {}) or bool(output["data"].pop(WIDGET_VIEW) and output["data"])


def main() -> None:
    """Refresh the notebooks named on the command line, or all, and their transcripts."""
    chosen = [Path(name).resolve() for name in sys.argv[1:]] or paths()
    for path in chosen:
        saved = path.read_text(encoding="utf-8")
        fresh = executed(path)
        path.write_text(fresh, encoding="utf-8")
        print(f"{path.name}: {'unchanged' if fresh == saved else 'refreshed'}")
    if lessons := [path.stem for path in chosen if path.parent == NOTEBOOKS]:
        subprocess.run([sys.executable, "-m", "tools.transcripts", *lessons], cwd=NOTEBOOKS.parent, check=True)


if __name__ == "__main__":
    main()
