package adapters_test

import (
	"encoding/json"
	"fmt"
	"slices"
)

// googleAIConverts does what llms/googleai does with Parameters, errors
// included.
func googleAIConverts(v any, path string) error {
	schema, ok := v.(map[string]any)
	if !ok {
		return fmt.Errorf("%s: unsupported type %T", path, v)
	}
	t, ok := schema["type"].(string)
	if !ok {
		return fmt.Errorf("%s: expected string for type", path)
	}
	if d, ok := schema["description"]; ok {
		if _, ok := d.(string); !ok {
			return fmt.Errorf("%s: expected string for description", path)
		}
	}
	if p, ok := schema["properties"]; ok {
		properties, ok := p.(map[string]any)
		if !ok {
			return fmt.Errorf("%s: expected map for properties", path)
		}
		for name, property := range properties {
			if err := googleAIConverts(property, path+"."+name); err != nil {
				return err
			}
		}
	} else if t == "object" && path == "" {
		return fmt.Errorf("expected to find a map of properties")
	}
	if items, ok := schema["items"]; ok && t == "array" {
		if err := googleAIConverts(items, path+"[]"); err != nil {
			return err
		}
	}
	if r, ok := schema["required"]; ok {
		list, ok := r.([]any)
		if !ok {
			return fmt.Errorf("%s: expected array for required", path)
		}
		for _, e := range list {
			if _, ok := e.(string); !ok {
				return fmt.Errorf("%s: expected string for required", path)
			}
		}
	}
	return nil
}

// isPlain reports whether v is a tree of plain JSON values.
func isPlain(v any) bool {
	switch v := v.(type) {
	case nil, bool, string, float64, json.Number:
		return true
	case []any:
		return !slices.ContainsFunc(v, func(e any) bool { return !isPlain(e) })
	case map[string]any:
		for _, e := range v {
			if !isPlain(e) {
				return false
			}
		}
		return true
	}
	return false
}
