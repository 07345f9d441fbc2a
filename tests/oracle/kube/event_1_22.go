//go:build !since_24

package main

import v1 "k8s.io/api/core/v1"

// eventOf: the message says nothing of preemption.
func eventOf(*v1.Pod, int, statuses, string, *podStatus) string { return "" }
