//go:build !since_28

package main

import (
	"context"
	_ "unsafe" // go:linkname

	v1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

//go:linkname findNodesThatPassExtenders k8s.io/kubernetes/pkg/scheduler.findNodesThatPassExtenders
func findNodesThatPassExtenders(extenders []extender, pod *v1.Pod, feasibleNodes []scoredNode, statuses statuses) ([]scoredNode, error)

//go:linkname prioritizeNodes k8s.io/kubernetes/pkg/scheduler.prioritizeNodes
func prioritizeNodes(ctx context.Context, extenders []extender, f framework.Framework, state cycleState, pod *v1.Pod, nodes []scoredNode) (framework.NodeScoreList, error)

func passExtenders(_ context.Context, extenders []extender, pod *v1.Pod, nodes []scoredNode, s statuses) ([]scoredNode, error) {
	return findNodesThatPassExtenders(extenders, pod, nodes, s)
}

func totals(ctx context.Context, extenders []extender, f framework.Framework, state cycleState, pod *v1.Pod, nodes []scoredNode) (map[string]int64, error) {
	list, err := prioritizeNodes(ctx, extenders, f, state, pod, nodes)
	total := map[string]int64{}
	for _, n := range list {
		total[n.Name] = n.Score
	}
	return total, err
}

func weighted(ctx context.Context, f framework.Framework, state cycleState, pod *v1.Pod, nodes []scoredNode) (map[string]map[string]int64, error) {
	scores, st := f.RunScorePlugins(ctx, state, pod, nodes)
	if !st.IsSuccess() {
		return nil, st.AsError()
	}
	out := map[string]map[string]int64{}
	for name, list := range scores {
		out[name] = map[string]int64{}
		for _, n := range list {
			out[name][n.Name] = n.Score
		}
	}
	return out, nil
}
