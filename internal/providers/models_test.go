package providers_test

import (
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/anthropic"
	"github.com/tmc/langchaingo/llms/bedrock"
	"github.com/tmc/langchaingo/llms/googleai"
	"github.com/tmc/langchaingo/llms/mistral"
	"github.com/tmc/langchaingo/llms/openai"
	"google.golang.org/api/option"

	"github.com/langchaingo-mcp/mcpadapters/internal/fakemodels"
)

// A provider is an endpoint and langchaingo's client for it.
type provider struct {
	start func(tb testing.TB, script ...fakemodels.Turn) *fakemodels.Endpoint
	model func(t *testing.T, url string) llms.Model

	noImages     bool // its package sends none
	onePiece     bool // its streams come in one piece
	alwaysStream bool // its client asks for a stream in any case
	anyHistory   bool // its package brings calls into an order that passes
}

func must[T any](t *testing.T) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func all() map[string]provider {
	return map[string]provider{
		"openai": {start: fakemodels.OpenAI, model: func(t *testing.T, url string) llms.Model {
			return must[*openai.LLM](t)(openai.New(openai.WithBaseURL(url), openai.WithToken("none"), openai.WithModel("gpt-4o")))
		}},
		"anthropic": {start: fakemodels.Anthropic, model: func(t *testing.T, url string) llms.Model {
			return must[*anthropic.LLM](t)(anthropic.New(anthropic.WithBaseURL(url), anthropic.WithToken("none"), anthropic.WithModel("claude-sonnet-4")))
		}},
		"gemini": {start: fakemodels.Gemini, alwaysStream: true, model: func(t *testing.T, url string) llms.Model {
			model := must[*googleai.GoogleAI](t)(googleai.New(t.Context(), googleai.WithAPIKey("none"), googleai.WithRest(), googleai.WithDefaultModel("gemini-2.0-flash"),
				func(o *googleai.Options) { o.ClientOptions = append(o.ClientOptions, option.WithEndpoint(url)) }))
			t.Cleanup(func() { _ = model.Close() })
			return model
		}},
		"mistral": {start: fakemodels.Mistral, noImages: true, model: func(t *testing.T, url string) llms.Model {
			return must[*mistral.Model](t)(mistral.New(mistral.WithEndpoint(url), mistral.WithAPIKey("none"), mistral.WithMaxRetries(1), mistral.WithTimeout(time.Minute)))
		}},
		"bedrock": {start: fakemodels.Bedrock, onePiece: true, anyHistory: true, model: func(t *testing.T, url string) llms.Model {
			client := bedrockruntime.New(bedrockruntime.Options{
				Region: "none", BaseEndpoint: aws.String(url), Credentials: credentials.NewStaticCredentialsProvider("a", "b", ""), RetryMaxAttempts: 1,
			})
			return must[*bedrock.LLM](t)(bedrock.New(bedrock.WithClient(client), bedrock.WithModel("us.anthropic.claude-sonnet-4-v1:0")))
		}},
	}
}
