//go:build !since_30

package main

import v1 "k8s.io/api/core/v1"

func nameOf(n *v1.Node) string { return n.Name }

// scored: what the functions that score and the extenders take.
func scored(infos []nodeInfo) (nodes []*v1.Node) {
	for _, info := range infos {
		nodes = append(nodes, info.Node())
	}
	return nodes
}

type scoredNode = *v1.Node

// infosOf: those of the nodes that the extenders left.
func infosOf(left []scoredNode, feasible []nodeInfo) (infos []nodeInfo) {
	kept := map[string]bool{}
	for _, n := range left {
		kept[n.Name] = true
	}
	for _, info := range feasible {
		if kept[info.Node().Name] {
			infos = append(infos, info)
		}
	}
	return infos
}
