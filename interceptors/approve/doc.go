// Package approve asks before a tool is called: a human, or a policy.
//
//	ask := func(ctx context.Context, req *interceptors.Request) (approve.Decision, error) {
//		yes, err := confirm(ctx, req.ServerName, req.ToolName, req.Arguments)
//		return approve.Decision{Approved: yes, Reason: "the user said no"}, err
//	}
//	opts := &multiclient.Options{Interceptors: []interceptors.Interceptor{approve.New(ask, nil)}}
//
// By default it asks about every call, one question at a time, and a call that
// is denied becomes a result that the model reads. An error, or a context that
// ends while waiting, is no approval.
//
// [Options.Needed] says which calls are made unasked. Annotations are what a
// server says of itself, and what only reads can read secrets: go by them only
// where all servers are trusted,
//
//	Needed: func(req *interceptors.Request) bool { return !req.Annotations().ReadOnlyHint }
//
// and by a list of the program's own otherwise.
package approve
