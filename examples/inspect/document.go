package main

import (
	"io"
	"slices"
)

// A document is what a verb has found out. As JSON it is an object; embedding
// an outcome gives it the key "errors".
type document interface {
	// text writes the document for people. Characters that a terminal must
	// not get are removed afterwards.
	text(w io.Writer)
	result() *outcome
}

// An outcome lists what went wrong.
type outcome struct {
	Errors []problem `json:"errors"`
	shown  bool      // the text of the document tells them
}

func (o *outcome) result() *outcome { return o }

// fail adds what an error says, if it is one.
func (o *outcome) fail(err error) { o.Errors = append(o.Errors, problemsOf(err)...) }

// status returns the exit status.
func (o *outcome) status() int {
	status := statusOK
	for _, p := range o.Errors {
		status = max(status, p.status())
	}
	return status
}

// nothing is the document of what failed before there was any.
type nothing struct{ outcome }

func (*nothing) text(io.Writer) {}

func failed(err error) document {
	doc := &nothing{}
	doc.fail(err)
	return doc
}

// healthy returns the servers that nothing went wrong with so far, so that
// what is broken is neither tried nor reported twice.
func (o *outcome) healthy(servers []string) []string {
	return slices.DeleteFunc(slices.Clone(servers), func(server string) bool {
		return slices.ContainsFunc(o.Errors, func(p problem) bool { return p.Server == server })
	})
}
