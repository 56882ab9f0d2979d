// Package certs obtains certificates from an authority by ACME (RFC 8555), renews
// them, and serves them to TLS. Challenges are answered on both of the server's
// listeners: TLS-ALPN-01 and HTTP-01.
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

// LetsEncrypt is the directory of the authority that is asked where no other is given.
const LetsEncrypt = autocert.DefaultACMEDirectory

// watchInterval is how often certificates are looked at.
const watchInterval = time.Hour

// lateShare is which part of a certificate's life is left when its renewal is late. It
// begins when a third is left, or thirty days.
const lateShare = 5

// directoryTimeout is how long one answer of the authority may take.
const directoryTimeout = 30 * time.Second

// Options are what Certificates need. All but Email and Roots must be given.
type Options struct {
	Domains      []string // lower case ASCII; the first is for clients that name none
	Email        string
	DirectoryURL string
	Roots        *x509.CertPool // by which the directory's address is trusted; nil for the system's
	Cache        Cache
	UserAgent    string
	Log          *slog.Logger
	Now          func() time.Time
}

// Cache keeps the account's key, certificates with their keys, and answers to
// challenges. Servers that share one share all of these. Get gives ErrMissing for what
// is not there. Nothing of other errors may be secret.
type Cache = autocert.Cache

// ErrMissing is what a Cache says of what it does not have.
var ErrMissing = autocert.ErrCacheMiss

// Certificates are those of all domains. Renewals go on in the background until the
// program ends, beginning with the first use of each certificate.
type Certificates struct {
	o       Options
	manager *autocert.Manager
	mu      sync.Mutex
	pauses  map[string]pause     // by domain that no certificate was had for
	until   map[string]time.Time // by domain: when the one that is served expires
}

// New makes Certificates, without asking anybody yet.
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

// TLS is the configuration of a listener: TLS 1.2 and later, HTTP/2, and challenges.
func (c *Certificates) TLS() *tls.Config {
	return &tls.Config{
		MinVersion:     tls.VersionTLS12,
		GetCertificate: c.forHello,
		NextProtos:     []string{"h2", "http/1.1", acme.ALPNProto},
	}
}

// Challenges answers HTTP-01 challenges for the domains, and leaves all else to next.
func (c *Certificates) Challenges(next http.Handler) http.Handler {
	challenges := c.manager.HTTPHandler(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host := c.Host(r.Host)
		if host == "" || !challengePath.MatchString(r.URL.Path) {
			next.ServeHTTP(w, r)
			return
		}
		r = r.WithContext(r.Context())
		r.Host = host // the authority's may have a port
		challenges.ServeHTTP(w, r)
	})
}

// challengePath is where an authority asks, by a token in base64.
var challengePath = regexp.MustCompile(`^/\.well-known/acme-challenge/[A-Za-z0-9_-]{1,128}$`)

// Host gives the domain that a Host header names, with or without a port, or "" if it
// names none of ours.
func (c *Certificates) Host(header string) string {
	name, _, _ := strings.Cut(header, ":")
	if name = strings.ToLower(name); slices.Contains(c.o.Domains, name) {
		return name
	}
	return ""
}

// forHello gives the certificate for what a client says at the beginning. Answers to
// challenges come without delay; one that is missing is obtained while the client waits.
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

// get gives the certificate of a domain. Every client of TLS 1.2 takes one with an
// elliptic key, so that is the only kind, and clients cannot have another ordered.
func (c *Certificates) get(name string) (*tls.Certificate, error) {
	if err := c.paused(name); err != nil {
		return nil, err
	}
	cert, err := c.manager.GetCertificate(&tls.ClientHelloInfo{ServerName: name,
		CipherSuites: []uint16{tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256}})
	c.note(name, err)
	return cert, err
}

// Expiries gives for each domain when its certificate expires, as looked at last: for one that there is none for,
// long ago, so that whoever watches is told of that too.
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

// Keep gets the certificates of all domains, so that no visitor waits for one and an
// operator is told at once what is wrong, and watches over them until ctx is done.
func (c *Certificates) Keep(ctx context.Context) {
	for _, name := range c.o.Domains {
		go c.keep(ctx, name)
	}
}

// keep obtains one certificate, however often it must try, and logs when its renewal,
// which is silent otherwise, is late.
func (c *Certificates) keep(ctx context.Context, name string) {
	for told := false; ctx.Err() == nil; {
		cert, err := c.get(name)
		if err != nil {
			c.wait(ctx, c.left(name))
			continue
		}
		until, life := cert.Leaf.NotAfter, cert.Leaf.NotAfter.Sub(cert.Leaf.NotBefore)
		c.mu.Lock()
		c.until[name] = until
		c.mu.Unlock()
		if !told {
			c.o.Log.InfoContext(ctx, "serving TLS", "domain", name, "until", until)
			told = true
		}
		if until.Sub(c.o.Now()) < life/lateShare {
			c.o.Log.WarnContext(ctx, "the certificate could not be renewed yet", "domain", name, "until", until)
		}
		c.wait(ctx, watchInterval)
	}
}
