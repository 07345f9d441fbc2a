//go:build !since_24

package main

import (
	"context"

	v1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// preFilter: the names of the nodes that PreFilter leaves, or nil for all.
func preFilter(ctx context.Context, f framework.Framework, state cycleState, pod *v1.Pod) (map[string]bool, *podStatus) {
	return nil, f.RunPreFilterPlugins(ctx, state, pod)
}
