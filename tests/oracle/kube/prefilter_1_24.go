//go:build since_24 && !since_32

package main

import (
	"context"

	v1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// preFilter: the names of the nodes that PreFilter leaves, or nil for all.
func preFilter(ctx context.Context, f framework.Framework, state cycleState, pod *v1.Pod) (map[string]bool, *podStatus) {
	res, st := f.RunPreFilterPlugins(ctx, state, pod)
	if res.AllNodes() {
		return nil, st
	}
	names := map[string]bool{}
	for name := range res.NodeNames {
		names[name] = true
	}
	return names, st
}
