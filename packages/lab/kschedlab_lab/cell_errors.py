"""What a notebook shows of an error: if the package raised it on purpose, the reader's own line and the message.

So it is if the package failed on an argument of a wrong type. The lines of the package that lead there say nothing to a
reader; ``%tb`` lists them. Other errors keep their traceback.
"""

from __future__ import annotations

import dis
import linecache
import sys
from pathlib import Path
from traceback import walk_tb
from types import FrameType, TracebackType
from typing import Any

import kschedlab
from kschedlab.messages import say
from kschedlab_lab.arguments import misfit

PACKAGE = str(Path(kschedlab.__file__).parent)
RAISE = dis.opmap["RAISE_VARARGS"]
RED, PLAIN = "\x1b[31m", "\x1b[39m"


def begin() -> None:
    """From now on this shell shows errors so, unless somebody has told it otherwise."""
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    if shell is not None and not shell.custom_exceptions:
        shell.set_custom_exc((Exception,), _show)


def is_meant(error: BaseException, trace: TracebackType) -> bool:
    """Whether the package raised it on purpose: by ``raise``, not by a mistake of its own."""
    while trace.tb_next is not None:
        trace = trace.tb_next
    code = trace.tb_frame.f_code
    raised = _is_ours(trace.tb_frame) and code.co_code[trace.tb_lasti] == RAISE
    return raised and not isinstance(error, AssertionError)


def told(error: BaseException, trace: TracebackType) -> str | None:
    """What a reader can do something about; None for a mistake of the package, or in the reader's own code."""
    if is_meant(error, trace):
        return f"{RED}{type(error).__name__}{PLAIN}: {error}"
    called = next((frame for frame, _ in walk_tb(trace) if _is_ours(frame)), None)
    wrong = None if called is None else misfit(called)
    return wrong and f"{RED}TypeError{PLAIN}: {wrong}"


def brief(message: str, trace: TracebackType) -> list[str]:
    """The last line that is not the package's, and the message."""
    lines = [message]
    theirs = [(frame, number) for frame, number in walk_tb(trace) if not _is_ours(frame)]
    if theirs:
        frame, number = theirs[-1]
        code = linecache.getline(frame.f_code.co_filename, number).strip()
        lines = [say("line {number}: {code}", number=number, code=code), *lines] if code else lines
    return lines


def _is_ours(frame: FrameType) -> bool:
    return frame.f_code.co_filename.startswith(PACKAGE)


def _show(shell: Any, kind: type[Exception], error: Any, trace: TracebackType, tb_offset: int | None = None) -> None:
    if message := told(error, trace):
        error._render_traceback_ = lambda: brief(message, trace)  # what IPython asks an error for
    elif isinstance(error, NameError) and error.name:
        error.add_note(say("Is {name} spelled right? If so, run the cells above first.", name=error.name))
    shell.showtraceback((kind, error, trace), tb_offset=tb_offset)
    vars(error).pop("_render_traceback_", None)
