//go:build since_34

package main

import fwk "k8s.io/kube-scheduler/framework"

const (
	unresolvable  = fwk.UnschedulableAndUnresolvable
	unschedulable = fwk.Unschedulable
)

var newStatus = fwk.NewStatus
