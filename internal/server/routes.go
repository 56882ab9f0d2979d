package server

import (
	"cmp"
	"fmt"
	"net/http"
	"net/http/pprof"
	"net/url"
	"slices"
	"strings"
	"time"

	"vitrine/internal/api/ext"
	v2 "vitrine/internal/api/v2"
	"vitrine/internal/config"
	"vitrine/internal/feeds"
	"vitrine/internal/files"
	"vitrine/internal/httpedge"
	"vitrine/internal/mcp"
	"vitrine/internal/middleware"
	"vitrine/internal/oauth"
	"vitrine/internal/site"
	"vitrine/internal/site/web"
)

// routes wraps the handler of each mount in the mount's middleware.
func (s *Server) routes(o Options) (http.Handler, error) {
	pages := site.New(web.Options{App: s.App, Addresses: s.addresses, Fragments: s.fragments,
		Exports: s.exports, Mails: s.cfg.SMTP != nil, Language: s.cfg.Language, Version: o.Version, Log: s.log, Now: o.Now, Limiter: s.limiter, Callers: s.callers, Doctor: s.doctor})
	grants := oauth.New(oauth.Options{App: s.App, Limiter: s.limiter, SiteURL: s.cfg.SiteURL, BaseURL: s.cfg.BaseURL,
		Registration: s.cfg.OAuthRegistration, Extension: s.cfg.BrowserExtension, MCP: s.cfg.MCP, Now: o.Now})
	subscriptions := feeds.New(feeds.Options{App: s.App, Addresses: s.addresses, Exports: s.exports,
		SecurityContacts: s.cfg.SecurityContacts, Now: o.Now, Limiter: s.limiter})
	assistants := mcp.New(mcp.Options{App: s.App, Callers: s.callers, Addresses: s.addresses, Log: s.log, Version: o.Version, BodyLimit: s.cfg.BodyLimit})
	prefixes, err := prefixes(s.cfg, func(segment string) bool { return pages.Owns(segment) || feeds.Owns(segment) })
	if err != nil {
		return nil, err
	}
	api := func(h http.Handler) http.Handler {
		if o.API != nil {
			return o.API(h)
		}
		return h
	}
	mux, err := httpedge.NewMux(httpedge.Options{Log: s.log, Now: o.Now, Observe: s.observe, InFlight: s.stats.InFlight, Tracer: s.tracer,
		TrustedProxies: s.cfg.TrustedProxies, Limiter: s.limiter, Shared: s.shared, Memory: s.memory, Replicas: s.db.Replicas() != nil,
		Fit: s.db.Fit, RequestTimeout: s.cfg.RequestTimeout, BodyLimit: s.cfg.BodyLimit},
		map[string]httpedge.Handler{
			httpedge.Health: {Handler: http.HandlerFunc(s.health), Handles: isHealth},
			httpedge.Doctor: {Handler: s.probes(o), Render: func(w http.ResponseWriter, _ *http.Request, status int, text string) { plain(w, status, text) }},
			httpedge.Files: {Handler: files.New(files.Options{App: s.App, Log: s.log, PartTimeout: o.PartTimeout}),
				Render: httpedge.JSON.Render},
			httpedge.OAuth: {Handler: grants, Render: grants.Render, Handles: grants.Handles},
			httpedge.Feeds: {Handler: subscriptions, Render: subscriptions.Render, Handles: subscriptions.Handles,
				Downloads: subscriptions.Downloads},
			httpedge.Website:   {Handler: pages, Render: pages.Render, Handles: pages.Handles, Streams: pages.Streams, Downloads: pages.Downloads},
			httpedge.Ext:       {Handler: api(s.API.ExtHandler), Render: httpedge.JSON.Render, Downloads: ext.Downloads, Streams: ext.Streams},
			httpedge.V2:        {Handler: api(s.API.V2Handler), Render: v2.Errors.Render},
			httpedge.V3:        {Handler: api(s.API.V3Handler), Render: httpedge.JSON.Render},
			httpedge.MCP:       {Handler: assistants, Render: assistants.Render, Handles: func(r *http.Request) bool { return s.cfg.MCP && mcp.Handles(r) }},
			httpedge.Elsewhere: {Handler: api(s.API.V3Handler), Render: httpedge.JSON.Render},
		})
	if err != nil {
		return nil, err
	}
	counted := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.leaving.Load() {
			w.Header().Set("Connection", "close") // HTTP/2 sends GOAWAY instead
		}
		if !isHealth(r) {
			s.work.Add(1)
		}
		mux.ServeHTTP(w, r)
	})
	return middleware.StripPrefix(prefixes, s.cfg.TrustedProxies)(counted), nil
}

// prefixes returns the paths of the public addresses, longest first. They are removed from request
// paths, whether or not a proxy has done that before. This works only if a prefix cannot be confused
// with one of the program's own paths, whose first segments owned reports.
func prefixes(cfg config.Config, owned func(segment string) bool) (all []string, err error) {
	mounted := func(segment string) bool {
		return slices.ContainsFunc(httpedge.Mounts, func(m httpedge.Mount) bool {
			return slices.ContainsFunc(m.Prefixes, func(prefix string) bool { return prefix != "" && first(prefix) == segment })
		})
	}
	for _, address := range []struct{ flag, url string }{{"base-url", cfg.BaseURL}, {"site-url", cfg.SiteURL}, {"files-url", cfg.FilesURL}} {
		u, err := url.Parse(address.url)
		if err != nil || u.Path == "" || slices.Contains(all, u.Path) {
			continue
		}
		segment := first(u.Path)
		switch {
		case !mounted(segment) && !owned(segment):
			all = append(all, u.Path)
		case address.flag != "files-url": // caches for files have always had to remove its path
			return nil, fmt.Errorf("--%s: the path %s conflicts with Vitrine's own paths below /%s: choose another path, such as /vitrine", address.flag, u.Path, segment)
		}
	}
	slices.SortStableFunc(all, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	return all, nil
}

// first returns the first segment of a path.
func first(path string) string {
	segment, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	return segment
}

// isHealth reports whether a request is a health check.
func isHealth(r *http.Request) bool {
	return (r.Method == http.MethodGet || r.Method == http.MethodHead) &&
		(r.URL.Path == "/livez" || r.URL.Path == "/healthz" || r.URL.Path == "/readyz")
}

// health responds to health checks.
func (s *Server) health(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/readyz" {
		s.readyz(w, r)
		return
	}
	livez(w, r)
}

// refusedBy maps statuses to the limit that they mean.
var refusedBy = map[int]middleware.Refusal{
	http.StatusRequestTimeout:        "time",
	http.StatusRequestEntityTooLarge: "size",
	http.StatusTooManyRequests:       "acts",
	http.StatusServiceUnavailable:    "unavailable",
}

func (s *Server) observe(r *http.Request, x *middleware.Exchange, took time.Duration) {
	s.stats.Observe(x.Operation, r.Method, x.Status, took)
	if kind := cmp.Or(x.Refused, refusedBy[x.Status]); kind != "" {
		s.stats.ObserveRefusal(string(kind), x.Tier)
	}
}

// metricsRoutes returns the handler of the private listener: metrics and profiles.
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

// workRoutes returns the handler of the private listener of `vitrine work`, which has no other
// listener. It includes the health checks.
func (s *Server) workRoutes() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/", s.metricsRoutes())
	mux.HandleFunc("GET /livez", livez)
	mux.HandleFunc("GET /healthz", livez)
	mux.HandleFunc("GET /readyz", s.readyz)
	return mux
}

// livez responds that the process is alive. /healthz is the older name.
func livez(w http.ResponseWriter, _ *http.Request) { plain(w, http.StatusOK, "ok") }

func plain(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(text + "\n"))
}
