"""The names of resources, as ``kubectl api-resources`` of v1.37 prints them."""

import pytest

from kschedlab.objects import model
from kschedlab.objects.kinds import RESOURCES


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        (model.Pod, "pods"),
        (model.StorageClass, "storageclasses.storage.k8s.io"),
        (model.CSIStorageCapacity, "csistoragecapacities.storage.k8s.io"),
    ],
)
def test_a_resource_has_the_plural_of_its_kind(kind, name):
    assert RESOURCES[kind].qualified == name
