//go:build !since_28

package main

// droppedByExtender: a node without a status may be tried by preemption, also one that PreFilter has excluded.
func droppedByExtender(statuses) *nodeStatus {
	return &nodeStatus{Plugin: "Extender", Code: "Unschedulable", Reasons: []string{}}
}

// missingNodeIsError: PreFilter may name a node that does not exist; findNodesThatFitPod.
const missingNodeIsError = true
