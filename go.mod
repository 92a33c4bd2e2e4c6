module github.com/langchaingo-mcp/mcpadapters

go 1.26.0

require (
	github.com/cenkalti/backoff/v5 v5.0.3 // indirect
	github.com/google/go-cmp v0.7.0 // indirect
	github.com/modelcontextprotocol/go-sdk v1.8.0 // indirect
	github.com/tmc/langchaingo v0.1.14 // indirect
	golang.org/x/sync v0.25.0 // indirect
)
