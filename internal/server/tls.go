package server

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"vitrine/internal/certs"
	"vitrine/internal/domain"
	"vitrine/internal/store"
)

// plainTimeout limits reading and answering a request without TLS, which is a challenge or gets
// redirected.
const plainTimeout = 10 * time.Second

// hsts makes browsers use only TLS for a year (HSTS).
const hsts = "max-age=31536000"

// startTLS serves TLS on l, and challenges and redirects on a second listener.
func (s *Server) startTLS(ctx context.Context, l net.Listener) error {
	if a := s.cfg.TLS.HTTPAddr; a != "" {
		plain, err := Listen("tls-http-addr", a, s.cfg.SocketMode)
		if err != nil {
			return err
		}
		s.plain = s.newHTTP(s.certs.Challenges(http.HandlerFunc(s.redirectToTLS)))
		s.plain.ReadTimeout, s.plain.WriteTimeout = plainTimeout, plainTimeout // these requests are small
		go s.watch(func() error { return s.plain.Serve(plain) })
	}
	s.http = s.serveTLS(l, s.handler, s.certs.TLS())
	s.certs.Keep(ctx)
	return nil
}

// newCertificates sets up the certificates, which are stored in the database, separately by
// authority: a test authority's certificate must not be used with a real one.
func (s *Server) newCertificates(o Options) error {
	if !s.cfg.TLS.On() {
		return nil
	}
	roots, err := s.cfg.TLS.Roots()
	if err != nil {
		return err
	}
	directory := s.cfg.TLS.DirectoryURL
	if directory == "" {
		directory = certs.LetsEncrypt
	}
	s.certs = certs.New(certs.Options{Domains: s.cfg.TLS.Domains, Email: s.cfg.TLS.Email, DirectoryURL: directory,
		Roots: roots, Cache: certCache{s.Store, s.log, "acme " + directory + " "}, UserAgent: "Vitrine/" + o.Version,
		Log: s.log, Now: o.Now})
	return nil
}

// serveTLS is serve with TLS and HSTS.
func (s *Server) serveTLS(l net.Listener, h http.Handler, config *tls.Config) *http.Server {
	srv := s.newHTTP(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.certs.Host(r.Host) != "" {
			w.Header().Set("Strict-Transport-Security", hsts)
		}
		h.ServeHTTP(w, r)
	}))
	srv.TLSConfig = config
	srv.ErrorLog = slog.NewLogLogger(quiet{s.log.Handler()}, slog.LevelWarn)
	go s.watch(func() error { return srv.ServeTLS(l, "", "") })
	return srv
}

// redirectToTLS redirects a request for one of the domains to the same path over TLS, with the port
// of the public address.
func (s *Server) redirectToTLS(w http.ResponseWriter, r *http.Request) {
	host := s.certs.Host(r.Host)
	if host == "" {
		plain(w, http.StatusMisdirectedRequest, "this server does not serve that host")
		return
	}
	if base, err := url.Parse(s.cfg.BaseURL); err == nil && base.Port() != "" {
		host = net.JoinHostPort(host, base.Port())
	}
	to := url.URL{Scheme: "https", Host: host, Path: r.URL.Path, RawPath: r.URL.RawPath, RawQuery: r.URL.RawQuery}
	status := http.StatusPermanentRedirect // keeps the method
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		status = http.StatusMovedPermanently
	}
	w.Header().Set("Location", to.String())
	plain(w, status, "this site is at https://")
}

// certCache stores certificates among the secrets in the database. It logs errors and returns
// errCache instead, because errors may end up in a response.
type certCache struct {
	store  *store.Store
	log    *slog.Logger
	prefix string
}

var errCache = errors.New("the database does not answer")

func (c certCache) hideError(err error) error {
	if err != nil {
		c.log.Warn("cannot access certificates in the database", "error", err)
		return errCache
	}
	return nil
}

// Get returns certs.ErrMissing for an unknown name.
func (c certCache) Get(ctx context.Context, name string) ([]byte, error) {
	value, err := c.store.Account().Secret(ctx, c.prefix+name)
	if domain.KindOf(err) == domain.NotFound {
		return nil, certs.ErrMissing
	}
	return value, c.hideError(err)
}

// Put stores a value.
func (c certCache) Put(ctx context.Context, name string, value []byte) error {
	return c.hideError(c.store.PutSecret(ctx, c.prefix+name, value))
}

// Delete deletes a value.
func (c certCache) Delete(ctx context.Context, name string) error {
	return c.hideError(c.store.DeleteSecret(ctx, c.prefix+name))
}

// quiet logs failed TLS handshakes at debug level, because any scan of a public port causes them.
type quiet struct{ slog.Handler }

// Handle implements slog.Handler.
func (q quiet) Handle(ctx context.Context, r slog.Record) error {
	if strings.HasPrefix(r.Message, "http: TLS handshake error") {
		if r.Level = slog.LevelDebug; !q.Enabled(ctx, r.Level) {
			return nil
		}
	}
	return q.Handler.Handle(ctx, r)
}
