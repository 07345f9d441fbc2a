"""Random, BestFit and FGD on Alibaba's openb trace: compare.py NODES.csv PODS.csv [--seeds 1-10] [--jobs 2]

Pods arrive one after the other, none leaves, until they have asked for all GPUs of the cluster (or --demand of them).
"""

import argparse
import random
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context

from fgd import FGD, BestFit, Random, typical_pods

from kschedlab_experiments import Arrival, Experiment, Trace, Variant
from kschedlab_experiments.arrivals.openb import openb
from kschedlab_experiments.gpus import COUNT, EACH, MODEL, Ask
from kschedlab_simulation.timeline.scenario import Settings

ALLOCATED = f"requested_end/{EACH}"
CONFIGURATION = """
apiVersion: kubescheduler.config.k8s.io/v1beta1
kind: KubeSchedulerConfiguration
percentageOfNodesToScore: 100
profiles:
- plugins: {score: {disabled: [{name: "*"}]}}
"""
"""Of v1.20, as in the paper's simulator: all filters, and no score but the policy's own.

v1.20 draws among equal nodes; v1.37 takes the head of a heap, so that Random would not be random.
"""


@dataclass(frozen=True)
class Inflated:
    """The paper's workload: all pods of the trace in a random order, then random ones of them, up to a demand."""

    trace: Trace
    demand: float = 1.0

    def scenario(self, seed):
        rng = random.Random(f"inflated/{seed}")
        pods = [each.pod for each in self.trace.arrivals]
        capacity = sum(int(node["status"]["allocatable"].get(EACH, 0)) for node in self.trace.objects)
        order, arrivals, asked = rng.sample(pods, len(pods)), [], 0
        while asked < self.demand * capacity:
            number = len(arrivals)
            pod = order[number] if number < len(order) else rng.choice(pods)
            asked += ask_of(pod).each * ask_of(pod).devices
            pod = {**pod, "metadata": {**pod["metadata"], "name": f"{pod['metadata']['name']}-{number}"}}
            arrivals.append(Arrival(number * 0.005, pod | {"spec": pod["spec"] | {"preemptionPolicy": "Never"}}))
        return Trace(self.trace.objects, arrivals, settings=Settings(kubelet=None)).scenario(seed)

    def fingerprint(self):
        return f"{self.trace.fingerprint()} {self.demand}"


def ask_of(pod):
    """What the pod of a manifest asks for."""
    given = pod["metadata"].get("annotations", {})
    cpu = int(pod["spec"]["containers"][0]["resources"]["requests"]["cpu"].removesuffix("m"))
    models = tuple(filter(None, given.get(MODEL, "").split("|")))
    return Ask(cpu, int(given.get(EACH, 0)), int(given.get(COUNT, 0)), models)


def experiment(trace, seeds, demand=1.0):
    """The three policies, each with a plugin of its own."""
    typical = typical_pods(ask_of(each.pod) for each in trace.arrivals)
    policies = {"Random": Random(), "BestFit": BestFit(), "FGD": FGD(typical)}
    variants = [Variant(name, config=CONFIGURATION, plugins=[plugin]) for name, plugin in policies.items()]
    return Experiment(Inflated(trace, demand), variants, seeds)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("nodes")
    parser.add_argument("pods")
    parser.add_argument("--seeds", default="1-10", metavar="FIRST-LAST")
    parser.add_argument("--demand", type=float, default=1.0, help="share of all GPUs that pods ask for (1.0)")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--out", help="a file of runs, where a killed comparison goes on")
    options = parser.parse_args()
    first, last = map(int, options.seeds.split("-"))
    chosen = experiment(openb(options.nodes, options.pods), range(first, last + 1), options.demand)
    with ProcessPoolExecutor(options.jobs, get_context("spawn")) as pool:
        results = chosen.run(pool, options.out)
    for policy, values in zip(results.variants, results[ALLOCATED], strict=True):
        print(f"{policy:8} {values.mean():.1f} % of GPUs allocated, of {', '.join(f'{value:.1f}' for value in values)}")


if __name__ == "__main__":
    main()
