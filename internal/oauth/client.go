package oauth

import (
	"net/http"
	"net/url"

	"vitrine/internal/app/accounts"
)

// badClient returns the error for malformed client credentials.
func badClient(description string) error {
	return &failure{http.StatusUnauthorized, "invalid_client", description}
}

// client reads the client credentials from HTTP Basic or the body, but never from both (RFC 6749 section
// 2.3).
func client(r *http.Request, body map[string]string) (accounts.ClientCredentials, error) {
	said := accounts.ClientCredentials{ID: body["client_id"], Secret: body["client_secret"]}
	lines := r.Header.Values("Authorization")
	switch {
	case len(lines) > 1:
		return said, refuse("Authorization was given more than once")
	case len(lines) == 1:
		return basic(r, said)
	case said.ID == "":
		return said, badClient("The client has to say who it is, by client_id or HTTP Basic")
	}
	return said, nil
}

// basic reads the client from the Authorization header, where id and secret are form-encoded (RFC 6749
// section 2.3.1). The body may repeat the id.
func basic(r *http.Request, body accounts.ClientCredentials) (accounts.ClientCredentials, error) {
	user, password, ok := r.BasicAuth()
	if !ok {
		return body, badClient("The Authorization header is not HTTP Basic")
	}
	id, err := url.QueryUnescape(user)
	if err != nil {
		return body, badClient("The client id in the Authorization header is not form-encoded")
	}
	secret, err := url.QueryUnescape(password)
	if err != nil {
		return body, badClient("The secret in the Authorization header is not written as in a form")
	}
	if body.Secret != "" {
		return body, refuse("client_secret and HTTP Basic must not be given together")
	}
	if body.ID != "" && body.ID != id {
		return body, refuse("client_id is another than in the Authorization header")
	}
	if id == "" {
		return body, badClient("The Authorization header names no client")
	}
	return accounts.ClientCredentials{ID: id, Secret: secret}, nil
}
