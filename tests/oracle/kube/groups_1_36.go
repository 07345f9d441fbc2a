//go:build since_36

package main

import (
	"context"

	resourceslicetracker "k8s.io/dynamic-resource-allocation/resourceslice/tracker"
	internalcache "k8s.io/kubernetes/pkg/scheduler/backend/cache"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
)

func (s *setting) taintRules(o *resourceslicetracker.Options) {
	o.TaintInformer = s.factory.Resource().V1beta2().DeviceTaintRules()
	o.ClassInformer = s.factory.Resource().V1().DeviceClasses()
}

func (s *setting) groups() []frameworkruntime.Option {
	cache := internalcache.New(context.Background(), nil, false)
	return []frameworkruntime.Option{
		frameworkruntime.WithPodGroupManager(cache), frameworkruntime.WithPodsInPreBind(frameworkruntime.NewPodsInPreBindMap()),
	}
}
