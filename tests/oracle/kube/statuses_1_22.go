//go:build !since_32

package main

import (
	v1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

type statuses = framework.NodeToStatusMap

func newStatuses() statuses                      { return statuses{} }
func set(s statuses, node string, st *podStatus) { s[node] = st }
func get(s statuses, node string) *podStatus     { return s[node] }
func excludeOthers(*statuses)                    {}
func forEach(s statuses, f func(string, *podStatus)) {
	for n, st := range s {
		f(n, st)
	}
}

func rejectAll(s *statuses, infos []nodeInfo, st *podStatus) {
	for _, info := range infos {
		(*s)[info.Node().Name] = st
	}
}

func fitError(pod *v1.Pod, nodes int, s statuses, rejection, after string) string {
	return (&framework.FitError{Pod: pod, NumAllNodes: nodes, Diagnosis: diagnosisOf(s, rejection, after)}).Error()
}
