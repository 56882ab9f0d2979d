package api_test

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"vitrine/internal/apptest"
	"vitrine/internal/auth"
	"vitrine/internal/config"
	"vitrine/internal/domain"
)

// limits are small ones. Supporters have none.
func limits(c *config.Config) {
	c.RateLimits = map[string]int{"guest": 3, "free": 5, "premium": 7, "supporter": 0}
	c.TrustedProxies = proxies("10.0.0.0/8", "fd00::/8")
}

// from sends a request of a guest or user from an address.
func from(r *apptest.Rig, as, addr, method, path string, body any, headers ...string) *apptest.Response {
	r.T.Helper()
	req := r.Request(as, method, path, body, headers...)
	req.RemoteAddr = addr
	return r.Send(req)
}

// allowance checks the rate-limit headers.
func allowance(t *testing.T, name string, res *apptest.Response, tier string, limit, remaining int) {
	t.Helper()
	for field, want := range map[string]string{"Limit": strconv.Itoa(limit), "Tier": tier, "Window": "60",
		"Remaining": strconv.Itoa(remaining)} {
		if got := res.Header.Get("X-RateLimit-" + field); got != want {
			t.Errorf("%s: X-RateLimit-%s = %q, want %q", name, field, got, want)
		}
	}
}

// limited checks a 429 (behaviour.md section 9).
func limited(t *testing.T, name string, res *apptest.Response, tier string, limit int) {
	t.Helper()
	res.Want(http.StatusTooManyRequests)
	complete(t, name, res)
	allowance(t, name, res, tier, limit, 0)
	retry, err := strconv.Atoi(res.Header.Get("Retry-After"))
	if err != nil || retry < 1 || retry > 60 {
		t.Errorf("%s: Retry-After %q", name, res.Header.Get("Retry-After"))
	}
	if res.Str("error.type") != "rate_limit_exceeded" || res.Str("error.tier") != tier || res.Int("error.limit") != int64(limit) ||
		res.Int("error.retry_after") != int64(retry) || res.Len("error.suggestions") == 0 || res.Str("error.message") == "" ||
		res.Int("error.current_status.limits.free") != 5 {
		t.Errorf("%s: %s", name, res.Body)
	}
}

// Every response counts and contains the headers, for any status.
func TestRateLimitHeaders(t *testing.T) {
	t.Parallel()
	r := apptest.New(t, func(c *config.Config) {
		c.RateLimits = map[string]int{"guest": 100, "free": 5, "premium": 7, "supporter": 100}
	})
	left := map[string]int{"guest": 100, "supporter": 100}
	for _, c := range []struct {
		as, tier, method, path string
		body                   any
		status                 int
	}{
		{"", "guest", "GET", "/v3/ping", nil, 200}, {"", "guest", "HEAD", "/v3/ping", nil, 200},
		{"", "guest", "GET", "/v3/me", nil, 401}, {"", "guest", "GET", "/v3/nothing", nil, 404},
		{"", "guest", "GET", "/v3/blocks/1", nil, 404}, {"", "guest", "GET", "/v3/blocks/x", nil, 400},
		{"", "guest", "PATCH", "/v3/me", nil, 405}, {"", "guest", "OPTIONS", "/v3/me", nil, 204},
		{"", "guest", "POST", "/v3/channels", `{}`, 401}, {"", "guest", "GET", "/ext/v1/openapi.json", nil, 200},
		{"ada", "supporter", "GET", "/v3/me", nil, 200}, {"ada/read", "supporter", "GET", "/v3/me", nil, 200},
		{"ada", "supporter", "POST", "/v3/channels", `{}`, 400}, {"ada", "supporter", "POST", "/v3/channels", `{"title":"x"}`, 201},
		{"ada/read", "supporter", "POST", "/v3/channels", `{"title":"x"}`, 403}, {"ada", "supporter", "GET", "/v3/nothing", nil, 404},
		{"ada", "supporter", "POST", "/v3/channels", strings.Repeat("x", 2<<20), 413},
		{"ada", "supporter", "DELETE", "/v3/channels/x", nil, 204},
	} {
		left[c.tier]--
		name := c.as + " " + c.method + " " + c.path
		res := r.Do(c.as, c.method, c.path, c.body).Want(c.status)
		allowance(t, name, res, c.tier, 100, left[c.tier])
		want := r.Clock.Now().Add(time.Minute).Unix()
		if reset, err := strconv.ParseInt(res.Header.Get("X-RateLimit-Reset"), 10, 64); err != nil || reset < want-1 || reset > want+1 {
			t.Errorf("%s: X-RateLimit-Reset %s, want about %d", name, res.Header.Get("X-RateLimit-Reset"), want)
		}
	}
	left["guest"]--
	allowance(t, "bad token", r.Do("", "GET", "/v3/ping", nil, "Authorization", "Bearer x").Want(401), "guest", 100, left["guest"])
	// A preflight, which browsers send on their own, contains the headers but does not count.
	for name, left := range map[string]int{"10.0.0.1": 100, "192.0.2.1": left["guest"]} {
		res := from(r, "", name+":1", "OPTIONS", "/v3/channels", nil, "Access-Control-Request-Method", "POST").Want(204)
		allowance(t, "preflight from "+name, res, "guest", 100, left)
	}
}

func TestGuestsAreCountedByAddress(t *testing.T) {
	t.Parallel()
	r := apptest.New(t, limits)
	ping := func(addr string, headers ...string) *apptest.Response {
		return from(r, "", addr, "GET", "/v3/ping", nil, headers...)
	}
	use := func(name string, send func(i int) *apptest.Response) {
		t.Helper()
		for i := range 3 {
			allowance(t, name, send(i).Want(http.StatusOK), "guest", 3, 2-i)
		}
		limited(t, name, send(3), "guest", 3)
	}
	use("one address, many ports", func(i int) *apptest.Response { return ping(fmt.Sprintf("192.0.2.1:%d", 1000+i)) })
	use("another address", func(int) *apptest.Response { return ping("192.0.2.2:1") })
	use("IPv6 by its /64", func(i int) *apptest.Response { return ping(fmt.Sprintf("[2001:db8::%d:%d]:1", i, i)) })
	use("another /64", func(int) *apptest.Response { return ping("[2001:db8:0:1::1]:1") })
	limited(t, "IPv4 in IPv6", ping("[::ffff:192.0.2.1]:1"), "guest", 3)
	use("behind a proxy", func(i int) *apptest.Response {
		return ping(fmt.Sprintf("10.0.0.%d:1", i), "X-Forwarded-For", "198.51.100.1")
	})
	use("behind two proxies", func(i int) *apptest.Response {
		return ping("[fd00::1]:1", "X-Forwarded-For", fmt.Sprintf("203.0.113.%d, 198.51.100.2, 10.9.9.9", i))
	})
	use("the proxy itself", func(int) *apptest.Response { return ping("10.0.0.9:1") })
	limited(t, "who is no proxy may say what it likes",
		ping("192.0.2.1:1", "X-Forwarded-For", "198.51.100.77", "Forwarded", "for=198.51.100.78", "X-Real-Ip", "198.51.100.79"), "guest", 3)
	limited(t, "what is no token counts for its address", ping("192.0.2.1:1", "Authorization", "Bearer x"), "guest", 3)
	for range 5 {
		from(r, "", "192.0.2.1:1", "GET", "/healthz", nil).Want(http.StatusOK)
		from(r, "ada", "192.0.2.1:1", "GET", "/v3/me", nil).Want(http.StatusOK) // a token does not count towards the guests' limit
	}
	r.Clock.Advance(time.Minute)
	allowance(t, "a minute later", ping("192.0.2.1:1"), "guest", 3, 2)
}

func TestUsersAreCountedOverAllTokens(t *testing.T) {
	t.Parallel()
	r := apptest.New(t, limits)
	ada := domain.Ref{ID: int64(r.Person("ada").ID)}
	tier := func(tier domain.Tier) {
		t.Helper()
		if _, err := r.S.App.Accounts.SetTier(t.Context(), ada, tier); err != nil {
			t.Fatal(err)
		}
	}
	tier(domain.TierFree)
	for i, who := range []string{"ada", "ada/read", "ada", "ada/read", "ada"} {
		allowance(t, who, from(r, who, fmt.Sprintf("192.0.2.%d:1", i), "GET", "/v3/me", nil).Want(http.StatusOK), "free", 5, 4-i)
	}
	limited(t, "one token", r.Do("ada", "GET", "/v3/me", nil), "free", 5)
	limited(t, "the other", r.Do("ada/read", "POST", "/v3/channels", `{}`), "free", 5)
	limited(t, "the other, again", r.Do("ada/read", "GET", "/v3/nothing", nil), "free", 5)
	r.Do("bob", "GET", "/v3/me", nil).Want(http.StatusOK)
	r.Do("", "GET", "/v3/ping", nil).Want(http.StatusOK)

	tier(domain.TierPremium)
	r.Clock.Advance(59 * time.Second)
	res := r.Do("ada", "GET", "/v3/me", nil)
	limited(t, "just before the end", res, "free", 5)
	if wait := res.Int("error.retry_after"); wait != 1 {
		t.Errorf("retry_after %d, want 1", wait)
	}
	r.Clock.Advance(time.Second)
	for i := range 7 {
		allowance(t, "premium", r.Do("ada", "GET", "/v3/me", nil).Want(http.StatusOK), "premium", 7, 6-i)
	}
	limited(t, "premium", r.Do("ada", "GET", "/v3/me", nil), "premium", 7)

	tier(domain.TierSupporter)
	r.Clock.Advance(time.Minute)
	for range 20 {
		res := r.Do("ada", "GET", "/v3/me", nil).Want(http.StatusOK)
		if left, err := strconv.Atoi(res.Header.Get("X-RateLimit-Remaining")); err != nil || left < 1000 {
			t.Fatalf("without a limit X-RateLimit-Remaining is %q", res.Header.Get("X-RateLimit-Remaining"))
		}
	}
}

// A request over the limit does not reach the database, for any sender and path.
func TestRefusalsAskNoDatabase(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		if _, err := r.S.App.Accounts.SetTier(t.Context(), domain.Ref{ID: int64(r.Person("ada").ID)}, domain.TierFree); err != nil {
			t.Fatal(err)
		}
		for range 6 {
			r.Do("", "GET", "/v3/users/ada", nil)
			r.Do("ada", "GET", "/v3/me", nil)
		}
		limited(t, "the read token, once", r.Do("ada/read", "GET", "/v3/me", nil), "free", 5)
		seen := r.Statements(func() {
			for _, path := range []string{"/v3/me", "/v3/users/ada", "/v3/channels/x/contents", "/v3/nothing"} {
				for _, who := range []string{"ada", "ada/read"} {
					limited(t, who, r.Do(who, "GET", path, nil), "free", 5)
					limited(t, who, r.Do(who, "DELETE", path, nil), "free", 5)
				}
				limited(t, "guest", r.Do("", "GET", path, nil), "guest", 3)
				limited(t, "what is no token", r.Do("", "GET", path, nil, "Authorization", "Bearer nonsense"), "guest", 3)
			}
			res := r.Do("ada", "POST", "/v3/channels", strings.Repeat("x", 2<<20))
			limited(t, "a large body", res, "free", 5)
		})
		if len(seen) > 0 {
			t.Errorf("refusals ran %q", seen)
		}
	}, limits)
}

// newTokens returns well-formed tokens that belong to nobody.
func newTokens(n int) []string {
	tokens := make([]string, n)
	for i := range tokens {
		tokens[i], _, _ = auth.NewToken(auth.Personal)
	}
	return tokens
}

// After an address has sent too many bad tokens, more of them cause no statements. Tokens that were recently valid keep
// working from there; others work again after a minute.
func TestFloodOfBadTokens(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		const here, there = "203.0.113.7:1", "203.0.113.8:1"
		for range 3 { // the whole limit of a guest
			from(r, "", here, "GET", "/v3/ping", nil).Want(200)
		}
		from(r, "ada", here, "GET", "/v3/me", nil).Want(200) // but a good token works
		for _, token := range newTokens(3) {
			limited(t, "a bad token", from(r, "", here, "GET", "/v3/ping", nil, "Authorization", "Bearer "+token), "guest", 3)
		}
		flood := r.Statements(func() {
			for _, token := range newTokens(50) {
				limited(t, "a flood", from(r, "", here, "GET", "/v3/ping", nil, "Authorization", "Bearer "+token), "guest", 3)
			}
		})
		if len(flood) > 0 {
			t.Errorf("a flood costs %d statements: %.200q", len(flood), flood)
		}
		from(r, "ada", here, "GET", "/v3/me", nil).Want(200)
		from(r, "", there, "GET", "/v3/ping", nil, "Authorization", "Bearer "+newTokens(1)[0]).Want(401)
		limited(t, "one that was not seen before", from(r, "bob", here, "GET", "/v3/me", nil), "guest", 3)
		from(r, "bob", there, "GET", "/v3/me", nil).Want(200)
		from(r, "bob", here, "GET", "/v3/me", nil).Want(200)
		r.Exec("UPDATE tokens SET revoked_at = 1 WHERE user_id = $1", r.Person("ada").ID)
		r.Do("ada", "GET", "/v3/me", nil).Want(401)
		limited(t, "one that was revoked", from(r, "ada", here, "GET", "/v3/me", nil), "guest", 3)
		r.Clock.Advance(2 * time.Minute)
		from(r, "ada/read", here, "GET", "/v3/me", nil)
		from(r, "", here, "GET", "/v3/ping", nil, "Authorization", "Bearer "+newTokens(1)[0]).Want(401)
	}, limits)
}
