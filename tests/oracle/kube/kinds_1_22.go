//go:build !since_34

package main

import "k8s.io/kubernetes/pkg/scheduler/framework"

type (
	nodeInfo   = *framework.NodeInfo
	podStatus  = framework.Status
	cycleState = *framework.CycleState
	extender   = framework.Extender
	plugin     = framework.Plugin
	handle     = framework.Handle
)
