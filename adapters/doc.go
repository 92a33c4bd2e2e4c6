// Package adapters turns what MCP servers offer into what langchaingo takes.
package adapters
