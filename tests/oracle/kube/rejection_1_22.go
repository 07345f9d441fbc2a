//go:build !since_24

package main

import "k8s.io/kubernetes/pkg/scheduler/framework"

func diagnosisOf(s statuses, _, _ string) framework.Diagnosis {
	return framework.Diagnosis{NodeToStatusMap: s}
}
