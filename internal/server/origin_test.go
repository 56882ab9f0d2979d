package server_test

import (
	"net/http"
	"strings"
	"testing"

	"vitrine/internal/apptest"
)

// The log line of a job contains the request that enqueued it and the trace.
func TestJobsNameTheirRequest(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		const trace = "4bf92f3577b34da6a3ce929d0e0e4736"
		r.Do("ada", "POST", "/v3/channels", map[string]any{"title": "Origins"}).Want(http.StatusCreated)
		made := r.Do("ada", "POST", "/v3/blocks", map[string]any{"value": "http://127.0.0.1:1/", "channel_ids": []string{"origins"}}, "Traceparent", "00-"+trace+"-00f067aa0ba902b7-01").Want(http.StatusCreated)
		id := made.Header.Get("X-Request-Id")
		r.WorkJobs()
		var found bool
		for _, line := range r.Log("kind=process_block") {
			found = found || strings.Contains(line, "request_id="+id) && strings.Contains(line, "trace_id="+trace)
		}
		if !found {
			t.Errorf("no job names the request %s and its trace: %q", id, r.Log("job"))
		}
	})
}
