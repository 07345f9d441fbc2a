//go:build since_24 && !since_28

package main

import (
	_ "unsafe" // go:linkname

	"k8s.io/kubernetes/pkg/scheduler/apis/config"
)

//go:linkname buildExtenders k8s.io/kubernetes/pkg/scheduler.buildExtenders
func buildExtenders(extenders []config.Extender, profiles []config.KubeSchedulerProfile) ([]extender, error)

func makeExtenders(configs []config.Extender) ([]extender, error) {
	return buildExtenders(configs, nil)
}
