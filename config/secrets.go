package config

import (
	"slices"
	"strings"
)

const (
	// minSecret is the length from which on the value of a variable is taken
	// out of what others say of a connection, and minCredential that for what
	// is a password for sure. Shorter ones are words such as "true".
	minSecret     = 8
	minCredential = 4
)

// Secrets returns what variables, inputs and files have put into a connection
// of a configuration file, for those who have to take it out of texts in which
// others show it: errors of the operating system, output of a process. Values
// of less than 8 bytes are left out, and of less than 4 bytes where they are
// passwords for sure, since texts without them would be no texts. Of a value
// of a server over HTTP its parts are there too, such as the host of a URL.
//
// It is nil for connections that are from no file.
func Secrets(c Connection) []string {
	value, problem := dereference(c)
	if problem != "" {
		return nil
	}
	var secrets, credentials []string
	switch c := value.(type) {
	case Stdio:
		secrets, credentials = c.secrets, c.credentials
	case StreamableHTTP:
		secrets, credentials = c.secrets, c.credentials
		secrets = slices.Concat(secrets, parts(secrets))
	case SSE:
		secrets, credentials = c.secrets, c.credentials
		secrets = slices.Concat(secrets, parts(secrets))
	}
	var all []string
	add := func(values []string, enough int) {
		for _, v := range values {
			if v = strings.TrimSpace(v); len(v) >= enough && !slices.Contains(all, v) {
				all = append(all, v)
			}
		}
	}
	add(secrets, minSecret)
	add(credentials, minCredential)
	return all
}
