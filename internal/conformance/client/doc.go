// Command client is what the conformance suites of the protocol test: this
// library, made to do what each of their scenarios asks for.
//
// A suite starts it for one scenario,
//
//	client URL
//
// where URL is the endpoint of the scenario's server. The environment says
// which scenario it is (MCP_CONFORMANCE_SCENARIO), the version of the protocol
// that has to be agreed on (MCP_CONFORMANCE_PROTOCOL_VERSION, not in all
// suites) and what the scenario lets the client know, as JSON
// (MCP_CONFORMANCE_CONTEXT). It succeeds when everything went as a user of the
// library would want it, and fails with the reason on standard error when it
// did not, or when the server must be refused and was.
//
// It uses the public packages of the library only.
package main
