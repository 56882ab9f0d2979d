package server_test

import (
	"net/http"
	"strings"
	"testing"

	"vitrine/internal/apptest"
	"vitrine/internal/config"
	"vitrine/internal/jobs"
)

// The private listener of `vitrine work` serves health checks and job metrics, and jobs run.
func TestStartWork(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		fetched := make(chan struct{})
		r.Web("example.com/gone", func(w http.ResponseWriter, req *http.Request) {
			http.NotFound(w, req)
			close(fetched)
		})
		channel := r.Channel("ada", "Links", "public")
		r.Do("ada", "POST", "/v3/blocks", map[string]any{"value": "http://example.com/gone", "channel_ids": []int64{channel}}).
			Want(http.StatusCreated)
		if err := r.S.StartWork(); err != nil {
			t.Fatal(err)
		}
		_, addr, _ := strings.Cut(r.Log("serving metrics")[0], "addr=")
		for path, want := range map[string]string{"/healthz": "ok\n", "/readyz": "ready\n"} {
			if status, body, _ := get(t, "http://"+addr+path); status != http.StatusOK || body != want {
				t.Errorf("%s: %d %q", path, status, body)
			}
		}
		if status, _, _ := get(t, "http://"+addr+"/v3/ping"); status != http.StatusNotFound {
			t.Errorf("the API is there, too: %d", status)
		}
		<-fetched
		if err := r.S.Jobs.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
		_, text, _ := get(t, "http://"+addr+"/metrics")
		for _, want := range []string{
			`vitrine_job_runs_total{kind="process_block",outcome="given_up"} 1`,
			`vitrine_job_duration_seconds_count{kind="process_block"} 1`,
			`vitrine_jobs{state="failed"} 1`, `vitrine_jobs{state="running"} 0`, `vitrine_jobs{state="waiting"} `,
		} {
			if !strings.Contains(text, want) {
				t.Errorf("no %s in\n%s", want, text)
			}
		}
	}, func(c *config.Config) { c.MetricsAddr = "127.0.0.1:0" })
}

// A server works jobs unless --work=false.
func TestWorkSetting(t *testing.T) {
	t.Parallel()
	for _, work := range []bool{true, false} {
		r := apptest.New(t, func(c *config.Config) { c.Work = work })
		r.Listen()
		// Draining fails while workers run.
		if err := r.S.Jobs.Drain(t.Context()); (err == nil) == work {
			t.Errorf("with work %t: %v", work, err)
		}
	}
}

// The metrics count jobs by state even if this process does not work them.
func TestJobsCounted(t *testing.T) {
	t.Parallel()
	r := apptest.New(t, func(c *config.Config) { c.MetricsAddr = "127.0.0.1:0" })
	r.Listen()
	channel := r.Channel("ada", "Links", "public")
	r.Do("ada", "POST", "/v3/blocks", map[string]any{"value": "http://example.com/", "channel_ids": []int64{channel}}).
		Want(http.StatusCreated)
	counts, err := r.S.Store.Queue().Counts(t.Context())
	if err != nil || counts[jobs.Waiting] != 1 {
		t.Errorf("%v, %v", counts, err)
	}
	_, addr, _ := strings.Cut(r.Log("serving metrics")[0], "addr=")
	if _, text, _ := get(t, "http://"+addr+"/metrics"); !strings.Contains(text, `vitrine_jobs{state="waiting"} 1`+"\n") {
		t.Error("the job that waits is not counted")
	}
}
