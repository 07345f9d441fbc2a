"""Time an experiment: experiment.py [--seeds 20] [--pods 2000] [--nodes 500] [--jobs CORES]

Two configurations get the same pods of three sizes, which arrive at 50 a second and stay. There are no kubelets, as in
scheduler_perf.
"""

import argparse
import os
import resource
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

from kschedlab_experiments import Experiment, Generated, Poisson
from kschedlab_simulation.timeline.scenario import Settings


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, number in (("seeds", 20), ("pods", 2000), ("nodes", 500), ("jobs", os.cpu_count() or 1)):
        parser.add_argument(f"--{name}", type=int, default=number)
    given = parser.parse_args()
    example = Experiment.example(given.nodes, given.pods, range(given.seeds))
    arrivals = example.arrivals
    assert isinstance(arrivals, Generated)
    settings = Settings(kubelet=None)
    drawn = (arrivals.templates, Poisson(50.0), given.pods, arrivals.weights)
    faster = Generated(arrivals.objects, *drawn, settings=settings)
    experiment = Experiment(faster, example.variants, example.seeds)
    began = time.perf_counter()
    with ProcessPoolExecutor(given.jobs, get_context("spawn")) as pool:
        experiment.run(pool)
    wall = time.perf_counter() - began
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    cpu = sum(each.ru_utime + each.ru_stime for each in used)
    pods = len(experiment.variants) * given.seeds * given.pods
    memory = max(each.ru_maxrss for each in used) / 1024
    print("| seeds | pods | nodes | seconds | seconds of the processor | pods per second of it | largest process |")
    print("|---|---|---|---|---|---|---|")
    print(
        f"| {given.seeds} | {pods:,} | {given.nodes} | {wall:.0f} | {cpu:.0f} | {pods / cpu:,.0f} | {memory:,.0f} MiB |"
    )


if __name__ == "__main__":
    main()
