"""ImageLocality: how many bytes of the images that the pod needs are already on the node?

v1.37: pkg/scheduler/framework/plugins/imagelocality/image_locality.go.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.derived import IMAGES, derived
from kschedlab.cluster.pods import PodInfo
from kschedlab.cluster.signatures import IntArray
from kschedlab.objects.model import PodSpec
from kschedlab.score.plugin import MAX_NODE_SCORE, Scored

MIB = 1024 * 1024
LOWEST = 23 * MIB
HIGHEST_PER_IMAGE = 1000 * MIB
"""Bytes that score 0, and bytes of one image that score the highest."""
LARGEST_SIZE = 1 << 50
"""Cap on reported sizes, far above the limits, so that sums stay within 64 bits."""


@dataclass(frozen=True)
class ImageLocality:
    """Bytes present, between 23 MiB and 1000 MiB an image, scaled to 0..``highest``. Named rules:

    ``counts_init_containers``: images of init containers count too (not in v1.29: the same file).
    ``counts_image_volumes``: so do those of image volumes (not in v1.35: the same file).
    ``image_volumes_raise_limit``: each adds to the 1000 MiB, as a container does (not in v1.36: the same file).
    ``limits_size_per_image``: the 1000 MiB apply to each image; else to the sum (v1.16, v1.13:
    algorithm/priorities/image_locality.go).
    """

    name: str = "ImageLocality"
    counts_init_containers: bool = True
    counts_image_volumes: bool = True
    image_volumes_raise_limit: bool = True
    highest: int = MAX_NODE_SCORE
    limits_size_per_image: bool = True

    def score(self, pod: PodInfo, cluster: Cluster, nodes: IntArray) -> Scored:
        """Scores every pod. Terms: ``bytes``, int64[nodes given], present and scaled; ``images``, how many."""
        used = images(pod.pod.spec, self.counts_init_containers, self.counts_image_volumes)
        names = sorted(normalized(image) for image in used)
        sizes = scaled_sizes(cluster)
        present_names = tuple(name for name in names if name in sizes)  # on any node: an app's image may be on none
        counted = len(names)
        if self.counts_image_volumes and not self.image_volumes_raise_limit:
            counted = len(list(images(pod.pod.spec, self.counts_init_containers, image_volumes=False)))
        limit = HIGHEST_PER_IMAGE * (max(counted, 1) if self.limits_size_per_image else 1)
        present, score = _all_nodes(cluster, present_names, limit, self.highest)
        raw = score[nodes]
        return Scored(raw, raw, {"bytes": present[nodes], "images": counted})


@derived(IMAGES)
def _all_nodes(cluster: Cluster, images: tuple[str, ...], limit: int, highest: int) -> tuple[IntArray, IntArray]:
    """(int64[nodes]: the bytes that are present, int64[nodes]: the score)."""
    sizes = scaled_sizes(cluster)
    present = np.zeros(len(cluster.nodes), np.int64)
    for image in images:
        present += sizes[image]
    return present, highest * (np.clip(present, LOWEST, limit) - LOWEST) // (limit - LOWEST)


def images(spec: PodSpec, init_containers: bool, image_volumes: bool) -> Iterator[str]:
    """The images of the pod's containers, its init containers and image volumes; one used twice is listed twice."""
    for container in (*(spec.initContainers if init_containers else ()), *spec.containers):
        yield container.image
    for volume in spec.volumes if image_volumes else ():
        if volume.image is not None:
            yield volume.image.reference


def normalized(image: str) -> str:
    """The image's name as nodes report it: without a tag or digest, ``:latest`` is added."""
    return image if image.rfind(":") > image.rfind("/") else f"{image}:latest"


@derived(IMAGES)
def scaled_sizes(cluster: Cluster) -> dict[str, IntArray]:
    """By image name: int64[nodes], its size on the nodes that have it, times the share of nodes that have it.

    The share keeps pods from concentrating on the few nodes that have a rare image. The size is that which the first
    node with the image reported (v1.37: backend/cache/cache.go, addNodeImageStates).
    """
    sizes: dict[str, dict[int, int]] = {}
    for position in cluster.arrivals():
        for image in cluster.nodes[position].status.images:
            for name in image.names:
                by_node = sizes.setdefault(name, {})
                by_node[position] = next(iter(by_node.values()), image.sizeBytes)
    scaled = {}
    for name, by_node in sizes.items():
        row = scaled[name] = np.zeros(len(cluster.nodes), np.int64)
        share = len(by_node) / len(cluster.nodes)
        row[list(by_node)] = [min(int(size * share), LARGEST_SIZE) for size in by_node.values()]
    return scaled
