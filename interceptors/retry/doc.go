// Package retry calls a tool again when a call failed.
//
//	opts := &multiclient.Options{Interceptors: []interceptors.Interceptor{retry.New(&retry.Options{Attempts: 5})}}
//
// By default it is careful, since a call that failed may have run: it retries
// errors only, never a result whose IsError is set, and only of tools whose
// annotations say that repeating a call is safe (idempotentHint or
// readOnlyHint). A tool without annotations is never called twice. The
// client by itself re-sends calls that a lost session surely did not execute;
// this package is for all other failures.
package retry
