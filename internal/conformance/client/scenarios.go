package main

import "context"

// A scenario does what one scenario of the suites asks for.
type scenario func(ctx context.Context, in input) error

// An input is what a suite gives to a scenario.
type input struct {
	// URL is the endpoint of the scenario's server.
	URL string
	// Version of the protocol that has to be agreed on. Empty is any.
	Version string
	Context given
}

// given is what the client is supposed to know beforehand. Each scenario sets
// the fields that it needs.
type given struct {
	ClientID      string `json:"client_id"`
	ClientSecret  string `json:"client_secret"`
	PrivateKeyPEM string `json:"private_key_pem"`
	ValidJWT      string `json:"valid_jwt"`

	IDPClientID      string `json:"idp_client_id"`
	IDPIDToken       string `json:"idp_id_token"`
	IDPTokenEndpoint string `json:"idp_token_endpoint"`

	ToolCalls []struct {
		Name      string         `json:"name"`
		Arguments map[string]any `json:"arguments"`
	} `json:"toolCalls"`
}

// scenarios returns the scenarios by their names in the suites.
func scenarios() map[string]scenario {
	all := map[string]scenario{
		"initialize":       list,
		"request-metadata": everyCapability,
		"tools_call":       addNumbers,
		"sse-retry":        reconnect,

		"elicitation-sep1034-client-defaults": elicitDefaults,
		"sep-2322-client-request-state":       roundTrips,

		"http-standard-headers":     standardHeaders,
		"http-custom-headers":       customHeaders,
		"http-invalid-tool-headers": invalidToolHeaders,

		"json-schema-ref-no-deref":         list,
		"json-schema-2020-12-preservation": echoSchema,

		"auth/client-credentials-basic":         signIn(clientSecret),
		"auth/client-credentials-jwt":           signIn(clientAssertion),
		"auth/wif-jwt-bearer":                   signIn(workloadIdentity),
		"auth/enterprise-managed-authorization": signIn(enterprise),
		"auth/cross-app-access-complete-flow":   signIn(enterprise), // its name in 0.1
		"auth/dpop":                             signInBound,
		"auth/dpop-nonce":                       signInBound,
		"sep-2640-client-no-prefetch":           listSkills,
		"sep-2640-client-verify-digest":         loadSkill,
		"sep-2640-client-verify-size":           loadSkill,
		"sep-2640-client-verify-frontmatter":    loadSkill,
	}
	for _, name := range []string{
		"2025-03-26-oauth-endpoint-fallback",
		"2025-03-26-oauth-metadata-backcompat",
		"authorization-server-migration",
		"basic-cimd",
		"iss-normalized",
		"iss-not-advertised",
		"iss-supported",
		"iss-supported-missing",
		"iss-unexpected",
		"iss-wrong-issuer",
		"metadata-default",
		"metadata-issuer-mismatch",
		"metadata-var1",
		"metadata-var2",
		"metadata-var3",
		"offline-access-not-supported",
		"offline-access-scope",
		"pre-registration",
		"resource-mismatch",
		"scope-from-scopes-supported",
		"scope-from-www-authenticate",
		"scope-omitted-when-undefined",
		"scope-retry-limit",
		"scope-step-up",
		"token-endpoint-auth-basic",
		"token-endpoint-auth-none",
		"token-endpoint-auth-post",
	} {
		all["auth/"+name] = signIn(user)
	}
	return all
}
