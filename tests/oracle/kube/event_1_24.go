//go:build since_24 && !since_28

package main

import v1 "k8s.io/api/core/v1"

// eventOf: schedule_one.go, an error of PostFilter is logged only.
func eventOf(pod *v1.Pod, nodes int, s statuses, rejection string, after *podStatus) string {
	if after.Code().String() == "Error" {
		return fitError(pod, nodes, s, rejection, "")
	}
	return fitError(pod, nodes, s, rejection, after.Message())
}
