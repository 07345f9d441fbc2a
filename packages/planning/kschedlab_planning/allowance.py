"""What the API server allows of new pods, whatever room there is: LimitRanges and ResourceQuotas of their namespace."""

from __future__ import annotations

from collections.abc import Iterable

from kschedlab.objects.model import ApiObject, LimitRange, Pod, ResourceQuota
from kschedlab_simulation.server.limit_ranges import violations
from kschedlab_simulation.server.quotas import refusal, used_of


class Allowance:
    """The bounds of a namespace, and what its pods have used of them. ``bounds``: of all namespaces."""

    def __init__(self, bounds: Iterable[ApiObject], namespace: str, pods: Iterable[Pod]) -> None:
        own = [each for each in bounds if each.metadata.namespace == namespace]
        inside = [pod for pod in pods if pod.metadata.namespace == namespace]
        self._ranges = [each for each in own if isinstance(each, LimitRange)]
        self._quotas = [(each, used_of(each, inside, 0)) for each in own if isinstance(each, ResourceQuota)]

    def refusal(self, pod: Pod) -> str:
        """Why the API server would refuse the new pod, in its words; "" if it would not."""
        if self._ranges and (why := violations(pod, self._ranges)):
            return why
        return next(filter(None, (refusal(quota, used, pod, 0) for quota, used in self._quotas)), "")

    def take(self, pod: Pod) -> None:
        """Count a pod that was allowed."""
        for quota, used in self._quotas:
            for name, nanos in used_of(quota, [pod], 0).items():
                used[name] += nanos
