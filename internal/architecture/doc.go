// Package architecture holds the tests that keep the house in order: who may
// import whom, who may write output, and how a source file looks. The rules
// are those of docs/architecture.md; a change of the house changes them here.
package architecture
