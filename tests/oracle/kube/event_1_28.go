//go:build since_28

package main

import v1 "k8s.io/api/core/v1"

func eventOf(pod *v1.Pod, nodes int, s statuses, rejection string, after *podStatus) string {
	return fitError(pod, nodes, s, rejection, after.Message())
}
