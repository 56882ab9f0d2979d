package fetch_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	neturl "net/url"
	"strconv"
	"strings"
	"testing"

	"vitrine/internal/fetch"
)

func TestRedirects(t *testing.T) {
	t.Parallel()
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		for _, name := range []string{"Referer", "Authorization"} {
			if got := r.Header.Get(name); got != "" {
				t.Errorf("%s is %q", name, got)
			}
		}
		status, err := strconv.Atoi(r.URL.Path[1:])
		if err != nil {
			_, _ = io.WriteString(w, r.Method+" "+r.URL.String())
			return
		}
		w.Header().Set("Set-Cookie", "a=b; Path=/")
		w.Header().Set("Location", "x/../there?q=ä")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, "go there")
	})
	c := client(t, fetch.Options{MaxRedirects: 1, PerHost: 1})
	for _, status := range []int{301, 302, 303, 307, 308} {
		resp, text, err := get(t, c, fetch.Request{URL: url + "/" + strconv.Itoa(status) + "#part", MaxBytes: mib})
		if err != nil || text != "GET /there?q=%C3%A4" && text != "GET /there?q=ä" {
			t.Errorf("%d: got %q, %v", status, text, err)
		} else if resp.URL.Path != "/there" || resp.URL.Fragment != "part" {
			t.Errorf("%d: ended at %s", status, resp.URL)
		}
	}
}

func TestBadRedirects(t *testing.T) {
	t.Parallel()
	trap := newTrap(t)
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/loop":
			w.Header().Set("Location", "/loop")
		case "/chain":
			w.Header().Set("Location", "/chain?"+r.URL.RawQuery+"x")
		default:
			w.Header()["Location"] = r.URL.Query()["to"]
		}
		w.WriteHeader(http.StatusFound)
	})
	c := client(t, fetch.Options{Allow: prefixes("127.0.0.1/32")}) // which does not include the trap
	const private = notPublic
	for path, want := range map[string]string{
		"/loop":                              "The address redirects too often",
		"/chain":                             "The address redirects too often",
		"/?to=file:///etc/passwd":            "Only http and https addresses are fetched",
		"/?to=ftp://example.org/":            "Only http and https addresses are fetched",
		"/?to=gopher://127.0.0.2:25/_HELO":   "Only http and https addresses are fetched",
		"/?to=javascript:alert(1)":           "Only http and https addresses are fetched",
		"/?to=data:text/html,x":              "Only http and https addresses are fetched",
		"/?to=http://ada:pw@127.0.0.2/":      "The address holds a user name or a password",
		"/?to=http://2130706434:{port}/":     private,
		"/?to=\\\\127.0.0.2:{port}":          private,
		"/?to=//127%E3%80%822:{port}/":       private,
		"/?to=//127.0.0.2:{port}/":           private,
		"/?to=http://127.0.0.2:{port}/":      private,
		"/?to=HTTP://127.0.0.2:{port}/":      private,
		"/?to=http://[::1]:{port}/":          private,
		"/?to=http://[::ffff:7f00:2]:{port}": private,
		"/?to=http://169.254.169.254/latest": private,
		"/?to=http://10.0.0.1/":              private,
		"/?to=http:///127.0.0.2:{port}/":     private,
		"/?to=https:127.2:{port}/":           private,
		"/?to=https:":                        "The address redirects to one that is not valid",
		"/?to=http://a%25zz/":                "The address redirects to one that is not valid",
		"/?to=/" + strings.Repeat("x", 9000): "The address is too long",
		"/?to=":                              "The server answered 302 Found",
		"/":                                  "The server answered 302 Found",
	} {
		e := failure(t, c, fetch.Request{URL: server + strings.ReplaceAll(path, "{port}", trap.port), MaxBytes: mib})
		if len(path) > 99 {
			path = path[:99]
		}
		if e.Reason != want || e.Temporary {
			t.Errorf("%s: got %v", path, e)
		}
	}
	trap.expectNone(t)
}

// A redirect takes a slot at the new host, and releases the old one.
func TestRedirectToAnotherHost(t *testing.T) {
	t.Parallel()
	there := serve(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, r.Host)
	})
	here := serve(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, there, http.StatusMovedPermanently)
	})
	c := client(t, fetch.Options{PerHost: 1})
	for range 3 {
		resp, text, err := get(t, c, fetch.Request{URL: here, MaxBytes: mib})
		if err != nil || resp.URL.String() != there+"/" || "http://"+text != there {
			t.Fatalf("got %q, %v", text, err)
		}
	}
}

// Permit is called before each request, and its error ends the fetch.
func TestPermit(t *testing.T) {
	t.Parallel()
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/private" {
			t.Error("it was asked for")
		}
		http.Redirect(w, r, map[string]string{"/a": "/b", "/b": "/private"}[r.URL.Path], http.StatusFound)
	})
	for why, want := range map[error]fetch.Error{
		&fetch.Error{Reason: "Not there"}: {Reason: "Not there"},
		errors.New("no database"):         {Reason: "The server's answer could not be read", Temporary: true},
	} {
		var asked []string
		_, _, err := get(t, client(t, fetch.Options{}), fetch.Request{URL: url + "/a", Permit: func(_ context.Context, to *neturl.URL) error {
			if asked = append(asked, to.Path); to.Path == "/private" {
				return why
			}
			return nil
		}})
		got, ok := errors.AsType[*fetch.Error](err)
		if !ok || got.Reason != want.Reason || got.Temporary != want.Temporary || !errors.Is(err, why) || strings.Join(asked, " ") != "/a /b /private" {
			t.Errorf("%v: got %v after %v", why, err, asked)
		}
	}
}
