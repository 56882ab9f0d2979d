package fetch

import (
	"errors"
	"net"
	"net/netip"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		"http://example.org":                      "http://example.org",
		"HTTPS://Example.ORG:443/A?B#C":           "https://example.org/A?B#C",
		"http://example.org:/":                    "http://example.org/",
		"http://example.org:0080/":                "http://example.org/",
		"https://example.org:80/":                 "https://example.org:80/",
		"http://example.org./x":                   "http://example.org/x",
		"http://bücher.example/":                  "http://xn--bcher-kva.example/",
		"http://r3---sn_x.example/":               "http://r3---sn_x.example/",
		"http://1password.example/":               "http://1password.example/",
		"http://example.0x1g/":                    "http://example.0x1g/",
		"http://intranet/":                        "http://intranet/",
		"http://8.8.8.8./":                        "http://8.8.8.8/",
		"http://[2606:4700:0:0::1111]:8080/":      "http://[2606:4700::1111]:8080/",
		"http://example.org/?u=http://ada:pw@x/#": "http://example.org/?u=http://ada:pw@x/",
	} {
		if got, err := parse(raw); err != nil || got.String() != want {
			t.Errorf("%s: got %s, %v", raw, got, err)
		}
	}
}

// number matches the last label of a host that browsers parse as an IPv4 address.
var number = regexp.MustCompile(`^([0-9]+|0x[0-9a-f]*)$`)

// No URL makes the client panic, and it would connect only to an IP address or to a name that
// cannot be mistaken for one. It never connects here, since all routes lead to this machine, which
// is not allowed.
func FuzzGet(f *testing.F) {
	for _, seed := range []string{
		"http://example.org/", "https://ada:pw@example.org:8443/x?y#z", "http://[::ffff:127.0.0.1%25lo]:80", "http://0x7f.1/", "http://①②⑦.1./",
		"http://bücher.example\\@x", "//x", "http:x", "http://" + strings.Repeat("a.", 99), "http://a:99999", "http://\xff/", "file:///etc/passwd",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		c := New(Options{Route: func(address string) string {
			host, port, err := net.SplitHostPort(address)
			if err != nil {
				t.Fatalf("%q: would connect to %q: %v", raw, address, err)
			}
			if n, err := strconv.Atoi(port); err != nil || n < 1 || n > 65535 {
				t.Errorf("%q: would connect to port %q", raw, port)
			}
			last := host[strings.LastIndex(host, ".")+1:]
			if addr, err := netip.ParseAddr(host); err == nil && addr.Zone() != "" || err != nil && number.MatchString(last) || strings.ContainsAny(host, "@%/\\ ") {
				t.Errorf("%q: would connect to %q", raw, host)
			}
			return "127.0.0.1:9"
		}})
		_, err := c.Get(t.Context(), Request{URL: raw, MaxBytes: 1})
		if e, ok := errors.AsType[*Error](err); !ok || e.Reason == "" || e.Temporary {
			t.Errorf("%q: got %v", raw, err)
		}
		if target, err := parse(raw); err == nil {
			again, err := parse(target.String())
			if err != nil || again.String() != target.String() {
				t.Errorf("%q: read as %q, and that as %v, %v", raw, target, again, err)
			}
		}
	})
}

// All ports, subdomains and neighbouring addresses of a server count as one site.
func TestSite(t *testing.T) {
	t.Parallel()
	for url, want := range map[string]string{
		"http://example.org/":         "example.org",
		"https://example.org:8443/":   "example.org",
		"http://a.b.example.org/":     "example.org",
		"http://a.github.io/":         "a.github.io",
		"http://localhost:8080/":      "localhost",
		"http://192.0.2.1:81/":        "192.0.2.1",
		"http://[::ffff:192.0.2.1]/":  "192.0.2.1",
		"http://[2001:db8::1]:8080/":  "2001:db8::",
		"http://[2001:db8::2:3:4:5]/": "2001:db8::",
		"http://[2001:db8:0:1::1]/":   "2001:db8:0:1::",
	} {
		target, err := parse(url)
		if err != nil {
			t.Fatal(err)
		}
		if got := Site(target); got != want {
			t.Errorf("%s: got %s, want %s", url, got, want)
		}
	}
}

// Check refuses unreachable addresses without resolving names.
func TestCheck(t *testing.T) {
	t.Parallel()
	open := New(Options{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
	shut := New(Options{})
	for address, want := range map[string][2]bool{ // with open and with shut
		"https://example.org/api":     {true, true},
		"https://93.184.216.34":       {true, true},
		"http://127.0.0.1:8080":       {true, false},
		"http://localhost:8080":       {true, false},
		"http://api.localhost":        {true, false},
		"http://[::1]":                {false, false},
		"http://[::ffff:127.0.0.1]":   {true, false},
		"http://10.0.0.1":             {false, false},
		"http://169.254.169.254":      {false, false},
		"http://2130706433":           {true, false},
		"http://0x7f.1":               {true, false},
		"http://127。1":                {true, false},
		"http://93.184.216.34:25":     {false, false},
		"file:///etc/passwd":          {false, false},
		"https://ada:secret@example.": {false, false},
		"https://":                    {false, false},
	} {
		for i, c := range []*Client{open, shut} {
			if err := c.Check(address); (err == nil) != want[i] {
				t.Errorf("%s: %v", address, err)
			}
		}
	}
}
