package adapters_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/langchaingo-mcp/mcpadapters/adapters"
)

func TestError(t *testing.T) {
	for want, err := range map[string]*adapters.Error{
		`adapters: bad option`:                                                        {Kind: adapters.ErrBadOption},
		`adapters: bad arguments: tool "t" of server "s": EOF`:                        {Kind: adapters.ErrBadArguments, Server: "s", Tool: "t", Err: io.EOF},
		`adapters: conversion: server "s"`:                                            {Kind: adapters.ErrConversion, Server: "s"},
		`adapters: tool failed: tool "\x1b[2J\n"`:                                     {Kind: adapters.ErrToolFailed, Tool: "\x1b[2J\n"},
		`adapters: name collision: tool "t" of server "a" and tool "T" of server "b"`: {Kind: adapters.ErrNameCollision, Server: "a", Tool: "t", OtherServer: "b", OtherTool: "T"},
		`adapters: tool failed: tool "` + strings.Repeat("x", 99) + `"...`:            {Kind: adapters.ErrToolFailed, Tool: strings.Repeat("x", 99) + "é" + "y"},
	} {
		if got := err.Error(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		if !errors.Is(err, err.Kind) || errors.Is(err, adapters.ErrorKind("other")) || errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%s: wrong kind", want)
		}
	}
	if !errors.Is(&adapters.Error{Kind: adapters.ErrToolFailed, Err: io.EOF}, io.EOF) {
		t.Error("the cause is lost")
	}
	if got := adapters.ErrToolFailed.Error(); got != "tool failed" {
		t.Errorf("got %s", got)
	}
}
