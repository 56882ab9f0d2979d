package fetch

import (
	"context"
	"errors"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"
)

// Checks which addresses the client would connect to, without connecting.
func TestGuard(t *testing.T) {
	t.Parallel()
	open, intranet := newGuard(nil), newGuard([]netip.Prefix{netip.MustParsePrefix("10.1.0.0/16"), netip.MustParsePrefix("fd00:1::/32")})
	for _, test := range []struct {
		guard            *guard
		network, address string
		want             string // part of the error, "" for none
	}{
		{open, "tcp4", "8.8.8.8:80", ""}, {open, "tcp4", "8.8.8.8:443", ""}, {open, "tcp4", "1.1.1.1:8080", ""}, {open, "tcp4", "1.1.1.1:65535", ""},
		{open, "tcp4", "172.32.0.1:80", ""}, {open, "tcp4", "100.128.0.1:80", ""}, {open, "tcp4", "198.20.0.1:80", ""}, {open, "tcp4", "223.255.255.255:80", ""},
		{open, "tcp6", "[2606:4700:4700::1111]:443", ""}, {open, "tcp6", "[::ffff:8.8.8.8]:80", ""},
		{open, "tcp4", "8.8.8.8:25", "not one of the web's"}, {open, "tcp4", "8.8.8.8:22", "not one of the web's"}, {open, "tcp4", "8.8.8.8:81", "not one of the web's"},
		{open, "tcp4", "8.8.8.8:1023", "not one of the web's"}, {open, "tcp6", "[2606:4700::1]:6667", "not one of the web's"}, {open, "tcp4", "8.8.8.8:0", "not one of the web's"},
		{open, "tcp4", "10.1.0.1:80", "not public"}, {open, "tcp6", "[::ffff:10.1.0.1]:80", "not public"}, {open, "tcp6", "[fe80::1%eth0]:80", "not public"},
		{open, "udp4", "8.8.8.8:443", "not public"}, {open, "unix", "/run/x.sock", "parse"}, {open, "tcp", "", "parse"},
		{intranet, "tcp4", "10.1.2.3:25", ""}, {intranet, "tcp6", "[::ffff:10.1.2.3]:80", ""}, {intranet, "tcp6", "[fd00:1::2]:9000", ""},
		{intranet, "tcp4", "10.2.0.1:80", "not public"}, {intranet, "tcp6", "[fd00:2::1]:80", "not public"}, {intranet, "tcp6", "[fd00:1::2%eth0]:80", "not public"},
		{intranet, "tcp4", "8.8.8.8:443", ""}, {intranet, "tcp4", "8.8.8.8:25", "not one of the web's"},
	} {
		err := test.guard.control(test.network, test.address, nil)
		switch {
		case test.want == "" && err != nil:
			t.Errorf("%s %s: %v", test.network, test.address, err)
		case test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)):
			t.Errorf("%s %s: got %v, want %q", test.network, test.address, err, test.want)
		}
	}
}

// A site is forgotten when no fetch uses it or waits for it.
func TestHostsForget(t *testing.T) {
	t.Parallel()
	h := newHosts(1, time.Millisecond)
	target := &url.URL{Scheme: "http", Host: "site.example"}
	release, err := h.enter(t.Context(), target)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.enter(t.Context(), target); err == nil {
		t.Error("a second one got in")
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	h.wait = time.Minute
	if _, err := h.enter(stopped, target); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if len(h.open) != 1 {
		t.Errorf("knows %d sites", len(h.open))
	}
	release()
	if len(h.open) != 0 {
		t.Errorf("still knows %d sites", len(h.open))
	}
}
