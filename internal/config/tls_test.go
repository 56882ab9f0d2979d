package config_test

import (
	"encoding/pem"
	"errors"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"vitrine/internal/config"
)

func TestTLS(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		args []string
		want func(*config.Config)
	}{
		"alone": {nil, func(*config.Config) {}},
		"other addresses": {[]string{"--addr=:8443", "--tls-http-addr=10.0.0.1:8080", "--site-url=https://www.example.org"}, func(c *config.Config) {
			c.Addr, c.TLS.HTTPAddr, c.SiteURL, c.MailFrom = ":8443", "10.0.0.1:8080", "https://www.example.org", "Vitrine <no-reply@www.example.org>"
		}},
		"no http": {[]string{"--tls-http-addr=none"}, func(c *config.Config) { c.TLS.HTTPAddr = "" }},
		"names": {[]string{"--tls-domain= Bücher.example,a.example , A.example"}, func(c *config.Config) {
			c.TLS.Domains = []string{"xn--bcher-kva.example", "a.example"}
			c.BaseURL, c.SiteURL, c.FilesURL = "https://xn--bcher-kva.example", "https://xn--bcher-kva.example", "https://xn--bcher-kva.example"
			c.MailFrom = "Vitrine <no-reply@xn--bcher-kva.example>"
		}},
		"authority": {[]string{"--tls-email=me@example.org", "--tls-directory-url=https://ca.example:14000/dir"}, func(c *config.Config) {
			c.TLS.Email, c.TLS.DirectoryURL = "me@example.org", "https://ca.example:14000/dir"
		}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := defaults()
			want.Addr, want.TLS = ":443", config.TLS{Domains: []string{"example.org"}, HTTPAddr: ":80"}
			want.BaseURL, want.SiteURL, want.FilesURL = "https://example.org", "https://example.org", "https://example.org"
			want.MailFrom = "Vitrine <no-reply@example.org>"
			tt.want(&want)
			got := resolve(t, parse(t, append([]string{"--tls-domain=example.org"}, tt.args...)...))
			if !reflect.DeepEqual(got, want) {
				t.Errorf("got  %+v\nwant %+v", got, want)
			}
			if local := got.LocalURL(); !strings.HasPrefix(local, "https://127.0.0.1:") {
				t.Errorf("from this machine it is at %s", local)
			}
		})
	}
}

func TestBadTLS(t *testing.T) {
	t.Parallel()
	empty := filepath.Join(t.TempDir(), "empty.pem")
	if err := os.WriteFile(empty, []byte("nothing"), 0o600); err != nil {
		t.Fatal(err)
	}
	on := "--tls-domain=example.org"
	tests := map[string][]string{
		"https:// and port":                                                      {"--tls-domain=https://example.org"},
		`"example.org:443": want a name`:                                         {"--tls-domain=example.org:443"},
		`"localhost": want a name`:                                               {"--tls-domain=localhost"},
		`"10.0.0.1": want a name`:                                                {"--tls-domain=10.0.0.1"},
		`"a..example": want a name`:                                              {"--tls-domain=a..example"},
		`"example.org.": want a name`:                                            {"--tls-domain=example.org."},
		`"a b.example": want a name`:                                             {"--tls-domain=a b.example"},
		"list every name":                                                        {"--tls-domain=*.example.org"},
		"does not contain a domain":                                              {"--tls-domain= , "},
		`--tls-email (VITRINE_TLS_EMAIL): "me": want`:                            {on, "--tls-email=me"},
		"want an address such as me@":                                            {on, "--tls-email=Me <me@example.org>"},
		"want an address such as https://ca":                                     {on, "--tls-directory-url=http://ca.example/dir"},
		"such as https://ca.example.org/directory":                               {on, "--tls-directory-url=ca.example"},
		"/no/such/file":                                                          {on, "--tls-directory-ca=/no/such/file"},
		"does not contain a PEM certificate":                                     {on, "--tls-directory-ca=" + empty},
		"want host:port":                                                         {on, "--tls-http-addr=80"},
		"--tls-http-addr (VITRINE_TLS_HTTP_ADDR): must":                          {on, "--addr=:80"},
		"must differ from --tls-http-addr":                                       {on, "--metrics-addr=:80"},
		"want https:// because --tls-domain is set":                              {on, "--site-url=http://example.org"},
		"--tls-email (VITRINE_TLS_EMAIL): requires":                              {"--tls-email=me@example.org"},
		"--tls-directory-url (VITRINE_TLS_DIRECTORY_URL): requires --tls-domain": {"--tls-directory-url=https://ca.example/dir"},
		"--tls-directory-ca (VITRINE_TLS_DIRECTORY_CA): requires --tls-domain":   {"--tls-directory-ca=/some/file"},
		"--tls-http-addr (VITRINE_TLS_HTTP_ADDR): requires --tls-domain":         {"--tls-http-addr=:80"},
	}
	for want, args := range tests {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			_, found := parse(t, args...).Resolve()
			text := errors.Join(found...)
			if len(found) != 1 || !strings.Contains(text.Error(), want) || strings.Contains(text.Error(), "\n") {
				t.Errorf("%q: %v", args, found)
			}
		})
	}
}

// authority returns the path of a PEM file with a certificate.
func authority(t *testing.T) string {
	t.Helper()
	server := httptest.NewTLSServer(nil)
	defer server.Close()
	path := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
