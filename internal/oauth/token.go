package oauth

import (
	"net/http"
	"net/url"
	"strconv"

	"vitrine/internal/app/accounts"
)

// tokenParams are the parameters of a token request. The scope only has a meaning for a refresh token: a code has the
// scope that the user has granted, and an application that acts for itself has the scope read.
var tokenParams = []string{"grant_type", "client_id", "client_secret", "code", "redirect_uri", "code_verifier", "scope", "resource",
	"refresh_token"}

// token implements createOAuthToken (RFC 6749 sections 4.1.3, 4.4.2 and 5).
func (e *Endpoints) token(w http.ResponseWriter, r *http.Request) error {
	given, err := params(w, r, tokenParams...)
	if err != nil {
		return err
	}
	return e.issue(w, r, given, "Bearer")
}

// deprecated is the time of version 2's deprecation, as in its other responses (RFC 9745).
const deprecated = "@1735689600"

// tokenV2 serves version 2 clients. Most of them send all parameters in the URL, and expect the token type in
// lower case.
func (e *Endpoints) tokenV2(w http.ResponseWriter, r *http.Request) error {
	w.Header().Set("Deprecation", deprecated)
	w.Header().Set("Link", "<"+e.o.BaseURL+tokenPath+`>; rel="successor-version"`)
	given, err := paramsAnywhere(w, r, tokenParams...)
	if err != nil {
		return err
	}
	return e.issue(w, r, given, "bearer")
}

// issue issues a token. Only applications that asked for tokens that expire get expires_in and a refresh token, as other
// clients of the API expect neither.
func (e *Endpoints) issue(w http.ResponseWriter, r *http.Request, given map[string]string, tokenType string) error {
	who, err := client(r, given)
	if err != nil {
		return err
	}
	t, err := e.o.App.Accounts.IssueToken(r.Context(), visitor(r), accounts.TokenRequest{Client: who, GrantType: given["grant_type"],
		Code: given["code"], RedirectURI: given["redirect_uri"], CodeVerifier: given["code_verifier"], Resource: given["resource"],
		RefreshToken: given["refresh_token"], Scope: given["scope"]})
	if err != nil {
		return err
	}
	out := issued{AccessToken: t.Secret, TokenType: tokenType, Scope: t.Limits.ScopeText(t.Scope), CreatedAt: t.CreatedAt.Unix(), RefreshToken: t.Refresh}
	if t.ExpiresAt != nil {
		out.ExpiresIn = int64(t.ExpiresAt.Sub(t.CreatedAt).Seconds())
	}
	answer(w, http.StatusOK, out)
	return nil
}

// issued is the response of the token endpoint (RFC 6749 section 5.1).
type issued struct {
	AccessToken  string `json:"access_token"`
	TokenType    string `json:"token_type"`
	Scope        string `json:"scope"`
	CreatedAt    int64  `json:"created_at"`
	ExpiresIn    int64  `json:"expires_in,omitempty"`
	RefreshToken string `json:"refresh_token,omitempty"`
}

// revoke revokes a token (RFC 7009). It ignores unknown tokens and those of other clients.
func (e *Endpoints) revoke(w http.ResponseWriter, r *http.Request) error {
	body, who, err := about(w, r)
	if err != nil {
		return err
	}
	if err := e.o.App.Accounts.RevokeApplicationToken(r.Context(), visitor(r), who, body["token"]); err != nil {
		return err
	}
	w.WriteHeader(http.StatusOK)
	return nil
}

// about reads the parameters of a revocation or introspection request.
func about(w http.ResponseWriter, r *http.Request) (body map[string]string, who accounts.ClientCredentials, err error) {
	if body, err = params(w, r, "token", "token_type_hint", "client_id", "client_secret"); err != nil {
		return nil, who, err
	}
	if who, err = client(r, body); err == nil && body["token"] == "" {
		err = refuse("token is required")
	}
	return body, who, err
}

// introspect describes a token to the client that it was issued to (RFC 7662).
func (e *Endpoints) introspect(w http.ResponseWriter, r *http.Request) error {
	body, who, err := about(w, r)
	if err != nil {
		return err
	}
	i, err := e.o.App.Accounts.Introspect(r.Context(), visitor(r), who, body["token"])
	if err != nil {
		return err
	}
	if !i.Active {
		answer(w, http.StatusOK, struct {
			Active bool `json:"active"`
		}{})
		return nil
	}
	answer(w, http.StatusOK, e.described(i))
	return nil
}

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

// introspection is the response for an active token (RFC 7662 section 2.2). Subject is the id of the user,
// or of the client if it acts for itself.
type introspection struct {
	Active    bool   `json:"active"`
	Scope     string `json:"scope"`
	ClientID  string `json:"client_id"`
	Username  string `json:"username,omitempty"`
	TokenType string `json:"token_type"`
	IssuedAt  int64  `json:"iat"`
	Expires   int64  `json:"exp,omitempty"`
	Subject   string `json:"sub"`
	Issuer    string `json:"iss"`
}

func (e *Endpoints) described(i accounts.Introspection) introspection {
	d := introspection{Active: true, Scope: i.Token.Limits.ScopeText(i.Token.Scope), ClientID: i.Client.ClientID, Username: i.User,
		TokenType: "Bearer", IssuedAt: i.Token.CreatedAt.Unix(), Subject: i.Client.ClientID, Issuer: e.o.BaseURL}
	if i.Token.ExpiresAt != nil {
		d.Expires = i.Token.ExpiresAt.Unix()
	}
	if i.Token.UserID != 0 {
		d.Subject = strconv.FormatInt(int64(i.Token.UserID), 10)
	}
	return d
}
