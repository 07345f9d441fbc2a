// Command cel reads questions as JSON lines from standard input, compiles each expression as v1.37 compiles the
// selector of a device and evaluates it for the device, and prints one JSON line per question:
//
//	{"expression": "device.driver == 'a'", "driver": "a", "device": {"attributes": {...}, "capacity": {...}}}
//
//	{"compile": "compilation failed: ..."}                     it does not compile; "internal": a fault of another kind
//	{"type": "bool", "maxCost": 3, "cost": 3, "matches": true}
//	{"type": "bool", "maxCost": 3, "cost": 3, "error": "no such key: a"}
//
// "new": true asks for the environment with which the API server validates new objects instead of the scheduler's;
// "lists": true for the gate DRAListTypeAttributes.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"

	resourceapi "k8s.io/api/resource/v1"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/environment"
	"k8s.io/dynamic-resource-allocation/cel"
)

type question struct {
	Expression string             `json:"expression"`
	Driver     string             `json:"driver"`
	Device     resourceapi.Device `json:"device"`
	New        bool               `json:"new"`
	Lists      bool               `json:"lists"`
}

type answer struct {
	Compile  string  `json:"compile,omitempty"`
	Internal bool    `json:"internal,omitempty"`
	Type     string  `json:"type,omitempty"`
	MaxCost  uint64  `json:"maxCost,omitempty"`
	Matches  bool    `json:"matches,omitempty"`
	Error    string  `json:"error,omitempty"`
	Enhanced string  `json:"enhanced,omitempty"` // the error as the scheduler shows it, if that differs
	Cost     *uint64 `json:"cost,omitempty"`
}

func ask(q question) (a answer) {
	defer func() {
		if r := recover(); r != nil {
			a = answer{Error: fmt.Sprintf("panic: %v", r)}
		}
	}()
	env := environment.StoredExpressions
	if q.New {
		env = environment.NewExpressions
	}
	compiler := cel.GetCompiler(cel.Features{EnableConsumableCapacity: true, EnableListTypeAttributes: q.Lists})
	result := compiler.CompileCELExpression(q.Expression, cel.Options{EnvType: &env})
	if result.Error != nil {
		return answer{Compile: result.Error.Error(), Internal: result.Error.Type == apiservercel.ErrorTypeInternal}
	}
	a.Type = result.OutputType.String()
	a.MaxCost = result.MaxCost
	device := cel.Device{
		Driver:                   q.Driver,
		AllowMultipleAllocations: q.Device.AllowMultipleAllocations,
		Attributes:               q.Device.Attributes,
		Capacity:                 q.Device.Capacity,
	}
	matches, details, err := result.DeviceMatches(context.Background(), device)
	if details != nil {
		a.Cost = details.ActualCost()
	}
	if err != nil {
		a.Error = err.Error()
		if enhanced := cel.EnhanceRuntimeError(err).Error(); enhanced != a.Error {
			a.Enhanced = enhanced
		}
		return a
	}
	a.Matches = matches
	return a
}

func main() {
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	dec := json.NewDecoder(in)
	for {
		var q question
		if err := dec.Decode(&q); err != nil {
			return
		}
		if err := enc.Encode(ask(q)); err != nil {
			panic(err)
		}
		out.Flush()
	}
}
