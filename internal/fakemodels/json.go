package fakemodels

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

type object = map[string]any

// at returns what a JSON value has at a path of keys, or nil.
func at(v any, path ...string) any {
	for _, key := range path {
		o, _ := v.(object)
		v = o[key]
	}
	return v
}

func text(v any, path ...string) string {
	s, _ := at(v, path...).(string)
	return s
}

func list(v any, path ...string) []any {
	l, _ := at(v, path...).([]any)
	return l
}

func write(w http.ResponseWriter, v any) {
	_ = json.NewEncoder(w).Encode(v)
}

func encode(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(data)
}

// events writes a stream of server-sent events.
func events(w http.ResponseWriter, name func(event any) string, all ...any) {
	w.Header().Set("Content-Type", "text/event-stream")
	for _, event := range all {
		if name != nil {
			fmt.Fprintf(w, "event: %s\n", name(event))
		}
		if s, ok := event.(string); ok {
			fmt.Fprintf(w, "data: %s\n\n", s)
			continue
		}
		fmt.Fprintf(w, "data: %s\n\n", encode(event))
	}
}

// pieces cuts text for a stream.
func pieces(s string) []string {
	if s == "" {
		return nil
	}
	return strings.SplitAfter(s, " ")
}

// onlyKeys returns an error for a key that an API does not know.
func onlyKeys(v any, where string, known ...string) error {
	o, _ := v.(object)
next:
	for key := range o {
		for _, k := range known {
			if k == key {
				continue next
			}
		}
		return refusal("%s.%s: Extra inputs are not permitted", where, key)
	}
	return nil
}

// refusal returns an error in the words of an API, which are not formed as
// errors of Go are.
func refusal(format string, args ...any) error { return fmt.Errorf(format, args...) }
