package weburl

import (
	"net/url"
	"regexp"
	"strings"
	"testing"
)

func TestCanonical(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, want string }{
		{"http://example.org", "http://example.org"},
		{" https://example.org/a?b=c#d \n", "https://example.org/a?b=c#d"},
		{"HTTP://EXAMPLE.org", "http://example.org"},
		{"HTTP://Example.ORG/A", "http://example.org/A"},
		{"http://example.org?q=/x", "http://example.org?q=/x"},
		{"HTTP://example.org#a/b", "http://example.org#a/b"},
		{"http://example.org:80/", "http://example.org/"},
		{"http://example.org:8080", "http://example.org:8080"},
		{"http://x/ä", "http://x/%C3%A4"},
		{`http://x/a"b`, "http://x/a%22b"},
		{"http://x/{b}?{c}|d#{e}", "http://x/%7Bb%7D?%7Bc%7D%7Cd#%7Be%7D"},
		{`http://x/a\b?a\b#a\b`, "http://x/a/b?a%5Cb#a%5Cb"},
		{`http:\\example.org\a`, "http://example.org/a"},
		{"http://exämple.org/", "http://xn--exmple-cua.org/"},
		{"http://example.org/100%", "http://example.org/100%25"},
		{"http://example.org/%zz%4?%#%", "http://example.org/%25zz%254?%25#%25"},
		{"http://example.org/a b.png", "http://example.org/a%20b.png"},
		{"http://example.org/?q=a b&r=[1]", "http://example.org/?q=a%20b&r=%5B1%5D"},
		{"http://example.org/it's?it's", "http://example.org/it's?it's"},
		{"http://example.org/é?it's", "http://example.org/%C3%A9?it's"},
		{"http://example.org/a/../b/./c", "http://example.org/b/c"},
		{"http://example.org/a/%2e%2E/b", "http://example.org/b"},
		{"http://example.org/?a/../b", "http://example.org/?a/../b"},
		{"http://example.org/%2f%41", "http://example.org/%2f%41"},
		{"http://example.org/a#b#c", "http://example.org/a#b%23c"},
		{"http://exa\tmple.org/a\r\nb", "http://example.org/ab"},
		{"http://example.org/\u202e", "http://example.org/%E2%80%AE"},
		{"http://0x7f.1/", "http://127.0.0.1/"},
		{"http://127.1", "http://127.0.0.1"},
		{"http://2130706433/a", "http://127.0.0.1/a"},
		{"http://0177.0.0.1/", "http://127.0.0.1/"},
		{"http://127。0．0｡1/", "http://127.0.0.1/"},
		{"http://１２７.0.0.1/", "http://127.0.0.1/"},
		{"http://%31%32%37.0.0.1/", "http://127.0.0.1/"},
		{"http://127.0.0.1./", "http://127.0.0.1/"},
		{"http://[::FFFF:7f00:0001]/", "http://[::ffff:7f00:1]/"},
		{"http://[0:0:0:0:0:0:0:1]:80", "http://[::1]"},
		{"http://user:pa/ss@example.org/", ""},
		{"http://user:p%40ss@example.org/", "http://user:p%40ss@example.org/"},
		{`http://example.org\@evil.example/`, "http://example.org/@evil.example/"},
		{"http://100%:%2@example.org/", "http://100%25:%252@example.org/"},
		{"http://example.org@evil.example", "http://example.org@evil.example"},
		{"http://my_host.example/", "http://my_host.example/"},
		{"https:example.org/a", "https://example.org/a"},
		{"http://example.org/" + strings.Repeat("ä", MaxLength/6), ""},
		{strings.Repeat("http://", MaxLength), ""},
		{"", ""},
		{"example.org", ""},
		{"//example.org/", ""},
		{"http://", ""},
		{"http:///", ""},
		{"http://a b/", ""},
		{"http://a%20b/", ""},
		{"http://a\"b/", ""},
		{"http://{a}/", ""},
		{"http://a|b/", ""},
		{"http://example.org:99999/", ""},
		{"http://example.org:x/", ""},
		{"http://256.256.256.256/", ""},
		{"http://1.2.3.4.5/", ""},
		{"http://[::1", ""},
		{"http://[fe80::1%25eth0]/", ""},
		{"http://xn--a/", ""},
		{"ftp://example.org/", ""},
		{"javascript:alert(1)", ""},
		{"mailto:ada@example.org", ""},
		{"file:///etc/passwd", ""},
	} {
		got, err := Canonical(c.text)
		if got != c.want || (err == nil) != (c.want != "") {
			t.Errorf("Canonical(%q) = %q, %v, want %q", c.text, got, err, c.want)
			continue
		}
		if again, err := Canonical(got); err == nil && again != got {
			t.Errorf("Canonical(%q) = %q", got, again)
		}
	}
}

// uri matches RFC 3986 URIs of web pages.
var uri = regexp.MustCompile(`^https?://([A-Za-z0-9._~!$&'()*+,;=:-]|%[0-9A-Fa-f]{2})*@?([a-z0-9._-]+|\[[0-9a-f:]+\])(:[0-9]+)?` +
	`(/([A-Za-z0-9._~!$&'()*+,;=:@/-]|%[0-9A-Fa-f]{2})*)?(\?([A-Za-z0-9._~!$&'()*+,;=:@/?-]|%[0-9A-Fa-f]{2})*)?(#([A-Za-z0-9._~!$&'()*+,;=:@/?-]|%[0-9A-Fa-f]{2})*)?$`)

func FuzzCanonical(f *testing.F) {
	for _, text := range []string{"http://exämple.org/ä b%?{c}#|", `https:\\0x7f.1\..\a`, "http://[::1]:8080/a?'", "http://a@b:c@d/%2e", "https://x.y/.%2e/z"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		Readable(text)
		got, err := Canonical(text)
		if err != nil {
			return
		}
		if !uri.MatchString(got) {
			t.Errorf("Canonical(%q) = %q, which is not a URI", text, got)
		}
		if again, err := Canonical(got); err != nil || again != got {
			t.Errorf("Canonical(%q) = %q, %v", got, again, err)
		}
		u, err := url.Parse(got)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := Resolve(u, ""); err != nil || again.Host != u.Host {
			t.Errorf("Resolve(%q) = %v, %v", got, again, err)
		}
		if isCanonical(text) {
			parsed, err := parser.Parse(text)
			if err != nil {
				t.Fatalf("%q passes for canonical, but %v", text, err)
			}
			if slow, err := write(parsed, hasPath(text)); err != nil || slow != text {
				t.Errorf("%q passes for canonical, but is %q, %v", text, slow, err)
			}
		}
	})
}

func TestResolve(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ base, reference, want string }{
		{"http://example.org/a/b?c#d", "", "http://example.org/a/b?c"},
		{"http://example.org/a/b", "../x y.png", "http://example.org/x%20y.png"},
		{"http://example.org/a/b", "100%.png", "http://example.org/a/100%25.png"},
		{"http://example.org", "a:b", ""},
		{"http://example.org", "//exämple.org/x", "http://xn--exmple-cua.org/x"},
		{"http://example.org", `\\evil.example\x`, "http://evil.example/x"},
		{"https://example.org/a", "?q", "https://example.org/a?q"},
		{"https://example.org/a", "http://127.1", "http://127.0.0.1/"},
		{"https://example.org/a/b", "?q=c:d", "https://example.org/a/b?q=c:d"},
		{"https://example.org", "#top", "https://example.org/#top"},
		{"https://example.org/", "javascript:alert(1)", ""},
		{"https://example.org/", "data:text/html,x", ""},
	} {
		base, err := url.Parse(c.base)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if u, err := Resolve(base, c.reference); err == nil {
			got = u.String()
		}
		if got != c.want {
			t.Errorf("Resolve(%q, %q) = %q, want %q", c.base, c.reference, got, c.want)
		}
	}
}

func TestReadable(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ address, want string }{
		{"http://xn--exmple-cua.org/%C3%A4%22b", `http://exämple.org/ä"b`},
		{"http://exämple.org:8080/ä?q=ö#ü", "http://exämple.org:8080/ä?q=ö#ü"},
		{"https://xn--wgv71a119e.jp/%E6%97%A5%E6%9C%AC", "https://日本語.jp/日本"},
		{"https://xn--d1acpjx3f.xn--p1ai/", "https://яндекс.рф/"},
		{"https://xn--80ak6aa92e.com/", "https://xn--80ak6aa92e.com/"}, // аррӏе, all Cyrillic, in .com
		{"https://xn--pple-43d.com/", "https://xn--pple-43d.com/"},     // а of Cyrillic in "apple"
		{"https://xn--oogle-qmc.com/", "https://xn--oogle-qmc.com/"},   // ɡ
		{"http://example.org/100%25", "http://example.org/100%"},
		{"http://example.org/%2541", "http://example.org/%2541"},
		{"http://example.org/a%20b%2Fc%3Fd%23e%5C", "http://example.org/a%20b%2Fc%3Fd%23e%5C"},
		{"http://example.org/%E2%80%AEgnp.exe", "http://example.org/%E2%80%AEgnp.exe"}, // right-to-left override
		{"http://example.org/%E2%80%8B%C2%A0%E3%80%80%00%0A%7F%C2%85", "http://example.org/%E2%80%8B%C2%A0%E3%80%80%00%0A%7F%C2%85"},
		{"http://example.org/%E3%85%A4%E2%A0%80%EF%BB%BF", "http://example.org/%E3%85%A4%E2%A0%80%EF%BB%BF"}, // letters without a shape
		{"http://example.org/%ff%C3", "http://example.org/%FF%C3"},
		{"http://[::1]:8080/%C3%A4", "http://[::1]:8080/ä"},
		{"mailto:ä", "mailto:ä"},
	} {
		if got := Readable(c.address); got != c.want {
			t.Errorf("Readable(%q) = %q, want %q", c.address, got, c.want)
		}
	}
}

func BenchmarkCanonical(b *testing.B) {
	for _, text := range []string{"https://example.org/articles/2024/a-page?with=query#and-fragment", "https://exämple.org/articles/2024/ä-page?with=query"} {
		b.Run(text[8:13], func(b *testing.B) {
			for b.Loop() {
				_, _ = Canonical(text)
			}
		})
	}
}
