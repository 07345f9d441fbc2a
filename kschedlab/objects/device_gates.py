"""Feature gates of fields of devices that the model has. v1.37: pkg/features/kube_features.go, off by default."""

LISTS, GROUPS = "DRAListTypeAttributes", "DRADeviceCompatibilityGroups"
