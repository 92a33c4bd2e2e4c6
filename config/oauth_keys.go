package config

import (
	"fmt"
	"strconv"
	"strings"
)

// foundOut is why what would say where to sign in has no effect.
const foundOut = "where to sign in is found by the metadata of the server"

// withoutOAuth are keys inside "oauth" that matter to clients and have no
// effect here.
var withoutOAuth = map[string]string{
	"authServerMetadataUrl": foundOut, // Claude Code
	"authorizationUrl":      foundOut, // Gemini CLI
	"tokenUrl":              foundOut,
	"registrationUrl":       foundOut,
	"audiences":             "the server is named as the audience of its tokens",
	"tokenParamName":        "tokens are sent in the header Authorization only",
	"enterpriseManaged":     "signing in by the identity provider of a company is for the program: see auth.MachineOptions.Assertion", // VS Code
}

// knownOAuth are the keys inside "oauth" that are read.
var knownOAuth = set("enabled", "clientId", "clientSecret", "clientMetadataUrl", "scopes", "callbackPort", "redirectUrl", "issuer")

// oauthAliases maps the spellings of clients to the names that we use.
var oauthAliases = map[string]string{
	"scope":       "scopes",
	"redirectUri": "redirectUrl", // Gemini CLI
	"callbackUrl": "redirectUrl", // Codex
}

// oauth reads "oauth", the "auth" of Cursor, and the "scopes" of Codex.
func (s *server) oauth() OAuth {
	var o OAuth
	for _, key := range []string{"auth", "oauth"} {
		switch m, ok := s.keys[key]; {
		case !ok || key == "auth" && m.kind != kindObject:
		case m.kind == kindObject:
			if off, ok := m.find("enabled"); ok && off.kind == kindBoolean && off.text == "false" {
				return OAuth{}
			}
			s.oauthKeys(&o, key, m.members)
		case m.kind != kindBoolean:
			s.mismatch(key, "an object", m.node)
		}
	}
	if m, ok := s.keys["scopes"]; ok {
		s.places["oauth.scopes"] = m.at
		o.Scopes = s.scopes("scopes", m.node)
	}
	if all, ok := s.d.root.find("mcp_oauth_callback_port"); ok && s.d.dialect == DialectCodex && o.RedirectURL == "" {
		if port, err := strconv.ParseUint(all.text, 10, 16); err == nil && port != 0 {
			o.RedirectURL = s.callback(int(port))
		}
	}
	return o
}

func (s *server) oauthKeys(o *OAuth, root string, members []member) {
	port := 0
	seen := map[string]bool{}
	for _, m := range members {
		key := m.key
		if key == strings.ToUpper(key) {
			key = strings.ToLower(key) // CLIENT_ID of Cursor
		}
		name := camel(key)
		if alias, ok := oauthAliases[name]; ok {
			name = alias
		}
		if m.kind == kindNull {
			continue
		}
		at := root + "." + m.key
		s.places[s.spell(at)], s.places["oauth."+name] = m.at, m.at
		if seen[name] {
			s.add(at, "is there more than once")
			continue
		}
		seen[name] = true
		switch name {
		case "enabled":
			if m.kind != kindBoolean {
				s.mismatch(at, "true or false", m.node)
			}
		case "clientId":
			o.ClientID = s.oauthText(at, m)
		case "clientSecret":
			o.ClientSecret = s.oauthText(at, m)
			s.credential(o.ClientSecret)
		case "clientMetadataUrl":
			o.ClientMetadataURL = s.oauthText(at, m)
		case "redirectUrl":
			o.RedirectURL = s.oauthText(at, m)
		case "issuer":
			o.Issuer = s.oauthText(at, m)
		case "scopes":
			o.Scopes = s.scopes(at, m.node)
		case "callbackPort":
			port = s.port(at, m)
		default:
			s.oddOAuth(at, name, m)
		}
	}
	if port != 0 && o.RedirectURL == "" {
		o.RedirectURL = s.callback(port)
	}
}

// oddOAuth tells of a key that is not read.
func (s *server) oddOAuth(at, name string, m member) {
	if reason, ok := withoutOAuth[name]; ok {
		s.warn(m.at, s.spell(at), "has no effect: "+reason)
		return
	}
	s.unknownAt(m.at, s.spell(at), "is not known"+suggest(name, knownOAuth))
}

// callback returns the redirect URL that a client has when its file says the
// port.
func (s *server) callback(port int) string {
	host := "127.0.0.1"
	if s.d.dialect == DialectClaudeCode {
		host = "localhost"
	}
	return "http://" + host + ":" + strconv.Itoa(port) + "/callback"
}

func (s *server) oauthText(at string, m member) string {
	if m.kind != kindString {
		s.mismatch(at, "a string", m.node)
		return ""
	}
	return s.expand(at, m.text)
}

// scopes reads a list, or a text with spaces between as it is sent.
func (s *server) scopes(key string, n *node) []string {
	switch n.kind {
	case kindString:
		return strings.Fields(s.expand(key, n.text))
	case kindArray:
		var scopes []string
		for i, element := range n.elements {
			at := fmt.Sprintf("%s[%d]", key, i)
			s.places[s.spell(at)], s.places[fmt.Sprintf("oauth.scopes[%d]", i)] = element.at, element.at
			if element.kind != kindString {
				s.mismatch(at, "a string", element)
				continue
			}
			scopes = append(scopes, s.expand(at, element.text))
		}
		return scopes
	}
	s.mismatch(key, "an array of strings", n)
	return nil
}

func (s *server) port(at string, m member) int {
	const expected = "the number of a port, 1 to 65535"
	if m.kind != kindNumber {
		s.mismatch(at, expected, m.node)
		return 0
	}
	port, err := strconv.ParseUint(m.text, 10, 16)
	if err != nil || port == 0 {
		s.add(at, "expected "+expected+", found "+shorten(m.text))
		return 0
	}
	return int(port)
}
