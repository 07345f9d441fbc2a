"""The extenders that a configuration or a Policy names.

v1.37: pkg/scheduler/apis/config/types.go (Extender). v1.16: pkg/scheduler/api/types.go (ExtenderConfig).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from kschedlab.objects.problems import Fault, Path
from kschedlab_configuration.durations import seconds_of
from kschedlab_configuration.faults import invalid
from kschedlab_configuration.fields import ExtenderTLSConfig

if TYPE_CHECKING:
    from kschedlab_configuration.extenders.extender import Extender

_NANOSECONDS = 1e9


def read_extenders(extenders: Sequence[Any], faults: list[Fault]) -> tuple[Extender, ...]:
    """The extenders, in the order of the configuration. Faults name their field."""
    if not extenders:
        return ()
    from kschedlab_configuration.extenders.http import HttpConfig, HttpExtender

    made = []
    for i, each in enumerate(extenders):
        path: Path = ("extenders", i)
        config = HttpConfig(
            each.urlPrefix,
            filter_verb=each.filterVerb,
            prioritize_verb=each.prioritizeVerb,
            preempt_verb=each.preemptVerb,
            bind_verb=each.bindVerb or getattr(each, "BindVerb", ""),
            weight=each.weight,
            ignorable=each.ignorable,
            node_cache_capable=each.nodeCacheCapable,
            enable_https=each.enableHTTPS if hasattr(each, "enableHTTPS") else each.enableHttps,
            timeout=_seconds(each.httpTimeout, (*path, "httpTimeout"), faults),
            managed_resources=tuple(resource.name for resource in each.managedResources),
            tls=each.tlsConfig or ExtenderTLSConfig(),
        )
        try:
            made.append(HttpExtender(config))
        except ValueError as error:
            faults.append(Fault((*path, "tlsConfig" if "TLS" in str(error) else "urlPrefix"), str(error)))
    return tuple(made)


def _seconds(duration: str | int, path: Path, faults: list[Fault]) -> float:
    """The duration in seconds: a text such as ``1m30s``, or whole nanoseconds in a Policy. 0 for the default."""
    if isinstance(duration, int):
        seconds = duration / _NANOSECONDS
    elif not duration or duration == "0":
        return 0
    else:
        seconds = float(seconds_of(duration, path, faults))
    if not 0 <= seconds <= 3600:
        faults.append(invalid(path, duration, "must be between 0 and 1h"))
    return seconds
