"""Lesson 01, exercises of the kind repair: numFeasibleNodesToFind, and the conflict of host ports."""

from __future__ import annotations

import random
from collections.abc import Iterator

from kschedlab.build import node, pod
from kschedlab.filter.stage import nodes_to_find
from kschedlab.generations import V1_16
from kschedlab.messages import say
from kschedlab_lab.exercises.exercise import Exercise
from kschedlab_lab.exercises.overview_ports import Port, with_port
from kschedlab_lab.exercises.repair import Repair
from kschedlab_lab.panels.overview_trials import judged, only


def nodes_to_find_broken(nodes: int, percentage: int) -> int:
    """How many feasible nodes are enough for v1.16. ``percentage``: percentageOfNodesToScore, 0 if unset."""
    if percentage == 0:
        percentage = min(5, 50 - nodes // 125)
    return max(100, nodes * percentage // 100)


def nodes_to_find_mended(nodes: int, percentage: int) -> int:
    """How many feasible nodes are enough for v1.16. ``percentage``: percentageOfNodesToScore, 0 if unset."""
    if nodes < 100:
        return nodes
    if percentage == 0:
        percentage = max(5, 50 - nodes // 125)
    return max(100, nodes * percentage // 100)


def sizes(rng: random.Random) -> Iterator[tuple[int, int]]:
    """Small clusters first; 100 nodes and the ends of the adaptive percentage among them."""
    yield from ((nodes, 0) for nodes in (1, 99, 100, 101, 250, 1000, 5625, 8000))
    yield from ((rng.randrange(1, 9000), rng.choice([0, 5, 30, 50, 99])) for _ in range(60))


def bounds(seed: int) -> Exercise:
    """The function numFeasibleNodesToFind with two of its bounds wrong."""
    return Repair(
        say("Two bounds"),
        say("This function should say how many feasible nodes are enough, but two of its bounds are wrong. Fix it."),
        nodes_to_find_broken,
        nodes_to_find_mended,
        lambda nodes, percentage: nodes_to_find(nodes, percentage, V1_16.sampling),
        sizes,
        say(
            "All of fewer than 100 nodes; else the percentage, which is adaptive but at least 5; and at least 100 "
            "nodes."
        ),
        (say("Can one find 100 nodes in a cluster of 50?"), say("At least 5: is that min or max?")),
        seed,
    )


def conflict_broken(taken: tuple[str, str, int], wanted: tuple[str, str, int]) -> bool:
    """Does the wanted host port conflict with the one in use? Each is (address, protocol, number)."""
    return taken[0] == wanted[0] and taken[2] == wanted[2]


def conflict_mended(taken: tuple[str, str, int], wanted: tuple[str, str, int]) -> bool:
    """Does the wanted host port conflict with the one in use? Each is (address, protocol, number)."""
    alike = taken[0] == wanted[0] or "0.0.0.0" in (taken[0], wanted[0])
    return alike and taken[1:] == wanted[1:]


def conflict_by_engine(taken: Port, wanted: Port) -> bool:
    """The answer of PodFitsHostPorts."""
    made = [node("node-a"), with_port(pod("db", "node-a", 1), taken), with_port(pod("web", "", 1), wanted)]
    return judged(made, only("PodFitsHostPorts")).node is None


def port_pairs(rng: random.Random) -> Iterator[tuple[Port, Port]]:
    """Pairs that differ in one thing first."""
    usual: Port = ("10.0.0.1", "TCP", 80)
    yield usual, usual
    for other in (("10.0.0.1", "TCP", 81), ("10.0.0.1", "UDP", 80), ("10.0.0.2", "TCP", 80), ("0.0.0.0", "TCP", 80)):
        yield from ((usual, other), (other, usual))
    addresses, protocols = ("0.0.0.0", "10.0.0.1", "10.0.0.2"), ("TCP", "UDP")
    for _ in range(20):
        taken, wanted = ((rng.choice(addresses), rng.choice(protocols), rng.choice([80, 81])) for _ in range(2))
        yield taken, wanted


def ports(seed: int) -> Exercise:
    """PodFitsHostPorts without the wildcard address."""
    return Repair(
        say("Ports in conflict"),
        say("PodFitsHostPorts asks this about every pair of host ports. The function forgets two things. Fix it."),
        conflict_broken,
        conflict_mended,
        conflict_by_engine,
        port_pairs,
        say(
            "Two ports conflict if protocol and number are the same and they share an address; 0.0.0.0 means all "
            "addresses."
        ),
        (say("What does the address 0.0.0.0 mean?"), say("Can 80/TCP and 80/UDP be open at once?")),
        seed,
    )
