"""The same results on every executor, after a kill, and with few runs outstanding."""

import gc
import multiprocessing
import os
import threading
import tracemalloc
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor

import msgspec
import pytest

from kschedlab.build import node, pod
from kschedlab_experiments import Experiment, RunError, Trace, Variant
from kschedlab_experiments.arrivals.trace import Arrival
from kschedlab_experiments.record import Record, head_of
from kschedlab_simulation.simulation import Simulation
from packages.experiments.tests.small import hurting, small
from tests.saying import says

SPAWN = multiprocessing.get_context("spawn")
"""A process with threads, as libraries start them, must not fork."""


def rows(results):
    return list(results.rows())


@pytest.fixture(scope="module")
def expected():
    return rows(small().run())


def test_threads_and_processes_give_the_same_table(expected):
    for executor in (ThreadPoolExecutor(2), ProcessPoolExecutor(2, SPAWN)):
        with executor:
            results = small().run(executor)
        assert rows(results) == expected


def test_a_function_may_make_the_executor(expected):
    assert rows(small().run(lambda: ThreadPoolExecutor(1))) == expected


@pytest.mark.nightly
def test_dask_workers_give_the_same_table(expected):
    """A real cluster: a scheduler and two worker processes that speak TCP on loopback."""
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, host="127.0.0.1", dashboard_address=None
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        pids = client.run(os.getpid)
        assert len(set(pids.values()) | {os.getpid()}) == 3
        with client.get_executor() as executor:
            assert rows(small().run(executor)) == expected


@pytest.mark.nightly
def test_dask_survives_the_death_of_a_worker(tmp_path):
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, host="127.0.0.1", dashboard_address=None
        ) as cluster,
        distributed.Client(cluster) as client,
        client.get_executor() as executor,
    ):
        assert rows(hurting(tmp_path / "died").run(executor)) == rows(hurting(None).run())
        assert (tmp_path / "died").exists()


def test_a_killed_worker_costs_nothing_but_time(tmp_path):
    with ProcessPoolExecutor(2, SPAWN) as pool:
        results = hurting(tmp_path / "died").run(pool)
    assert (tmp_path / "died").exists()
    assert rows(results) == rows(hurting(None).run())


def test_a_run_that_kills_its_worker_each_time_is_named(tmp_path):
    file = tmp_path / "runs.jsonl"
    with ProcessPoolExecutor(2, SPAWN) as pool, pytest.raises(RunError) as error:
        hurting(None).run(pool, file)
    assert says(str(error.value), "default", "seed 2", 3)
    done = {(run.variant, run.seed) for run in Record(file, head_of(hurting(None).plan))}
    assert done >= {(0, 0), (1, 0), (0, 1), (1, 1)}  # what had ended is kept
    assert rows(hurting(None).run(None, file)) == rows(hurting(None).run())


class Counting(Executor):
    """Runs what it is given when asked for, and knows how much was outstanding."""

    def __init__(self):
        self.open, self.most, self.calls = 0, 0, 0
        self._pool = ThreadPoolExecutor(1)

    def submit(self, fn, /, *args, **kwargs) -> Future:
        self.open, self.calls = self.open + 1, self.calls + 1
        self.most = max(self.most, self.open)
        future = self._pool.submit(fn, *args, **kwargs)
        future.add_done_callback(lambda _: setattr(self, "open", self.open - 1))
        return future


def test_few_runs_are_outstanding():
    executor = Counting()
    small(seeds=range(6), pods=2).run(executor, outstanding=3)
    assert executor.calls == 12 and executor.most <= 3
    executor = Counting()
    small(seeds=range(2), pods=2).run(executor, outstanding=0)
    assert (executor.calls, executor.most) == (4, 1)


def failed(error):
    future = Future()
    future.set_exception(error)
    return future


class Losing(Executor):
    """Loses each run so many times, as Dask does when a worker dies."""

    def __init__(self, times):
        self.times, self.lost = times, {}

    def submit(self, fn, packed, task):
        self.lost[task] = self.lost.get(task, 0) + 1
        if self.lost[task] <= self.times:
            return failed(ConnectionError("the worker is gone"))
        future = Future()
        future.set_result(fn(packed, task))
        return future


def test_a_lost_run_is_run_again_but_not_forever(expected):
    assert sorted(map(str, rows(small().run(Losing(2))))) == sorted(map(str, expected))
    with pytest.raises(RunError) as error:
        small().run(Losing(3))
    assert says(str(error.value), "lost 3 times", "ConnectionError: the worker is gone")


class Breaking(Executor):
    """Breaks with what it is given first: at once, or while ``late`` others are still running."""

    def __init__(self, late=0):
        self.late, self.calls = late, 0

    def submit(self, fn, /, *args):
        self.calls += 1
        if not self.late:
            raise BrokenExecutor("out of order")
        if self.calls == 1:
            return failed(BrokenExecutor("out of order"))
        future = Future()
        threading.Timer(0.2, future.set_exception, [BrokenExecutor("out of order")]).start()
        return future


def test_a_broken_executor_is_named_if_there_is_no_other():
    with pytest.raises(RunError) as error:
        small(seeds=[1]).run(Breaking(), outstanding=1)
    assert says(str(error.value), "default", "seed 1", "the executor broke: out of order")


def test_what_a_broken_executor_had_goes_to_the_next_one(expected):
    executors = iter([Breaking(late=1), ThreadPoolExecutor(1)])
    assert rows(small().run(lambda: next(executors), outstanding=3)) == expected


def test_what_has_not_begun_is_cancelled_when_an_experiment_stops():
    given = []

    class Slow(ThreadPoolExecutor):
        def submit(self, fn, /, *args):
            given.append(super().submit(fn, *args))
            return given[-1]

    def stop(*_):
        raise KeyboardInterrupt

    with Slow(1) as executor, pytest.raises(KeyboardInterrupt):
        small().run(executor, progress=stop, outstanding=4)
    assert given[3].cancelled()


def test_a_killed_experiment_goes_on_where_it_stopped(tmp_path, expected):
    file, done = tmp_path / "runs.jsonl", []

    def stop(ended, total):
        done.append(ended)
        if ended == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        small().run(None, file, progress=stop)
    with file.open("ab") as cut:
        cut.write(b'{"variant":0,"seed":')  # killed while it wrote
    results = small().run(None, file, progress=lambda ended, total: done.append((ended, total)))
    assert done == [1, 2, 3, (4, 6), (5, 6), (6, 6)]
    assert rows(results) == expected


def test_seeds_may_be_added_to_a_file(tmp_path, expected):
    file = tmp_path / "runs.jsonl"
    small(seeds=[1]).run(None, file)
    ended = []
    assert rows(small().run(None, file, progress=lambda *each: ended.append(each))) == expected
    assert len(ended) == 4
    assert len(rows(small(seeds=[1]).run(None, file))) == 2  # the other seeds of the file do not count


@pytest.mark.parametrize(
    "content", ["not a file of runs\n", '{"format":"kschedlab experiment 1","fingerprint":"x","variants":[]}\n']
)
def test_a_file_of_something_else_is_refused(tmp_path, content):
    file = tmp_path / "runs.jsonl"
    file.write_text(content)
    with pytest.raises(ValueError) as error:
        small().run(None, file)
    assert says(str(error.value), "runs.jsonl", "another")
    assert file.read_text() == content


def test_a_broken_line_is_named(tmp_path):
    file = tmp_path / "runs.jsonl"
    small(seeds=[1]).run(None, file)
    file.write_text(file.read_text().replace('"seed"', '"sead"', 1))
    with pytest.raises(ValueError, match=r"runs\.jsonl:2"):
        small(seeds=[1]).run(None, file)


class Shouting:
    name = "Shouting"

    def score(self, pod, cluster, nodes):
        raise RuntimeError("no")


def test_an_error_of_the_arrivals_names_the_run():
    class Wrong:
        def scenario(self, seed):
            return Trace([node("a")], [Arrival(0, pod("p", cpu="-1"))]).scenario(seed)

        def fingerprint(self):
            return ""

    with pytest.raises(RunError) as error:
        Experiment(Wrong(), seeds=[7]).run()
    assert says(str(error.value), "default", "seed 7", "-1 is negative")


def test_each_run_has_plugins_of_its_own():
    class Once:
        """Puts the first pod that it sees on b, and counts in itself."""

        name, weight = "Once", 100

        def __init__(self):
            self.calls = 0

        def score(self, pod, cluster, nodes):
            from kschedlab.plugins import Scored

            self.calls += 1
            raw = (nodes == (1 if self.calls == 1 else 0)) * 100
            return Scored(raw, raw, {})

    nodes = [node("a", cpu=8), node("b", cpu=8)]
    arrivals = Trace(nodes, [Arrival(0, pod("p", cpu=1)), Arrival(1, pod("q", cpu=7))])
    for plugin in (Once, Once()):
        variants = [Variant("default"), Variant("once", plugins=(plugin,))]
        with ThreadPoolExecutor(2) as threads:
            results = Experiment(arrivals, variants, range(4)).run(threads)
        assert len(set(results["imbalance/cpu"][1].tolist())) == 1


def test_what_cannot_be_sent_is_an_error_with_a_remedy():
    class Locked(Shouting):
        def __init__(self):
            self.lock = threading.Lock()

    with pytest.raises(TypeError) as error:
        Experiment(Trace([node("a")], []), [Variant("x", plugins=(Locked(),))]).run()
    assert says(str(error.value), "Shouting", "MODULE:NAME")


@pytest.mark.parametrize("executor", ["threads", lambda: 3])
def test_what_is_no_executor_is_refused(executor):
    with pytest.raises(TypeError) as error:
        small().run(executor)
    assert says(str(error.value), "executor", "Dask")


def test_memory_does_not_depend_on_the_number_of_runs(tmp_path):
    """Of a run only its task is kept. Its numbers and series stay in the file."""
    run = next(small(seeds=[0], pods=2).run().runs())
    record = Record(tmp_path / "runs.jsonl", head_of(small().plan))
    tracemalloc.start()
    try:
        for seed in range(2000):
            record.add(msgspec.structs.replace(run, seed=seed))
        kept, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
        record.close()
    assert record.path.stat().st_size > 4_000_000 and kept < 500_000 and most < 600_000


def test_nothing_is_left_of_a_run_that_has_ended():
    gc.collect()  # else those of earlier tests could go meanwhile
    before, left = simulations(), []
    small(pods=2).run(progress=lambda *_: left.append(simulations() - before))
    assert left == [0] * 6


def simulations() -> int:
    """How many simulations live, also those of other tests."""
    return sum(isinstance(each, Simulation) for each in gc.get_objects())


class Failing:
    """A plugin of a user with an error in it."""

    name, weight = "Failing", 1

    def score(self, pod, cluster, nodes):
        return nodes[1000]


def test_a_plugin_that_fails_ends_the_experiment_at_once():
    arrivals = Trace([node("a"), node("b")], [Arrival(0, pod("p"))])
    with pytest.raises(RunError) as error:
        Experiment(arrivals, [Variant("mine", plugins=(Failing,))], [1]).run()
    assert says(str(error.value), "mine", "seed 1", "default/p", "Failing", "IndexError")
