package obs

import (
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Outgoing are the others that the program asks.
type Outgoing string

// All of them.
const (
	Storage Outgoing = "storage" // S3: each request of it, those that are tried again too
	Mail    Outgoing = "mail"    // a mail, from the connection to the server's answer
	Pages   Outgoing = "pages"   // what users link to: up to the head of the answer, redirects included
)

func newOutgoing() *prometheus.HistogramVec {
	return prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Namespace: namespace, Name: "outgoing_duration_seconds",
		Help:    "Time that others took: storage (S3), mail (SMTP) and pages (what users link to), by what came of it.",
		Buckets: []float64{.005, .025, .1, .25, .5, 1, 2.5, 5, 10, 30, 60},
	}, []string{"to", "operation", "outcome"})
}

// ObserveOutgoing counts one request to others. Operation and outcome must come from bounded sets.
func (m *Metrics) ObserveOutgoing(to Outgoing, operation, outcome string, took time.Duration) {
	m.outgoing.WithLabelValues(string(to), operation, outcome).Observe(took.Seconds())
}

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
	w.m.ObserveOutgoing(w.to, knownMethod(r.Method), outcome, time.Since(start))
	return res, err
}
