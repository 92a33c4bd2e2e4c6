package adapters

import (
	"context"
	"reflect"
	"strings"

	"github.com/tmc/langchaingo/llms"
)

// A textPlace says where the text goes that a model wrote along with a tool
// call.
type textPlace int

const (
	// textBehind puts it behind the call, for providers not known: some keep
	// only the first part of a message, which must be the call.
	textBehind textPlace = iota

	// textBefore puts it before the call, as models write it. Anthropic's API
	// refuses text between a call and its result.
	textBefore

	// textApart gives it a message of its own before that of the call.
	textApart
)

// A dialect is what one of langchaingo's provider packages (as of v0.1.14)
// does in its own way. The zero value is for providers not known.
type dialect struct {
	// noTools says what to do instead if the package has no way to send tools,
	// which it then drops without a word.
	noTools string

	// imageForm is the only form of image that the package can send, and known
	// says that this is sure.
	imageForm ImageForm
	known     bool

	// media says whether the model's API takes bytes of a media type.
	media func(mediaType string) bool

	text    textPlace
	legalID func(id string) bool

	// needsTools: the API refuses a history with tool calls if no tools are
	// offered.
	needsTools bool

	// losesCalls: with a streaming function, tool calls do not come back.
	losesCalls bool

	// accumulates: each candidate repeats the tool calls of those before it.
	accumulates bool

	// flat: nothing of a property is sent but its type and description.
	flat bool

	// passesOn: schemas are sent as they are, and the API takes unions.
	passesOn bool

	// options fits the options of a call.
	options func(co *llms.CallOptions)
}

const useOpenAI = "use a provider that has tools, or langchaingo's openai package if the model is served by an OpenAI-compatible endpoint"

// dialectOf returns the dialect of the package that the model's type belongs to.
func dialectOf(model llms.Model) dialect {
	inner, bound := innermost(model)
	if bound != nil {
		return *bound
	}
	d := dialect{text: textBehind, media: isCommonImage, legalID: isPlainID}
	_, provider, ok := strings.Cut(packageOf(inner), "/langchaingo/llms/")
	if !ok {
		return d
	}
	d.known = true
	switch provider {
	case "openai":
		d.imageForm, d.text, d.passesOn = ImagesAsDataURL, textBefore, true
	case "anthropic":
		d.text, d.needsTools, d.passesOn, d.options = textApart, true, true, streamWithReasoning
	case "googleai", "googleai/vertex":
		d.text, d.media, d.accumulates = textBefore, isGeminiMedia, true
		d.flat = provider == "googleai/vertex"
	case "mistral":
		d.text, d.media, d.legalID, d.passesOn = textApart, noMedia, isMistralID, true
	case "bedrock":
		d.text, d.needsTools, d.losesCalls, d.passesOn, d.options = textBefore, true, true, true, plainToolChoice
	case "ollama":
		d.noTools = `use langchaingo's openai package with Ollama's OpenAI-compatible endpoint: openai.WithBaseURL("http://localhost:11434/v1")`
	case "llamafile":
		d.noTools = `use langchaingo's openai package with llamafile's OpenAI-compatible endpoint: openai.WithBaseURL("http://localhost:8080/v1")`
	case "cloudflare", "cohere", "ernie", "fake", "googleai/palm", "huggingface", "local", "maritaca", "watsonx":
		d.noTools = useOpenAI
	default:
		d.known = false
	}
	return d
}

// maxWrappers bounds how many models inside models are looked into.
const maxWrappers = 16

// innermost returns the model that the others pass their requests on to:
// langchaingo's cache and what has a method Unwrap() llms.Model do. If one on the
// way is bound, its dialect is it.
func innermost(model llms.Model) (reflect.Value, *dialect) {
	v := reflect.ValueOf(model)
	for range maxWrappers {
		if v.CanInterface() {
			switch m := v.Interface().(type) {
			case interface{ bound() *boundModel }:
				own := m.bound()
				inner, _ := innermost(own.model)
				return inner, &own.dialect
			case interface{ Unwrap() llms.Model }:
				if inner := m.Unwrap(); !isNil(inner) {
					v = reflect.ValueOf(inner)
					continue
				}
			}
		}
		if !strings.HasSuffix(packageOf(v), "/langchaingo/llms/cache") || reflect.Indirect(v).Kind() != reflect.Struct {
			return v, nil
		}
		inner := reflect.Indirect(v).FieldByName("llm")
		if inner.Kind() != reflect.Interface || inner.IsNil() {
			return v, nil
		}
		v = inner.Elem()
	}
	return v, nil
}

// packageOf returns the import path of the package that declares the type of v.
func packageOf(v reflect.Value) string {
	t := v.Type()
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t.PkgPath()
}

// refuse returns the error for tools that would be dropped without a word.
func (d *dialect) refuse(model llms.Model, co *llms.CallOptions) error {
	advice := d.noTools
	inner, _ := innermost(model)
	if d.losesCalls && !bedrockHasTools(inner, co) {
		advice = "of Bedrock's models it sends tools to those of Anthropic only"
	}
	if advice == "" {
		return nil
	}
	_, provider, _ := strings.Cut(packageOf(inner), "/langchaingo/")
	return &Error{Kind: ErrNoTools, Err: noToolsError{provider, advice}}
}

type noToolsError struct{ provider, advice string }

func (e noToolsError) Error() string {
	return "langchaingo's package " + e.provider + " sends no tools to this model; " + e.advice
}

// bedrockHasTools reports whether langchaingo's bedrock package takes the model
// for one of Anthropic's, for which alone it sends tools.
func bedrockHasTools(model reflect.Value, co *llms.CallOptions) bool {
	if provider := stringField(model, "modelProvider"); provider != "" {
		return provider == "anthropic"
	}
	id := co.Model
	if id == "" {
		id = stringField(model, "modelID")
	}
	for _, other := range []string{".nova-", "ai21", "amazon"} { // in the order of getProvider
		if strings.Contains(id, other) {
			return false
		}
	}
	return id == "" || strings.Contains(id, "anthropic")
}

// stringField reads a field of the struct that v points to.
func stringField(v reflect.Value, name string) string {
	value := reflect.Indirect(v)
	if value.Kind() != reflect.Struct {
		return ""
	}
	if field := value.FieldByName(name); field.IsValid() && field.Kind() == reflect.String {
		return field.String()
	}
	return ""
}

// streamWithReasoning adds a streaming function where there is one for
// reasoning only: Anthropic's package asks for a stream then and reads it as a
// plain answer.
func streamWithReasoning(co *llms.CallOptions) {
	if co.StreamingReasoningFunc != nil && co.StreamingFunc == nil {
		co.StreamingFunc = func(context.Context, []byte) error { return nil }
	}
}

// plainToolChoice gives a choice of tools the only forms that the bedrock
// package takes: a string, and nested maps.
func plainToolChoice(co *llms.CallOptions) {
	switch choice := co.ToolChoice.(type) {
	case llms.FunctionCallBehavior:
		co.ToolChoice = string(choice)
	case *llms.ToolChoice:
		if choice != nil {
			co.ToolChoice = *choice
			plainToolChoice(co)
		}
	case llms.ToolChoice:
		co.ToolChoice = choice.Type
		if choice.Function != nil {
			co.ToolChoice = map[string]any{"type": "function", "function": map[string]any{"name": choice.Function.Name}}
		}
	}
}

// isPlainID reports whether an id of a tool call is one that OpenAI (40
// characters) and Anthropic (letters, digits, _ and -) take.
func isPlainID(id string) bool {
	return len(id) <= 40 && consistsOf(id, "_-")
}

// isMistralID reports whether Mistral takes an id of a tool call.
func isMistralID(id string) bool { return len(id) == 9 && consistsOf(id, "") }

// consistsOf reports whether s is letters, digits and characters of more.
func consistsOf(s, more string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune(more, r)
	})
}

// isNil reports whether v is nil or holds a nil pointer and the like, on which
// methods would panic.
func isNil(v any) bool {
	if v == nil {
		return true
	}
	switch r := reflect.ValueOf(v); r.Kind() {
	case reflect.Pointer, reflect.Map, reflect.Func, reflect.Slice, reflect.Chan, reflect.Interface:
		return r.IsNil()
	}
	return false
}
