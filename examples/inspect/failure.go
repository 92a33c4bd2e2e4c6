package main

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

// A problem is something that went wrong, as -json prints it.
type problem struct {
	Kind    string `json:"kind"`
	Server  string `json:"server,omitempty"`
	Tool    string `json:"tool,omitempty"`
	Key     string `json:"key,omitempty"`    // of the configuration
	File    string `json:"file,omitempty"`   // of the configuration
	Line    int    `json:"line,omitempty"`   // in File, from 1
	Column  int    `json:"column,omitempty"` // in characters, from 1
	Phase   string `json:"phase,omitempty"`  // see multiclient.Phase
	Status  int    `json:"status,omitempty"` // of HTTP
	Message string `json:"message"`
	Detail  string `json:"detail,omitempty"` // last lines of stderr, beginning of an HTTP answer
}

// Kinds of problems that are not a multiclient.ErrorKind.
const (
	kindUsage         = "usage"
	kindConfiguration = "configuration"
	kindToolFailed    = "tool failed"
	kindElicitation   = "elicitation"
	kindUnknownTool   = string(multiclient.ErrUnknownTool)
)

// status returns the exit status that the problem calls for.
func (p problem) status() int {
	if p.Kind == kindUsage || p.Kind == kindConfiguration {
		return statusUsage
	}
	return statusFailed
}

// A usageError says what is wrong with the command line.
type usageError string

func (e usageError) Error() string { return string(e) }

// A configError is a configuration that cannot be used.
type configError struct{ error }

func (e configError) Unwrap() error { return e.error }

// A timeoutError says that -timeout has passed.
type timeoutError time.Duration

func (e timeoutError) Error() string {
	return fmt.Sprintf("the -timeout of %v has passed", time.Duration(e))
}

// problemsOf lists what an error says, of each server if it joins several.
func problemsOf(err error) []problem {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		var all []problem
		for _, err := range joined.Unwrap() {
			all = append(all, problemsOf(err)...)
		}
		return all
	}
	var (
		faults *config.Error
		server *multiclient.Error
		late   timeoutError
		usage  usageError
		file   configError
		tool   unknownTool
	)
	switch {
	case err == nil:
		return nil
	case errors.As(err, &faults):
		var all []problem
		for _, f := range faults.Faults {
			p := problemOf(f)
			if f.Server == "" {
				p.Message = f.String()
			}
			all = append(all, p)
		}
		return all
	case errors.As(err, &late):
		p := problem{Kind: string(multiclient.ErrTimeout), Message: late.Error()}
		if errors.As(err, &server) {
			p.Server, p.Tool, p.Phase = server.Server, server.Tool, string(server.Phase)
		}
		return []problem{p}
	case errors.As(err, &server):
		return []problem{{
			Kind:    string(server.Kind),
			Server:  server.Server,
			Tool:    server.Tool,
			Phase:   string(server.Phase),
			Status:  server.Status,
			Message: message(server),
			Detail:  server.Detail,
		}}
	case errors.As(err, &usage):
		return []problem{{Kind: kindUsage, Message: usage.Error()}}
	case errors.As(err, &file):
		return []problem{{Kind: kindConfiguration, Message: strings.TrimPrefix(file.Error(), "config: ")}}
	case errors.As(err, &tool):
		return []problem{{Kind: kindUnknownTool, Message: tool.Error()}}
	}
	return []problem{{Kind: string(multiclient.ErrFailed), Message: err.Error()}}
}

func problemOf(f config.Fault) problem {
	return problem{Kind: kindConfiguration, Server: f.Server, Key: f.Key, File: f.File, Line: f.Line, Column: f.Column, Message: f.Problem}
}

// saysStatus reports whether the cause is only what the SDK makes of the status, with
// the answer, which is the detail.
func saysStatus(e *multiclient.Error) bool {
	cause := e.Err.Error()
	bySDK := strings.HasPrefix(cause, "calling ") || strings.HasPrefix(cause, "failed to connect: ")
	return bySDK && e.Status != 0 && strings.Contains(cause, http.StatusText(e.Status))
}

// message returns what the error says beyond what has a field of its own.
func message(e *multiclient.Error) string {
	s := string(e.Kind)
	switch {
	case e.Err == nil, saysStatus(e):
	case e.Kind == multiclient.ErrFailed:
		s = e.Err.Error()
	default:
		s += ": " + e.Err.Error()
	}
	if e.Status != 0 {
		s = fmt.Sprintf("HTTP status %d: %s", e.Status, s)
	}
	return s
}
