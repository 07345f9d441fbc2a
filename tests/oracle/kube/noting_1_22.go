//go:build !since_30

package main

import (
	"k8s.io/apimachinery/pkg/runtime"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
)

// noting is the factory; what it makes is found in built.
func noting(name string, make frameworkruntime.PluginFactory, built map[string]plugin) frameworkruntime.PluginFactory {
	return func(args runtime.Object, h handle) (plugin, error) {
		p, err := make(args, h)
		built[name] = p
		return p, err
	}
}
