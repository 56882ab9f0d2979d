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
	"vitrine/internal/obs"
)

// newTracer returns nil if tracing is off.
func newTracer(cfg config.Config, o Options) *obs.Tracer {
	t := cfg.Traces
	if t.Endpoint == "" {
		return nil
	}
	host, _ := os.Hostname() // if it fails, spans have no host
	return obs.NewTracer(obs.TraceOptions{Endpoint: t.Endpoint, Header: t.Header, Ratio: t.Ratio, Version: o.Version, Log: o.Log,
		Resource: []obs.TraceResource{{Key: "service.name", Value: "vitrine"}, {Key: "service.version", Value: o.Version}, {Key: "host.name", Value: host}}})
}

// logTraces logs where traces are sent.
func (s *Server) logTraces() {
	if t := s.cfg.Traces; t.Endpoint != "" {
		s.log.Info("sending traces", "collector", obs.CollectorAddress(t.Endpoint), "ratio", t.Ratio)
	}
}

// flushTraces sends the remaining spans. If the collector is unreachable, shutting down still
// succeeds.
func (s *Server) flushTraces(ctx context.Context) {
	if err := s.tracer.Shutdown(ctx); err != nil {
		s.log.Warn("the last trace spans were lost", "error", err)
	}
}

// statementHooks observe the statements of a database.
type statementHooks struct {
	observe database.Observer
	trace   database.Tracer
}

// tracesOf records statements and transactions as spans of their request or job, or returns nil if
// tracing is off. Spans only contain the kinds of errors because the texts may contain values.
func tracesOf(cfg config.Config, tracer *obs.Tracer) database.Tracer {
	if tracer == nil {
		return nil
	}
	system := "sqlite"
	if dialect, _, _ := database.ParseURL(databaseOptions(cfg).URL); dialect == database.Postgres { // an invalid URL is reported when the database is opened
		system = "postgresql"
	}
	return func(ctx context.Context, what, query string) (context.Context, func(error)) {
		kind := obs.InternalSpan
		if what == database.TracedStatement {
			kind = obs.ClientSpan
		}
		within, span := obs.StartSpan(ctx, kind, what)
		if span == nil {
			return ctx, ignored
		}
		span.Text("db.system.name", system)
		if what == database.TracedStatement {
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

// observeFetch measures fetches. It records only the host of the address.
func observeFetch(stats *obs.Metrics) func(ctx context.Context, address, outcome string, took time.Duration) {
	return func(ctx context.Context, address, outcome string, took time.Duration) {
		host := ""
		if u, err := url.Parse(address); err == nil {
			host = u.Hostname()
		}
		stats.ObserveOutgoing(ctx, obs.Asked{To: obs.Pages, Operation: "GET", Outcome: outcome, Host: host, Took: took})
	}
}
