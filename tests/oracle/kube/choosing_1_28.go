//go:build since_28 && !since_30

package main

import (
	"context"
	_ "unsafe" // go:linkname

	v1 "k8s.io/api/core/v1"

	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/scheduler/framework/preemption"
)

//go:linkname callExtenders k8s.io/kubernetes/pkg/scheduler/framework/preemption.(*Evaluator).callExtenders
func callExtenders(ev *preemption.Evaluator, logger klog.Logger, pod *v1.Pod, candidates []preemption.Candidate) ([]preemption.Candidate, *podStatus)

func (ev evaluator) ask(_ *setting, pod *v1.Pod, cands []preemption.Candidate) ([]preemption.Candidate, *podStatus) {
	return callExtenders(ev.Evaluator, klog.Background(), pod, cands)
}

func (ev evaluator) choose(_ context.Context, cands []preemption.Candidate) preemption.Candidate {
	return ev.SelectCandidate(klog.Background(), cands)
}
