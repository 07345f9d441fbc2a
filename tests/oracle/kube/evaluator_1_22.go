//go:build !since_24

package main

import (
	"context"
	_ "unsafe" // go:linkname

	v1 "k8s.io/api/core/v1"
	policy "k8s.io/api/policy/v1"
	preemption "k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultpreemption"
)

//go:linkname nodesWherePreemptionMightHelp k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultpreemption.nodesWherePreemptionMightHelp
func nodesWherePreemptionMightHelp(nodes []nodeInfo, m statuses) ([]nodeInfo, statuses)

//go:linkname dryRunPreemption k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultpreemption.dryRunPreemption
func dryRunPreemption(ctx context.Context, f handle, state cycleState, pod *v1.Pod, nodes []nodeInfo,
	pdbs []*policy.PodDisruptionBudget, offset, count int32) ([]preemption.Candidate, statuses)

// evaluator: preemption was functions of the plugin's package.
type evaluator struct{ f handle }

func newEvaluator(s *setting, _ cycleState) evaluator { return evaluator{s.f} }

func (ev evaluator) eligible(_ context.Context, pod *v1.Pod, st *podStatus) (bool, string) {
	return preemption.PodEligibleToPreemptOthers(pod, ev.f.SnapshotSharedLister().NodeInfos(), st), ""
}

func (ev evaluator) potential(_ *setting, infos []nodeInfo, diagnosis statuses) ([]nodeInfo, error) {
	nodes, _ := nodesWherePreemptionMightHelp(infos, diagnosis)
	return nodes, nil
}

func (ev evaluator) dryRun(ctx context.Context, _ *setting, state cycleState, pod *v1.Pod, nodes []nodeInfo, pdbs []*policy.PodDisruptionBudget) ([]preemption.Candidate, error) {
	cands, _ := dryRunPreemption(ctx, ev.f, state, pod, nodes, pdbs, 0, int32(len(nodes)))
	return cands, nil
}

func (ev evaluator) ask(s *setting, pod *v1.Pod, cands []preemption.Candidate) ([]preemption.Candidate, *podStatus) {
	return preemption.CallExtenders(s.extenders, pod, ev.f.SnapshotSharedLister().NodeInfos(), cands)
}

func (ev evaluator) choose(_ context.Context, cands []preemption.Candidate) preemption.Candidate {
	return preemption.SelectCandidate(cands)
}
