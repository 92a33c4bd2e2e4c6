// Package approve asks before a tool is called: a human, or a policy.
//
// By default it asks about every tool that does not say readOnlyHint, one
// question at a time, and a call that is denied becomes a result that the
// model reads. An error, or a context that ends while waiting, is no approval.
//
// Annotations are what the server says of itself. With servers that are not
// trusted set [Options.Needed] to a list of the program's own, or to ask about
// every call.
package approve
