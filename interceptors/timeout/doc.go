// Package timeout bounds how long a tool call may take, per tool.
//
// By default a call may take one minute. That includes the user's answers to
// what the server asks during the call: give tools that ask people more.
package timeout
