"""Runs all tasks of an experiment on any executor, with few of them outstanding, and again where a worker was lost."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, ProcessPoolExecutor, wait
from contextlib import suppress
from typing import Any

from kschedlab.messages import later, say
from kschedlab.objects.problems import InputTypeError
from kschedlab_experiments.runs import Run, Task, run

ATTEMPTS = 3
"""How often a run is given out before its losses count as its own fault."""
OUTSTANDING = 64
"""How many runs are given out at a time by default."""

Executors = Executor | Callable[[], Executor] | None
"""Where runs are done: None in this process; an executor; or a function that makes one, and another if it breaks."""


class RunError(Exception):
    """A run has failed, or its worker was lost each time. The message names the run. Other runs are in the file."""


def run_all(
    packed: bytes,
    tasks: Iterable[Task],
    executor: Executors,
    name: Callable[[Task], str],
    done: Callable[[Run], None],
    outstanding: int = OUTSTANDING,
) -> None:
    """Run each task and call ``done`` in this thread as they end. RunError names the run that failed.

    ``packed``: the plan; ``name``: of a run, in errors; ``outstanding``: the most that are given out at a time.
    """
    if executor is None:
        for task in tasks:
            done(_checked(run(packed, task), task, name))
        return
    with_executor = _Executing(packed, iter(tasks), executor, name, max(outstanding, 1))
    try:
        for ended in with_executor.runs():
            done(ended)
    finally:
        with_executor.close()


def _checked(result: Run | str, task: Task, name: Callable[[Task], str]) -> Run:
    if isinstance(result, str):
        raise RunError(say("{run} failed: {why}", run=name(task), why=result))
    return result


class _Executing:
    """Tasks on an executor.

    When a pool breaks, every run that it had is suspected. Suspects run again alone, on a new pool, so that the one
    whose worker dies each time is known.
    """

    def __init__(
        self, packed: bytes, tasks: Iterator[Task], executor: Any, name: Callable[[Task], str], outstanding: int
    ) -> None:
        self._packed, self._tasks, self._name, self._most = packed, tasks, name, outstanding
        self._make: Callable[[], Executor] | None = None if isinstance(executor, Executor) else executor
        self._executor: Executor = executor if self._make is None else _made(self._make)
        self._own = self._make is not None
        self._futures: dict[Future[Run | str], Task] = {}
        self._suspects: deque[Task] = deque()
        self._losses: Counter[Task] = Counter()

    def runs(self) -> Iterator[Run]:
        """The runs as they end."""
        while self._fill():
            ended, _ = wait(self._futures, return_when=FIRST_COMPLETED)
            lost: list[tuple[Task, BaseException]] = []
            broken = False
            for future in ended:
                task = self._futures.pop(future)
                try:
                    result = future.result()
                except BrokenExecutor as error:
                    broken = True
                    lost.append((task, error))
                except Exception as error:
                    self._lose(task, error)
                    self._suspects.append(task)
                else:
                    yield _checked(result, task, self._name)
            if broken:
                yield from self._replace(lost)

    def _fill(self) -> bool:
        """Give out tasks, as many as may be; False if none is left."""
        while len(self._futures) < self._most:
            if self._suspects:
                if self._futures:
                    break
                self._submit(self._suspects.popleft())
                break
            if (task := next(self._tasks, None)) is None:
                break
            self._submit(task)
        return bool(self._futures)

    def _submit(self, task: Task) -> None:
        try:
            future = self._executor.submit(run, self._packed, task)
        except BrokenExecutor as error:  # it broke since the last result: nothing was run
            future = Future()
            future.set_exception(error)
        self._futures[future] = task

    def _replace(self, lost: list[tuple[Task, BaseException]]) -> Iterator[Run]:
        """Take back what the broken executor had, and go on with another one."""
        for future, task in self._futures.items():
            try:
                result = future.result()
            except Exception as error:
                lost.append((task, error))
            else:
                yield _checked(result, task, self._name)
        self._futures.clear()
        if len(lost) == 1:
            self._lose(*lost[0])
        self._suspects.extend(sorted(task for task, _ in lost))
        renewed = _renewed(self._executor) if self._make is None else _made(self._make)
        if renewed is None:
            task, why = lost[0]
            raise RunError(say("{run} failed: the executor broke: {why}", run=self._name(task), why=why)) from why
        self._shut_down()
        self._executor, self._own = renewed, True

    def _lose(self, task: Task, error: BaseException) -> None:
        """Count a loss. RunError if it was one too many."""
        self._losses[task] += 1
        if self._losses[task] >= ATTEMPTS:
            why = f"{type(error).__name__}: {error}"
            text = say("{run} was lost {times} times: {why}", run=self._name(task), times=ATTEMPTS, why=why)
            raise RunError(text) from error

    def _shut_down(self) -> None:
        if self._own:
            self._executor.shutdown(wait=False, cancel_futures=True)

    def close(self) -> None:
        """Cancel what has not begun, and shut down an executor of our own."""
        for future in self._futures:
            future.cancel()
        self._shut_down()


def _made(make: Callable[[], Executor]) -> Executor:
    made: object = make() if callable(make) else make
    if not isinstance(made, Executor):
        what = later("one of concurrent.futures, Client(...).get_executor() of Dask, or a function that makes one")
        raise InputTypeError("{given!r} is not an executor: give {what}", given=made, what=what)
    return made


def _renewed(executor: Executor) -> Executor | None:
    """A pool like this broken one; None if we cannot make one."""
    if not isinstance(executor, ProcessPoolExecutor):
        return None
    with suppress(AttributeError):  # none of them is public
        inner: Any = executor
        return ProcessPoolExecutor(
            inner._max_workers,
            inner._mp_context,
            inner._initializer,
            inner._initargs,
            max_tasks_per_child=inner._max_tasks_per_child,
        )
    return None
