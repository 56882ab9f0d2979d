package domain

import (
	"net/url"
	"strings"
	"testing"
)

func TestBadRedirectURI(t *testing.T) {
	t.Parallel()
	for _, uri := range []string{
		"https://app.test", "https://app.test/", "https://app.test/a?b=c&d", "https://app.test:8443/a", "https://[2001:db8::1]/a",
		"https://[2001:db8::1]:444/a", "https://192.0.2.7/a", "https://xn--bcher-kva.test/a", "https://a_b.test/%C3%A9",
		"http://127.0.0.1", "http://127.0.0.1/callback", "http://127.0.0.1:4000/callback?x", "http://localhost:1", "http://[::1]:65535/a",
		"obsidian://oauth", "com.example.app:/back", "com.example.app:back", "com.example.app://host/back", OutOfBand,
		"https://app.test/" + strings.Repeat("a", MaxRedirectURI-17),
	} {
		if why := BadRedirectURI(uri); why != "" {
			t.Errorf("%.60s %s", uri, why)
		}
	}
	for _, uri := range []string{
		"", "/", "app.test/a", "//app.test/a", "https:", "https:/a", "https:a", "https:///a", "https://:80/a", "https://app.test:/a",
		"https://app.test:0/a", "https://app.test:65536/a", "https://app.test:080/a", "https://app.test:1:2/a", "https://app.test./a",
		"https://.app.test/a", "https://app..test/a", "https://app%2etest/a", "https://bücher.test/a", "https://app.test/é",
		"https://app.test#", "https://app.test/#a", "https://*.app.test/a", "https://app.test/*", "https://ada@app.test/a",
		"https://app.test@evil.test/a", "https://:@app.test/", "https://app.test\\@evil.test/", "https:\\\\app.test/", "HTTPS://app.test/",
		"https://app.test/a b", "https://app.test/\na", "https://app.test/\x00", "\thttps://app.test/", "https://app.test/\xff",
		"https://[::1%25eth0]/", "https://[fe80::1%25a]/", "https://[127.0.0.1]/", "https://[::1/", "https://::1/",
		"https://app.test/" + strings.Repeat("a", MaxRedirectURI-16),
		"http://app.test/a", "http://127.0.0.2/a", "http://127.1/a", "http://2130706433/", "http://0x7f.1/", "http://localhost.evil.test/",
		"http://localhost@evil.test/", "http://127.0.0.1@evil.test/", "http://127.0.0.1:80@evil.test/", "http://127.0.0.1.evil.test/",
		"http://[::1]evil.test/", "http://[::1].evil.test/", "http://localhost:/a", "http://localhost:0/", "http://localhost:99999/",
		"http://localhost:8080evil.test/", "http://localhost%2eevil.test/", "http://localhost./", "http://LOCALHOST/", "http://[0:0::1]/",
		"javascript:alert(1)", "javascript://app.test/%0aalert(1)", "JavaScript:alert(1)", "data:text/html,x", "data:/x", "file:///etc/passwd",
		"vbscript:x", "blob:https://app.test/x", "about:blank", "view-source:/x", "urn:ietf:wg:oauth:2.0:oob:auto", "urn:a:b",
		"ms-msdt:/id", "search-ms:/x", "intent://a/", "chrome://settings", "c:/windows", "mailto:/a", "obsidian:code", "obsidian://ada@host/",
		"-a://b", "1a://b", "a b://c", "obsidian",
	} {
		if BadRedirectURI(uri) == "" {
			t.Errorf("%.60q can be registered", uri)
		}
	}
}

func TestMatchRedirectURI(t *testing.T) {
	t.Parallel()
	const web, local, six, bare = "https://app.test/back?a=b", "http://127.0.0.1/back", "http://[::1]:4000/back", "http://localhost"
	same := [][2]string{
		{web, web}, {local, local}, {local, "http://127.0.0.1:1/back"}, {local, "http://127.0.0.1:65535/back"},
		{six, "http://[::1]/back"}, {six, "http://[::1]:1234/back"}, {bare, "http://localhost:99"}, {OutOfBand, OutOfBand},
		{"http://localhost:1?a=b", "http://localhost:2?a=b"},
	}
	for _, c := range same {
		if !MatchRedirectURI(c[0], c[1]) {
			t.Errorf("%s is not %s", c[1], c[0])
		}
	}
	others := map[string][]string{
		web: {"", "https://app.test/back", "https://app.test/back?a=b&c", "https://app.test/back?a=B", "https://app.test/Back?a=b",
			"https://APP.test/back?a=b", "HTTPS://app.test/back?a=b", "http://app.test/back?a=b", "https://app.test:443/back?a=b",
			"https://app.test:8443/back?a=b", "https://app.test/./back?a=b", "https://app.test/x/../back?a=b", "https://app.test/%62ack?a=b",
			"https://app.test/back/?a=b", "https://app.test./back?a=b", "https://app.test@evil.test/back?a=b", "https://evil@app.test/back?a=b",
			"https://app.test\\back?a=b", "https://app.test/back?a=b#", "https://app.test/back?a=b\n", " " + web, web + " ", web + "\x00",
			"https://app.test.evil.test/back?a=b", "https://app.test/back?a%3Db"},
		local: {"http://127.0.0.1", "http://127.0.0.1:/back", "http://127.0.0.1:0/back", "http://127.0.0.1:65536/back",
			"http://127.0.0.1:080/back", "http://127.0.0.1:80/back/", "http://127.0.0.1:80/back?x", "http://127.0.0.1:80/Back",
			"https://127.0.0.1:80/back", "http://localhost:80/back", "http://[::1]:80/back", "http://127.0.0.1:80@evil.test/back",
			"http://127.0.0.1@evil.test/back", "http://127.0.0.1.evil.test/back", "http://127.0.0.1:80.evil.test/back",
			"http://127.0.0.1:80\\@evil.test/back", "http://127.0.0.1:８０/back", "http://127.0.0.1:+80/back", "http://127.0.0.1:8_0/back",
			"http://127.0.0.1:80:80/back", "http://127.0.0.1 /back", "http://127.0.0.1:80/back#a", "http://127.0.0.1:99999999999999999999/back",
			"http://127.1:80/back", "http://2130706433/back", "http://evil@127.0.0.1:80/back", "HTTP://127.0.0.1:80/back"},
		bare: {"http://localhost/", "http://localhost.evil.test", "http://localhost:1.evil.test", "http://localhostevil.test", "http://localhost:1@evil.test",
			"http://localhost%2eevil.test", "http://localhost.", "http://LOCALHOST"},
		OutOfBand: {"urn:ietf:wg:oauth:2.0:oob:auto", "urn:ietf:wg:oauth:2.0:OOB", ""},
	}
	for registered, given := range others {
		for _, uri := range given {
			if MatchRedirectURI(registered, uri) {
				t.Errorf("%q passes for %s", uri, registered)
			}
		}
	}
}

// FuzzRedirectURI looks for addresses that match a registered one but lead browsers elsewhere,
// according to another parser.
func FuzzRedirectURI(f *testing.F) {
	for _, seed := range []string{"http://127.0.0.1:80/back", "https://app.test/back", "http://localhost.evil.test/", "http://[::1]:1?", "com.example.app:/x"} {
		f.Add(seed, seed)
	}
	f.Fuzz(func(t *testing.T, registered, given string) {
		if BadRedirectURI(registered) != "" || registered == OutOfBand {
			return
		}
		was, err := url.Parse(registered)
		if err != nil || was.User != nil || was.Fragment != "" || was.Scheme == "javascript" {
			t.Fatalf("%q can be registered", registered)
		}
		if !MatchRedirectURI(registered, registered) {
			t.Fatalf("%q is not itself", registered)
		}
		if registered == given || !MatchRedirectURI(registered, given) {
			return
		}
		is, err := url.Parse(given)
		if err != nil {
			t.Fatalf("%q passes for %q: %v", given, registered, err)
		}
		was.Host, is.Host = was.Hostname(), is.Hostname()
		if *was != *is || was.Scheme != "http" {
			t.Fatalf("%q passes for %q", given, registered)
		}
	})
}

func TestParseScopes(t *testing.T) {
	t.Parallel()
	for list, want := range map[string]Scope{"": ScopeNone, " ": ScopeNone, "read": ScopeRead, "write": ScopeWrite,
		"read write": ScopeWrite, "write read": ScopeWrite, " write  write ": ScopeWrite,
		"openid profile offline_access": ScopeNone, "read offline_access": ScopeRead, "offline_access write openid": ScopeWrite,
		"admin": ScopeNone, "Write": ScopeNone, "read,write": ScopeNone, "write\x00": ScopeNone, "*": ScopeNone} {
		if got := ParseScopes(list); got != want {
			t.Errorf("%q is %q, want %q", list, got, want)
		}
	}
}

// An application without a known scope in its list gets the same scope as without a list.
func TestAsked(t *testing.T) {
	t.Parallel()
	for list, want := range map[string][2]Scope{"": {ScopeRead, ScopeWrite}, "openid offline_access": {ScopeRead, ScopeWrite},
		"openid read": {ScopeRead, ScopeRead}, "openid write": {ScopeWrite, ScopeWrite}} {
		if got := (Application{}).Asked(list); got != want[0] {
			t.Errorf("%q is %q, want %q", list, got, want[0])
		}
		if got := (Application{ForV2: true}).Asked(list); got != want[1] {
			t.Errorf("%q is %q for version 2, want %q", list, got, want[1])
		}
	}
}
