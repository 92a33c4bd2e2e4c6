package main

import (
	"slices"

	"github.com/langchaingo-mcp/mcpadapters/config"
)

// againstSchema checks a file of our own form against its schema. What that
// refuses may well be read, but editors will mark it.
// What is told already is not told again.
func againstSchema(path string, told ...[]problem) []problem {
	var problems []problem
	for _, f := range config.CheckSchema(config.Source{Path: path}) {
		p := problemOf(f)
		if !slices.ContainsFunc(slices.Concat(told...), func(other problem) bool { return other.Line == p.Line && other.Column == p.Column }) {
			problems = append(problems, p)
		}
	}
	return problems
}
