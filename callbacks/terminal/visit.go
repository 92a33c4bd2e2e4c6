package terminal

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"unicode/utf8"
)

const maxURL = 2048

// visitPage asks whether the user will visit a URL. All of it is printed before
// (see preface), where nothing cuts it, since the user has to judge it; and
// nothing is opened.
func (d *dialog) visitPage(server, address string) error {
	u, err := checkURL(address)
	if err != nil {
		return err
	}
	host := u.Hostname()
	note := ""
	if utf8.RuneCountInString(host) != len(host) || strings.Contains(host, "xn--") {
		note = " (letters beyond a to z: check the spelling)"
	}
	d.preface = fmt.Sprintf("%s asks you to visit an address\n  host:    %s%s\n  address: %s", clean(server, maxLabel), host, note, address)
	d.choice = decline
	d.lastPage("Will you open the address above yourself?", "Accept")
	return nil
}

// checkURL refuses what a user could not judge by looking at it.
func checkURL(address string) (*url.URL, error) {
	if len(address) > maxURL {
		return nil, fmt.Errorf("terminal: URL to visit has %d bytes, more than %d", len(address), maxURL)
	}
	u, err := url.Parse(address)
	switch {
	case err != nil || clean(address, maxURL) != address || strings.Contains(address, " "):
		return nil, errors.New("terminal: URL to visit is not a valid URL")
	case u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "":
		return nil, errors.New("terminal: URL to visit is not an http or https URL with a host")
	case u.User != nil:
		return nil, errors.New("terminal: URL to visit has a user name before the host")
	}
	return u, nil
}
