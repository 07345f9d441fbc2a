//go:build since_32

package main

import (
	v1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"oracle/wire"
)

type statuses = *framework.NodeToStatus

func newStatuses() statuses                      { return framework.NewDefaultNodeToStatus() }
func set(s statuses, node string, st *podStatus) { s.Set(node, st) }
func get(s statuses, node string) *podStatus     { return s.Get(node) }
func excludeOthers(s *statuses) {
	(*s).SetAbsentNodesStatus(newStatus(unresolvable, "excluded by PreFilter"))
}
func forEach(s statuses, f func(string, *podStatus)) { s.ForEachExplicitNode(f) }

func rejectAll(s *statuses, _ []nodeInfo, st *podStatus) { (*s).SetAbsentNodesStatus(st) }

func fitError(pod *v1.Pod, nodes int, s statuses, rejection, after string) string {
	d := framework.Diagnosis{NodeToStatus: s, PreFilterMsg: rejection, PostFilterMsg: after}
	return (&framework.FitError{Pod: pod, NumAllNodes: nodes, Diagnosis: d}).Error()
}

func droppedByExtender(s statuses) *nodeStatus {
	by := "Extender"
	if len(s.AbsentNodesStatus().Reasons()) > 0 { // it has the status of the nodes that PreFilter excludes
		by = "PreFilter"
	}
	return &wire.NodeStatus{Plugin: by, Code: s.AbsentNodesStatus().Code().String(), Reasons: []string{}}
}
