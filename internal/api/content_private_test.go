package api_test

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"vitrine/internal/apptest"
	"vitrine/internal/fetch"
)

// trap is a local port that must receive no connection.
type trap struct {
	net.Listener
	port string
}

func newTrap(t *testing.T) trap {
	t.Helper()
	l, err := net.Listen("tcp", ":0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	_, port, _ := net.SplitHostPort(l.Addr().String())
	return trap{l, port}
}

// expectNone connects, and must be the first connection.
func (trap trap) expectNone(t *testing.T) {
	t.Helper()
	own, err := net.Dial("tcp", "127.0.0.1:"+trap.port)
	if err != nil {
		t.Fatal(err)
	}
	defer own.Close()
	first, err := trap.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	if own.LocalAddr().(*net.TCPAddr).Port != first.RemoteAddr().(*net.TCPAddr).Port {
		t.Errorf("there was a connection from %v to %v", first.RemoteAddr(), first.LocalAddr())
	}
}

// No input makes the server connect to forbidden addresses.
func TestContentPrivateAddresses(t *testing.T) {
	t.Parallel()
	r := apptest.NewFetching(t, func(o *fetch.Options) { o.Allow, o.Route = nil, nil })
	trap := newTrap(t)
	var ids []int64
	for _, host := range []string{"127.0.0.1", "localhost", "[::1]", "0.0.0.0", "[::]", "[::ffff:127.0.0.1]", "127.1", "0x7f000001",
		"2130706433", "0177.0.0.1", "[64:ff9b::7f00:1]", "127.0.0.1.", "１２７.0.0.1"} {
		ids = append(ids, submit(r, "ada", "http://"+host+":"+trap.port+"/", nil))
		r.Do("ada", "PATCH", "/ext/v1/me", map[string]any{"avatar_url": "http://" + host + ":" + trap.port + "/"}).Want(200)
		r.WorkJobs()
	}
	for _, id := range ids {
		got := r.Get("ada", "/ext/v1/blocks/%d/processing", id)
		holds(t, got, map[string]any{"state": "failed", "attempts": 1})
		if strings.ContainsAny(got.Str("reason"), "0123456789") {
			t.Errorf("the reason tells of the network: %s", got.Body)
		}
	}
	trap.expectNone(t)
}

// Nor do references of a page.
func TestContentPrivateReferences(t *testing.T) {
	t.Parallel()
	trap := newTrap(t)
	var web string
	r := apptest.NewFetching(t, func(o *fetch.Options) {
		// The web of the test is at 127.0.0.1, and the trap at neighbouring addresses.
		o.Allow = []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}
		to := o.Route
		o.Route = func(address string) string {
			if strings.HasSuffix(address, ":"+trap.port) {
				return address
			}
			web = to(address)
			return web
		}
	})
	private := fmt.Sprint("http://127.0.0.2:", trap.port, "/")
	r.Web("example.com/redirect", status(http.StatusFound, "Location", private))
	r.Web("example.com/image", apptest.Serve("text/html", []byte(`<title>Image</title><meta property="og:image" content="`+private+`">`)))
	r.Web("example.com/redirected-image", apptest.Serve("text/html", []byte(`<title>Image</title><meta property="og:image" content="/redirect">`)))
	r.Web("example.com/player", apptest.Serve("text/html", []byte(`<title>Player</title>
		<link rel="alternate" type="application/json+oembed" href="`+private+`">`)))
	r.Web("example.com/thumbnail", apptest.Serve("text/html", []byte(`<title>Thumbnail</title>
		<link rel="alternate" type="application/json+oembed" href="/oembed">`)))
	r.Web("example.com/oembed", apptest.Serve("application/json", []byte(strings.Replace(video, "https://example.com/thumb.png", private, 1))))
	for path, want := range map[string]map[string]any{
		"redirect":         {"type": "Link", "state": "failed"},
		"image":            {"type": "Link", "state": "available", "image": nil},
		"redirected-image": {"type": "Link", "state": "available", "image": nil},
		"player":           {"type": "Link", "state": "available", "image": nil},
		"thumbnail":        {"type": "Embed", "state": "available", "image": nil},
	} {
		holds(t, processed(r, "https://example.com/"+path, nil), want)
	}
	trap.expectNone(t)
}
