// Package transport turns a connection of package config into a transport of
// the SDK whose messages pass a [calls.Tracker], and which can be ended by
// force whatever the SDK or the server does.
package transport
