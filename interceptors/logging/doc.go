// Package logging writes one line a tool call to a [slog.Logger]: server,
// tool, duration and outcome.
//
//	opts := &multiclient.Options{Interceptors: []interceptors.Interceptor{logging.New(slog.Default(), nil)}}
//
// By default arguments and results are not logged, since they may hold what is
// nobody else's business; with [Options.Arguments] and [Options.Results] they
// are, cut to a size. Headers, which hold tokens, are never logged.
package logging
