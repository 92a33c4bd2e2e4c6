package testserver

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A Server is an SDK server and what it has seen.
type Server struct {
	*mcp.Server

	// Name of the server, which labels of what it sends begin with.
	Name string
	// Runs counts the calls of the tool "count", which is neither read-only
	// nor idempotent.
	Runs atomic.Int64
	// Blocked receives a value each time the tool "block" begins to block.
	Blocked chan struct{}
	// Cancelled receives a value each time a blocked call is cancelled.
	Cancelled chan struct{}

	listening listening

	mu     sync.Mutex
	times  map[string]int // methods received
	levels map[string][]string
}

// New returns a server with all the tools, a prompt and resources.
func New(name string) *Server {
	s := &Server{
		Server: mcp.NewServer(&mcp.Implementation{Name: name, Version: "1.0.0"}, &mcp.ServerOptions{
			Instructions: "Use the tools of " + name + ".",
			// Having them declares that resources can be subscribed to.
			SubscribeHandler:   func(context.Context, *mcp.SubscribeRequest) error { return nil },
			UnsubscribeHandler: func(context.Context, *mcp.UnsubscribeRequest) error { return nil },
		}),
		Name:      name,
		times:     map[string]int{},
		levels:    map[string][]string{},
		Blocked:   make(chan struct{}, 1024),
		Cancelled: make(chan struct{}, 1024),
	}
	s.addBasic()
	s.addSeeds()
	s.addAsking()
	s.addFeatures()
	s.addWorking()
	s.addAskingFeatures()
	s.addAnnouncing()
	s.addURLs()
	s.AddReceivingMiddleware(s.note, s.listening.serve)
	return s
}

type none struct{}

func text(format string, args ...any) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: fmt.Sprintf(format, args...)}}}
}

func (s *Server) addBasic() {
	type echo struct {
		Text string `json:"text" jsonschema:"what to say"`
	}
	readOnly := &mcp.ToolAnnotations{ReadOnlyHint: true}
	mcp.AddTool(s.Server, &mcp.Tool{Name: "echo", Description: "Says it again.", Annotations: readOnly},
		func(_ context.Context, _ *mcp.CallToolRequest, in echo) (*mcp.CallToolResult, any, error) {
			return text("%s", in.Text), nil, nil
		})
	type add struct {
		A int `json:"a"`
		B int `json:"b"`
	}
	mcp.AddTool(s.Server, &mcp.Tool{Name: "add", Description: "Adds two numbers.", Annotations: readOnly},
		func(_ context.Context, _ *mcp.CallToolRequest, in add) (*mcp.CallToolResult, any, error) {
			return text("%d", in.A+in.B), nil, nil
		})
	mcp.AddTool(s.Server, &mcp.Tool{Name: "fail", Description: "Always fails."},
		func(context.Context, *mcp.CallToolRequest, none) (*mcp.CallToolResult, any, error) {
			return nil, nil, fmt.Errorf("the tool failed as it should")
		})
	mcp.AddTool(s.Server, &mcp.Tool{Name: "count", Description: "Counts its calls."},
		func(context.Context, *mcp.CallToolRequest, none) (*mcp.CallToolResult, any, error) {
			return text("%d", s.Runs.Add(1)), nil, nil
		})
	mcp.AddTool(s.Server, &mcp.Tool{Name: "block", Description: "Blocks until it is cancelled."},
		func(ctx context.Context, _ *mcp.CallToolRequest, _ none) (*mcp.CallToolResult, any, error) {
			s.Blocked <- struct{}{}
			<-ctx.Done()
			s.Cancelled <- struct{}{}
			return nil, nil, ctx.Err()
		})
	mcp.AddTool(s.Server, &mcp.Tool{Name: "session", Description: "Returns the id of the session."},
		func(_ context.Context, req *mcp.CallToolRequest, _ none) (*mcp.CallToolResult, any, error) {
			return text("%p", req.Session), nil, nil
		})
	type header struct {
		Name string `json:"name"`
	}
	mcp.AddTool(s.Server, &mcp.Tool{Name: "header", Description: "Returns a header of the HTTP request."},
		func(_ context.Context, req *mcp.CallToolRequest, in header) (*mcp.CallToolResult, any, error) {
			if req.Extra == nil {
				return text(""), nil, nil
			}
			return text("%s", req.Extra.Header.Get(in.Name)), nil, nil
		})
	mcp.AddTool(s.Server, &mcp.Tool{Name: "meta", Description: "Returns a key of the _meta of the request."},
		func(_ context.Context, req *mcp.CallToolRequest, in header) (*mcp.CallToolResult, any, error) {
			return text("%v", req.Params.Meta[in.Name]), nil, nil
		})
}

// addFeatures adds a prompt, a resource and a template.
func (s *Server) addFeatures() {
	s.AddPrompt(&mcp.Prompt{Name: "greet", Description: "Greets.", Arguments: []*mcp.PromptArgument{{Name: "name", Required: true}}},
		func(_ context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{
				{Role: "user", Content: &mcp.TextContent{Text: "Hello " + req.Params.Arguments["name"]}},
			}}, nil
		})
	read := func(_ context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{
			{URI: req.Params.URI, MIMEType: "text/plain", Text: "content of " + req.Params.URI},
		}}, nil
	}
	s.AddResource(&mcp.Resource{Name: "readme", URI: "file:///readme.txt", MIMEType: "text/plain"}, read)
	s.AddResourceTemplate(&mcp.ResourceTemplate{Name: "notes", URITemplate: "notes://{id}"}, read)
}

// features returns the names of the capabilities that the client declared, and
// of what is inside them.
func features(req *mcp.CallToolRequest) (declared, details []string) {
	declared = []string{}
	caps := req.ClientCapabilities()
	if caps == nil {
		return declared, nil
	}
	note := func(set bool, name string) {
		if set {
			details = append(details, name)
		}
	}
	if e := caps.Elicitation; e != nil {
		declared = append(declared, "elicitation")
		note(e.Form != nil, "elicitation.form")
		note(e.URL != nil, "elicitation.url")
	}
	if s := caps.Sampling; s != nil {
		declared = append(declared, "sampling")
		note(s.Context != nil, "sampling.context")
		note(s.Tools != nil, "sampling.tools")
	}
	if r := caps.RootsV2; r != nil {
		declared = append(declared, "roots")
		note(r.ListChanged, "roots.listChanged")
	}
	slices.Sort(declared)
	slices.Sort(details)
	return declared, details
}
