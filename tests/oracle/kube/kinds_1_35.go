//go:build since_35

package main

import fwk "k8s.io/kube-scheduler/framework"

type (
	nodeInfo         = fwk.NodeInfo
	podStatus        = fwk.Status
	cycleState       = fwk.CycleState
	extender         = fwk.Extender
	plugin           = fwk.Plugin
	handle           = fwk.Handle
	scorePlugin      = fwk.ScorePlugin
	nodePluginScores = fwk.NodePluginScores
)
