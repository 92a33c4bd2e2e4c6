package multiclient

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/adapters"
)

// modelResource is how a resource or a template is shown.
type modelResource struct {
	Server      string `json:"server"`
	URI         string `json:"uri,omitempty"`
	URITemplate string `json:"uriTemplate,omitempty"`
	Name        string `json:"name,omitempty"`
	Description string `json:"description,omitempty"`
	MIMEType    string `json:"mimeType,omitempty"`
	Size        int64  `json:"size,omitempty"`
}

func (c *MultiServerClient) modelListResources(ctx context.Context, in modelInput) (*mcp.CallToolResult, error) {
	resources, err := c.Resources(ctx, in.servers()...)
	templates, templatesErr := c.ResourceTemplates(ctx, in.servers()...)
	var items []modelResource
	for _, r := range resources {
		items = append(items, modelResource{Server: r.ServerName, URI: r.URI, Name: r.Name, Description: r.Description, MIMEType: r.MIMEType, Size: r.Size})
	}
	for _, t := range templates {
		items = append(items, modelResource{Server: t.ServerName, URITemplate: t.URITemplate, Name: t.Name, Description: t.Description, MIMEType: t.MIMEType})
	}
	if err == nil {
		err = templatesErr
	}
	return modelList(items, in.offset(), err)
}

func (c *MultiServerClient) modelReadResource(ctx context.Context, in modelInput) (*mcp.CallToolResult, error) {
	res, err := c.ReadResource(ctx, in.text("server"), in.text("uri"))
	if err != nil {
		return nil, err
	}
	var texts []string
	result := &mcp.CallToolResult{}
	for _, d := range adapters.ResourceDocuments(in.text("server"), res) {
		blob, isBlob := d.Metadata[adapters.MetadataBlob].([]byte)
		if !isBlob || d.PageContent != "" {
			texts = append(texts, d.PageContent)
			continue
		}
		media, _ := d.Metadata[adapters.MetadataMIMEType].(string)
		uri, _ := d.Metadata[adapters.MetadataURI].(string)
		if strings.HasPrefix(media, "image/") {
			result.Content = append(result.Content, &mcp.ImageContent{MIMEType: media, Data: blob})
		} else {
			result.Content = append(result.Content, &mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: uri, MIMEType: media, Blob: blob}})
		}
	}
	if len(texts) > 0 || len(result.Content) == 0 {
		text := modelPart(strings.Join(texts, "\n"), in.offset())
		result.Content = slices.Insert(result.Content, 0, mcp.Content(&mcp.TextContent{Text: text}))
	}
	return result, nil
}

// modelPrompt is how a prompt is shown.
type modelPrompt struct {
	Server      string                `json:"server"`
	Name        string                `json:"name"`
	Description string                `json:"description,omitempty"`
	Arguments   []*mcp.PromptArgument `json:"arguments,omitempty"`
}

func (c *MultiServerClient) modelListPrompts(ctx context.Context, in modelInput) (*mcp.CallToolResult, error) {
	prompts, err := c.Prompts(ctx, in.servers()...)
	var items []modelPrompt
	for _, p := range prompts {
		items = append(items, modelPrompt{p.ServerName, p.Name, p.Description, p.Arguments})
	}
	return modelList(items, in.offset(), err)
}

func (c *MultiServerClient) modelGetPrompt(ctx context.Context, in modelInput) (*mcp.CallToolResult, error) {
	arguments := map[string]string{}
	given, _ := in["arguments"].(map[string]any)
	for name, v := range given {
		switch v := v.(type) {
		case nil: // not given
		case string:
			arguments[name] = v
		default: // all that a prompt takes is text
			text, err := json.Marshal(v)
			if err != nil {
				return nil, err
			}
			arguments[name] = string(text)
		}
	}
	server, name := in.text("server"), in.text("name")
	prompts, err := c.Prompts(ctx, server)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(prompts, func(p ServerPrompt) bool { return p.Name == name })
	if i < 0 {
		names := make([]string, len(prompts))
		for i, p := range prompts {
			names[i] = p.Name
		}
		err := fmt.Errorf("there is no prompt of this name%s; see list_prompts", didYouMean(name, names))
		return nil, &adapters.Error{Kind: adapters.ErrBadArguments, Server: server, Err: err}
	}
	if err := adapters.CheckPromptArguments(prompts[i].Prompt, arguments); err != nil {
		return nil, err
	}
	res, err := c.Prompt(ctx, server, name, arguments)
	if err != nil {
		return nil, err
	}
	messages, err := adapters.PromptMessages(res, adapters.ImagesAsBinary)
	if err != nil {
		return nil, err
	}
	text := adapters.PromptValue(messages).String()
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: modelPart(text, in.offset())}}}, nil
}
