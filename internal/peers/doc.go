// Package peers holds a benchmark that compares this library with other clients
// of the same servers: the raw SDK, and LangChain's adapters for JavaScript
// (@langchain/mcp-adapters), which package.json pins.
//
//	make bench-peers
//
// installs what it needs and prints the table. Since the other client is large,
// the benchmark is behind the build tag peers, and neither "make test" nor
// "make bench" runs it.
package peers
