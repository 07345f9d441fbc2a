"""Fragmentation Gradient Descent, and the two policies that its paper compares it with, as plugins.

Weng et al., "Beware of Fragmentation: Scheduling GPU-Sharing Workloads with Fragmentation Gradient Descent", USENIX
ATC 2023; the details are those of its simulator (hkust-adsl/kubernetes-scheduler-simulator, revision 8f3d641).
"""

import random
from collections import Counter

import numpy as np

from kschedlab.plugins import Scored
from kschedlab_experiments.gpus import MILLI, Ask, SharedGpus


class Random(SharedGpus):
    """All feasible nodes are equal, so the scheduler draws one; this policy draws the device for a share."""

    def score(self, pod, cluster, nodes):
        same = np.zeros(len(nodes), np.int64)
        return Scored(same, same)

    def device(self, ask, node):
        enough = np.flatnonzero(self.left[node] >= ask.each).tolist()
        return random.Random(f"{node}/{self.left[node].tolist()}").choice(enough)


class BestFit(SharedGpus):
    """The node with the least left, CPU and GPUs counted as shares of the largest node (best_fit_score.go)."""

    def score(self, pod, cluster, nodes):
        ask = Ask.of(pod)
        cpu, gpus = self.cpu[nodes] - ask.cpu, self.left[nodes].sum(axis=1) - ask.each * ask.devices
        raw = (100 * (1 - 0.5 * cpu / 128_000 - 0.5 * gpus / (8 * MILLI))).astype(np.int64)
        return first_best(raw, cluster, nodes)


class FGD(SharedGpus):
    """The node, and the device, where the pod adds least fragmentation (frag.go, fgd_score.go).

    ``typical``: what pods ask for, and how often: of these, the next pod is one.
    """

    def __init__(self, typical):
        super().__init__()
        self.typical = typical

    def score(self, pod, cluster, nodes):
        ask = Ask.of(pod)
        raw = self.remembered(ask, nodes, lambda changed: self.gains(ask, changed).max(axis=1))
        return first_best(raw, cluster, nodes)

    def device(self, ask, node):
        return int(self.gains(ask, np.array([node])).argmax())

    def gains(self, ask, nodes):
        """int64[nodes, choices]: the score of each device for a share, else of the only choice; -1 where it is none."""
        cpu, left, before = (
            self.cpu[nodes] - ask.cpu,
            self.left[nodes],
            self.fragments(self.cpu[nodes], self.left[nodes], nodes),
        )
        scores = []
        for device in range(left.shape[1]) if ask.shares else [None]:
            after = left.copy()
            if device is not None:
                after[:, device] -= ask.each
            elif ask.devices:  # whole devices, the first that are free
                free = left == MILLI
                after[free & (free.cumsum(axis=1) <= ask.devices)] = 0
            change = before - self.fragments(cpu, after, nodes)
            fits = True if device is None else after[:, device] >= 0
            scores.append(np.where(fits, (100 / (1 + np.exp(-change / MILLI))).astype(np.int64), -1))
        return np.stack(scores, axis=1)

    def fragments(self, cpu, left, nodes):
        """float64[nodes]: the milli that the next pod is expected to find unusable, if it comes to that node."""
        total = left.sum(axis=1)
        lost = np.zeros(len(nodes))
        for ask, share in self.typical:
            enough = left >= ask.each
            fits = (enough.sum(axis=1) >= ask.devices) & (cpu >= ask.cpu) & self.accessible(ask, nodes) & (ask.each > 0)
            lost += share * np.where(fits, np.where(enough, 0, left).sum(axis=1), total)
        return lost


def first_best(raw, cluster, nodes):
    """100 for the best node, of equal ones the first by name; 0 for the others.

    So the paper's simulator chooses, where kube-scheduler draws (generic_scheduler.go of its fork, selectHost).
    """
    best = np.flatnonzero(raw == raw.max())
    chosen = best[cluster.ranks[nodes[best]].argmin()]
    return Scored(raw, 100 * (np.arange(len(nodes)) == chosen))


def typical_pods(asks, popularity=0.95):
    """The most frequent of what pods ask for, which together make up this share of them, and how often each occurs."""
    counted = sorted(Counter(asks).items(), key=lambda each: (each[1], each[0]), reverse=True)
    chosen, total, seen = [], sum(times for _, times in counted), 0
    for ask, times in counted:
        if seen >= popularity * total:
            break
        chosen.append((ask, times))
        seen += times
    return [(ask, times / seen) for ask, times in chosen]
