package elicitation

import (
	"encoding/json"
	"errors"
	"fmt"
)

// items reads the choices of an array.
func (r *reader) items() []Choice {
	raw, ok := r.members["items"]
	if !ok {
		r.fail(errors.New("is an array without items to choose from"))
		return nil
	}
	members, _, err := readObject(raw)
	if err != nil {
		r.fail(fmt.Errorf("has items that are not an object: %w", err))
		return nil
	}
	items := reader{members: members}
	kind := items.text("type")
	keyword := choiceKeyword(members)
	if keyword == "" || kind != "" && kind != "string" {
		r.fail(errors.New("is an array of something other than choices of type string"))
		return nil
	}
	choices := items.choices(keyword)
	if items.err != nil {
		r.fail(items.err)
	}
	return choices
}

// choices reads the list under keyword: enum (with the older enumNames), or
// oneOf or anyOf with const and title.
func (r *reader) choices(keyword string) []Choice {
	var list []json.RawMessage
	if err := json.Unmarshal(r.members[keyword], &list); err != nil {
		r.fail(fmt.Errorf("has an %s that is not a list", keyword))
		return nil
	}
	if len(list) == 0 || len(list) > maxChoices {
		r.fail(fmt.Errorf("offers %d choices: 1 to %d are possible", len(list), maxChoices))
		return nil
	}
	var names []string
	if raw, ok := r.members["enumNames"]; ok && keyword == "enum" {
		// Titles that belong to other values would mislead whoever chooses.
		if err := json.Unmarshal(raw, &names); err != nil || len(names) != len(list) {
			r.fail(errors.New("has enumNames that are not one string for each choice"))
			return nil
		}
	}
	var choices []Choice
	seen := make(map[string]bool, len(list))
	for i, raw := range list {
		var c Choice
		if keyword == "enum" {
			value, ok := asString(raw)
			if !ok {
				r.fail(fmt.Errorf("has a choice that is not a string, number %d", i+1))
				return nil
			}
			c.Value = value
			if names != nil {
				c.Title = names[i]
			}
		} else {
			members, _, err := readObject(raw)
			value, ok := asString(members["const"])
			if err != nil || !ok {
				r.fail(fmt.Errorf("has a choice without a const that is a string, number %d", i+1))
				return nil
			}
			entry := reader{members: members}
			c = Choice{Value: value, Title: entry.text("title")}
			if entry.err != nil {
				r.fail(fmt.Errorf("has a choice that %w, number %d", entry.err, i+1))
				return nil
			}
		}
		if c.Title == "" {
			c.Title = c.Value
		}
		if !seen[c.Value] {
			seen[c.Value] = true
			choices = append(choices, c)
		}
	}
	return choices
}

func asString(raw json.RawMessage) (string, bool) {
	var s *string
	if raw == nil || json.Unmarshal(raw, &s) != nil || s == nil {
		return "", false
	}
	return *s, true
}
