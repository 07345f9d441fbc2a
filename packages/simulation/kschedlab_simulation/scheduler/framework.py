"""The scheduling framework: runs the plugins of one profile, extension point by extension point.

v1.37: pkg/scheduler/framework/runtime/framework.go. v1.16: pkg/scheduler/framework/v1alpha1/framework.go.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping
from typing import Any

from kschedlab.objects.meta import SECOND
from kschedlab.objects.model import Pod
from kschedlab.plugins.framework import (
    ERROR,
    POINTS,
    SKIP,
    UNRESOLVABLE,
    Nominate,
    PluginError,
    Skip,
    Status,
    Wait,
    call,
    method,
    name_of,
    status,
)
from kschedlab_simulation.scheduler.rules import LoopMessages, LoopRules

MAX_WAIT = 15 * 60 * SECOND
"""The maximum wait on Permit, in microseconds. v1.37: framework.go, maxTimeout."""


POINT_METHODS = {"Reserve": "reserve", "Permit": "permit", "PreBind": "pre_bind", "Bind": "bind"}


class Framework:
    """Runs one profile's plugins. ``name``: the profile's schedulerName.

    ``rules``: whom to ask after a rejection, and where that is an error; ``messages``: templates of failure messages.
    """

    def __init__(self, name: str, plugins: Iterable[object], rules: LoopRules, messages: LoopMessages) -> None:
        self.name = name
        self._rules = rules
        self._messages = messages
        self._at = {
            point: [(name_of(p), function) for p in plugins if (function := method(p, point))] for point in POINTS
        }

    def has(self, point: str) -> bool:
        """Whether a plugin implements the point."""
        return bool(self._at[point])

    def reserve(self, pod: Pod, node: str) -> Status | None:
        """Run Reserve until a plugin does not succeed."""
        for name, function in self._at["reserve"]:
            try:
                answer = status(call(function, pod, node), name)
            except PluginError as error:
                return self._error("Reserve", name, pod, str(error))
            if answer is not None:
                return self._failed("Reserve", answer, pod)
        return None

    def unreserve(self, pod: Pod, node: str, last_first: bool) -> list[str]:
        """Run Unreserve, in plugin order or in reverse. Returns the errors."""
        errors, plugins = [], self._at["unreserve"]
        for name, function in reversed(plugins) if last_first else plugins:
            try:
                call(function, pod, node)
            except PluginError as error:
                errors.append(f"{name}: {error}")
        return errors

    def post_filter(self, pod: Pod, refused: Mapping[str, Status]) -> tuple[str, list[str], bool]:
        """Run PostFilter until a plugin succeeds, fails or says that nothing helps.

        Returns the nominated node or "", why the plugins did not succeed, and whether one ended it: then nothing that
        was said before counts.
        """
        reasons: list[str] = []
        for name, function in self._at["post_filter"]:
            try:
                answer = call(function, pod, refused)
                if isinstance(answer, Nominate):
                    return answer.node, [], True
                result = status(answer, name)
            except PluginError as error:
                result = Status(ERROR, str(error), name)
            if result is None:
                return "", [], True
            unresolvable = result.code == UNRESOLVABLE and self._rules.unresolvable_ends_post_filter
            if unresolvable or not result.rejected:
                return "", [result.message], True
            reasons.append(result.message)
        return "", reasons, False

    def permit(self, pod: Pod, node: str) -> tuple[dict[str, int], Status | None]:
        """Run Permit. Returns each plugin's wait in microseconds, or the status of a rejection or error."""
        waits = {}
        for name, function in self._at["permit"]:
            try:
                answer = call(function, pod, node)
                if isinstance(answer, Wait):
                    waits[name] = min(int(answer.seconds * SECOND), MAX_WAIT)
                    continue
                result = status(answer, name)
            except (PluginError, TypeError, ValueError) as error:
                return {}, self._error("Permit", name, pod, str(error))
            if result is not None:
                return {}, self._failed("Permit", result, pod)
        return waits, None

    def pre_bind(self, pod: Pod, node: str) -> Generator[Any, Any, Status | None]:
        """Run PreBind until a plugin does not succeed."""
        for name, function in self._at["pre_bind"]:
            try:
                answer = status((yield from _run_in_virtual_time(function, pod, node)), name)
            except PluginError as error:
                return self._error("PreBind", name, pod, str(error))
            if answer is not None:
                return self._failed("PreBind", answer, pod)
        return None

    def bind(self, pod: Pod, node: str) -> Generator[Any, Any, Status | Skip | None]:
        """Run Bind until a plugin does not skip the pod; SKIP if all do."""
        for name, function in self._at["bind"]:
            try:
                answer = yield from _run_in_virtual_time(function, pod, node)
                if isinstance(answer, Skip):
                    continue
                result = status(answer, name)
            except PluginError as error:
                return self._error("Bind", name, pod, str(error))
            return result and self._failed("Bind", result, pod)
        return SKIP

    def post_bind(self, pod: Pod, node: str) -> list[str]:
        """Run PostBind. Returns the errors, which have no effect."""
        errors = []
        for name, function in self._at["post_bind"]:
            try:
                call(function, pod, node)
            except PluginError as error:
                errors.append(f"{name}: {error}")
        return errors

    def _failed(self, point: str, answer: Status, pod: Pod) -> Status:
        """The plugin's status as the framework returns it."""
        if not answer.rejected or POINT_METHODS[point] not in self._rules.rejecting_points:
            return self._error(point, answer.plugin, pod, answer.message)
        return answer._replace(
            message=self._formatted(self._messages.rejected, point, answer.plugin, pod, answer.message)
        )

    def _error(self, point: str, plugin: str, pod: Pod, message: str) -> Status:
        template = self._messages.bind_failed if point == "Bind" else self._messages.failed
        return Status(ERROR, self._formatted(template, point, plugin, pod, message), plugin)

    def _formatted(self, template: str, point: str, plugin: str, pod: Pod, message: str) -> str:
        namespace, name = pod.metadata.namespace, pod.metadata.name
        return template.format(
            point=point.lower(), Point=point, plugin=plugin, namespace=namespace, pod=name, message=message
        )


def _run_in_virtual_time(function: Callable[..., Any], pod: Pod, node: str) -> Generator[Any, Any, Any]:
    """Call a method that may be a generator, which takes virtual time."""
    answer = call(function, pod, node)
    if isinstance(answer, Generator):
        try:
            return (yield from answer)
        except Exception as error:
            raise PluginError(f"{type(error).__name__}: {error}") from error
    return answer
