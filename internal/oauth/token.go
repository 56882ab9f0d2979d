package oauth

import (
	"net/http"

	"vitrine/internal/app/accounts"
)

// tokenParams are the parameters of a token request. Only the syntax of the scope is checked: a code has
// the scope that the user has granted, and an application that acts for itself has the scope read.
var tokenParams = []string{"grant_type", "client_id", "client_secret", "code", "redirect_uri", "code_verifier", "scope"}

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

// issue issues a token. Tokens do not expire, so the response has no expires_in, as the contract requires.
func (e *Endpoints) issue(w http.ResponseWriter, r *http.Request, given map[string]string, tokenType string) error {
	who, err := client(r, given)
	if err != nil {
		return err
	}
	t, err := e.o.App.Accounts.IssueToken(r.Context(), visitor(r), accounts.TokenRequest{Client: who, GrantType: given["grant_type"],
		Code: given["code"], RedirectURI: given["redirect_uri"], CodeVerifier: given["code_verifier"]})
	if err != nil {
		return err
	}
	answer(w, http.StatusOK, struct {
		AccessToken string `json:"access_token"`
		TokenType   string `json:"token_type"`
		Scope       string `json:"scope"`
		CreatedAt   int64  `json:"created_at"`
	}{t.Secret, tokenType, string(t.Scope), t.CreatedAt.Unix()})
	return nil
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
