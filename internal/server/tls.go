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

// plainTimeout is how long a request without TLS, which is redirected or a challenge, may
// take to come, and its answer to go.
const plainTimeout = 10 * time.Second

// lasting makes browsers use TLS alone for a year (HSTS).
const lasting = "max-age=31536000"

// startTLS serves on a listener with certificates of its own, and challenges and
// redirects on a second one.
func (s *Server) startTLS(ctx context.Context, l net.Listener) error {
	if a := s.cfg.TLS.HTTPAddr; a != "" {
		plain, err := Listen("tls-http-addr", a, s.cfg.SocketMode)
		if err != nil {
			return err
		}
		s.plain = s.newHTTP(s.certs.Challenges(http.HandlerFunc(s.toTLS)))
		s.plain.ReadTimeout, s.plain.WriteTimeout = plainTimeout, plainTimeout // nobody has much to say here
		go s.watch(func() error { return s.plain.Serve(plain) })
	}
	s.http = s.serveTLS(l, s.handler, s.certs.TLS())
	s.certs.Keep(ctx)
	return nil
}

// newCertificates makes what obtains certificates, and keeps them in the database,
// apart by authority: what a test authority gave is not used with a real one.
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
		Roots: roots, Cache: kept{s.Store, s.log, "acme " + directory + " "}, UserAgent: "Vitrine/" + o.Version,
		Log: s.log, Now: o.Now})
	return nil
}

// serveTLS serves on a listener like serve, and says that TLS is to stay.
func (s *Server) serveTLS(l net.Listener, h http.Handler, config *tls.Config) *http.Server {
	srv := s.newHTTP(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.certs.Host(r.Host) != "" {
			w.Header().Set("Strict-Transport-Security", lasting)
		}
		h.ServeHTTP(w, r)
	}))
	srv.TLSConfig = config
	srv.ErrorLog = slog.NewLogLogger(quiet{s.log.Handler()}, slog.LevelWarn)
	go s.watch(func() error { return srv.ServeTLS(l, "", "") })
	return srv
}

// toTLS redirects a request to the same address by TLS, if it is for one of the domains.
// The port is that of the public address.
func (s *Server) toTLS(w http.ResponseWriter, r *http.Request) {
	host := s.certs.Host(r.Host)
	if host == "" {
		plain(w, http.StatusMisdirectedRequest, "no such site here")
		return
	}
	if base, err := url.Parse(s.cfg.BaseURL); err == nil && base.Port() != "" {
		host = net.JoinHostPort(host, base.Port())
	}
	to := url.URL{Scheme: "https", Host: host, Path: r.URL.Path, RawPath: r.URL.RawPath, RawQuery: r.URL.RawQuery}
	status := http.StatusPermanentRedirect // which keeps the method
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		status = http.StatusMovedPermanently
	}
	w.Header().Set("Location", to.String())
	plain(w, status, "this site is at https://")
}

// kept keeps certificates among the secrets of the installation. Errors are logged, and
// not told, since they may end in a response.
type kept struct {
	store  *store.Store
	log    *slog.Logger
	prefix string
}

var errKept = errors.New("the database does not answer")

func (k kept) hide(err error) error {
	if err != nil {
		k.log.Warn("certificates in the database", "error", err)
		return errKept
	}
	return nil
}

// Get gives certs.ErrMissing for what is not there.
func (k kept) Get(ctx context.Context, name string) ([]byte, error) {
	value, err := k.store.Secret(ctx, k.prefix+name)
	if domain.KindOf(err) == domain.NotFound {
		return nil, certs.ErrMissing
	}
	return value, k.hide(err)
}

// Put keeps a value.
func (k kept) Put(ctx context.Context, name string, value []byte) error {
	return k.hide(k.store.PutSecret(ctx, k.prefix+name, value))
}

// Delete forgets it.
func (k kept) Delete(ctx context.Context, name string) error {
	return k.hide(k.store.DeleteSecret(ctx, k.prefix+name))
}

// quiet logs failed handshakes only for those who look for them: whoever scans a
// public port causes them.
type quiet struct{ slog.Handler }

// Handle lowers the level of such records.
func (q quiet) Handle(ctx context.Context, r slog.Record) error {
	if strings.HasPrefix(r.Message, "http: TLS handshake error") {
		if r.Level = slog.LevelDebug; !q.Enabled(ctx, r.Level) {
			return nil
		}
	}
	return q.Handler.Handle(ctx, r)
}
