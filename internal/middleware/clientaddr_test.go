package middleware

import (
	"net/http"
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
