//go:build since_30 && !since_34

package main

import (
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	feature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/kubernetes/pkg/features"
)

// admit drops the fields of features that are off, as the API server does.
func admit(o runtime.Object) error {
	if claim, ok := o.(*v1.PersistentVolumeClaim); ok && !feature.DefaultFeatureGate.Enabled(features.VolumeAttributesClass) {
		claim.Spec.VolumeAttributesClassName = nil
	}
	return nil
}
