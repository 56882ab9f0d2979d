package config

import (
	"crypto/x509"
	"errors"
	"net/mail"
	"net/netip"
	"net/url"
	"os"
	"slices"
	"strings"

	"golang.org/x/net/idna"
)

// TLS is what a server needs that obtains certificates itself. Without domains a
// proxy before it does that.
type TLS struct {
	Domains      []string // lower case ASCII, each once
	Email        string
	HTTPAddr     string // host:port for challenges and redirects; empty for no such listener
	DirectoryURL string // empty for that of Let's Encrypt
	DirectoryCA  string // PEM file, empty for the system's
}

// defaultHTTPAddr is where authorities ask.
const defaultHTTPAddr = ":80"

// noListener is what --tls-http-addr says where there is to be none.
const noListener = "none"

// On reports whether the server serves TLS itself.
func (t TLS) On() bool { return len(t.Domains) > 0 }

// Roots reads the certificates by which the directory is trusted: nil for the system's.
func (t TLS) Roots() (*x509.CertPool, error) {
	if t.DirectoryCA == "" {
		return nil, nil
	}
	text, err := os.ReadFile(t.DirectoryCA)
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(text) {
		return nil, errors.New("the file " + t.DirectoryCA + " holds no certificate in PEM form")
	}
	return pool, nil
}

// printHTTPAddr is the address as --tls-http-addr takes it.
func (t TLS) printHTTPAddr() string {
	if t.On() && t.HTTPAddr == "" {
		return noListener
	}
	return t.HTTPAddr
}

// resolveTLS reads the settings of TLS.
func (s Server) resolveTLS(cfg *Config, found *problems) {
	if s.TLSDomain == "" {
		s.needTLSDomain(found)
		return
	}
	t := TLS{Email: s.TLSEmail, DirectoryURL: s.TLSDirectoryURL, DirectoryCA: s.TLSDirectoryCA}
	t.Domains = parseDomains(s.TLSDomain, found)
	switch s.TLSHTTPAddr {
	case noListener:
	case "":
		t.HTTPAddr = defaultHTTPAddr
	default:
		t.HTTPAddr = s.TLSHTTPAddr
		found.addErr("tls-http-addr", checkAddr(t.HTTPAddr))
	}
	if a, err := mail.ParseAddress(t.Email); t.Email != "" && (err != nil || a.Address != t.Email) {
		found.addErr("tls-email", quotedError(t.Email, "want an address such as me@example.org"))
	}
	if u, err := url.Parse(t.DirectoryURL); t.DirectoryURL != "" && (err != nil || u.Scheme != "https" || u.Hostname() == "" || u.User != nil) {
		found.add("tls-directory-url", "want an address such as https://ca.example.org/directory")
	}
	_, err := t.Roots()
	found.addErr("tls-directory-ca", err)
	cfg.TLS = t
}

// needTLSDomain finds what is set for TLS where there is to be none.
func (s Server) needTLSDomain(found *problems) {
	for _, set := range []struct{ flag, value string }{
		{"tls-email", s.TLSEmail}, {"tls-http-addr", s.TLSHTTPAddr},
		{"tls-directory-url", s.TLSDirectoryURL}, {"tls-directory-ca", s.TLSDirectoryCA},
	} {
		if set.value != "" {
			found.add(set.flag, "there is no --tls-domain that it would be for")
		}
	}
}

// parseDomains reads names joined by commas.
func parseDomains(text string, found *problems) (domains []string) {
	before := len(*found)
	for item := range strings.SplitSeq(text, ",") {
		if item = strings.TrimSpace(item); item == "" {
			continue
		}
		name, err := parseDomain(item)
		found.addErr("tls-domain", err)
		if err == nil && !slices.Contains(domains, name) {
			domains = append(domains, name)
		}
	}
	if len(domains) == 0 && len(*found) == before {
		found.addErr("tls-domain", quotedError(text, "holds no name"))
	}
	return domains
}

// parseDomain gives a name as it is in certificates.
func parseDomain(item string) (string, error) {
	if strings.HasPrefix(item, "*.") {
		return "", quotedError(item, "want every name by itself: authorities give wildcards only by DNS")
	}
	name, err := idna.New(idna.MapForLookup(), idna.StrictDomainName(true), idna.VerifyDNSLength(true)).ToASCII(item)
	if _, ip := netip.ParseAddr(name); err != nil || ip == nil || !strings.Contains(name, ".") || strings.HasSuffix(name, ".") {
		return "", quotedError(item, "want a name such as example.org, without https:// and port")
	}
	return name, nil
}

// defaultAddr is where a server listens by default.
func defaultAddr(t TLS) string {
	if t.On() {
		return ":443"
	}
	return "127.0.0.1:8080"
}
