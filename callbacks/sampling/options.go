package sampling

import (
	"context"
	"reflect"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/tmc/langchaingo/llms"

	"github.com/langchaingo-mcp/mcpadapters/callbacks"
)

// Options of [New]. The zero value takes requests without tools.
type Options struct {
	// Approve, when set, decides about each request before the model is asked:
	// an error refuses it. It may show the request to a person, and change it.
	// A person is asked one thing at a time by means of [callbacks.Line].
	//
	// The server gets an error that is a *jsonrpc.Error as it is. For any other
	// it is told, with code -1, that the user rejected the request, and not why.
	Approve func(ctx context.Context, cc callbacks.CallbackContext, req *mcp.CreateMessageWithToolsRequest) error

	// Review, when set, decides about each answer before the server gets it: an
	// error keeps it, as that of Approve. It may change the result.
	Review func(ctx context.Context, cc callbacks.CallbackContext, req *mcp.CreateMessageWithToolsRequest, res *mcp.CreateMessageWithToolsResult) error

	// OnError, when set, receives what the model failed with, which the server
	// is not told. It may hold secrets.
	OnError func(ctx context.Context, cc callbacks.CallbackContext, err error)

	// Tools takes requests with tools, which is declared to servers. Set it if
	// the model has tools; langchaingo's Ollama provider, for one, does not.
	Tools bool

	// Audio takes audio. Set it if the model takes it as binary parts, as
	// Gemini does. By default a message with audio is refused.
	Audio bool

	// Images is the form in which the model takes images.
	Images ImageForm

	// Schema turns the input schema of a tool, as it came, into one that the
	// model's provider accepts. Nil only makes sure that it is an object with
	// properties, which OpenAI and Anthropic demand. For Gemini, and for
	// servers whose schemas are adventurous:
	//
	//	func(schema any) map[string]any {
	//		return adapters.NormalizeSchema(schema, adapters.SchemaPortable)
	//	}
	//
	// Where the schema takes values of several types, a portable one has a string
	// that holds the JSON; the server that samples gets that string.
	Schema func(schema any) map[string]any

	// MaxTokens is how many tokens an answer may have, whatever the server
	// asks for. 0 means 4096, less than 0 as many as the server asks for.
	MaxTokens int

	// MaxBytes is how large a request may be, as JSON. What is larger is
	// refused. 0 or less means 8 MiB.
	MaxBytes int

	// CallOptions are given to the model with each request, before those that
	// the request makes necessary. With llms.WithModel among them, the server is
	// told which model answers, which langchaingo's models do not say. Without
	// llms.WithTemperature, its OpenAI and Anthropic providers send 0 when the
	// server says nothing.
	CallOptions []llms.CallOption

	// ChooseModel, when set, may choose a model by what the server prefers: it
	// returns an option such as llms.WithModel, or nil for none. The option is
	// the last, so that it has the last word. Prefs is not nil, and nothing but
	// advice. See [ByHint].
	ChooseModel func(cc callbacks.CallbackContext, prefs *mcp.ModelPreferences) llms.CallOption
}

// An ImageForm says which langchaingo part carries an image. langchaingo's
// providers do not agree on one, and each fails on the form of the other.
type ImageForm int

const (
	// ImagesByModel: data URLs for a model of langchaingo's openai package,
	// binary for any other, one that wraps an OpenAI model included.
	ImagesByModel ImageForm = iota

	// ImagesAsBinary: [llms.BinaryContent], for Anthropic, Google AI, Vertex,
	// Bedrock and Ollama.
	ImagesAsBinary

	// ImagesAsDataURL: [llms.ImageURLContent] with a data: URL, for OpenAI and
	// whatever is reached through langchaingo's openai package.
	ImagesAsDataURL
)

// ByHint returns a function for [Options.ChooseModel] that chooses among the
// models in the way of the specification: the first hint that is a part of a
// name, ignoring case, chooses the first model with such a name. If no hint
// fits, the choice is left to the model, or to [Options.CallOptions].
func ByHint(models ...string) func(callbacks.CallbackContext, *mcp.ModelPreferences) llms.CallOption {
	models = slices.Clone(models)
	return func(_ callbacks.CallbackContext, prefs *mcp.ModelPreferences) llms.CallOption {
		for _, hint := range prefs.Hints {
			if hint == nil || hint.Name == "" {
				continue
			}
			for _, model := range models {
				if strings.Contains(strings.ToLower(model), strings.ToLower(hint.Name)) {
					return llms.WithModel(model)
				}
			}
		}
		return nil
	}
}

// withDefaults returns a copy with every default filled in.
func (o *Options) withDefaults(model llms.Model) Options {
	var c Options
	if o != nil {
		c = *o
	}
	c.CallOptions = slices.Clone(c.CallOptions)
	if c.Images == ImagesByModel {
		c.Images = ImagesAsBinary
		if isOpenAI(model) {
			c.Images = ImagesAsDataURL
		}
	}
	if c.Schema == nil {
		c.Schema = objectSchema
	}
	if c.MaxTokens == 0 {
		c.MaxTokens = 4096
	}
	if c.MaxBytes <= 0 {
		c.MaxBytes = 8 << 20
	}
	return c
}

// isOpenAI tells by the name of the package, so that not every program that
// samples has to link it.
func isOpenAI(model llms.Model) bool {
	t := reflect.TypeOf(model)
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t.PkgPath() == "github.com/tmc/langchaingo/llms/openai"
}
