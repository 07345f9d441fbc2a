"""Selectors of devices: the Common Expression Language as kube-scheduler v1.37 evaluates it.

    text -> tokens -> parser (macros) -> checker -> validators -> plan -> Expression

No library gives cel-go's verdicts, costs and messages; docs/cel.md has the measurements. ``compile(text)`` gives an
:class:`Expression`, whose ``matches(driver, device)`` says whether it selects a device. Both raise :class:`CelError`.
``fault(text)`` says why the API server refuses a new object with the selector.
"""

from kube_cel.errors import CelError, UnsupportedError
from kube_cel.expression import Expression, compile, fault

__all__ = ["CelError", "Expression", "UnsupportedError", "compile", "fault"]
