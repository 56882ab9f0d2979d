package server

import (
	"net/http"
	"time"

	"vitrine/internal/api"
	"vitrine/internal/middleware"
	"vitrine/internal/obs"
)

// routes puts the pieces around the API, outermost first.
func (s *Server) routes(now func() time.Time) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", healthz)
	mux.HandleFunc("GET /readyz", s.readyz)
	mux.Handle("/", middleware.Chain(s.API,
		middleware.Begin(now, middleware.AccessLog(s.log), observe),
		middleware.ClientAddr(s.cfg.TrustedProxies),
		middleware.RequestID(s.cfg.TrustedProxies),
		middleware.Recover(s.log, api.Render),
		middleware.SecureHeaders,
		middleware.CORS,
		middleware.Compress,
		middleware.Head,
		middleware.CacheHeaders,
		middleware.Conditional,
		middleware.Deadline(s.cfg.RequestTimeout, api.Render),
		middleware.BodyLimit(s.cfg.BodyLimit, api.Render),
	))
	return mux
}

func observe(r *http.Request, x *middleware.Exchange, took time.Duration) {
	obs.Request(r.Method, x.Operation, x.Status, took)
}

func metricsRoutes() http.Handler { return obs.Handler() }

// healthz says that the process answers.
func healthz(w http.ResponseWriter, _ *http.Request) { plain(w, http.StatusOK, "ok") }

// readyz says whether requests can be served: the database answers and has the
// schema of this program.
func (s *Server) readyz(w http.ResponseWriter, r *http.Request) {
	if err := s.App.Ready(r.Context()); err != nil {
		s.log.WarnContext(r.Context(), "not ready", "error", err)
		plain(w, http.StatusServiceUnavailable, "not ready")
		return
	}
	plain(w, http.StatusOK, "ready")
}

func plain(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(text + "\n"))
}
