package auth

import "fmt"

// A Secret is a string that no verb of package fmt, no log handler and no
// encoder shows. Convert it to string to use it.
type Secret string

const hidden = "(secret)"

// Format writes that it is a secret, or nothing if there is none.
func (s Secret) Format(f fmt.State, _ rune) { fmt.Fprint(f, s.shown()) }

// MarshalText returns what Format writes. It is not meant to be read back.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.shown()), nil }

func (s Secret) shown() string {
	if s == "" {
		return ""
	}
	return hidden
}
