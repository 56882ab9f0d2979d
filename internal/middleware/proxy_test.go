package middleware

import (
	"context"
	"net"
	"net/http"
	"net/url"
	"testing"
)

func TestClientAddr(t *testing.T) {
	t.Parallel()
	const proxy, stranger = "10.0.0.1:1234", "198.51.100.7:1234"
	tests := map[string]struct {
		peer      string
		forwarded []string
		want      string
	}{
		"direct":                 {stranger, nil, "198.51.100.7"},
		"stranger is not heeded": {stranger, []string{"192.0.2.1"}, "198.51.100.7"},
		"proxy without header":   {proxy, nil, "10.0.0.1"},
		"one hop":                {proxy, []string{"192.0.2.1"}, "192.0.2.1"},
		"forged left part":       {proxy, []string{"1.1.1.1, 192.0.2.1"}, "192.0.2.1"},
		"through two proxies":    {proxy, []string{"1.1.1.1, 192.0.2.1, 10.9.9.9"}, "192.0.2.1"},
		"several lines":          {proxy, []string{"1.1.1.1", "192.0.2.1", "10.9.9.9"}, "192.0.2.1"},
		"all trusted":            {proxy, []string{"10.1.1.1, 10.2.2.2"}, "10.1.1.1"},
		"junk at the right":      {proxy, []string{"192.0.2.1, unknown"}, "10.0.0.1"},
		"junk behind a proxy":    {proxy, []string{"192.0.2.1, <script>, 10.9.9.9"}, "10.9.9.9"},
		"empty elements":         {proxy, []string{"192.0.2.1, , ,", ""}, "192.0.2.1"},
		"port":                   {proxy, []string{"192.0.2.1:8080"}, "192.0.2.1"},
		"bad port":               {proxy, []string{"192.0.2.1:99999"}, "10.0.0.1"},
		"IPv6":                   {proxy, []string{"2001:db8::1"}, "2001:db8::1"},
		"IPv6 brackets":          {proxy, []string{"[2001:db8::1]"}, "2001:db8::1"},
		"IPv6 brackets and port": {proxy, []string{"[2001:db8::1]:443"}, "2001:db8::1"},
		"IPv6 open bracket":      {proxy, []string{"[2001:db8::1"}, "10.0.0.1"},
		"IPv6 junk after":        {proxy, []string{"[2001:db8::1]443"}, "10.0.0.1"},
		"mapped hop":             {proxy, []string{"::ffff:192.0.2.1"}, "192.0.2.1"},
		"mapped trusted hop":     {proxy, []string{"192.0.2.1, ::ffff:10.1.1.1"}, "192.0.2.1"},
		"zone":                   {proxy, []string{"fe80::1%eth0"}, "fe80::1"},
		"mapped peer":            {"[::ffff:10.0.0.1]:1", []string{"192.0.2.1"}, "192.0.2.1"},
		"IPv6 proxy with zone":   {"[fd00::1%eth0]:1", []string{"192.0.2.1"}, "192.0.2.1"},
		"no address at all":      {"@", []string{"192.0.2.1"}, "invalid IP"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := get("Forwarded", "for=203.0.113.9")
			r.RemoteAddr = tt.peer
			r.Header["X-Forwarded-For"] = tt.forwarded
			var got string
			serve(ClientAddr(prefixes("10.0.0.0/8", "fd00::/8"))(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				got = From(r.Context()).ClientIP.String()
			})), r)
			if got != tt.want {
				t.Errorf("client = %s, want %s", got, tt.want)
			}
		})
	}
}

func TestStripPrefix(t *testing.T) {
	t.Parallel()
	const proxy, stranger = "10.0.0.1:1234", "198.51.100.7:1234"
	tests := map[string]struct{ peer, said, path, want string }{
		"below":                        {stranger, "", "/vitrine/v3/ping", "/v3/ping"},
		"the prefix itself":            {stranger, "", "/vitrine", ""},
		"its root":                     {stranger, "", "/vitrine/", "/"},
		"removed before":               {stranger, "", "/v3/ping", "/v3/ping"},
		"another word":                 {stranger, "", "/vitrines/moss", "/vitrines/moss"},
		"further down":                 {stranger, "", "/ada/vitrine", "/ada/vitrine"},
		"twice":                        {stranger, "", "/vitrine/vitrine/moss", "/vitrine/moss"},
		"the longest":                  {stranger, "", "/vitrine/api/v3/ping", "/v3/ping"},
		"well-known":                   {stranger, "", "/.well-known/x/vitrine", "/.well-known/x/vitrine"},
		"escaped":                      {stranger, "", "/vitrine/a%2Fb", "/a%2Fb"},
		"an escaped prefix":            {stranger, "", "/%76itrine/a%2Fb", "/%76itrine/a%2Fb"},
		"a proxy says so":              {proxy, "/vitrine", "/vitrine/moss", "/vitrine/moss"},
		"a proxy says so with a slash": {proxy, "/vitrine/", "/vitrine/moss", "/vitrine/moss"},
		"a proxy says another":         {proxy, "/other", "/vitrine/moss", "/moss"},
		"a stranger says so":           {stranger, "/vitrine", "/vitrine/moss", "/moss"},
		"a socket says so":             {"@", "/vitrine", "/vitrine/moss", "/vitrine/moss"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := get()
			var err error
			if r.URL, err = url.Parse(tt.path); err != nil {
				t.Fatal(err)
			}
			if r.RemoteAddr = tt.peer; tt.peer == "@" {
				r = r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, net.Addr(&net.UnixAddr{Name: "/run/v.sock", Net: "unix"})))
			}
			if tt.said != "" {
				r.Header.Set("X-Forwarded-Prefix", tt.said)
			}
			var got string
			handler := StripPrefix([]string{"/vitrine/api", "/vitrine"}, prefixes("10.0.0.0/8"))(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				got = r.URL.EscapedPath()
			}))
			handler.ServeHTTP(nil, r)
			if got != tt.want {
				t.Errorf("%s is served as %s, want %s", tt.path, got, tt.want)
			}
		})
	}
}

// Without prefixes, StripPrefix adds no handler. With prefixes, it does not allocate.
func TestStripPrefixAllocatesNothing(t *testing.T) {
	at := url.URL{Path: "/vitrine/v3/ping"}
	r := get()
	handler := StripPrefix([]string{"/vitrine"}, nil)(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	if n := testing.AllocsPerRun(100, func() {
		*r.URL = at
		handler.ServeHTTP(nil, r)
	}); n != 0 {
		t.Errorf("%v allocations for a request, want none", n)
	}
}

// A peer on a Unix socket is a proxy: its headers about the client and the request are trusted.
func TestOverSocket(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		forwarded []string
		want      string
	}{
		"one hop":            {[]string{"192.0.2.1"}, "192.0.2.1"},
		"forged left part":   {[]string{"1.1.1.1, 192.0.2.1"}, "192.0.2.1"},
		"through two":        {[]string{"192.0.2.1, 10.9.9.9"}, "192.0.2.1"},
		"without header":     {nil, "invalid IP"},
		"junk at the right":  {[]string{"192.0.2.1, unknown"}, "invalid IP"},
		"junk further along": {[]string{"unknown, 10.9.9.9"}, "10.9.9.9"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := get("X-Request-Id", "from-the-proxy")
			r.Header["X-Forwarded-For"] = tt.forwarded
			r.RemoteAddr = "@"
			r = r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, net.Addr(&net.UnixAddr{Name: "/run/v.sock", Net: "unix"})))
			trusted := prefixes("10.0.0.0/8")
			var client, id string
			serve(ClientAddr(trusted)(RequestID(trusted)(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				x := From(r.Context())
				client, id = x.ClientIP.String(), x.RequestID
			}))), r)
			if client != tt.want || id != "from-the-proxy" {
				t.Errorf("client %s, request %s, want client %s", client, id, tt.want)
			}
		})
	}
}
