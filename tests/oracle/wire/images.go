package wire

import (
	"bytes"
	"encoding/json"
)

// giveFirstSizes lets all nodes report the size of an image that the first of them reports. The scheduler's cache keeps
// that one (v1.37: backend/cache/cache.go, addNodeImageStates), but a snapshot that a test makes has each node's own.
func giveFirstSizes(objects []json.RawMessage) {
	first := map[string]any{}
	for i, raw := range objects {
		var o map[string]any
		dec := json.NewDecoder(bytes.NewReader(raw))
		dec.UseNumber()
		if dec.Decode(&o) != nil || o["kind"] != "Node" {
			continue
		}
		status, _ := o["status"].(map[string]any)
		images, _ := status["images"].([]any)
		var each []any
		for _, image := range images {
			fields, _ := image.(map[string]any)
			names, _ := fields["names"].([]any)
			for _, n := range names {
				name, _ := n.(string)
				if _, ok := first[name]; !ok {
					first[name] = fields["sizeBytes"]
				}
				each = append(each, map[string]any{"names": []any{name}, "sizeBytes": first[name]})
			}
		}
		if each != nil {
			status["images"] = each
			objects[i], _ = json.Marshal(o)
		}
	}
}
