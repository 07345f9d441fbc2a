//go:build since_35

package main

import (
	feature "k8s.io/apiserver/pkg/util/feature"
	toolscache "k8s.io/client-go/tools/cache"
	resourceslicetracker "k8s.io/dynamic-resource-allocation/resourceslice/tracker"
	"k8s.io/kubernetes/pkg/features"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/dynamicresources"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/nodevolumelimits"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
)

func (s *setting) tracker() resourceslicetracker.Options {
	options := resourceslicetracker.Options{
		EnableDeviceTaintRules:   feature.DefaultFeatureGate.Enabled(features.DRADeviceTaintRules),
		EnableConsumableCapacity: feature.DefaultFeatureGate.Enabled(features.DRAConsumableCapacity),
		SliceInformer:            s.factory.Resource().V1().ResourceSlices(),
		KubeClient:               s.client,
	}
	if options.EnableDeviceTaintRules {
		s.taintRules(&options)
	}
	return options
}

func (s *setting) later(dra *dynamicresources.DefaultDRAManager) []frameworkruntime.Option {
	if feature.DefaultFeatureGate.Enabled(features.DRAExtendedResource) {
		if handler, ok := dra.DeviceClassResolver().(toolscache.ResourceEventHandler); ok {
			_, _ = s.factory.Resource().V1().DeviceClasses().Informer().AddEventHandler(handler)
		}
	}
	csi := nodevolumelimits.NewCSIManager(s.factory.Storage().V1().CSINodes().Lister())
	return append(s.groups(), frameworkruntime.WithSharedCSIManager(csi))
}
