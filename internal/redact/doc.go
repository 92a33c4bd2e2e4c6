// Package redact takes what is secret of a connection out of errors and logs of
// what knows nothing of secrets: the operating system, the resolver of names,
// net/http and the SDK.
package redact
