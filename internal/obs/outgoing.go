package obs

import (
	"context"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"vitrine/internal/obs/trace"
)

// Outgoing are the others that the program asks.
type Outgoing string

// All of them.
const (
	Storage Outgoing = "storage" // S3: each request of it, those that are tried again too
	Backups Outgoing = "backups" // S3 that backups are made in
	Mail    Outgoing = "mail"    // a mail, from the connection to the server's answer
	Pages   Outgoing = "pages"   // what users link to: up to the head of the answer, redirects included
	Redis   Outgoing = "redis"   // a request that is counted over all servers
	SignOn  Outgoing = "sign_on" // the OpenID Connect provider: each request of it
)

func newOutgoing() *prometheus.HistogramVec {
	return prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Namespace: namespace, Name: "outgoing_duration_seconds",
		Help:    "Time that others took: storage (S3), backups (S3 that they are made in), mail (SMTP), pages (what users link to), redis (requests that are counted) and sign_on (the OpenID Connect provider), by what came of it.",
		Buckets: []float64{.001, .005, .025, .1, .25, .5, 1, 2.5, 5, 10, 30, 60},
	}, []string{"to", "operation", "outcome"})
}

// Asked is one request to others, which is over.
type Asked struct {
	To        Outgoing
	Operation string // of a bounded set, as is the outcome
	Outcome   string
	Host      string // for traces alone; may be empty
	Took      time.Duration
}

// ObserveOutgoing counts one request to others, and makes it a span where ctx is traced.
func (m *Metrics) ObserveOutgoing(ctx context.Context, a Asked) {
	m.outgoing.WithLabelValues(string(a.To), a.Operation, a.Outcome).Observe(a.Took.Seconds())
	span := trace.Past(ctx, trace.Client, string(a.To), a.Took)
	if span == nil {
		return
	}
	span.Name(string(a.To) + " " + a.Operation)
	span.Text("server.address", a.Host)
	span.Text("vitrine.outcome", a.Outcome)
	if !fine[a.Outcome] {
		span.Fail(a.Outcome)
	}
	span.End()
}

// fine are the outcomes that are no failure of whom was asked, nor of the way there.
var fine = map[string]bool{"taken": true, "2xx": true, "3xx": true, "4xx": true}

// Watched observes what goes through a transport, up to the head of each answer. The outcome
// is the class of the status, or failed without an answer.
func (m *Metrics) Watched(to Outgoing, next http.RoundTripper) http.RoundTripper {
	return watched{m, to, next}
}

type watched struct {
	m    *Metrics
	to   Outgoing
	next http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (w watched) RoundTrip(r *http.Request) (*http.Response, error) {
	start := time.Now()
	res, err := w.next.RoundTrip(r)
	outcome := "failed"
	if err == nil {
		_, outcome = statusLabels(res.StatusCode)
	}
	w.m.ObserveOutgoing(r.Context(), Asked{w.to, knownMethod(r.Method), outcome, r.URL.Hostname(), time.Since(start)})
	return res, err
}
