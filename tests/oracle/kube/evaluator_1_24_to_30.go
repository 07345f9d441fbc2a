//go:build since_24 && !since_32

package main

import (
	"context"
	_ "unsafe" // go:linkname

	v1 "k8s.io/api/core/v1"
	policy "k8s.io/api/policy/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultpreemption"
	"k8s.io/kubernetes/pkg/scheduler/framework/preemption"
)

//go:linkname nodesWherePreemptionMightHelp k8s.io/kubernetes/pkg/scheduler/framework/preemption.nodesWherePreemptionMightHelp
func nodesWherePreemptionMightHelp(nodes []nodeInfo, m statuses) ([]nodeInfo, statuses)

type evaluator struct {
	*preemption.Evaluator
	plugin *defaultpreemption.DefaultPreemption
}

func newEvaluator(s *setting, state cycleState) evaluator {
	pl := s.built[defaultpreemption.Name].(*defaultpreemption.DefaultPreemption)
	return evaluator{&preemption.Evaluator{
		PluginName: defaultpreemption.Name, Handler: s.f, PodLister: s.factory.Core().V1().Pods().Lister(),
		PdbLister: s.factory.Policy().V1().PodDisruptionBudgets().Lister(), State: state, Interface: pl,
	}, pl}
}

func (ev evaluator) eligible(_ context.Context, pod *v1.Pod, st *podStatus) (bool, string) {
	return ev.plugin.PodEligibleToPreemptOthers(pod, st)
}

func (ev evaluator) potential(_ *setting, infos []nodeInfo, diagnosis statuses) ([]nodeInfo, error) {
	nodes, _ := nodesWherePreemptionMightHelp(infos, diagnosis)
	return nodes, nil
}

func (ev evaluator) dryRun(ctx context.Context, _ *setting, _ cycleState, pod *v1.Pod, nodes []nodeInfo, pdbs []*policy.PodDisruptionBudget) ([]preemption.Candidate, error) {
	cands, _, err := ev.DryRunPreemption(ctx, pod, nodes, pdbs, 0, int32(len(nodes)))
	return cands, err
}
