//go:build since_35 && !since_36

package main

import (
	resourceslicetracker "k8s.io/dynamic-resource-allocation/resourceslice/tracker"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
)

func (s *setting) taintRules(o *resourceslicetracker.Options) {
	o.TaintInformer = s.factory.Resource().V1alpha3().DeviceTaintRules()
	o.ClassInformer = s.factory.Resource().V1().DeviceClasses()
}

func (s *setting) groups() []frameworkruntime.Option { return nil }
