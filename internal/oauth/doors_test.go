package oauth_test

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"vitrine/internal/apptest"
	"vitrine/internal/config"
)

func basic(id, secret string) string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(id+":"+secret))
}

// Who a client is may be said in the body or by HTTP Basic, never by both.
func TestClientAuthentication(t *testing.T) {
	t.Parallel()
	w := newWorld(apptest.New(t))
	id, secret := w.web.ClientID, w.web.secret
	grant := url.Values{"grant_type": {"client_credentials"}}
	encoded := strings.ReplaceAll(url.QueryEscape(id), "a", "%61")
	for _, header := range []string{basic(id, secret), basic(encoded, strings.ReplaceAll(secret, "_", "%5F")), strings.Replace(basic(id, secret), "Basic", "bAsIc", 1)} {
		w.post(tokenPath, grant, "Authorization", header).Want(http.StatusOK)
		w.post(tokenPath, with(grant, "client_id", id), "Authorization", header).Want(http.StatusOK)
	}
	refused(t, "both", w.post(tokenPath, with(grant, "client_secret", secret), "Authorization", basic(id, secret)), 400, "invalid_request")
	refused(t, "two ids", w.post(tokenPath, with(grant, "client_id", w.other.ClientID), "Authorization", basic(id, secret)), 400, "invalid_request")
	for _, bad := range []string{"Basic", "Basic ", "Basic !", basic("", ""), basic(id, ""), basic("", secret), basic(id, w.other.secret),
		basic(id, secret+"%"), basic(id+"%zz", secret), basic(id, secret+" "), basic(w.native.ClientID, "x"), "Bearer " + secret, secret,
		basic(id, strings.Repeat("x", 10_000)), basic("\x00", "\xff"), "Basic " + base64.StdEncoding.EncodeToString([]byte(id))} {
		refused(t, bad, w.post(tokenPath, grant, "Authorization", bad), 401, "invalid_client")
	}
	req := w.Request("", "POST", tokenPath, grant.Encode(), "Content-Type", "application/x-www-form-urlencoded")
	req.Header["Authorization"] = []string{basic(id, secret), basic(id, secret)}
	refused(t, "two headers", w.Send(req), 400, "invalid_request")
}

// parted is a form of several parts, whose boundary is "edge".
func parted(fields ...string) string {
	var b strings.Builder
	for i := 0; i < len(fields); i += 2 {
		b.WriteString("--edge\r\nContent-Disposition: form-data; name=\"" + fields[i] + "\"\r\n\r\n" + fields[i+1] + "\r\n")
	}
	return b.String() + "--edge--\r\n"
}

func TestBodies(t *testing.T) {
	t.Parallel()
	w := newWorld(apptest.New(t))
	const form, json, multi = "application/x-www-form-urlencoded", "application/json", "multipart/form-data; boundary=edge"
	id, secret := w.web.ClientID, w.web.secret
	good := "grant_type=client_credentials&client_id=" + id + "&client_secret=" + secret
	object := `"client_id":"` + id + `","client_secret":"` + secret + `"`
	right := [][2]string{
		{form, good}, {form + "; charset=UTF-8", good}, {strings.ToUpper(form), good}, {form, good + "&unknown=1&unknown=2&scope=&code"},
		{json, `{"grant_type":"client_credentials",` + object + `}`}, {json + ";charset=utf-8", ` {"grant_type":"client_credentials","x":[{}],"scope":null,"code":"",` + object + "}\n"},
		{json, `{"grant_type":"client\u005fcredentials",` + object + `}`},
		{multi, parted("grant_type", "client_credentials", "client_id", id, "client_secret", secret)},
		{"Multipart/Form-Data; charset=utf-8; boundary=edge", parted("client_id", id, "x", "1", "x", "2", "scope", "", "client_secret", secret, "grant_type", "client_credentials")},
	}
	for _, c := range right {
		w.send(tokenPath, c[0], c[1]).Want(http.StatusOK)
	}
	bad := [][2]string{
		{form, ""}, {form, good + "&scope=%"}, {form, good + ";scope=read"}, {form, good + "&grant_type=client_credentials"},
		{form, good + "&client_id=" + id}, {form, good + "&client_secret="}, {form, good + "&scope=%00"}, {form, good + "&scope=%ff"},
		{form, good + "&scope=\xff"}, {form, good + "&scope=a\x00"}, {form, good + "&code=%0a"}, {form, `{"grant_type":"client_credentials"}`},
		{json, ""}, {json, good}, {json, "null"}, {json, "[]"}, {json, `"x"`}, {json, "{"}, {json, `{"grant_type":"client_credentials"`},
		{json, `{"grant_type":1,` + object + `}`}, {json, `{"grant_type":["client_credentials"],` + object + `}`}, {json, `{"grant_type":{},` + object + `}`},
		{json, `{"grant_type":true,` + object + `}`}, {json, `{"grant_type":"client_credentials","grant_type":"client_credentials",` + object + `}`},
		{json, `{"grant_type":"client_credentials","x":1,"x":2,` + object + `}`}, {json, `{"grant_type":"client_credentials",` + object + `}{}`},
		{json, `{"grant_type":"client_credentials",` + object + `} x`}, {json, `{"grant_type":"client_credentials","scope":"\u0000",` + object + `}`},
		{json, `{"grant_type":"client_credentials","scope":"` + "\xff" + `",` + object + `}`}, {json, "\xef\xbb\xbf{}"},
		{multi, ""}, {multi, good}, {multi, "--edge--\r\n"}, {"multipart/form-data", parted("grant_type", "client_credentials")}, {"multipart/form-data; boundary=other", parted("client_id", id)},
		{multi, parted("grant_type", "client_credentials", "client_id", id, "client_id", id, "client_secret", secret)},
		{multi, parted("grant_type", "client_credentials", "client_id", id, "client_secret", secret+"\x00")},
		{multi, parted("grant_type", "client_credentials", "client_id", id, "client_secret", secret+"\xff")},
		{multi, parted("grant_type", "client_credentials", "", "x", "client_id", id, "client_secret", secret)},
		{multi, parted("grant_type", "client_credentials", `scope"; filename="a`, "x", "client_id", id, "client_secret", secret)},
		{multi, strings.TrimSuffix(parted("grant_type", "client_credentials", "client_id", id, "client_secret", secret), "--edge--\r\n")},
		{json, `{"x":` + strings.Repeat("[", 30_000) + strings.Repeat("]", 30_000) + `}`}, {json, `{"Grant_Type":"client_credentials",` + object + `}`},
	}
	for _, c := range bad {
		res := w.send(tokenPath, c[0], c[1])
		if res.Status == http.StatusUnauthorized && res.Str("error") == "invalid_client" && !strings.Contains(c[1], id) {
			continue // nothing in it says who the client is
		}
		refused(t, c[1], res, 400, "invalid_request")
	}
	for _, kind := range []string{"", "text/plain", "multipart/mixed; boundary=x", "application/json+x", "application/", ";", "application/json, text/plain", "\x00"} {
		refused(t, kind, w.send(tokenPath, kind, good), 415, "invalid_request")
	}
	for _, huge := range []int{64<<10 + 1, 2 << 20} {
		refused(t, "huge", w.send(tokenPath, form, good+"&x="+strings.Repeat("x", huge)), 413, "invalid_request")
	}
}

// A secret in an address would stay in logs (RFC 6749 section 2.3.1).
func TestSecretsInAddress(t *testing.T) {
	t.Parallel()
	w := newWorld(apptest.New(t))
	form := url.Values{"grant_type": {"client_credentials"}, "client_id": {w.web.ClientID}, "client_secret": {w.web.secret}}
	for _, query := range []string{"client_secret=" + w.web.secret, "code=x", "code_verifier=x", "token=x", "client_secret", "a=%zz&client_secret=x", "client%5Fsecret=x"} {
		refused(t, query, w.post(tokenPath+"?"+query, form), 400, "invalid_request")
		refused(t, query, w.post(tokenPath+"?"+query, url.Values{}), 400, "invalid_request")
	}
	w.post(tokenPath+"?v=1699&1700", form).Want(http.StatusOK)
	// docs/clients.md says this of a known client: the refusal does not use up the code.
	r := asks(w.web)
	exchange := exchanges(w.web, r, w.code("ada", r))
	refused(t, "everything in the query", w.send(tokenPath+"?"+exchange.Encode(), "", ""), 400, "invalid_request")
	w.post(tokenPath, exchange).Want(http.StatusOK)
}

func TestMethods(t *testing.T) {
	t.Parallel()
	w := newWorld(apptest.New(t))
	for path, allow := range map[string]string{tokenPath: "POST, OPTIONS", tokenPathV2: "POST, OPTIONS", revokePath: "POST, OPTIONS", introspectPath: "POST, OPTIONS", metadataPath: "GET, HEAD, OPTIONS"} {
		for _, method := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"} {
			if strings.Contains(allow, method) && method != "OPTIONS" {
				continue
			}
			res := w.Do("", method, path, nil)
			want := http.StatusMethodNotAllowed
			if method == "OPTIONS" {
				want = http.StatusNoContent
			}
			if res.Status != want || res.Header.Get("Allow") != allow {
				t.Errorf("%s %s: %d, Allow %q", method, path, res.Status, res.Header.Get("Allow"))
			}
			if want == http.StatusMethodNotAllowed && method != "HEAD" {
				refused(t, method, res, want, "invalid_request")
			}
		}
		preflight := w.Do("", "OPTIONS", path, nil, "Origin", "https://page.test", "Access-Control-Request-Method", "POST", "Access-Control-Request-Headers", "authorization")
		if preflight.Status != http.StatusNoContent || preflight.Header.Get("Access-Control-Allow-Origin") != "*" {
			t.Errorf("%s: %d %v", path, preflight.Status, preflight.Header)
		}
	}
	for _, path := range []string{registerPath, tokenPath + "//", "/v3/oauth", "/v3/oauth/revoke", "/V3/oauth/token", "/v3/oauth/authorize", "/.well-known/openid-configuration"} {
		w.Do("", "POST", path, "{}").Want(http.StatusNotFound)
	}
	w.Do("", "POST", tokenPath+"/", "{}").Want(http.StatusUnauthorized) // a slash at the end is nothing
}

// Requests count as a guest's, and what fails counts for longer.
func TestLimits(t *testing.T) {
	t.Parallel()
	few := func(c *config.Config) { c.RateLimits = map[string]int{"guest": 3, "free": 0} }
	w := newWorld(apptest.New(t, few))
	form := url.Values{"grant_type": {"client_credentials"}, "client_id": {w.web.ClientID}, "client_secret": {w.web.secret}}
	for _, left := range []string{"2", "1", "0"} {
		if got := w.post(tokenPath, form).Want(http.StatusOK).Header.Get("X-RateLimit-Remaining"); got != left {
			t.Errorf("%s left, want %s", got, left)
		}
	}
	for _, path := range []string{tokenPath, tokenPathV2, revokePath, introspectPath} {
		res := w.post(path, form)
		refused(t, path, res, 429, "temporarily_unavailable")
		if res.Header.Get("Retry-After") != "60" {
			t.Errorf("%s: Retry-After %q", path, res.Header.Get("Retry-After"))
		}
	}
}

func TestFailuresAreLimited(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		right := url.Values{"grant_type": {"client_credentials"}, "client_id": {w.web.ClientID}, "client_secret": {w.web.secret}}
		wrong := with(right, "client_secret", "x")
		for range 30 {
			refused(t, "wrong", w.post(tokenPath, wrong), 401, "invalid_client")
		}
		res := w.post(tokenPath, wrong)
		refused(t, "too many", res, 429, "temporarily_unavailable")
		if wait := res.Header.Get("Retry-After"); wait != "900" && wait != "899" {
			t.Errorf("Retry-After %q", wait)
		}
		w.post(tokenPath, right).Want(http.StatusOK) // nobody is locked out by others' failures
		w.Clock.Advance(16 * time.Minute)
		refused(t, "later", w.post(tokenPath, wrong), 401, "invalid_client")

		code := url.Values{"grant_type": {"authorization_code"}, "client_id": {w.native.ClientID}, "code": {"x"}}
		for range 30 {
			refused(t, "code", w.post(tokenPath, code), 400, "invalid_grant")
		}
		refused(t, "too many codes", w.post(tokenPath, code), 429, "temporarily_unavailable")
	})
}
