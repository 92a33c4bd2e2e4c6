// Package script has a model that needs no network: it answers one question,
// always in the same way, and has to call tools for it as any model does.
package script
