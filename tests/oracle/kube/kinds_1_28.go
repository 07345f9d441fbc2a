//go:build since_28 && !since_34

package main

import "k8s.io/kubernetes/pkg/scheduler/framework"

type nodePluginScores = framework.NodePluginScores
