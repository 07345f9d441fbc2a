//go:build since_32

package main

import (
	"context"
	_ "unsafe" // go:linkname

	v1 "k8s.io/api/core/v1"
	policy "k8s.io/api/policy/v1"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultpreemption"
	"k8s.io/kubernetes/pkg/scheduler/framework/preemption"
)

//go:linkname callExtenders k8s.io/kubernetes/pkg/scheduler/framework/preemption.(*Evaluator).callExtenders
func callExtenders(ev *preemption.Evaluator, logger klog.Logger, pod *v1.Pod, candidates []preemption.Candidate) ([]preemption.Candidate, *podStatus)

type evaluator struct{ *preemption.Evaluator }

func newEvaluator(s *setting, _ cycleState) evaluator {
	return evaluator{s.built[defaultpreemption.Name].(*defaultpreemption.DefaultPreemption).Evaluator}
}

func (ev evaluator) eligible(ctx context.Context, pod *v1.Pod, st *podStatus) (bool, string) {
	return ev.PodEligibleToPreemptOthers(ctx, pod, st)
}

func (ev evaluator) potential(s *setting, _ []nodeInfo, diagnosis statuses) ([]nodeInfo, error) {
	return diagnosis.NodesForStatusCode(s.f.SnapshotSharedLister().NodeInfos(), unschedulable)
}

func (ev evaluator) dryRun(ctx context.Context, _ *setting, state cycleState, pod *v1.Pod, nodes []nodeInfo, pdbs []*policy.PodDisruptionBudget) ([]preemption.Candidate, error) {
	cands, _, err := ev.DryRunPreemption(ctx, state, pod, nodes, pdbs, 0, int32(len(nodes)))
	return cands, err
}

func (ev evaluator) ask(_ *setting, pod *v1.Pod, cands []preemption.Candidate) ([]preemption.Candidate, *podStatus) {
	return callExtenders(ev.Evaluator, klog.Background(), pod, cands)
}

func (ev evaluator) choose(ctx context.Context, cands []preemption.Candidate) preemption.Candidate {
	return ev.SelectCandidate(ctx, cands)
}
