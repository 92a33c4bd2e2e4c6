// Package session keeps the session with one server: it opens it on first use
// in one flight for all callers, replaces it when it is lost, and ends it
// within a bound.
package session
