package server

import (
	"context"
	"net/http"
	"time"

	"vitrine/internal/jobs"
	"vitrine/internal/store"
)

// newWorkers creates the job workers and their metrics.
func (s *Server) newWorkers() *jobs.Workers {
	s.stats.CountJobs(func(ctx context.Context) (map[string]int64, error) {
		counts, err := s.Store.Queue().Counts(ctx)
		named := make(map[string]int64, len(counts))
		for state, n := range counts {
			named[string(state)] = n
		}
		return named, err
	})
	o := jobs.Options{
		Concurrency: s.cfg.JobConcurrency, Timeout: s.cfg.JobTimeout,
		Tracer: s.tracer,
		Fit:    func(ctx context.Context) error { return s.db.CheckSchema(ctx, store.Migrations(s.db.Dialect())) },
		Paused: func() bool { return s.Store.ReadOnly() != nil },
		Observe: func(kind string, outcome jobs.Outcome, took time.Duration) {
			s.work.Add(1)
			s.stats.ObserveJob(kind, string(outcome), took)
		},
	}
	if s.clock != nil { // the queue cannot do without the database's clock
		o.Now = s.clock.Now
	}
	return jobs.New(s.Store.Queue(), s.log, jobHandlers(s.App, s.exports), o)
}

// StartWork works jobs until Shutdown without serving requests. The metrics listener, if
// configured, also serves /healthz and /readyz.
func (s *Server) StartWork() error {
	if err := s.startMetrics(s.workRoutes()); err != nil {
		return err
	}
	s.logReady()
	s.backups.start()
	s.embedding.start()
	s.webhooks.start()
	s.begin()
	return s.Jobs.Start(context.Background())
}

// startMetrics serves the private listener if it is configured.
func (s *Server) startMetrics(routes http.Handler) error {
	if s.cfg.MetricsAddr == "" {
		return nil
	}
	l, err := Listen("metrics-addr", s.cfg.MetricsAddr, s.cfg.SocketMode)
	if err != nil {
		return err
	}
	s.metricsAddr = l.Addr().String()
	s.metrics = s.serve(l, routes)
	return nil
}
