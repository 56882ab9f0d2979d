package server_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"

	"vitrine/internal/apptest"
	"vitrine/internal/config"
	"vitrine/internal/database"
	"vitrine/internal/store/storetest"
)

// span is a span as a collector receives it.
type span struct {
	TraceID, SpanID, ParentSpanID, Name string
	Kind                                int
	Status                              struct{ Code int }
	Attributes                          []struct {
		Key   string
		Value struct{ StringValue, IntValue string }
	}
}

func (s span) attr(key string) string {
	for _, a := range s.Attributes {
		if a.Key == key {
			return a.Value.StringValue + a.Value.IntValue
		}
	}
	return ""
}

// collector collects all received spans.
type collector struct {
	*httptest.Server
	mu    sync.Mutex
	spans []span
	text  strings.Builder
}

func newCollector(t *testing.T) *collector {
	t.Helper()
	c := new(collector)
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var got struct {
			ResourceSpans []struct{ ScopeSpans []struct{ Spans []span } }
		}
		body, err := io.ReadAll(r.Body)
		if err != nil || json.Unmarshal(body, &got) != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		c.text.Write(body)
		c.spans = append(c.spans, got.ResourceSpans[0].ScopeSpans[0].Spans...)
	}))
	t.Cleanup(c.Close)
	return c
}

// find returns the spans with a name anywhere below a span, or everywhere if it is nil.
func (c *collector) find(name string, below *span) (found []span) {
	parent := map[string]string{}
	for _, s := range c.spans {
		parent[s.SpanID] = s.ParentSpanID
	}
	for _, s := range c.spans {
		for at := s.ParentSpanID; s.Name == name; at = parent[at] {
			if below == nil || at == below.SpanID {
				found = append(found, s)
				break
			}
			if at == "" {
				break
			}
		}
	}
	return found
}

func (c *collector) one(t *testing.T, name string, below *span) *span {
	t.Helper()
	found := c.find(name, below)
	if len(found) == 0 {
		t.Fatalf("no span %s in %+v", name, c.spans)
	}
	return &found[0]
}

// A request, its transactions and statements, the job that it enqueues and the job's fetches form
// one tree below the caller's span. Untrusted callers do not decide what is recorded.
func TestTraces(t *testing.T) {
	t.Parallel()
	storetest.Migrated.Each(t, func(t *testing.T, o database.Options) {
		c := newCollector(t)
		r := apptest.Boot(t, o, func(cfg *config.Config) {
			cfg.Traces = config.Traces{Endpoint: c.URL, Ratio: 0}
			cfg.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("192.0.2.1/32")} // address of httptest.NewRequest
		})
		r.Web("example.com/secret-page", apptest.Serve("text/html", []byte("<title>Moss</title>")))
		r.Channel("ada", "Traces", "public")
		const trace, caller = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
		body := map[string]any{"value": "http://example.com/secret-page", "channel_ids": []string{"traces"}}
		const theirs = "00-" + trace + "-" + caller + "-01"
		made := r.Do("ada", "POST", "/v3/blocks", body, "Traceparent", theirs).Want(http.StatusCreated)
		foreign := r.Request("ada", "GET", "/v3/channels/traces", nil, "Traceparent", "00-11111111111111111111111111111111-"+caller+"-01")
		foreign.RemoteAddr = "203.0.113.9:1"
		r.Send(foreign).Want(http.StatusOK)
		r.Do("", "GET", "/v3/channels/missing?q=secret-page", nil, "Traceparent", theirs).Want(http.StatusNotFound)
		r.WorkJobs()
		var named bool
		for _, line := range r.Log("kind=process_block") {
			named = named || strings.Contains(line, "trace_id="+trace)
		}
		if !named {
			t.Errorf("no line of the job names the trace: %q", r.Log("kind=process_block"))
		}
		if err := r.Stop(context.WithoutCancel(t.Context())); err != nil { // sends the remaining spans
			t.Fatal(err)
		}

		for _, s := range c.spans {
			if s.TraceID != trace {
				t.Errorf("%s is recorded, of the trace %s", s.Name, s.TraceID)
			}
		}
		if strings.Contains(c.text.String(), "secret-page") {
			t.Error("the value of a parameter is told")
		}
		request := c.one(t, "createBlock", nil)
		if request.ParentSpanID != caller || request.Kind != 2 || request.attr("http.response.status_code") != "201" ||
			request.attr("vitrine.request_id") != made.Header.Get("X-Request-Id") || request.attr("url.path") != "/v3/blocks" || request.Status.Code != 0 {
			t.Errorf("request %+v", request)
		}
		tx := c.one(t, "transaction", request)
		insert := c.one(t, "INSERT", tx)
		system := map[database.Dialect]string{database.SQLite: "sqlite", database.Postgres: "postgresql"}[r.DB().Dialect()]
		if insert.Kind != 3 || !strings.HasPrefix(insert.attr("db.query.text"), "INSERT INTO ") || insert.attr("db.system.name") != system {
			t.Errorf("statement %+v", insert)
		}
		c.one(t, "SELECT", request)
		enqueue := c.one(t, "enqueue", request)
		job := c.one(t, "process_block", enqueue)
		if enqueue.Kind != 4 || enqueue.attr("vitrine.job.kind") != "process_block" || job.Kind != 5 || job.ParentSpanID != enqueue.SpanID ||
			job.attr("vitrine.request_id") != made.Header.Get("X-Request-Id") || job.attr("vitrine.job.outcome") != "done" || job.attr("vitrine.job.attempt") != "1" {
			t.Errorf("enqueued %+v\nworked %+v", enqueue, job)
		}
		c.one(t, "transaction", job)
		if fetched := c.one(t, "pages GET", job); fetched.Kind != 3 || fetched.attr("server.address") != "example.com" || fetched.attr("vitrine.outcome") != "2xx" {
			t.Errorf("fetch %+v", fetched)
		}
		if missing := c.one(t, "getChannel", nil); missing.attr("http.response.status_code") != "404" || missing.Status.Code != 0 {
			t.Errorf("missing %+v", missing)
		}
	})
}

// A server starts, serves and stops even if the collector is unreachable.
func TestTracesOfNobody(t *testing.T) {
	t.Parallel()
	away := newCollector(t)
	away.Close()
	r := apptest.New(t, func(cfg *config.Config) { cfg.Traces = config.Traces{Endpoint: away.URL, Ratio: 1} })
	r.Do("", "GET", "/v3/ping", nil).Want(http.StatusOK)
	if err := r.Stop(context.WithoutCancel(t.Context())); err != nil {
		t.Fatal(err)
	}
	if len(r.Log("the trace collector does not accept spans")) != 1 || len(r.Log("the last trace spans were lost")) != 1 {
		t.Errorf("told %q", r.Log("traces"))
	}
}
