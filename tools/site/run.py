"""Runs a notebook without a kernel and keeps what its cells show: live panels, exercises and progress, no pictures."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import nbformat
from IPython.core.interactiveshell import InteractiveShell

from kschedlab.text.html import Html
from kschedlab_lab.exercises import SheetForm
from kschedlab_lab.exercises.exercise import Exercise
from kschedlab_lab.exercises.lesson import Summary
from kschedlab_lab.panels.base import Panel
from kschedlab_lab.panels.question import Gate

Notebook: TypeAlias = Any
"""What nbformat reads; it has no types."""


@dataclass(frozen=True)
class ShownPanel:
    """A panel as a cell shows it. ``still``: its picture then; ``asks``: whether its question is open then.

    ``covers``: the questions of panels above that hide it.
    """

    panel: Panel[Any]
    still: Html
    asks: bool
    covers: tuple[Gate, ...]


@dataclass(frozen=True)
class ShownExercise:
    """An exercise as a cell shows it."""

    exercise: Exercise
    still: Html


@dataclass(frozen=True)
class ShownProgress:
    """The table of a lesson's progress as a cell shows it."""

    summary: Summary
    still: Html


@dataclass(frozen=True)
class ShownSheets:
    """The form that makes sheets. It needs a kernel; a page has some that are ready."""


Recordable: TypeAlias = ShownPanel | ShownExercise | ShownProgress
Shown: TypeAlias = Recordable | ShownSheets


def shown_by(notebook: Notebook) -> dict[int, list[Shown]]:
    """What the notebook's code cells show, by their place in the notebook. RuntimeError if one fails.

    They run in this process, which has an IPython shell from then on.
    """
    shell: Any = InteractiveShell.instance()
    found: list[Shown] = []
    _keep(shell, Panel, lambda panel: found.append(_panel(panel)))
    _keep(shell, Exercise, lambda exercise: found.append(ShownExercise(exercise, exercise.still("whole")[0])))
    _keep(shell, Summary, lambda summary: found.append(ShownProgress(summary, summary.html())))
    _keep(shell, SheetForm, lambda _: found.append(ShownSheets()))
    cells: dict[int, list[Shown]] = {}
    for place, cell in enumerate(notebook.cells):
        if cell.cell_type != "code":
            continue
        with contextlib.redirect_stdout(io.StringIO()):
            done = shell.run_cell(cell.source, store_history=False)
        if not done.success:
            raise RuntimeError(f"cell {place}: {done.error_before_exec or done.error_in_exec!r}")
        cells[place], found[:] = list(found), []
    return cells


def _keep(shell: Any, kind: type, keep: Callable[[Any], object]) -> None:
    shell.display_formatter.ipython_display_formatter.for_type(kind, keep)


def _panel(panel: Panel[Any]) -> ShownPanel:
    own = () if panel.question is not None else (panel.gate,)
    above = () if panel.cover is None else (panel.cover,)
    covers = tuple(gate for gate in above + own if not gate.is_open)
    return ShownPanel(panel, panel.still(), panel.question is not None and not panel.gate.is_open, covers)


def read(path: Any) -> Notebook:
    return nbformat.read(path, as_version=4)
