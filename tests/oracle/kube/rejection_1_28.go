//go:build since_28 && !since_32

package main

import "k8s.io/kubernetes/pkg/scheduler/framework"

func diagnosisOf(s statuses, rejection, after string) framework.Diagnosis {
	return framework.Diagnosis{NodeToStatusMap: s, PreFilterMsg: rejection, PostFilterMsg: after}
}
