//go:build since_28 && !since_32

package main

// droppedByExtender: preemption does not try a node without a status.
func droppedByExtender(statuses) *nodeStatus {
	return &nodeStatus{Plugin: "Extender", Code: "UnschedulableAndUnresolvable", Reasons: []string{}}
}
