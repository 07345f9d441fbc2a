"""An experiment: arrivals, the variants that get them, and seeds."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from kschedlab.build import node, pod
from kschedlab.messages import later, say
from kschedlab.objects.problems import InputTypeError, InputValueError, expected
from kschedlab_experiments.arrivals import Arrivals
from kschedlab_experiments.arrivals.files import Files
from kschedlab_experiments.arrivals.generators import Generated, Poisson
from kschedlab_experiments.record import Record, head_of
from kschedlab_experiments.results import Results
from kschedlab_experiments.running import OUTSTANDING, Executors, run_all
from kschedlab_experiments.runs import Plan, Run, Task
from kschedlab_experiments.variants import Variant, variants_of

PACKING = """
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- pluginConfig:
  - name: NodeResourcesFit
    args: {scoringStrategy: {type: MostAllocated}}
  plugins:
    multiPoint: {disabled: [{name: NodeResourcesBalancedAllocation}]}
"""
"""A configuration that fills nodes up."""

Tell = Callable[[int, int], None]
"""Called with the number of runs that have ended, and of all runs."""


class Experiment:
    """The same arrivals under several variants, for each seed.

    ``arrivals``: :class:`Files`, a :class:`Trace`, :class:`Generated`, or the paths of files. ``variants``: see
    :class:`Variant`; the first one is what the others are compared with. ``until``: when a run ends, such as ``"2h"``,
    by default once nothing is left to do. ``confidence``: of the intervals.
    """

    def __init__(
        self,
        arrivals: Arrivals | str | Path | Iterable[str | Path],
        variants: Iterable[object] = (Variant("default"),),
        seeds: Iterable[int] = range(20),
        *,
        until: str | int | None = None,
        confidence: float = 0.95,
    ) -> None:
        self.arrivals = _arrivals(arrivals)
        self.variants = variants_of(variants)
        self.seeds = _seeds(seeds)
        self.until = until
        if not 0 < confidence < 1:
            raise InputValueError(
                "confidence is {confidence}: expected a number between 0 and 1", confidence=confidence
            )
        self.confidence = confidence

    @classmethod
    def example(cls, nodes: int = 20, pods: int = 60, seeds: Iterable[int] = range(4)) -> Experiment:
        """A small one: the default scheduler beside one that fills nodes up, with pods of five sizes."""
        zones = ("a", "b", "c")
        there = [
            node(
                name,
                cpu=8,
                memory="32Gi",
                labels={"kubernetes.io/hostname": name, "topology.kubernetes.io/zone": zones[number % 3]},
            )
            for number in range(nodes)
            for name in [f"node-{number}"]
        ]
        sizes = {
            "web": ("700m", "2Gi"),
            "cache": ("500m", "9Gi"),
            "job": ("2200m", "3Gi"),
            "db": ("1800m", "11Gi"),
            "train": ("4400m", "6Gi"),
        }
        templates = {
            name: pod(name, cpu=cpu, memory=memory, labels={"app": name}) for name, (cpu, memory) in sizes.items()
        }
        weights = {name: 3 if name == "web" else 2 for name in sizes}
        arrivals = Generated(there, templates, Poisson(1.0), pods, weights)
        return cls(arrivals, [Variant("default"), Variant("packing", config=PACKING)], seeds)

    @property
    def plan(self) -> Plan:
        """What every run needs."""
        return Plan(self.arrivals, self.variants, self.until)

    def tasks(self) -> Iterator[Task]:
        """The runs, in the order of the table: seed by seed, so that an experiment that is cut short has pairs."""
        return (Task(variant, seed) for seed in self.seeds for variant in range(len(self.variants)))

    def run(
        self,
        executor: Executors = None,
        results: str | os.PathLike[str] | None = None,
        *,
        progress: bool | Tell = True,
        outstanding: int = OUTSTANDING,
    ) -> Results:
        """Do all runs, and compare them.

        ``executor``: where: None for this process, or anything with the interface of ``concurrent.futures.Executor``:
        threads, processes, Dask's ``Client(...).get_executor()``; or a function that makes one. ``results``: a file to
        which each run is appended when it ends; runs that it has are not done again, so a killed experiment goes on
        there. ``progress``: a bar on a terminal; or a function. ``outstanding``: how many runs are given out at a time.

        The results are the same for every executor. RunError names a run that fails, or whose worker dies three times.
        InputValueError if the file belongs to another experiment.
        """
        plan = self.plan
        record = Record(results, head_of(plan))
        tasks = list(self.tasks())
        left = [task for task in tasks if task not in record.done]
        with _progress(progress, len(tasks), len(tasks) - len(left)) as tell:

            def done(run: Run) -> None:
                record.add(run)
                tell()

            try:
                run_all(plan.packed(), left, executor, self._name, done, outstanding)
            finally:
                record.close()
        return Results(record, self.variants, self.seeds, self.confidence)

    def _name(self, task: Task) -> str:
        name = self.variants[task.variant].name
        return say('the run of "{variant}" with seed {seed}', variant=name, seed=task.seed)

    def __repr__(self) -> str:
        names = ", ".join(each.name for each in self.variants)
        return f"<Experiment: {names}; {len(self.seeds):,} seeds>"


def _arrivals(given: object) -> Arrivals:
    if isinstance(given, str | Path):
        return Files(given)
    if isinstance(given, list | tuple) and given and all(isinstance(each, str | Path) for each in given):
        return Files(*given)
    if callable(getattr(given, "scenario", None)) and callable(getattr(given, "fingerprint", None)):
        return given  # type: ignore[return-value]  # it has the protocol's methods
    raise expected(later("arrivals: Files, a Trace, Generated or the paths of files"), given)


def _seeds(given: Iterable[int]) -> tuple[int, ...]:
    seeds = tuple(given)
    if not seeds:
        raise InputValueError("an experiment needs at least one seed, such as seeds=range(20)")
    if wrong := next((seed for seed in seeds if not isinstance(seed, int)), None):
        raise InputTypeError("the seed {seed!r} is not a whole number", seed=wrong)
    seed, times = Counter(seeds).most_common(1)[0]
    if times > 1:
        raise InputValueError("the seed {seed} is there twice: runs with one seed are equal", seed=seed)
    return seeds


@contextmanager
def _progress(wanted: bool | Tell, total: int, before: int) -> Iterator[Callable[[], None]]:
    """A function that counts one more run, and shows it."""
    ended = before
    if callable(wanted):

        def tell() -> None:
            nonlocal ended
            ended += 1
            wanted(ended, total)

        yield tell
        return
    if not (wanted and sys.stderr.isatty()):
        yield lambda: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (BarColumn(), MofNCompleteColumn(), TextColumn(say("runs")), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        shown = bar.add_task("", total=total, completed=before)
        yield lambda: bar.advance(shown)
