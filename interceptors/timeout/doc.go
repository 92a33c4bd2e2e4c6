// Package timeout bounds how long a tool call may take, per tool.
//
//	bound := timeout.New(&timeout.Options{
//		Default: 30 * time.Second,
//		Tools:   map[string]time.Duration{"crawl": 10 * time.Minute, "files/search": time.Minute},
//	})
//	opts := &multiclient.Options{Interceptors: []interceptors.Interceptor{bound}}
//
// By default a call may take one minute. That includes the user's answers to
// what the server asks during the call: give tools that ask people more.
package timeout
