//go:build since_24 && !since_28

package main

import "k8s.io/kubernetes/pkg/scheduler/framework"

func diagnosisOf(s statuses, _, after string) framework.Diagnosis {
	return framework.Diagnosis{NodeToStatusMap: s, PostFilterMsg: after}
}
