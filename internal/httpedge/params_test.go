package httpedge

import (
	"net/http/httptest"
	"testing"
)

func TestLocal(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, host, peer, field, value string
		want                           bool
	}{
		{"a browser here", "127.0.0.1:8080", "127.0.0.1:5", "", "", true},
		{"by name", "localhost:8080", "[::1]:5", "Origin", "http://localhost:8080", true},
		{"no port", "[::1]", "[::1]:5", "Origin", "null", true},
		{"another machine", "127.0.0.1:8080", "192.0.2.1:5", "", "", false},
		{"another name", "site.test", "127.0.0.1:5", "", "", false},
		{"through a proxy", "127.0.0.1:8080", "127.0.0.1:5", "X-Forwarded-For", "192.0.2.1", false},
		{"through another", "127.0.0.1:8080", "127.0.0.1:5", "Via", "1.1 proxy", false},
		{"from another site", "127.0.0.1:8080", "127.0.0.1:5", "Origin", "https://site.test", false},
	} {
		r := httptest.NewRequest("POST", "/sign-up", nil)
		r.Host, r.RemoteAddr = tt.host, tt.peer
		if tt.field != "" {
			r.Header.Set(tt.field, tt.value)
		}
		if Local(r) != tt.want {
			t.Errorf("%s: got %v", tt.name, !tt.want)
		}
	}
}
