package server

import (
	"net/http"
	"net/http/pprof"
	"strings"
	"time"

	"vitrine/internal/api"
	"vitrine/internal/domain"
	"vitrine/internal/files"
	"vitrine/internal/middleware"
	"vitrine/internal/oauth"
	"vitrine/internal/site"
)

// routes puts the pieces around the API, outermost first. There is no http.ServeMux:
// it would redirect addresses with empty or dotted segments, in words of its own.
func (s *Server) routes(o Options, service http.Handler) http.Handler {
	known := func(h http.Handler) http.Handler { // to logs and metrics, with its client
		return middleware.Chain(h,
			middleware.Begin(o.Now, middleware.AccessLog(s.log), s.observe),
			s.stats.InFlight,
			middleware.ClientAddr(s.cfg.TrustedProxies),
			middleware.RequestID(s.cfg.TrustedProxies),
		)
	}
	service = known(middleware.Chain(service,
		middleware.CacheHeaders,
		middleware.SecureHeaders,
		middleware.PreflightLimits(s.limiter, o.Now, string(domain.TierGuest)),
		middleware.CORS,
		middleware.Recover(s.log, api.Render),
		middleware.HeaderLimit(headerLimit, api.Render),
		middleware.Memory(s.memory),
		middleware.Head,
		middleware.Compress,
		middleware.Conditional,
		middleware.Deadline(s.cfg.RequestTimeout, api.Render),
		middleware.BodyLimit(s.cfg.BodyLimit),
	))
	bytes := known(middleware.Chain(files.New(files.Options{App: s.App, Fail: api.Fail, Render: api.Render, MethodNotAllowed: api.MethodNotAllowed}),
		middleware.SecureHeaders,
		middleware.CORS,
		middleware.Recover(s.log, api.Render),
		middleware.HeaderLimit(headerLimit, api.Render),
	))
	pages := site.New(site.Options{App: s.App, SiteURL: s.cfg.SiteURL, BaseURL: s.cfg.BaseURL, FilesURL: strings.TrimSuffix(s.cfg.FilesURL+files.FilesPath, "/"),
		Version: o.Version, Log: s.log, Now: o.Now})
	website := known(middleware.Chain(pages,
		middleware.CacheHeaders,
		middleware.Recover(s.log, pages.Render),
		middleware.HeaderLimit(headerLimit, pages.Render),
		middleware.Memory(s.memory),
		middleware.Head,
		middleware.Compress,
		limitForms(o.Now, pages.Render),
		middleware.Deadline(s.cfg.RequestTimeout, pages.Render),
		middleware.BodyLimit(s.cfg.BodyLimit),
	))
	grants := oauth.New(oauth.Options{App: s.App, Limiter: s.limiter, SiteURL: s.cfg.SiteURL, BaseURL: s.cfg.BaseURL,
		Registration: s.cfg.OAuthRegistration, Now: o.Now})
	tokens := known(middleware.Chain(grants,
		middleware.SecureHeaders,
		middleware.CORS,
		middleware.Recover(s.log, grants.Render),
		middleware.HeaderLimit(headerLimit, grants.Render),
		middleware.Head,
		middleware.Deadline(s.cfg.RequestTimeout, grants.Render),
		middleware.BodyLimit(s.cfg.BodyLimit),
	))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.leaving.Load() {
			w.Header().Set("Connection", "close") // HTTP/2 makes it a GOAWAY
		}
		read := r.Method == http.MethodGet || r.Method == http.MethodHead
		switch {
		case read && r.URL.Path == "/healthz":
			healthz(w, r)
		case read && r.URL.Path == "/readyz":
			s.readyz(w, r)
		case strings.HasPrefix(r.URL.Path, files.FilesPath), strings.HasPrefix(r.URL.Path, files.UploadsPath):
			bytes.ServeHTTP(w, r)
		case grants.Handles(r.URL.Path):
			tokens.ServeHTTP(w, r)
		case pages.Handles(r):
			website.ServeHTTP(w, r)
		default:
			service.ServeHTTP(w, r)
		}
	})
}

func (s *Server) observe(r *http.Request, x *middleware.Exchange, took time.Duration) {
	s.stats.Observe(x.Operation, r.Method, x.Status, took)
}

// metricsRoutes are those of the private listener: metrics and profiles.
func (s *Server) metricsRoutes() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", s.stats.Handler())
	mux.HandleFunc("GET /debug/pprof/", pprof.Index)
	mux.HandleFunc("GET /debug/pprof/cmdline", pprof.Cmdline)
	mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	return mux
}

// workRoutes are those of the private listener where there is no other: whether the
// process answers and its database does, too.
func (s *Server) workRoutes() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/", s.metricsRoutes())
	mux.HandleFunc("GET /healthz", healthz)
	mux.HandleFunc("GET /readyz", s.readyz)
	return mux
}

// healthz says that the process answers.
func healthz(w http.ResponseWriter, _ *http.Request) { plain(w, http.StatusOK, "ok") }

func plain(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(text + "\n"))
}
