package obs

import (
	"context"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Outgoing names a kind of external service.
type Outgoing string

// The external services.
const (
	Storage Outgoing = "storage" // requests to S3, including retries
	Backups Outgoing = "backups" // requests to the S3 bucket for backups
	Mail    Outgoing = "mail"    // one mail, from the connection to the server's reply
	Pages   Outgoing = "pages"   // pages that users link to, up to the response header, including redirects
	Redis   Outgoing = "redis"   // counting a request in the shared rate limits
	SignOn  Outgoing = "sign_on" // requests to the OpenID Connect provider

	Embeddings Outgoing = "embeddings" // requests to the endpoint of search by meaning
)

func newOutgoing() *prometheus.HistogramVec {
	return prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Namespace: namespace, Name: "outgoing_duration_seconds",
		Help:    "Duration of requests to external services: storage (S3), backups (S3 for backups), mail (SMTP), pages (linked by users), redis (shared rate limits), sign_on (the OpenID Connect provider) and embeddings (search by meaning).",
		Buckets: []float64{.001, .005, .025, .1, .25, .5, 1, 2.5, 5, 10, 30, 60},
	}, []string{"to", "operation", "outcome"})
}

// Asked describes one finished request to an external service.
type Asked struct {
	To        Outgoing
	Operation string // from a bounded set, like Outcome
	Outcome   string
	Host      string // only for traces; may be empty
	Took      time.Duration
}

// ObserveOutgoing measures one request and, if ctx is traced, records it as a span.
func (m *Metrics) ObserveOutgoing(ctx context.Context, a Asked) {
	m.outgoing.WithLabelValues(string(a.To), a.Operation, a.Outcome).Observe(a.Took.Seconds())
	span := PastSpan(ctx, ClientSpan, string(a.To), a.Took)
	if span == nil {
		return
	}
	span.Name(string(a.To) + " " + a.Operation)
	span.Text("server.address", a.Host)
	span.Text("vitrine.outcome", a.Outcome)
	if !successful[a.Outcome] {
		span.Fail(a.Outcome)
	}
	span.End()
}

// successful lists the outcomes that are not a failure of the service or the network.
var successful = map[string]bool{"taken": true, "2xx": true, "3xx": true, "4xx": true}

// Watched returns a transport that measures each request up to its response header. The outcome is
// the class of the status, or failed without a response.
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
