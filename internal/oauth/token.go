package oauth

import (
	"net/http"

	"vitrine/internal/app"
)

// token answers createOAuthToken (RFC 6749 sections 4.1.3, 4.4.2 and 5). Its shape is the
// contract's: tokens do not expire, so there is no expires_in.
func (e *Endpoints) token(w http.ResponseWriter, r *http.Request) error {
	body, err := params(w, r, "grant_type", "client_id", "client_secret", "code", "redirect_uri", "code_verifier", "scope")
	if err != nil {
		return err
	}
	who, err := client(r, body)
	if err != nil {
		return err
	}
	t, err := e.o.App.IssueToken(r.Context(), visitor(r), app.TokenRequest{Client: who, GrantType: body["grant_type"],
		Code: body["code"], RedirectURI: body["redirect_uri"], CodeVerifier: body["code_verifier"], Scope: body["scope"]})
	if err != nil {
		return err
	}
	answer(w, http.StatusOK, struct {
		AccessToken string `json:"access_token"`
		TokenType   string `json:"token_type"`
		Scope       string `json:"scope"`
		CreatedAt   int64  `json:"created_at"`
	}{t.Secret, "Bearer", string(t.Scope), t.CreatedAt.Unix()})
	return nil
}

// revoke ends a token (RFC 7009). One that is none, or another client's, is as good as
// ended.
func (e *Endpoints) revoke(w http.ResponseWriter, r *http.Request) error {
	body, who, err := about(w, r)
	if err != nil {
		return err
	}
	if err := e.o.App.RevokeApplicationToken(r.Context(), visitor(r), who, body["token"]); err != nil {
		return err
	}
	w.WriteHeader(http.StatusOK)
	return nil
}

// about reads a request about a token.
func about(w http.ResponseWriter, r *http.Request) (body map[string]string, who app.ClientCredentials, err error) {
	if body, err = params(w, r, "token", "token_type_hint", "client_id", "client_secret"); err != nil {
		return nil, who, err
	}
	if who, err = client(r, body); err == nil && body["token"] == "" {
		err = refuse("token is required")
	}
	return body, who, err
}

// introspect tells a client about a token of its own (RFC 7662).
func (e *Endpoints) introspect(w http.ResponseWriter, r *http.Request) error {
	body, who, err := about(w, r)
	if err != nil {
		return err
	}
	i, err := e.o.App.Introspect(r.Context(), visitor(r), who, body["token"])
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
