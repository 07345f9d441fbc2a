//go:build since_28

package main

import (
	"context"
	_ "unsafe" // go:linkname

	v1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

//go:linkname passExtenders k8s.io/kubernetes/pkg/scheduler.findNodesThatPassExtenders
func passExtenders(ctx context.Context, extenders []extender, pod *v1.Pod, nodes []scoredNode, s statuses) ([]scoredNode, error)

//go:linkname prioritizeNodes k8s.io/kubernetes/pkg/scheduler.prioritizeNodes
func prioritizeNodes(ctx context.Context, extenders []extender, f framework.Framework, state cycleState, pod *v1.Pod, nodes []scoredNode) ([]nodePluginScores, error)

//go:linkname buildExtenders k8s.io/kubernetes/pkg/scheduler.buildExtenders
func buildExtenders(logger klog.Logger, extenders []config.Extender, profiles []config.KubeSchedulerProfile) ([]extender, error)

func makeExtenders(configs []config.Extender) ([]extender, error) {
	return buildExtenders(klog.Background(), configs, nil)
}

func totals(ctx context.Context, extenders []extender, f framework.Framework, state cycleState, pod *v1.Pod, nodes []scoredNode) (map[string]int64, error) {
	list, err := prioritizeNodes(ctx, extenders, f, state, pod, nodes)
	total := map[string]int64{}
	for _, n := range list {
		total[n.Name] = n.TotalScore
	}
	return total, err
}

func weighted(ctx context.Context, f framework.Framework, state cycleState, pod *v1.Pod, nodes []scoredNode) (map[string]map[string]int64, error) {
	list, st := f.RunScorePlugins(ctx, state, pod, nodes)
	if !st.IsSuccess() {
		return nil, st.AsError()
	}
	out := map[string]map[string]int64{}
	for _, n := range list {
		for _, p := range n.Scores {
			if out[p.Name] == nil {
				out[p.Name] = map[string]int64{}
			}
			out[p.Name][n.Name] = p.Score
		}
	}
	return out, nil
}
