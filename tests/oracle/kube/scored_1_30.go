//go:build since_30

package main

func nameOf(n nodeInfo) string { return n.Node().Name }

// scored: what the functions that score and the extenders take.
func scored(infos []nodeInfo) []nodeInfo { return infos }

type scoredNode = nodeInfo

// infosOf: an extender returns nodes without their pods.
func infosOf(left []scoredNode, _ []nodeInfo) []nodeInfo { return left }
