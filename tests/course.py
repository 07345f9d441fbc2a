"""The generations of the course by name: what holds for the four of them is tested for the four."""

from collections.abc import Mapping

from kschedlab.generations import COURSE, Generation

GENERATIONS: Mapping[str, Generation] = {name: Generation.named(name) for name in COURSE}
