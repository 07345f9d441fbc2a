package wire

import (
	"encoding/json"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
)

// Extender describes an extender: what it answers, by the names of nodes. Its Name is its URL, whose host need not
// exist: a proxy in this process answers for all of them.
type Extender struct {
	Name             string      `json:"name"`
	Weight           int64       `json:"weight"`
	Ignorable        bool        `json:"ignorable"`
	NodeCacheCapable bool        `json:"nodeCacheCapable"`
	ManagedResources []string    `json:"managedResources"`
	Filter           *Filtering  `json:"filter"`
	Prioritize       *Scoring    `json:"prioritize"`
	Preempt          *Preempting `json:"preempt"`
}

// Filtering: reasons of the nodes that are refused; Drop: nodes refused without a reason. Add: nodes returned
// whether they were given or not; Also: reasons for nodes whether they were given or not.
type Filtering struct {
	Refuse       map[string]string `json:"refuse"`
	Unresolvable map[string]string `json:"unresolvable"`
	Drop         []string          `json:"drop"`
	Add          []string          `json:"add"`
	Also         map[string]string `json:"also"`
	Error        string            `json:"error"`
	Status       int               `json:"status"` // instead of an answer
}

type Scoring struct {
	Scores map[string]int64 `json:"scores"`
	Status int              `json:"status"`
}

// Preempting: candidates that are dropped, by node the uids of the victims and the number of violations instead of
// those given.
type Preempting struct {
	Drop       []string            `json:"drop"`
	Victims    map[string][]string `json:"victims"`
	Violations map[string]int64    `json:"violations"`
	Status     int                 `json:"status"`
}

// Verb is "" if the extender has no answer for it.
func (e *Extender) Verb(verb string) string {
	has := map[string]bool{"filter": e.Filter != nil, "prioritize": e.Prioritize != nil, "preempt": e.Preempt != nil}
	if has[verb] {
		return verb
	}
	return ""
}

var (
	serving sync.Mutex
	served  map[string]Extender
	once    sync.Once
)

// Serve answers for these extenders, and no longer for earlier ones.
func Serve(extenders []Extender) {
	serving.Lock()
	served = map[string]Extender{}
	for _, e := range extenders {
		served[strings.TrimPrefix(e.Name, "http://")] = e
	}
	serving.Unlock()
	once.Do(func() {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			panic(err)
		}
		os.Setenv("HTTP_PROXY", "http://"+listener.Addr().String())
		go func() { _ = http.Serve(listener, http.HandlerFunc(answer)) }()
	})
}

func answer(w http.ResponseWriter, r *http.Request) {
	serving.Lock()
	e := served[r.URL.Host]
	serving.Unlock()
	var args struct {
		Nodes                 *struct{ Items []json.RawMessage }
		NodeNames             *[]string
		NodeNameToVictims     map[string]*victims
		NodeNameToMetaVictims map[string]*victims
	}
	if err := json.NewDecoder(r.Body).Decode(&args); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	var out interface{}
	status := 0
	switch strings.TrimPrefix(r.URL.Path, "/") {
	case "filter":
		status, out = e.Filter.Status, e.Filter.answer(e.NodeCacheCapable, args.NodeNames, args.Nodes)
	case "prioritize":
		list := []map[string]interface{}{}
		for name, score := range e.Prioritize.Scores {
			list = append(list, map[string]interface{}{"Host": name, "Score": score})
		}
		status, out = e.Prioritize.Status, list
	case "preempt":
		given := args.NodeNameToVictims
		if e.NodeCacheCapable {
			given = args.NodeNameToMetaVictims
		}
		status, out = e.Preempt.Status, e.Preempt.answer(given)
	}
	if status != 0 {
		w.WriteHeader(status)
		return
	}
	_ = json.NewEncoder(w).Encode(out)
}

func (f *Filtering) answer(capable bool, names *[]string, nodes *struct{ Items []json.RawMessage }) interface{} {
	given := map[string]json.RawMessage{}
	order := []string{}
	if capable {
		order = *names
	} else {
		for _, raw := range nodes.Items {
			var n struct{ Metadata struct{ Name string } }
			_ = json.Unmarshal(raw, &n)
			given[n.Metadata.Name] = raw
			order = append(order, n.Metadata.Name)
		}
	}
	failed, unresolvable := map[string]string{}, map[string]string{}
	out := map[string]bool{}
	for _, n := range f.Drop {
		out[n] = true
	}
	for name, reason := range f.Also {
		failed[name] = reason
	}
	kept, items := []string{}, []json.RawMessage{}
	for _, n := range order {
		reason, refused := f.Refuse[n]
		never, forever := f.Unresolvable[n]
		if refused {
			failed[n] = reason
		}
		if forever {
			unresolvable[n] = never
		}
		if !refused && !forever && !out[n] {
			kept, items = append(kept, n), append(items, given[n])
		}
	}
	for _, n := range f.Add {
		raw, _ := json.Marshal(map[string]interface{}{"metadata": map[string]string{"name": n}})
		kept, items = append(kept, n), append(items, raw)
	}
	result := map[string]interface{}{"FailedNodes": failed, "FailedAndUnresolvableNodes": unresolvable, "Error": f.Error}
	if capable {
		result["NodeNames"] = kept
	} else {
		result["Nodes"] = map[string]interface{}{"items": items}
	}
	return result
}

type victims struct {
	Pods             []map[string]json.RawMessage
	NumPDBViolations int64
}

func (p *Preempting) answer(given map[string]*victims) interface{} {
	type metaVictims struct {
		Pods             []map[string]string
		NumPDBViolations int64
	}
	result := map[string]*metaVictims{}
	for node, v := range given {
		meta := &metaVictims{Pods: []map[string]string{}, NumPDBViolations: v.NumPDBViolations}
		for _, pod := range v.Pods {
			var uid string
			var metadata struct{ UID string }
			_ = json.Unmarshal(pod["UID"], &uid)
			_ = json.Unmarshal(pod["metadata"], &metadata)
			meta.Pods = append(meta.Pods, map[string]string{"UID": uid + metadata.UID})
		}
		result[node] = meta
	}
	for _, node := range p.Drop {
		delete(result, node)
	}
	for node, uids := range p.Victims {
		if result[node] == nil {
			continue
		}
		result[node].Pods = nil
		for _, uid := range uids {
			result[node].Pods = append(result[node].Pods, map[string]string{"UID": uid})
		}
	}
	for node, number := range p.Violations {
		if result[node] != nil {
			result[node].NumPDBViolations = number
		}
	}
	return map[string]interface{}{"NodeNameToMetaVictims": result}
}
