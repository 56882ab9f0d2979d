package fetch_test

import (
	"fmt"
	"io"
	"net/http"
	neturl "net/url"
	"strings"
	"testing"

	"vitrine/internal/fetch"
	"vitrine/internal/page"
)

// onward follows the redirects of pages.
func onward(r *fetch.Response, beginning []byte) *neturl.URL {
	if r.ContentType == "application/octet-stream" {
		return nil
	}
	return page.RedirectTarget(r.URL, r.MediaType(), r.Header, beginning)
}

// onHost replaces the host of a test server with a name.
func onHost(t *testing.T, server, name string) string {
	t.Helper()
	u, err := neturl.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	return "http://" + name + ":" + u.Port()
}

func TestRedirectsOfPages(t *testing.T) {
	t.Parallel()
	refresh := func(to string) string { return `<meta http-equiv="refresh" content="0;url=` + to + `">` }
	long := "<title>Long</title>" + strings.Repeat("words ", 20_000)
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		body := map[string]string{
			"/meta": refresh("/end?from=meta"), "/script": `<script>location.replace("/end?from=script")</script>`,
			"/chain": refresh("/redirect"), "/loop": refresh("/loop?" + r.URL.RawQuery + "x"), "/itself": refresh("/itself") + "the page",
			"/fragment": refresh("/end#own"), "/long": long, "/file": refresh("/end"), "/gone": refresh("/missing"),
			"/bad-port": refresh("http://example.org:0/") + "the page", "/bad-host": refresh("http://a..b/") + "the page",
			"/xml": refresh("/end?from=xml"), "/quoted": refresh("/end?from=\xf4"), "/doubled": refresh("/end?from=\xf4"),
			"/end": "the end of " + r.URL.Query().Get("from"),
		}[r.URL.Path]
		w.Header().Set("Content-Type", "text/html")
		switch r.URL.Path {
		case "/header":
			w.Header().Set("Refresh", "0; url=end?from=header")
		case "/file":
			w.Header().Set("Content-Type", "application/octet-stream")
		case "/xml":
			w.Header().Set("Content-Type", "text/xml")
		case "/quoted":
			w.Header().Set("Content-Type", "text/html; charset='windows-1251'")
		case "/doubled":
			w.Header()["Content-Type"] = []string{"text/html", "text/html; charset=windows-1251"}
		case "/redirect":
			http.Redirect(w, r, "/meta", http.StatusMovedPermanently)
			return
		case "/missing":
			http.NotFound(w, r)
			return
		}
		_, _ = io.WriteString(w, body)
	})
	for _, c := range []struct {
		path, ends, want string
		redirects        int
	}{
		{"/meta", "/end?from=meta", "the end of meta", 1},
		{"/script", "/end?from=script", "the end of script", 1},
		{"/header", "/end?from=header", "the end of header", 1},
		{"/chain#part", "/end?from=meta#part", "the end of meta", 3},
		{"/chain", "/meta", refresh("/end?from=meta"), 2}, // the last page before the limit
		{"/loop", "/loop?xxx", refresh("/loop?xxxx"), 3},
		{"/itself", "/itself", refresh("/itself") + "the page", 5},
		{"/fragment#mine", "/end#own", "the end of ", 1},
		{"/long", "/long", long, 1},
		{"/xml", "/end?from=xml", "the end of xml", 1},
		{"/quoted", "/end?from=%D1%84", "the end of ф", 1},
		{"/doubled", "/end?from=%D1%84", "the end of ф", 1},
		{"/bad-port", "/bad-port", refresh("http://example.org:0/") + "the page", 1},
		{"/bad-host", "/bad-host", refresh("http://a..b/") + "the page", 1},
		{"/file", "/file", refresh("/end"), 1},
	} {
		resp, text, err := get(t, client(t, fetch.Options{MaxRedirects: c.redirects, PerHost: 1}), fetch.Request{URL: url + c.path, MaxBytes: mib, Redirect: onward})
		if err != nil || text != c.want || resp.URL.String() != url+c.ends {
			t.Errorf("%s: got %.99q from %v, %v", c.path, text, resp, err)
		}
	}
	if e := failure(t, client(t, fetch.Options{}), fetch.Request{URL: url + "/gone", MaxBytes: mib, Redirect: onward}); e.Status != http.StatusNotFound {
		t.Errorf("/gone: %v", e)
	}
	if _, text, err := get(t, client(t, fetch.Options{}), fetch.Request{URL: url + "/meta", MaxBytes: mib}); err != nil || text != refresh("/end?from=meta") {
		t.Errorf("without Redirect: %q, %v", text, err)
	}
}

// Redirects of pages are subject to the same checks as 3xx responses.
func TestBadRedirectsOfPages(t *testing.T) {
	t.Parallel()
	trap := newTrap(t)
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		to := r.URL.Query().Get("to")
		switch r.URL.Path {
		case "/meta":
			_, _ = io.WriteString(w, `<meta http-equiv="refresh" content="0;url=`+to+`">`)
		case "/script":
			_, _ = io.WriteString(w, `<script>location = "`+strings.ReplaceAll(to, `\`, `\\`)+`"</script>`)
		case "/header":
			w.Header().Set("Refresh", "0;url="+to)
		}
	})
	c := client(t, fetch.Options{Allow: prefixes("127.0.0.1/32")}) // which does not include the trap
	for _, how := range []string{"/meta", "/script", "/header"} {
		for _, to := range []string{"http://127.0.0.2:{port}/", `\\127.0.0.2:{port}`, "http://2130706434:{port}/", "http://[::1]:{port}/",
			"http://169.254.169.254/latest", "http://10.0.0.1/", "//[::ffff:7f00:2]:{port}/"} {
			to = strings.ReplaceAll(to, "{port}", trap.port)
			e := failure(t, c, fetch.Request{URL: server + how + "?to=" + neturl.QueryEscape(to), MaxBytes: mib, Redirect: onward})
			if e.Reason != notPublic {
				t.Errorf("%s to %s: got %v", how, to, e)
			}
		}
	}
	trap.expectNone(t)
}

// During a fetch, cookies are sent back to the site that set them, and to no other.
func TestCookies(t *testing.T) {
	t.Parallel()
	var server string
	server = serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		switch r.URL.Path {
		case "/wall":
			if c, err := r.Cookie("ok"); err == nil && c.Value == "1" {
				_, _ = io.WriteString(w, "inside")
				return
			}
			w.Header().Set("Set-Cookie", "ok=1; Path=/")
			http.Redirect(w, r, "/wall", http.StatusFound)
		case "/soft":
			if _, err := r.Cookie("ok"); err == nil {
				_, _ = io.WriteString(w, "inside")
				return
			}
			w.Header().Set("Set-Cookie", "ok=1")
			_, _ = io.WriteString(w, `<meta http-equiv="refresh" content="0;url=/soft">`)
		case "/away":
			w.Header().Add("Set-Cookie", "own=1")
			w.Header().Add("Set-Cookie", "sub=1; Domain=example.com; Path=/")
			w.Header().Add("Set-Cookie", "suffix=1; Domain=com")
			w.Header().Add("Set-Cookie", "foreign=1; Domain=example.org")
			w.Header().Add("Set-Cookie", "safe=1; Secure")
			w.Header().Add("Set-Cookie", "deep=1; Path=/deep")
			http.Redirect(w, r, onHost(t, server, r.URL.Query().Get("to"))+"/show", http.StatusFound)
		case "/many":
			for i := range 200 {
				w.Header().Add("Set-Cookie", fmt.Sprintf("c%d=%s", i, strings.Repeat("x", 100)))
			}
			w.Header().Add("Set-Cookie", "big="+strings.Repeat("x", 5000))
			http.Redirect(w, r, "/count", http.StatusFound)
		case "/large":
			for i := range 40 {
				w.Header().Add("Set-Cookie", fmt.Sprintf("c%d=%s", i, strings.Repeat("x", 1000)))
			}
			http.Redirect(w, r, "/count", http.StatusFound)
		case "/count":
			_, _ = fmt.Fprint(w, len(r.Cookies()), len(r.Header.Get("Cookie")) <= 8<<10)
		case "/show":
			_, _ = io.WriteString(w, r.Header.Get("Cookie"))
		}
	})
	c := client(t, fetch.Options{Route: func(string) string { return strings.TrimPrefix(server, "http://") }})
	for _, step := range []struct{ host, path, want string }{
		{"example.com", "/wall", "inside"},
		{"example.com", "/soft", "inside"},
		{"example.com", "/show", ""}, // of an earlier fetch
		{"example.com", "/away?to=example.com", "own=1; sub=1"},
		{"example.com", "/away?to=www.example.com", "sub=1"},
		{"example.com", "/away?to=example.org", ""},
		{"example.com", "/away?to=other.com", ""},
		{"example.com", "/many", "50 true"},
		{"example.com", "/large", "8 true"},
		{"127.0.0.1", "/wall", "inside"},
	} {
		_, text, err := get(t, c, fetch.Request{URL: onHost(t, server, step.host) + step.path, MaxBytes: mib, Redirect: onward})
		if err != nil || text != step.want {
			t.Errorf("%s%s: got %q, %v, want %q", step.host, step.path, text, err, step.want)
		}
	}
}

// Moved reports whether a redirect may have another target next time.
func TestMoved(t *testing.T) {
	t.Parallel()
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		var status int
		if _, err := fmt.Sscanf(r.URL.Path, "/%d", &status); err == nil {
			http.Redirect(w, r, strings.TrimPrefix(r.URL.Path, fmt.Sprint("/", status)), status)
		} else if r.URL.Path == "/meta" {
			_, _ = io.WriteString(w, `<meta http-equiv="refresh" content="0;url=/end">`)
		}
	})
	for path, want := range map[string]bool{"/end": false, "/301/end": false, "/308/301/end": false, "/302/end": true, "/301/303/end": true,
		"/307/301/end": true, "/meta": true, "/301/meta": true} {
		resp, _, err := get(t, client(t, fetch.Options{}), fetch.Request{URL: url + path, MaxBytes: mib, Redirect: onward})
		if err != nil || resp.Moved != want || resp.URL.Path != "/end" {
			t.Errorf("%s: got %v, %v", path, resp, err)
		}
	}
}
