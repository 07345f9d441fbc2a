"""In-tree volumes translated to CSI: rows of k8s.io/csi-translation-lib v0.37.0, plugins/*_test.go."""

import pytest

from kschedlab.build import term
from kschedlab.filter.volumes.csi_migration import MigrationError, in_tree, translated_affinity, volume_handle
from kschedlab.manifests.loading import decode_objects
from kschedlab.objects.model import PersistentVolume
from tests.storage import volume

ZONE, OLD_ZONE = "topology.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/zone"
OLD_REGION, REGION = "failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region"
GCE = {"gcePersistentDisk": {"pdName": "pd"}}
GCE_ZONE = "topology.gke.io/zone"


def model(*terms, **fields):
    (found,) = decode_objects([volume("pv", *terms, **fields)]).of(PersistentVolume)
    return found, in_tree(found.spec)


@pytest.mark.parametrize(
    ("fields", "driver", "handle"),
    [
        ({"awsElasticBlockStore": {"volumeID": "vol-1"}}, "ebs.csi.aws.com", "vol-1"),
        ({"awsElasticBlockStore": {"volumeID": "disk"}}, "ebs.csi.aws.com", "disk"),
        ({"awsElasticBlockStore": {"volumeID": "aws://us-east-1a/vol-1"}}, "ebs.csi.aws.com", "vol-1"),
        ({"awsElasticBlockStore": {"volumeID": "aws:///vol-1"}}, "ebs.csi.aws.com", "vol-1"),
        (GCE, "pd.csi.storage.gke.io", "projects/UNSPECIFIED/zones/UNSPECIFIED/disks/pd"),
        (GCE | {"labels": {ZONE: "us-a1-b"}}, "pd.csi.storage.gke.io", "projects/UNSPECIFIED/zones/us-a1-b/disks/pd"),
        (
            GCE | {"labels": {OLD_ZONE: "us-a1-b__us-a1-c", ZONE: "x"}},
            "pd.csi.storage.gke.io",
            "projects/UNSPECIFIED/regions/us-a1/disks/pd",
        ),
        ({"azureDisk": {"diskName": "d", "diskURI": "/d", "kind": "Managed"}}, "disk.csi.azure.com", "/d"),
        ({"cinder": {"volumeID": "c"}}, "cinder.csi.openstack.org", "c"),
        ({"portworxVolume": {"volumeID": "p"}}, "pxd.portworx.com", "p"),
    ],
)
def test_handles(fields, driver, handle):
    found, plugin = model(**fields)
    assert (plugin.driver, volume_handle(plugin, found.spec, found.metadata.labels)) == (driver, handle)


@pytest.mark.parametrize(
    "fields",
    [
        {"awsElasticBlockStore": {"volumeID": "aws://us-east-1a/disk"}},
        {"awsElasticBlockStore": {"volumeID": "aws://us-east-1a/vol-1/more"}},
        {"azureDisk": {"diskName": "d", "diskURI": "/d"}},
        GCE | {"labels": {ZONE: "here__there"}},
        GCE | {"labels": {ZONE: "us-a1-b__us-a2-b"}},
    ],
)
def test_volumes_that_cannot_be_translated(fields):
    found, plugin = model(**fields)
    with pytest.raises(MigrationError):
        translated_affinity(plugin, found)


@pytest.mark.parametrize("fields", [{"csi": {"driver": "d", "volumeHandle": "h"}}, {"local": {"path": "/x"}}])
def test_volumes_of_no_in_tree_plugin(fields):
    assert model(**fields)[1] is None


@pytest.mark.parametrize(
    ("terms", "labels", "want"),
    [
        ([], {}, None),
        ([f"{ZONE} In a"], {}, [f"{GCE_ZONE} In a"]),
        ([f"{OLD_ZONE} In a"], {}, [f"{GCE_ZONE} In a"]),
        ([f"{ZONE} In a", f"{OLD_ZONE} In b"], {}, [f"{GCE_ZONE} In a", f"{OLD_ZONE} In b"]),
        ([], {ZONE: "us-a1-b"}, [f"{GCE_ZONE} In us-a1-b"]),
        ([], {OLD_ZONE: "us-a1-c__us-a1-b"}, [f"{GCE_ZONE} In us-a1-b,us-a1-c"]),
        (["disk In ssd"], {ZONE: "us-a1-b"}, [f"disk In ssd;{GCE_ZONE} In us-a1-b"]),
        ([f"{OLD_ZONE} In a;{OLD_REGION} In r"], {}, [f"{GCE_ZONE} In a;{REGION} In r"]),
        ([f"{ZONE} In a;{OLD_REGION} In r"], {}, [f"{GCE_ZONE} In a;{OLD_REGION} In r"]),
        ([f"{ZONE} Exists"], {ZONE: "us-a1-b"}, [f"{ZONE} Exists;{GCE_ZONE} In us-a1-b"]),
    ],
)
def test_node_affinity_in_the_drivers_labels(terms, labels, want):
    found, plugin = model(*(term(*text.split(";")) for text in terms), labels=labels, **GCE)
    affinity = translated_affinity(plugin, found)
    if want is None:
        assert affinity is None
    else:
        wanted, _ = model(*(term(*text.split(";")) for text in want))
        assert affinity == wanted.spec.nodeAffinity.required


def test_a_driver_without_zones_keeps_the_affinity():
    found, plugin = model(term(f"{ZONE} In a"), portworxVolume={"volumeID": "p"})
    assert translated_affinity(plugin, found) == found.spec.nodeAffinity.required
