// Package oidctest is an OpenID Connect provider for tests, which can be configured to misbehave.
package oidctest

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"testing"
	"time"
)

// The registered client.
const (
	ClientID     = "vitrine"
	ClientSecret = "a secret of the client"
)

// Provider signs in a configured user without asking for credentials.
type Provider struct {
	t      testing.TB
	server *httptest.Server
	now    func() time.Time

	mu    sync.Mutex
	who   map[string]any // claims of the next user
	info  map[string]any // response of the UserInfo endpoint; nil without one
	key   *rsa.PrivateKey
	kid   int
	codes map[string]grant
	away  bool
	asked map[string]int

	change func(header, claims map[string]any) // of the next ID tokens
	answer func(w http.ResponseWriter, r *http.Request) bool
}

// keys are shared by all tests, because creating them is slow.
var keys = []func() *rsa.PrivateKey{sync.OnceValue(newKey), sync.OnceValue(newKey)}

func newKey() *rsa.PrivateKey {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err) // no randomness available
	}
	return key
}

// grant is the state of a code.
type grant struct {
	query url.Values
	who   map[string]any
}

// New starts a provider that is stopped at the end of the test.
func New(t testing.TB, now func() time.Time) *Provider {
	t.Helper()
	p := &Provider{t: t, now: now, codes: map[string]grant{}, asked: map[string]int{}}
	p.Rotate()
	p.server = httptest.NewServer(p)
	t.Cleanup(p.server.Close)
	return p
}

// Issuer returns the issuer URL.
func (p *Provider) Issuer() string { return p.server.URL }

// Is sets the next user, with claims as pairs of name and value. The address is verified unless the claims
// say otherwise.
func (p *Provider) Is(subject string, pairs ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.who = map[string]any{"sub": subject}
	for i := 0; i+1 < len(pairs); i += 2 {
		if p.who[pairs[i].(string)] = pairs[i+1]; pairs[i] == "email" {
			p.who["email_verified"] = true
		}
	}
}

// Informs sets the claims in responses of the UserInfo endpoint.
func (p *Provider) Informs(claims map[string]any) { p.locked(func() { p.info = claims }) }

// Rotate replaces the signing key.
func (p *Provider) Rotate() {
	p.locked(func() {
		p.kid++
		p.key = keys[p.kid%len(keys)]()
	})
}

// Away makes the provider respond with 503 to everything.
func (p *Provider) Away(away bool) { p.locked(func() { p.away = away }) }

// Tampers sets a function that changes the header and claims of ID tokens; nil changes nothing.
func (p *Provider) Tampers(change func(header, claims map[string]any)) {
	p.locked(func() { p.change = change })
}

// Answers sets a handler that is called first and reports whether it has responded.
func (p *Provider) Answers(answer func(w http.ResponseWriter, r *http.Request) bool) {
	p.locked(func() { p.answer = answer })
}

// Asked returns the number of requests for a path.
func (p *Provider) Asked(path string) (n int) {
	p.locked(func() { n = p.asked[path] })
	return n
}

func (p *Provider) locked(f func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f()
}

// Visit opens the URL that starts a sign-in, and returns the URL to which the provider redirects.
func (p *Provider) Visit(address string) string {
	p.t.Helper()
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response, err := client.Get(address)
	if err != nil {
		p.t.Fatal(err)
	}
	_ = response.Body.Close()
	if response.StatusCode != http.StatusFound {
		p.t.Fatalf("%s: the provider answers %d", address, response.StatusCode)
	}
	return response.Header.Get("Location")
}

// ServeHTTP serves the endpoints.
func (p *Provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	p.asked[r.URL.Path]++
	away, answer := p.away, p.answer
	p.mu.Unlock()
	if answer != nil && answer(w, r) {
		return
	}
	if away {
		http.Error(w, "away", http.StatusServiceUnavailable)
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	switch r.URL.Path {
	case "/.well-known/openid-configuration":
		about := map[string]any{"issuer": p.server.URL, "authorization_endpoint": p.server.URL + "/authorize", "token_endpoint": p.server.URL + "/token",
			"jwks_uri": p.server.URL + "/keys", "end_session_endpoint": p.server.URL + "/logout?realm=main", "id_token_signing_alg_values_supported": []string{"RS256", "HS256", "none"}}
		if p.info != nil {
			about["userinfo_endpoint"] = p.server.URL + "/userinfo"
		}
		reply(w, http.StatusOK, about)
	case "/keys":
		reply(w, http.StatusOK, map[string]any{"keys": []any{map[string]any{"kty": "RSA", "use": "sig", "alg": "RS256", "kid": fmt.Sprint(p.kid),
			"n": encode(p.key.N.Bytes()), "e": encode(big.NewInt(int64(p.key.E)).Bytes())}}})
	case "/authorize":
		p.authorize(w, r)
	case "/token":
		p.token(w, r)
	case "/userinfo":
		if r.Header.Get("Authorization") != "Bearer access" {
			reply(w, http.StatusUnauthorized, nil)
			return
		}
		reply(w, http.StatusOK, p.info)
	default:
		http.NotFound(w, r)
	}
}

func (p *Provider) authorize(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	for name, want := range map[string]string{"client_id": ClientID, "response_type": "code", "code_challenge_method": "S256"} {
		if q.Get(name) != want {
			p.t.Errorf("%s is %q, want %q", name, q.Get(name), want)
		}
	}
	if q.Get("state") == "" || q.Get("nonce") == "" || q.Get("code_challenge") == "" {
		p.t.Errorf("state, nonce or challenge is missing in %s", r.URL)
	}
	back, err := url.Parse(q.Get("redirect_uri"))
	if err != nil {
		p.t.Error(err)
	}
	code := rand.Text()
	p.codes[code] = grant{q, p.who}
	back.RawQuery = url.Values{"code": {code}, "state": {q.Get("state")}, "iss": {p.server.URL}}.Encode()
	http.Redirect(w, r, back.String(), http.StatusFound)
}

// token exchanges a code, which is valid once.
func (p *Provider) token(w http.ResponseWriter, r *http.Request) {
	if id, secret, ok := r.BasicAuth(); !ok || id != ClientID || secret != url.QueryEscape(ClientSecret) {
		reply(w, http.StatusUnauthorized, map[string]any{"error": "invalid_client"})
		return
	}
	g, ok := p.codes[r.PostFormValue("code")]
	delete(p.codes, r.PostFormValue("code"))
	sum := sha256.Sum256([]byte(r.PostFormValue("code_verifier")))
	if !ok || g.query.Get("redirect_uri") != r.PostFormValue("redirect_uri") || encode(sum[:]) != g.query.Get("code_challenge") {
		reply(w, http.StatusBadRequest, map[string]any{"error": "invalid_grant"})
		return
	}
	header := map[string]any{"alg": "RS256", "typ": "JWT", "kid": fmt.Sprint(p.kid)}
	claims := map[string]any{"iss": p.server.URL, "aud": ClientID, "nonce": g.query.Get("nonce"), "iat": p.now().Unix(), "exp": p.now().Add(5 * time.Minute).Unix(), "auth_time": p.now().Unix()}
	for name, value := range g.who {
		claims[name] = value
	}
	if p.change != nil {
		p.change(header, claims)
	}
	reply(w, http.StatusOK, map[string]any{"access_token": "access", "token_type": "Bearer", "expires_in": 300, "id_token": p.sign(header, claims)})
}

func (p *Provider) sign(header, claims map[string]any) string {
	text := encode(marshal(header)) + "." + encode(marshal(claims))
	if header["alg"] == "none" {
		return text + "."
	}
	sum := sha256.Sum256([]byte(text))
	signature, err := rsa.SignPKCS1v15(rand.Reader, p.key, crypto.SHA256, sum[:])
	if err != nil {
		p.t.Error(err)
	}
	return text + "." + encode(signature)
}

func marshal(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // a bug in the test
	}
	return b
}

func encode(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

func reply(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(marshal(v))
}
