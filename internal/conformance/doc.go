// Package conformance runs the conformance suites of the protocol,
// npm package @modelcontextprotocol/conformance, against this library.
//
// Two versions of the suites are pinned by package-lock.json: 0.1 for the
// versions of the protocol up to 2025-11-25, and 0.2, which adds 2026-07-28
// and says which scenarios a client of either version has to pass. They need
// Node 22, which comes from npm too, as a package for each platform, since the
// one on the machine may be older. "make conformance-suites" installs all of
// it into node_modules next to this file; "make test" does so by itself.
//
// A suite starts a server for each scenario, runs the command in the folder
// client against it and checks what arrives. By itself it takes a scenario
// in which nothing was checked for passed, and does not look at how the
// command ended. The test of this package does both, and counts the checks.
//
// What cannot be passed is in baseline.yml, with the reason.
package conformance
