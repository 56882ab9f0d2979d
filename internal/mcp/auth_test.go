package mcp_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"vitrine/internal/app/accounts"
	"vitrine/internal/apptest"
	"vitrine/internal/config"
	"vitrine/internal/domain"
)

const (
	ping      = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	document  = "https://client.example.com/oauth/metadata.json"
	back      = "http://127.0.0.1/callback"
	verifier  = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk" // RFC 7636 appendix B
	challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
)

// serve serves the document of a client, and returns a count of the requests.
func serve(r *apptest.Rig, document string) *int {
	n := 0
	r.Web("client.example.com/oauth/metadata.json", func(w http.ResponseWriter, _ *http.Request) {
		n++
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(document))
	})
	return &n
}

func describing(fields string) string {
	return `{"client_id":"` + document + `","client_name":"Assistant","redirect_uris":["` + back + `"],"token_endpoint_auth_method":"none"` + fields + `}`
}

func asks(resource string) accounts.AuthorizationRequest {
	return accounts.AuthorizationRequest{ClientID: document, RedirectURI: "http://127.0.0.1:4711/callback", ResponseType: "code", Scope: "read write",
		State: "s", CodeChallenge: challenge, CodeChallengeMethod: "S256", Resource: resource}
}

func ada(r *apptest.Rig) domain.Actor {
	return domain.Actor{UserID: r.Person("ada").ID, Tier: domain.TierSupporter, Scope: domain.ScopeWrite}
}

// A client without anything finds out where to get a token, describes itself by a document, and gets one for this
// endpoint only.
func TestAuthorization(t *testing.T) {
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		refusal := post(r, "", ping).Want(401)
		said := refusal.Header.Get("WWW-Authenticate")
		where := apptest.Base + "/.well-known/oauth-protected-resource/mcp"
		if said != `Bearer scope="read write", resource_metadata="`+where+`"` || !strings.Contains(strings.Join(refusal.Header.Values("Access-Control-Expose-Headers"), ", "), "WWW-Authenticate") {
			t.Errorf("challenge: %v", refusal.Header)
		}
		if said := post(r, "", ping, "Authorization", "Bearer nonsense").Want(401).Header.Get("WWW-Authenticate"); !strings.Contains(said, "invalid_token") {
			t.Errorf("challenge of a bad token: %s", said)
		}
		resource := r.Do("", "GET", "/.well-known/oauth-protected-resource/mcp", nil).Want(200)
		if resource.Str("resource") != apptest.Base+"/mcp" || resource.Str("authorization_servers.0") != apptest.Base {
			t.Errorf("resource: %s", resource.Body)
		}
		r.Do("", "GET", "/.well-known/oauth-protected-resource", nil).Want(200)
		server := r.Do("", "GET", "/.well-known/oauth-authorization-server", nil, "Mcp-Protocol-Version", current).Want(200)
		if !server.Bool("client_id_metadata_document_supported") || !server.Bool("authorization_response_iss_parameter_supported") ||
			server.Str("code_challenge_methods_supported.0") != "S256" || server.Str("issuer") != apptest.Base {
			t.Errorf("server: %s", server.Body)
		}
		for _, path := range []string{"/.well-known/oauth-authorization-server/mcp", "/.well-known/openid-configuration", "/.well-known/openid-configuration/mcp", "/mcp/.well-known/openid-configuration"} {
			r.Do("", "GET", path, nil).Want(404) // clients then try the next address
		}

		fetched := serve(r, describing(""))
		app := r.S.App.Accounts
		consent, err := app.Authorization(t.Context(), ada(r), asks(apptest.Base+"/mcp"))
		if err != nil || consent.Application.Name != "Assistant (client.example.com)" || !consent.Application.Public {
			t.Fatalf("consent: %+v, %v", consent, err)
		}
		redirect, err := app.Allow(t.Context(), ada(r), asks(apptest.Base+"/mcp"))
		if err != nil || *fetched != 1 {
			t.Fatalf("%v after %d requests", err, *fetched)
		}
		u, err := url.Parse(redirect)
		if err != nil || u.Query().Get("iss") != apptest.Base || u.Query().Get("state") != "s" {
			t.Fatalf("redirect %s: %v", redirect, err)
		}
		form := url.Values{"grant_type": {"authorization_code"}, "client_id": {document}, "code": {u.Query().Get("code")},
			"redirect_uri": {"http://127.0.0.1:4711/callback"}, "code_verifier": {verifier}, "resource": {apptest.Base + "/v3"}}
		exchange := func() *apptest.Response {
			return r.Do("", "POST", "/v3/oauth/token", form.Encode(), "Content-Type", "application/x-www-form-urlencoded")
		}
		if res := exchange().Want(400); res.Str("error") != "invalid_request" {
			t.Errorf("another resource: %s", res.Body)
		}
		form.Set("resource", apptest.Base)
		if res := exchange().Want(400); res.Str("error") != "invalid_request" {
			t.Errorf("a wider resource: %s", res.Body)
		}
		form.Set("resource", apptest.Base+"/mcp")
		token := exchange().Want(200).Str("access_token")
		post(r, "", ping, "Authorization", "Bearer "+token).Want(200)
		r.Do("", "GET", "/v3/me", nil, "Authorization", "Bearer "+token).Want(401)

		r.Clock.Advance(2 * time.Hour)
		if _, err := app.Authorization(t.Context(), ada(r), asks("")); err != nil || *fetched != 2 {
			t.Errorf("%v after %d requests", err, *fetched)
		}
	})
}

// A request for another resource gets an error, and a token without one is valid everywhere.
func TestResource(t *testing.T) {
	r := apptest.New(t)
	serve(r, describing(""))
	for resource, ok := range map[string]bool{"": true, apptest.Base: true, apptest.Base + "/": true, apptest.Base + "/mcp/": true,
		apptest.Base + "/v3": false, "https://evil.test/mcp": false, "mcp": false} {
		_, err := r.S.App.Accounts.Authorization(t.Context(), ada(r), asks(resource))
		if (err == nil) != ok || !ok && !strings.Contains(err.Error(), "invalid_target") {
			t.Errorf("%q: %v", resource, err)
		}
	}
	post(r, "ada", ping).Want(200) // a personal token
}

func TestBadDocuments(t *testing.T) {
	r := apptest.New(t)
	var text string
	r.Web("client.example.com/", func(w http.ResponseWriter, req *http.Request) {
		if req.URL.Path == "/redirect.json" {
			http.Redirect(w, req, document, http.StatusFound)
			return
		}
		_, _ = w.Write([]byte(text))
	})
	ask := func(id string) error {
		r.Clock.Advance(2 * time.Hour) // documents are kept for one
		in := asks("")
		in.ClientID = id
		_, err := r.S.App.Accounts.Authorization(t.Context(), ada(r), in)
		return err
	}
	for name, c := range map[string]struct{ id, text string }{
		"no JSON": {document, "hello"}, "a list": {document, "[]"}, "another client_id": {document, strings.Replace(describing(""), "metadata", "other", 1)},
		"no redirect_uris": {document, `{"client_id":"` + document + `","client_name":"x"}`}, "a secret": {document, describing(`,"client_secret":"x"`)},
		"a method with a secret": {document, strings.Replace(describing(""), "none", "client_secret_post", 1)},
		"another redirect":       {document, strings.Replace(describing(""), "callback", "else", 1)},
		"a bad redirect":         {document, strings.Replace(describing(""), back, "javascript:alert(1)", 1)},
		"another grant type":     {document, describing(`,"grant_types":["client_credentials"]`)},
		"too large":              {document, describing(`,"x":"` + strings.Repeat("x", 70<<10) + `"`)},
		"a redirection":          {"https://client.example.com/redirect.json", describing("")},
		"a private address":      {"https://127.0.0.1/a.json", ""}, "no path": {"https://client.example.com/", ""}, "a user": {"https://a@client.example.com/a.json", ""},
		"a fragment": {document + "#a", ""}, "dots": {"https://client.example.com/a/../oauth/metadata.json", ""}, "http": {"http://client.example.com/a.json", ""},
		"a long address": {document + strings.Repeat("a", 200), ""},
	} {
		if text = c.text; ask(c.id) == nil {
			t.Errorf("%s is accepted", name)
		}
	}
	text = describing("")
	if err := ask(document); err != nil {
		t.Errorf("a good document is refused: %v", err)
	}
}

// The refusal of a tool beyond the token's scope names the scope that the client should request.
func TestInsufficientScope(t *testing.T) {
	r := apptest.New(t)
	res := post(r, "ada/read", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"save","arguments":{}}}`).Want(403)
	if said := res.Header.Get("WWW-Authenticate"); !strings.HasPrefix(said, `Bearer error="insufficient_scope", scope="read write"`) {
		t.Errorf("challenge: %s", said)
	}
}

func TestTurnedOff(t *testing.T) {
	r := apptest.New(t, func(c *config.Config) { c.MCP = false })
	post(r, "ada", ping).Want(405) // the website's answer
	r.Do("", "GET", "/.well-known/oauth-protected-resource/mcp", nil).Want(404)
}

// Clients can still register themselves (RFC 7591).
func TestRegistration(t *testing.T) {
	r := apptest.New(t, func(c *config.Config) { c.OAuthRegistration = true })
	body, err := json.Marshal(map[string]any{"client_name": "Cursor", "redirect_uris": []string{"cursor://anysphere.cursor-mcp/oauth/callback"},
		"grant_types": []string{"authorization_code", "refresh_token"}, "response_types": []string{"code"}, "token_endpoint_auth_method": "none"})
	if err != nil {
		t.Fatal(err)
	}
	id := r.Do("", "POST", "/ext/v1/oauth/register", string(body)).Want(201).Str("client_id")
	in := asks(apptest.Base + "/mcp")
	in.ClientID, in.RedirectURI = id, "cursor://anysphere.cursor-mcp/oauth/callback"
	if _, err := r.S.App.Accounts.Allow(t.Context(), ada(r), in); err != nil {
		t.Error(fmt.Errorf("registered: %w", err))
	}
}
