package server

import (
	"context"
	"errors"
	"net/url"
	"os"
	"strings"
	"time"

	"vitrine/internal/config"
	"vitrine/internal/database"
	"vitrine/internal/database/traced"
	"vitrine/internal/obs"
	"vitrine/internal/obs/trace"
)

// newTracer gives nil where nothing is traced.
func newTracer(cfg config.Config, o Options) *trace.Tracer {
	t := cfg.Traces
	if t.Endpoint == "" {
		return nil
	}
	host, _ := os.Hostname() // without one, spans are of no host
	return trace.New(trace.Options{Endpoint: t.Endpoint, Header: t.Header, Ratio: t.Ratio, Version: o.Version, Log: o.Log,
		Resource: []trace.Resource{{Key: "service.name", Value: "vitrine"}, {Key: "service.version", Value: o.Version}, {Key: "host.name", Value: host}}})
}

// tellOfTraces says where traces go.
func (s *Server) tellOfTraces() {
	if t := s.cfg.Traces; t.Endpoint != "" {
		s.log.Info("sending traces", "collector", trace.Address(t.Endpoint), "ratio", t.Ratio)
	}
}

// flushTraces sends what is left. That a collector is away is no failure of a shutdown.
func (s *Server) flushTraces(ctx context.Context) {
	if err := s.tracer.Shutdown(ctx); err != nil {
		s.log.Warn("the last traces are lost", "error", err)
	}
}

// watching is who looks at statements.
type watching struct {
	observe database.Observer
	trace   traced.Tracer
}

// tracesOf makes statements and transactions spans of the request or job that they are part of; nil
// where nothing is traced. Errors are told by their kind alone: their texts may hold values.
func tracesOf(cfg config.Config, tracer *trace.Tracer) traced.Tracer {
	if tracer == nil {
		return nil
	}
	system := "sqlite"
	if dialect, _, _ := database.ParseURL(databaseOptions(cfg).URL); dialect == database.Postgres { // opening says what is wrong with it
		system = "postgresql"
	}
	return func(ctx context.Context, what, query string) (context.Context, func(error)) {
		kind := trace.Internal
		if what == traced.Statement {
			kind = trace.Client
		}
		within, span := trace.Start(ctx, kind, what)
		if span == nil {
			return ctx, ignored
		}
		span.Text("db.system.name", system)
		if what == traced.Statement {
			verb, _, _ := strings.Cut(strings.TrimSpace(query), " ")
			span.Name(strings.ToUpper(strings.TrimSpace(verb)))
			span.Text("db.query.text", query)
		}
		return within, func(err error) {
			if err != nil && !errors.Is(err, database.ErrNoRows) {
				span.Fail("")
			}
			span.End()
		}
	}
}

func ignored(error) {}

// observeFetch tells of fetches, and where they go by the host alone.
func observeFetch(stats *obs.Metrics) func(ctx context.Context, address, outcome string, took time.Duration) {
	return func(ctx context.Context, address, outcome string, took time.Duration) {
		host := ""
		if u, err := url.Parse(address); err == nil {
			host = u.Hostname()
		}
		stats.ObserveOutgoing(ctx, obs.Asked{To: obs.Pages, Operation: "GET", Outcome: outcome, Host: host, Took: took})
	}
}
