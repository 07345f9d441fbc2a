//go:build !since_24

package main

import (
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
)

// makeExtenders does what factory.go, create, does: the ignorable ones come last.
func makeExtenders(configs []config.Extender) (made []extender, err error) {
	var ignorable []extender
	for i := range configs {
		e, err := scheduler.NewHTTPExtender(&configs[i])
		if err != nil {
			return nil, err
		}
		if e.IsIgnorable() {
			ignorable = append(ignorable, e)
		} else {
			made = append(made, e)
		}
	}
	return append(made, ignorable...), nil
}
