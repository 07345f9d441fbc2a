"""The language that a reader chooses in a notebook is kept in the file of progress, and the next kernel begins with it.

Only a kernel of Jupyter remembers. The program, tests and whoever else imports the package begin in English.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

from kschedlab.messages import later, say
from kschedlab_lab.kept import DamagedError, Kept
from kschedlab_lab.language.speaker import ENGLISH, LANGUAGES, chosen, speak

ENTRY = "language"
BACK = '`from kschedlab_lab.language import language; language("en")`'


def language(code: str | None = None, *, remember: bool = True) -> str:
    """The language of all texts from now on: ``language("zh")``; without an argument, the present one.

    In a notebook the choice is remembered: the next kernel here, and those of the lessons beside it, begin with it.
    ``remember=False`` is for a page whose text is in one language. ValueError for a language that there is not.
    """
    if code is not None:
        speak(code)
        if remember and _shell():
            _remember(code)
    return chosen()


def recall() -> None:
    """Begin a kernel with the reader's choice; on a page that is in another language, say why and what to do."""
    if not _shell():
        return
    try:
        speak(_remembered(Kept.usual(LANGUAGES)))
    except (OSError, ValueError) as error:
        print(_words(error))
    if chosen() != ENGLISH and (page := _page_in(chosen())):
        _show(_note(LANGUAGES[chosen()], page))


def _shell() -> Any:
    """The shell of this kernel; None outside of a kernel."""
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    return shell if hasattr(shell, "kernel") else None


def _remembered(kept: Kept) -> str:
    return str(kept.read().get(ENTRY, ENGLISH))


def _remember(code: str) -> None:
    try:
        kept = Kept.usual(LANGUAGES)
        if _remembered(kept) != code:
            kept.write(**{ENTRY: code})
    except (OSError, ValueError) as error:
        print(_words(error))


def _words(error: Exception) -> str:
    if isinstance(error, DamagedError):
        return say("{name} can't be read; delete it to start again. Nothing is saved until then.", name=error)
    if isinstance(error, OSError):
        return say("The language can't be saved ({error}); it is kept for now only.", error=error.strerror)
    return str(error)


def _note(name: str, page: str) -> str:
    """Three lines for a page in another language: why, where its translation is, and how to go back."""
    why = later("Panels, exercises and messages are in {language}, as you chose. [This page in {language}]({page})")
    back = later("Back to English")
    lines = (say(why, language=name, page=page), why.format(language=name, page=page), f"{say(back)} · {back}: {BACK}")
    return "  \n".join(lines)


def _page_in(code: str) -> str:
    """The path to this notebook's page in that language; "" if it has none, such as a notebook of the reader's own."""
    opened = os.environ.get("JPY_SESSION_NAME") or _shell().user_ns.get("__vsc_ipynb_file__", "")  # in VS Code
    page = Path(code, Path(opened).name)
    return page.as_posix() if page.is_file() else ""


def _show(markdown: str) -> None:
    from IPython.display import publish_display_data

    publish: Any = publish_display_data  # IPython has no types
    publish({"text/markdown": markdown, "text/plain": markdown})
