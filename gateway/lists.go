package gateway

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/yosida95/uritemplate/v3"

	"github.com/langchaingo-mcp/mcpadapters/adapters"
)

func (f *features) listTools(ctx context.Context) error {
	list, err := f.p.client.Tools(ctx)
	if list == nil && err != nil && len(failedServers(err)) == 0 && !errors.Is(err, adapters.ErrNameCollision) {
		return err // nothing is known of any
	}
	var want []change
	for _, t := range list {
		tool, ok := t.(*adapters.Tool)
		if !ok {
			continue
		}
		definition := tool.MCPTool()
		definition.Name = tool.Name()
		want = append(want, change{tool.Name(), tool.ServerName(), tool.OriginalName(), definition, func() {
			handler := f.p.callTool(tool)
			if attempt(func() { f.p.server.AddTool(definition, handler) }) == nil {
				return
			}
			// The SDK takes fewer schemas than servers have. The server judges
			// the arguments in any case.
			own := *definition
			own.InputSchema, own.OutputSchema = acceptable(tool), nil
			f.p.server.AddTool(&own, handler)
		}})
	}
	f.apply("tool ", want, failedServers(err), f.p.server.RemoveTools)
	return err
}

// acceptable returns the schema of a tool in a form that the SDK takes.
func acceptable(tool *adapters.Tool) any {
	return json.RawMessage(compact(adapters.NormalizeSchema(tool.MCPTool().InputSchema, adapters.SchemaOpenAI)))
}

func compact(v any) []byte {
	raw, err := json.Marshal(v)
	if err != nil {
		return []byte(`{"type":"object"}`)
	}
	return raw
}

func (f *features) listPrompts(ctx context.Context) error {
	list, err := f.p.client.Prompts(ctx)
	if list == nil && err != nil && len(failedServers(err)) == 0 {
		return err
	}
	opts := &f.p.g.opts.Client
	separator := opts.ToolNameSeparator
	if separator == "" {
		separator = "_"
	}
	// Names of prompts are not as narrow as those of tools, and stay as they
	// are unless two servers have the same.
	owners := map[string]string{}
	shared := map[string]bool{}
	for _, pr := range list {
		if owner, ok := owners[pr.Name]; ok && owner != pr.ServerName {
			shared[pr.Name] = true
		}
		owners[pr.Name] = pr.ServerName
	}
	var want []change
	routes := map[string]route{}
	for _, pr := range list {
		definition := *pr.Prompt
		if opts.ToolNamePrefix || shared[pr.Name] {
			definition.Name = pr.ServerName + separator + pr.Name
		}
		if _, taken := routes[definition.Name]; taken {
			continue
		}
		routes[definition.Name] = route{pr.ServerName, pr.Name}
		want = append(want, change{definition.Name, pr.ServerName, pr.Name, &definition, func() {
			f.p.server.AddPrompt(&definition, f.p.getPrompt(pr.ServerName, pr.Name))
		}})
	}
	failed := failedServers(err)
	f.setPrompts(routes, failed)
	f.apply("prompt ", want, failed, f.p.server.RemovePrompts)
	return err
}

// maxTemplate bounds a URI template, in bytes. The SDK reads each of them anew
// for each resource that is asked for.
const maxTemplate = 4 << 10

// matches reports whether URIs can be matched with a template. Both the SDK and
// routes do so with a regular expression, and some templates that can be read
// (one with more than a thousand variables) make it panic.
func matches(template string) bool {
	if len(template) > maxTemplate {
		return false
	}
	t, err := uritemplate.New(template)
	return err == nil && attempt(func() { t.Regexp() }) == nil
}

func (f *features) listResources(ctx context.Context) error {
	list, err := f.p.client.Resources(ctx)
	templates, templatesErr := f.p.client.ResourceTemplates(ctx)
	var want, wantTemplates []change
	resources, patterns := map[string]string{}, map[string]string{}
	for _, r := range list {
		if _, taken := resources[r.URI]; taken {
			continue // the first server that has it
		}
		resources[r.URI] = r.ServerName
		definition := *r.Resource
		want = append(want, change{r.URI, r.ServerName, "", &definition, func() {
			f.p.server.AddResource(&definition, f.p.readResource)
		}})
	}
	for _, t := range templates {
		if _, taken := patterns[t.URITemplate]; taken {
			continue
		}
		if !matches(t.URITemplate) {
			f.p.g.opts.Logger.Warn("a resource template cannot be offered", "server", t.ServerName)
			continue
		}
		patterns[t.URITemplate] = t.ServerName
		definition := *t.ResourceTemplate
		wantTemplates = append(wantTemplates, change{t.URITemplate, t.ServerName, "", &definition, func() {
			f.p.server.AddResourceTemplate(&definition, f.p.readResource)
		}})
	}
	hidden := &mcp.ResourceTemplate{Name: "linked", URITemplate: catchAll}
	if _, taken := patterns[catchAll]; !taken {
		wantTemplates = append(wantTemplates, change{catchAll, "", "", hidden, func() {
			f.p.server.AddResourceTemplate(hidden, f.p.readResource)
		}})
	}
	failed := failedServers(err)
	failedTemplates := failedServers(templatesErr)
	f.setResources(resources, patterns, failed, failedTemplates)
	f.apply("resource ", want, failed, f.p.server.RemoveResources)
	f.apply("template ", wantTemplates, failedTemplates, f.p.server.RemoveResourceTemplates)
	if err == nil {
		err = templatesErr
	}
	return err
}
