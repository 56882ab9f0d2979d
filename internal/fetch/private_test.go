package fetch_test

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"

	"golang.org/x/net/dns/dnsmessage"

	"vitrine/internal/fetch"
)

// trap listens on every address of this machine and must receive no connection.
type trap struct {
	listener net.Listener
	port     string
}

func newTrap(t *testing.T) *trap {
	t.Helper()
	listener, err := net.Listen("tcp", ":0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	return &trap{listener: listener, port: port}
}

// expectNone connects, and checks that this is the first connection.
func (trap *trap) expectNone(t *testing.T) {
	t.Helper()
	own, err := net.Dial("tcp", "127.0.0.1:"+trap.port)
	if err != nil {
		t.Fatal(err)
	}
	defer own.Close()
	first, err := trap.listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	if own.LocalAddr().(*net.TCPAddr).Port != first.RemoteAddr().(*net.TCPAddr).Port {
		t.Errorf("there was a connection from %v to %v", first.RemoteAddr(), first.LocalAddr())
	}
}

func prefixes(all ...string) []netip.Prefix {
	var list []netip.Prefix
	for _, text := range all {
		list = append(list, netip.MustParsePrefix(text))
	}
	return list
}

// resolver answers with the addresses that lookup returns for a name. No addresses mean an unknown
// name; the zero address means an outage.
func resolver(lookup func(name string) []string) *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		here, there := net.Pipe()
		go answer(there, lookup)
		return here, nil
	}}
}

// answer serves DNS over a stream: messages are preceded by two bytes with their length (RFC 1035
// section 4.2.2).
func answer(conn net.Conn, lookup func(name string) []string) {
	defer conn.Close()
	for {
		var length [2]byte
		if _, err := io.ReadFull(conn, length[:]); err != nil {
			return
		}
		packet := make([]byte, binary.BigEndian.Uint16(length[:]))
		var m dnsmessage.Message
		if _, err := io.ReadFull(conn, packet); err != nil || m.Unpack(packet) != nil {
			return
		}
		m.Response, m.RecursionAvailable, m.Additionals = true, true, nil
		question := m.Questions[0]
		addrs := lookup(strings.TrimSuffix(question.Name.String(), "."))
		if len(addrs) == 0 {
			m.RCode = dnsmessage.RCodeNameError
		}
		for _, text := range addrs {
			addr := netip.MustParseAddr(text)
			head := dnsmessage.ResourceHeader{Name: question.Name, Type: question.Type, Class: question.Class}
			switch {
			case text == "::":
				m.RCode = dnsmessage.RCodeServerFailure
			case question.Type == dnsmessage.TypeA && addr.Is4():
				m.Answers = append(m.Answers, dnsmessage.Resource{Header: head, Body: &dnsmessage.AResource{A: addr.As4()}})
			case question.Type == dnsmessage.TypeAAAA && addr.Is6():
				m.Answers = append(m.Answers, dnsmessage.Resource{Header: head, Body: &dnsmessage.AAAAResource{AAAA: addr.As16()}})
			}
		}
		packed, err := m.Pack()
		if err != nil {
			return
		}
		binary.BigEndian.PutUint16(length[:], uint16(len(packed)))
		if _, err := conn.Write(append(length[:], packed...)); err != nil {
			return
		}
	}
}

// named are names whose addresses are not public.
var named = map[string][]string{
	"loopback.example": {"127.0.0.1"}, "loopback6.example": {"::1"}, "mapped.example": {"::ffff:127.0.0.1"},
	"ten.example": {"10.0.0.1"}, "metadata.example": {"169.254.169.254"}, "metadata6.example": {"fd00:ec2::254"},
	"several.example": {"10.1.2.3", "192.168.0.1", "127.0.0.1", "::1", "fe80::1"}, "zero.example": {"0.0.0.0"},
	"xn--bcher-kva.example": {"127.0.0.1"}, "under_score.example": {"127.0.0.1"}, "nat64.example": {"64:ff9b::7f00:1"},
}

func TestPrivateAddresses(t *testing.T) {
	t.Parallel()
	trap := newTrap(t)
	c := fetch.New(fetch.Options{Resolver: resolver(func(name string) []string { return named[name] })})
	const private, bad, malformed = notPublic, "The host of the address is not valid", "The address is not valid"
	for want, hosts := range map[string][]string{
		private: {
			"127.0.0.1", "127.0.0.1.", "127.255.255.254", "0.0.0.0", "0.1.2.3", "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1",
			"100.64.0.1", "169.254.169.254", "169.254.0.1", "192.0.0.192", "192.0.2.1", "198.51.100.1", "203.0.113.1", "198.18.0.1",
			"192.88.99.1", "224.0.0.1", "239.255.255.250", "240.0.0.1", "255.255.255.255",
			"[::1]", "[::]", "[0:0:0:0:0:0:0:1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::FFFF:10.0.0.1]", "[::ffff:169.254.169.254]",
			"[::127.0.0.1]", "[::ffff:0:127.0.0.1]", "[64:ff9b::7f00:1]", "[64:ff9b::169.254.169.254]", "[64:ff9b:1::1]", "[2002:7f00:1::]",
			"[2001:0:4136:e378:8000:63bf:80ff:fffe]", "[fe80::1]", "[fec0::1]", "[fc00::1]", "[fd00:ec2::254]", "[ff02::1]", "[100::1]",
			"[2001:db8::1]", "[3fff::1]", "[2001:10::1]", "[5f00::1]", "[4000::1]",
			"localhost", "LOCALHOST", "localhost.", "①②⑦.⓪.⓪.①", "127。0。0。1", "１２７.0.0.1", "ⓛocalhost",
			"loopback.example", "loopback.example.", "LoopBack.Example", "loopback6.example", "mapped.example", "ten.example", "metadata.example",
			"metadata6.example", "several.example", "zero.example", "bücher.example", "under_score.example", "nat64.example",
			"2130706433", "0x7f000001", "0X7F000001", "017700000001", "0177.0.0.1", "0x7f.0.0.1", "0x7f.1", "127.1", "127.0.1", "127.0.0.01",
			"127.0.0.0x1", "①②⑦.1", "%31%32%37.0.0.1", "0x7f.1.", "@127.0.0.1", ":@127.0.0.1", "/127.0.0.1", `\127.0.0.1`, "127.0.0\t.1",
		},
		malformed: {"127.0.0.1.1", "1.2.3.4.0x", "256.0.0.1", "0x1ffffffff", "a*b.example", "[fe80::1%25lo]", "[::1%25lo]", "127.0.0.1%00", "127.0.0.1%2F"},
		bad: {
			"127.0.0.1..", "a..example", "..", strings.Repeat("a", 64) + ".example", strings.Repeat("a.", 130) + "example",
		},
	} {
		for _, host := range hosts {
			e := failure(t, c, fetch.Request{URL: "http://" + host + ":" + trap.port + "/", MaxBytes: mib})
			if e.Reason != want || e.Temporary {
				t.Errorf("%s: got %v", host, e)
			}
		}
	}
	trap.expectNone(t)
}

func TestBadURLs(t *testing.T) {
	t.Parallel()
	trap := newTrap(t)
	c := fetch.New(fetch.Options{})
	local := "127.0.0.1:" + trap.port
	const bad, scheme, credentials, port = "The address is not valid", "Only http and https addresses are fetched",
		"The address holds a user name or a password", "The port of the address is not valid"
	for url, want := range map[string]string{
		"": bad, "x": bad, "//" + local: bad, "/etc/passwd": bad, local: bad, "localhost:80": scheme,
		"file:///etc/passwd": scheme, "ftp://" + local: scheme, "gopher://" + local + "/_x": scheme, "unix:///run/x": scheme,
		"javascript:alert(1)": scheme, "data:,x": scheme, "ws://" + local: scheme, "http+unix://%2Frun": scheme,
		"http:": bad, "http://": bad, "http:///": bad, "http://:80/": bad, "http:" + local: notPublic, "http:///" + local: notPublic,
		"http://ada@" + local: credentials, "http://ada:pw@" + local: credentials, `http:\\ada@` + local: credentials,
		"http://example.org@" + local: credentials, "http://example.org%40" + local: bad, "http://" + local + `\@example.org`: notPublic,
		"http://" + local + "\r\nHost: x": bad, "http://" + local + "/\x00": notPublic, "http://exa mple.org": bad,
		"http://127.0.0.1:0/": port, "http://127.0.0.1:65536/": bad, "http://127.0.0.1:99999999999999999999/": bad,
		"http://127.0.0.1:-1/": bad, "http://127.0.0.1:x/": bad, "http://[127.0.0.1]/": bad, "http://[::1/": bad, "http://::1/": bad,
		"http://" + local + "/" + strings.Repeat("a", 10_000): "The address is too long",
		"http://" + local + "/" + strings.Repeat("ä", 4_000):  "The address is too long",
		"http://127.0.0.1:22/":                                notPublic,
	} {
		e := failure(t, c, fetch.Request{URL: url, MaxBytes: mib})
		if e.Reason != want || e.Temporary {
			t.Errorf("%.60q: got %v", url, e)
		}
	}
	trap.expectNone(t)
}

// Allowed networks are open on any port, in any notation of their addresses.
func TestAllow(t *testing.T) {
	t.Parallel()
	port := strings.TrimPrefix(serve(t, func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, "in") }), "http://127.0.0.1")
	dns := resolver(func(name string) []string {
		return map[string][]string{"wiki.example": {"10.0.0.1", "127.0.0.1"}, "mapped.example": {"::ffff:127.0.0.1"}, "other.example": {"127.0.0.2"}}[name]
	})
	for _, allow := range []string{"127.0.0.1/32", "127.0.0.0/31", "::ffff:127.0.0.1/128", "::ffff:127.0.0.0/127"} {
		c := client(t, fetch.Options{Allow: prefixes("10.255.0.0/16", allow), Resolver: dns})
		for _, host := range []string{"127.0.0.1", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "wiki.example", "mapped.example"} {
			if _, text, err := get(t, c, fetch.Request{URL: "http://" + host + port, MaxBytes: mib}); err != nil || text != "in" {
				t.Errorf("%s: %s: got %q, %v", allow, host, text, err)
			}
		}
		for _, host := range []string{"127.0.0.2", "[::1]", "[::127.0.0.1]", "[64:ff9b::127.0.0.1]", "[::ffff:127.0.0.2]", "10.0.0.1", "other.example"} {
			if e := failure(t, c, fetch.Request{URL: "http://" + host + port, MaxBytes: mib}); e.Reason != notPublic {
				t.Errorf("%s: %s: got %v", allow, host, e)
			}
		}
	}
}

// Each address of a name is checked, even if the name had a harmless address before.
func TestRebinding(t *testing.T) {
	t.Parallel()
	var lookups atomic.Int32
	dns := resolver(func(string) []string {
		if lookups.Add(1) <= 2 { // A and AAAA
			return []string{"127.0.0.1"}
		}
		return []string{"127.0.0.2"}
	})
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Connection", "close")
		http.Redirect(w, r, "/again", http.StatusFound)
	})
	c := client(t, fetch.Options{Allow: prefixes("127.0.0.1/32"), Resolver: dns})
	e := failure(t, c, fetch.Request{URL: strings.Replace(url, "127.0.0.1", "rebind.example", 1)})
	if e.Reason != notPublic || lookups.Load() < 3 {
		t.Errorf("after %d lookups: %v", lookups.Load(), e)
	}
}

// Reasons for users reveal nothing about the network.
func TestReasonHidesAddresses(t *testing.T) {
	t.Parallel()
	c := fetch.New(fetch.Options{Resolver: resolver(func(string) []string { return []string{"10.20.30.40"} })})
	e := failure(t, c, fetch.Request{URL: "http://inside.example/"})
	if strings.Contains(e.Reason, "10.") || !strings.Contains(e.Error(), "10.20.30.40") || errors.Unwrap(e) == nil {
		t.Errorf("the reason is %q, the error %q", e.Reason, e)
	}
}
