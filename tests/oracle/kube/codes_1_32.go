//go:build since_32 && !since_34

package main

import "k8s.io/kubernetes/pkg/scheduler/framework"

const (
	unresolvable  = framework.UnschedulableAndUnresolvable
	unschedulable = framework.Unschedulable
)

var newStatus = framework.NewStatus
