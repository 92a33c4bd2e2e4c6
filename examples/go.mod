module github.com/langchaingo-mcp/mcpadapters/examples

go 1.26.0

replace (
	github.com/langchaingo-mcp/mcpadapters => ../
	github.com/langchaingo-mcp/mcpadapters/callbacks/terminal => ../callbacks/terminal
)
