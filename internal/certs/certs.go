// Package certs obtains certificates by ACME (RFC 8555), renews them, and serves them over TLS. It
// answers TLS-ALPN-01 challenges on the HTTPS listener and HTTP-01 challenges on the HTTP listener.
package certs

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"log/slog"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/crypto/acme"
	"golang.org/x/crypto/acme/autocert"
)

// LetsEncrypt is the ACME directory used by default.
const LetsEncrypt = autocert.DefaultACMEDirectory

// watchInterval is the time between checks of a certificate.
const watchInterval = time.Hour

// lateShare defines a late renewal: less than 1/lateShare of the certificate's lifetime remains.
// Renewal is due earlier, when a third or thirty days remain.
const lateShare = 5

// directoryTimeout limits one request to the authority.
const directoryTimeout = 30 * time.Second

// Options configure Certificates. Only Email and Roots are optional.
type Options struct {
	Domains      []string // lower case ASCII; the first is served to clients that send no server name
	Email        string
	DirectoryURL string
	Roots        *x509.CertPool // for the connection to the directory; nil means the system's
	Cache        Cache
	UserAgent    string
	Log          *slog.Logger
	Now          func() time.Time
}

// Cache stores the account's key, certificates with their keys, and challenge responses. Servers
// with the same Cache share them. Get returns ErrMissing for an unknown name. Errors are logged, so
// they must not contain secrets.
type Cache = autocert.Cache

// ErrMissing is the error of a Cache that does not have the entry.
var ErrMissing = autocert.ErrCacheMiss

// Certificates holds the certificates of all domains. Each is renewed in the background from its
// first use until the program ends.
type Certificates struct {
	o       Options
	manager *autocert.Manager
	mu      sync.Mutex
	pauses  map[string]pause     // by domain, after a failed attempt
	until   map[string]time.Time // expiry of the served certificate, by domain
}

// New creates Certificates. It does not contact the authority.
func New(o Options) *Certificates {
	base := http.DefaultTransport.(*http.Transport).Clone()
	base.TLSClientConfig = &tls.Config{RootCAs: o.Roots, MinVersion: tls.VersionTLS12}
	return &Certificates{o: o, pauses: map[string]pause{}, until: map[string]time.Time{}, manager: &autocert.Manager{
		Prompt:     autocert.AcceptTOS,
		Cache:      o.Cache,
		HostPolicy: autocert.HostWhitelist(o.Domains...),
		Email:      o.Email,
		Client: &acme.Client{DirectoryURL: o.DirectoryURL, UserAgent: o.UserAgent,
			HTTPClient: &http.Client{Timeout: directoryTimeout, Transport: &transport{RoundTripper: base, log: o.Log}}},
	}}
}

// TLS returns the configuration of a listener: TLS 1.2 and later, HTTP/2, and TLS-ALPN-01.
func (c *Certificates) TLS() *tls.Config {
	return &tls.Config{
		MinVersion:     tls.VersionTLS12,
		GetCertificate: c.forHello,
		NextProtos:     []string{"h2", "http/1.1", acme.ALPNProto},
	}
}

// Challenges answers HTTP-01 challenges for the domains and passes other requests to next.
func (c *Certificates) Challenges(next http.Handler) http.Handler {
	challenges := c.manager.HTTPHandler(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host := c.Host(r.Host)
		if host == "" || !challengePath.MatchString(r.URL.Path) {
			next.ServeHTTP(w, r)
			return
		}
		r = r.WithContext(r.Context())
		r.Host = host // the request's Host may include a port
		challenges.ServeHTTP(w, r)
	})
}

// challengePath matches the path of an HTTP-01 challenge, which ends in a base64url token.
var challengePath = regexp.MustCompile(`^/\.well-known/acme-challenge/[A-Za-z0-9_-]{1,128}$`)

// Host returns the domain in a Host header if it is configured, or "".
func (c *Certificates) Host(header string) string {
	name, _, _ := strings.Cut(header, ":")
	if name = strings.ToLower(name); slices.Contains(c.o.Domains, name) {
		return name
	}
	return ""
}

// forHello returns the certificate for a ClientHello. Challenges are answered immediately. If a
// certificate is missing, the client waits until it has been obtained.
func (c *Certificates) forHello(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	if slices.Equal(hello.SupportedProtos, []string{acme.ALPNProto}) {
		return c.manager.GetCertificate(hello)
	}
	name := strings.ToLower(strings.TrimSuffix(hello.ServerName, "."))
	if name == "" {
		name = c.o.Domains[0]
	}
	return c.get(name)
}

// get returns the certificate of a domain. It always requests an ECDSA certificate: all TLS 1.2
// clients support them, and the client cannot choose the type of the certificate that is ordered.
func (c *Certificates) get(name string) (*tls.Certificate, error) {
	if err := c.paused(name); err != nil {
		return nil, err
	}
	cert, err := c.manager.GetCertificate(&tls.ClientHelloInfo{ServerName: name,
		CipherSuites: []uint16{tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256}})
	c.note(name, err)
	return cert, err
}

// Expiries returns the expiry of each domain's certificate at the last check. Domains without a
// certificate get the Unix epoch, so that an alert on the expiry fires for them too.
func (c *Certificates) Expiries() map[string]time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := maps.Clone(c.until)
	for _, name := range c.o.Domains {
		if _, known := all[name]; !known {
			all[name] = time.Unix(0, 0)
		}
	}
	return all
}

// Keep obtains and watches the certificates of all domains until ctx is done. Visitors then do not
// wait for the first certificate, and the operator sees errors at the start.
func (c *Certificates) Keep(ctx context.Context) {
	for _, name := range c.o.Domains {
		go c.keep(ctx, name)
	}
}

// keep obtains one certificate, retrying until it succeeds, and logs a warning when its renewal is
// late. Renewals are otherwise silent.
func (c *Certificates) keep(ctx context.Context, name string) {
	for logged := false; ctx.Err() == nil; {
		cert, err := c.get(name)
		if err != nil {
			c.wait(ctx, c.left(name))
			continue
		}
		until, life := cert.Leaf.NotAfter, cert.Leaf.NotAfter.Sub(cert.Leaf.NotBefore)
		c.mu.Lock()
		c.until[name] = until
		c.mu.Unlock()
		if !logged {
			c.o.Log.InfoContext(ctx, "serving TLS", "domain", name, "until", until)
			logged = true
		}
		if until.Sub(c.o.Now()) < life/lateShare {
			c.o.Log.WarnContext(ctx, "the certificate has not been renewed yet", "domain", name, "until", until)
		}
		c.wait(ctx, watchInterval)
	}
}
