//go:build since_34 && !since_35

package main

import (
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

type (
	nodeInfo         = fwk.NodeInfo
	podStatus        = fwk.Status
	cycleState       = fwk.CycleState
	extender         = framework.Extender
	plugin           = framework.Plugin
	handle           = framework.Handle
	scorePlugin      = framework.ScorePlugin
	nodePluginScores = framework.NodePluginScores
)
