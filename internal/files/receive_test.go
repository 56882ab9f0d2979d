package files_test

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"vitrine/internal/apptest"
	"vitrine/internal/config"
)

// Uploads are refused with the reason, and keep nothing. The address can be used afterwards.
func TestUploadsAreRefused(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		const kind = "text/plain; charset=utf-8"
		path := address(r, "ada", "a b.txt", kind)
		other := address(r, "ada", "a b.txt", "image/png")
		late := address(r, "ada", "late.txt", kind)
		u, err := url.Parse(path)
		if err != nil {
			t.Fatal(err)
		}
		o, err := url.Parse(other)
		if err != nil {
			t.Fatal(err)
		}
		with := func(query url.Values, set ...string) string {
			changed := url.Values{}
			for name, all := range query {
				changed[name] = all
			}
			for i := 0; i < len(set); i += 2 {
				changed.Set(set[i], set[i+1])
			}
			return u.Path + "?" + changed.Encode()
		}
		const forged, wrong, large = "The address was not issued by this server", "The header Content-Type must be " + kind, "A file may be at most 1000 bytes"
		r.Person("eve")
		before := r.Dump()
		long := strings.Repeat("x", 1001)
		for _, c := range []struct {
			name, path, kind string
			body             any
			status           int
			why              string
		}{
			{"no type", path, "", "x", 415, wrong},
			{"another type", path, "image/png", "x", 415, wrong},
			{"the type without its parameter", path, "text/plain", "x", 415, wrong},
			{"the type in another case", path, "Text/Plain; charset=utf-8", "x", 415, wrong},
			{"the type with other spaces", path, "text/plain;charset=utf-8", "x", 415, wrong},
			{"the query of another address", u.Path + "?" + o.RawQuery, "image/png", "x", 403, forged},
			{"the key in another case", "/uploads/" + strings.ToUpper(strings.TrimPrefix(u.Path, "/uploads/")) + "?" + u.RawQuery, kind, "x", 403, forged},
			{"a slash at the end", u.Path + "/?" + u.RawQuery, kind, "x", 403, forged},
			{"a folder above", u.Path + "/../x?" + u.RawQuery, kind, "x", 403, forged},
			{"no key", "/uploads/?" + u.RawQuery, kind, "x", 403, forged},
			{"a later end", with(u.Query(), "expires", "9999999999"), kind, "x", 403, forged},
			{"an end with a sign", with(u.Query(), "expires", "+"+u.Query().Get("expires")+"0"), kind, "x", 403, forged},
			{"no number as the end", with(u.Query(), "expires", "never"), kind, "x", 403, forged},
			{"another type in the query", with(u.Query(), "type", "text/html"), "text/html", "x", 403, forged},
			{"half a signature", with(u.Query(), "signature", u.Query().Get("signature")[:20]), kind, "x", 403, forged},
			{"a signature with padding", with(u.Query(), "signature", u.Query().Get("signature")+"="), kind, "x", 403, forged},
			{"a longer body", path, kind, long, 413, large},
			{"a longer body without its length", path, kind, io.MultiReader(strings.NewReader(long)), 413, large},
		} {
			got := r.Do("ada", http.MethodPut, c.path, c.body, "Content-Type", c.kind)
			if got.Status != c.status || !strings.Contains(string(got.Body), c.why) {
				t.Errorf("%s: %d %s, want %d %s", c.name, got.Status, got.Body, c.status, c.why)
			}
			headers(t, c.name, got.Header, "Content-Type", "application/json; charset=utf-8", "Connection", "close")
		}
		for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodDelete, http.MethodPatch} {
			headers(t, method, r.Do("", method, path, nil).Want(405).Header, "Allow", "PUT, OPTIONS")
		}
		if diff := before.Diff(r.Dump()); len(diff) > 0 {
			t.Errorf("what was refused changed\n%s", strings.Join(diff, "\n"))
		}

		sent := r.Do("", http.MethodPut, with(u.Query(), "unknown", "1"), "first", "Content-Type", kind).Want(200)
		headers(t, "taken", sent.Header, "Cache-Control", "no-store", "Connection", "")
		before = r.Dump()
		for _, c := range []struct {
			body   string
			status int
		}{{"first", 200}, {"First", 409}, {"firs", 409}, {"first and more", 409}, {"", 409}} {
			if got := r.Do("eve", http.MethodPut, path, c.body, "Content-Type", kind); got.Status != c.status {
				t.Errorf("%q after %q: %d %s", c.body, "first", got.Status, got.Body)
			}
		}
		if diff := before.Diff(r.Dump()); len(diff) > 0 {
			t.Errorf("the same bytes and others changed\n%s", strings.Join(diff, "\n"))
		}
		r.Clock.Advance(time.Hour)
		for _, p := range []string{late, path} {
			if got := r.Do("", http.MethodPut, p, "first", "Content-Type", kind).Want(403); !strings.Contains(string(got.Body), "The address has expired") {
				t.Errorf("%s", got.Body)
			}
		}
	}, func(c *config.Config) { c.UploadLimit = 1000 })
}
