package api_test

import (
	"net/http"
	"strings"
	"testing"

	"vitrine/internal/apptest"
)

// v2Ways are the places of a token besides Authorization, in order of precedence.
var v2Ways = []string{"X-AUTH-TOKEN", "X-ACCESS-TOKEN", "access_token", "auth_token"}

// withToken adds a token to a request.
func withToken(req *http.Request, way, token string) *http.Request {
	switch {
	case way == "Authorization" && token != "":
		token = "Bearer " + token
		fallthrough
	case strings.Contains(way, "-") || way == "Authorization":
		req.Header.Set(way, token)
	default:
		q := req.URL.Query()
		q.Set(way, token)
		req.URL.RawQuery = q.Encode()
	}
	return req
}

// asks sends a request with tokens in several places and returns the response, which shows the actor.
func asks(r *apptest.Rig, method, path string, tokens map[string]string) *apptest.Response {
	r.T.Helper()
	req := r.Request("", method, path, nil)
	for way, token := range tokens {
		withToken(req, way, token)
	}
	return r.Send(req)
}

// If several tokens differ, the first one counts, even if it is invalid. Empty ones are ignored.
func TestV2TokensInManyPlaces(t *testing.T) {
	t.Parallel()
	w := newWorld(apptest.New(t))
	ada, bob := w.Person("ada").Token, w.Person("bob").Token
	all := append([]string{"Authorization"}, v2Ways...)
	for i, way := range all {
		for _, empty := range []bool{false, true} {
			good, bad := map[string]string{way: ada}, map[string]string{way: "wrong"}
			for j, other := range all {
				switch {
				case j > i:
					good[other], bad[other] = bob, ada
				case j < i && empty:
					good[other], bad[other] = "", ""
				}
			}
			name := at("%s, others before it empty: %v", way, empty)
			if res := asks(w.Rig, "GET", "/v2/me", good); res.Status != 200 || res.Str("slug") != "ada" {
				t.Errorf("%s: %d %.200s", name, res.Status, res.Body)
			}
			for _, path := range []string{"/v2/me", "/v2/channels/closed", "/v2/openapi.json", "/v2/search?q=x", "/v2/nothing"} {
				res := asks(w.Rig, "GET", path, bad)
				refusedV2(t, name+", wrong, on "+path, res, http.StatusUnauthorized, v2Unauthorized)
				if got := res.Header.Get("WWW-Authenticate"); got != invalidToken {
					t.Errorf("%s: WWW-Authenticate %q", name, got)
				}
			}
		}
	}
	none := asks(w.Rig, "GET", "/v2/me", map[string]string{"Authorization": "", "X-AUTH-TOKEN": "", "access_token": ""})
	refusedV2(t, "all empty", none, http.StatusUnauthorized, v2Unauthorized)
	if got := none.Header.Get("WWW-Authenticate"); got != "Bearer" {
		t.Errorf("all empty: WWW-Authenticate %q", got)
	}
	asks(w.Rig, "GET", "/v2/channels/closed", map[string]string{"Authorization": ""}).Want(200)

	two := w.Request("", "GET", "/v2/me", nil, "X-AUTH-TOKEN", ada)
	two.Header["Authorization"] = []string{"", "Bearer " + ada}
	refusedV2(t, "two lines", w.Send(two), http.StatusUnauthorized, v2Unauthorized)

	res := w.Do("", "POST", "/v2/channels", at(`{"title":"x","access_token":%q}`, ada))
	refusedV2(t, "in the body", res, http.StatusUnauthorized, v2Unauthorized)
	for _, token := range []string{ada, bob} {
		if n := len(w.Log(token)); n > 0 {
			t.Errorf("the log holds a token %d times", n)
		}
	}
}

// A token works for writes in any place, including parameters. A read token can read but not write.
func TestV2TokensWrite(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		for _, way := range append([]string{"Authorization"}, v2Ways...) {
			title := map[string]string{way: w.Person("ada").Token}
			res := asks(w.Rig, "POST", "/v2/channels?title="+way, title).Want(200)
			if res.Str("title") != way || res.Str("user.slug") != "ada" {
				t.Errorf("%s: %s", way, res.Body)
			}
			before := w.Dump()
			read := map[string]string{way: w.Person("ada").Read}
			asks(w.Rig, "GET", "/v2/me", read).Want(200)
			asks(w.Rig, "GET", at("/v2/channels/%d", w.secret), read).Want(200)
			for _, op := range w.S.API.V2.Operations() {
				if op.Method == http.MethodGet {
					continue
				}
				path := strings.NewReplacer("{id}", at("%d", w.closed), "{block_id}", at("%d", w.block),
					"{connection_id}", at("%d", w.connection), "{comment_id}", "1").Replace(op.Path)
				res := asks(w.Rig, op.Method, path, read)
				refusedV2(t, op.ID+", to read, by "+way, res, http.StatusForbidden, "The token's scope does not allow this")
				refusedV2(t, op.ID+", guest", w.Do("", op.Method, path, nil), http.StatusUnauthorized, v2Unauthorized)
			}
			w.unchanged(t, before, "tokens that only read")
		}
	})
}
