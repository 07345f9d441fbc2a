//go:build since_34 && !since_35

package main

import (
	feature "k8s.io/apiserver/pkg/util/feature"
	resourceslicetracker "k8s.io/dynamic-resource-allocation/resourceslice/tracker"
	"k8s.io/kubernetes/pkg/features"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/dynamicresources"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
)

func (s *setting) tracker() resourceslicetracker.Options {
	return resourceslicetracker.Options{
		EnableConsumableCapacity: feature.DefaultFeatureGate.Enabled(features.DRAConsumableCapacity),
		SliceInformer:            s.factory.Resource().V1().ResourceSlices(),
		KubeClient:               s.client,
	}
}

func (s *setting) later(*dynamicresources.DefaultDRAManager) []frameworkruntime.Option { return nil }
