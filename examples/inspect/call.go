package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/adapters"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

// A callReport is what the verb "call" prints.
type callReport struct {
	Name         string              `json:"name,omitempty"`
	Server       string              `json:"server,omitempty"`
	OriginalName string              `json:"originalName,omitempty"`
	Text         *string             `json:"text,omitempty"` // as a model reads it
	Result       *mcp.CallToolResult `json:"result,omitempty"`
	outcome
}

// call calls a tool.
func call(ctx context.Context, in *inspector, args []string) document {
	doc := &callReport{}
	arguments, err := in.arguments(ctx, args[1:])
	if err != nil {
		doc.fail(err)
		return doc
	}
	all, err := in.tools(ctx)
	doc.fail(err)
	tool, err := find(all, args[0])
	if err != nil {
		doc.fail(err)
		return doc
	}
	doc.Name, doc.Server, doc.OriginalName = tool.Name(), tool.ServerName(), tool.OriginalName()
	res, err := tool.Invoke(ctx, arguments)
	if err != nil {
		doc.fail(err)
		return doc
	}
	text := adapters.ResultText(res, nil)
	doc.Text, doc.Result = &text, res
	if res.IsError {
		doc.Errors = append(doc.Errors, problem{
			Kind: kindToolFailed, Server: doc.Server, Tool: doc.OriginalName, Phase: string(multiclient.PhaseCall),
			Message: "the tool reports a failure: see its result",
		})
	}
	return doc
}

// find returns the tool that a user means: the one of that exposed name, or
// else the only one that its server calls so.
func find(all []*adapters.Tool, name string) (*adapters.Tool, error) {
	i := slices.IndexFunc(all, func(t *adapters.Tool) bool { return t.Name() == name })
	if i >= 0 {
		return all[i], nil
	}
	var found []*adapters.Tool
	var names, exposed []string
	for _, t := range all {
		exposed = append(exposed, t.Name())
		if t.OriginalName() == name {
			found = append(found, t)
			names = append(names, t.Name())
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return nil, unknownTool{name, adapters.NearNames(name, exposed)}
	}
	return nil, usageError(fmt.Sprintf("several servers have a tool %q: use one of %s, or -server", name, strings.Join(names, ", ")))
}

// An unknownTool is a tool that no server has.
type unknownTool struct {
	name string
	near []string // names that may have been meant
}

func (e unknownTool) Error() string {
	advice := "the verb tools lists them"
	if e.near != nil {
		advice = "did you mean " + strings.Join(e.near, " or ") + "?"
	}
	return fmt.Sprintf("no server that answered has a tool %q: %s", e.name, advice)
}

func (d *callReport) text(w io.Writer) {
	if d.Text == nil {
		return
	}
	fmt.Fprintln(w, strings.TrimSuffix(*d.Text, "\n"))
	if structured := d.Result.StructuredContent; structured != nil && !d.mirrored(structured) {
		if body, err := json.MarshalIndent(structured, "", "  "); err == nil {
			fmt.Fprintf(w, "structured content: %s\n", body)
		}
	}
}

// mirrored reports whether a text says what the structured content does, as the
// specification wants it. Many servers structure a text by wrapping it in an
// object with one key.
func (d *callReport) mirrored(structured any) bool {
	forms := []any{structured}
	if object, ok := structured.(map[string]any); ok && len(object) == 1 {
		for _, value := range object {
			forms = append(forms, value)
		}
	}
	texts := []string{*d.Text}
	for _, block := range d.Result.Content {
		if text, ok := block.(*mcp.TextContent); ok {
			texts = append(texts, text.Text)
		}
	}
	return slices.ContainsFunc(texts, func(text string) bool {
		var parsed any
		if json.Unmarshal([]byte(text), &parsed) != nil {
			parsed = text
		}
		return slices.ContainsFunc(forms, func(form any) bool {
			return reflect.DeepEqual(form, parsed) || reflect.DeepEqual(form, any(text))
		})
	})
}
