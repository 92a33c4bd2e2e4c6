// Package approve asks before a tool is called: a human, or a policy.
//
//	ask := func(ctx context.Context, req *interceptors.Request) (approve.Decision, error) {
//		yes, err := confirm(ctx, req.ServerName, req.ToolName, req.Arguments)
//		return approve.Decision{Approved: yes, Reason: "the user said no"}, err
//	}
//	opts := &multiclient.Options{Interceptors: []interceptors.Interceptor{approve.New(ask, nil)}}
//
// By default it asks about every tool that does not say readOnlyHint, one
// question at a time, and a call that is denied becomes a result that the
// model reads. An error, or a context that ends while waiting, is no approval.
//
// Annotations are what the server says of itself. With servers that are not
// trusted set [Options.Needed] to a list of the program's own, or to ask about
// every call.
package approve
