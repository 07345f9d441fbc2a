"""Libraries that only parts of the package need; ``pip install 'kschedlab[EXTRA]'`` installs them."""

from importlib.util import find_spec


class MissingExtraError(ImportError):
    """A part of the package needs libraries that are not installed. The message says how to install them."""


def require(extra: str, *libraries: str) -> None:
    """Raise MissingExtraError unless the libraries of this extra are installed."""
    missing = [name for name in libraries if find_spec(name) is None]
    if missing:
        raise MissingExtraError(f"{' and '.join(missing)} not found: run pip install 'kschedlab[{extra}]'")
