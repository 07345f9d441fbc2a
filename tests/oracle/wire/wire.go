// Package wire has the scenarios and verdicts of ../../conformance/README.md, which the programs of all versions share.
package wire

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
)

type Scenario struct {
	ID      string            `json:"id"`
	Objects []json.RawMessage `json:"objects"`
	Pod     string            `json:"pod"`              // namespace/name of the pod to schedule
	Queue   []json.RawMessage `json:"queue,omitempty"`  // instead of Pod: pods that arrive one after the other
	Config  json.RawMessage   `json:"config,omitempty"` // v1.37: a KubeSchedulerConfiguration instead of the default

	Extenders    []Extender      `json:"extenders,omitempty"`
	FeatureGates map[string]bool `json:"featureGates,omitempty"` // v1.37: DRAListTypeAttributes, DRADeviceCompatibilityGroups
}

// Placement is what became of one pod of a queue.
type Placement struct {
	Pod     string   `json:"pod"`
	Node    string   `json:"node"` // empty: it stays pending
	Victims []string `json:"victims,omitempty"`
}

type NodeStatus struct {
	Plugin  string   `json:"plugin"`
	Code    string   `json:"code"`
	Reasons []string `json:"reasons"`
}

type Candidate struct {
	Victims          []string `json:"victims"`
	NumPDBViolations int64    `json:"numPDBViolations"`
}

type Preemption struct {
	Eligible   bool                 `json:"eligible"`
	Reason     string               `json:"reason,omitempty"` // not in v1.13
	Candidates map[string]Candidate `json:"candidates"`
	Chosen     []string             `json:"chosen"` // every node the picker may return; ties are broken by map order
	Error      string               `json:"error,omitempty"`
}

// Scores are those of plugins; in v1.13 and v1.16 of priorities, raw before Reduce.
type Scores struct {
	Raw      map[string]map[string]int64 `json:"raw"`      // plugin -> node -> score before normalising
	Weighted map[string]map[string]int64 `json:"weighted"` // plugin -> node -> normalised score times weight
	Total    map[string]int64            `json:"total"`
	Best     []string                    `json:"best"`
}

type Verdict struct {
	ID         string                 `json:"id"`
	Version    string                 `json:"version"`
	PreFilter  *NodeStatus            `json:"prefilter,omitempty"` // not in v1.13
	Filter     map[string]*NodeStatus `json:"filter,omitempty"`    // null: the node passes
	Feasible   []string               `json:"feasible"`
	Scores     *Scores                `json:"scores,omitempty"`
	Message    string                 `json:"message,omitempty"` // what `kubectl describe pod` shows when no node is feasible
	Event      string                 `json:"event,omitempty"`   // v1.37: the message with what PostFilter adds, unless a node was nominated
	Preemption *Preemption            `json:"preemption,omitempty"`
	Placements []Placement            `json:"placements,omitempty"`
	Error      string                 `json:"error,omitempty"`
}

// Answer reads scenarios from standard input and writes one verdict a line: run's, or runQueue's if there is a queue.
func Answer(run, runQueue func(*Scenario) *Verdict) {
	out := bufio.NewWriter(os.Stdout)
	enc := json.NewEncoder(out)
	dec := json.NewDecoder(bufio.NewReaderSize(os.Stdin, 1<<20))
	for dec.More() {
		var s Scenario
		if err := dec.Decode(&s); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		giveFirstSizes(s.Objects)
		if len(s.Extenders) > 0 {
			Serve(s.Extenders)
		}
		answer := run
		if len(s.Queue) > 0 {
			answer = runQueue
		}
		err := enc.Encode(answer(&s))
		if err == nil {
			err = out.Flush() // a later panic, or the end of somebody's patience, takes no answer away
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}
