package obs_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"vitrine/internal/obs"
)

func TestObserveJob(t *testing.T) {
	t.Parallel()
	m := obs.NewMetrics("v1", "abc")
	m.ObserveJob("mail", "done", 30*time.Millisecond)
	m.ObserveJob("mail", "done", 10*time.Minute)
	m.ObserveJob("mail", "failed", 0)
	wantLines(t, scrape(t, m),
		`vitrine_job_runs_total{kind="mail",outcome="done"} 2`,
		`vitrine_job_runs_total{kind="mail",outcome="failed"} 1`,
		`vitrine_job_duration_seconds_bucket{kind="mail",le="0.1"} 2`,
		`vitrine_job_duration_seconds_bucket{kind="mail",le="180"} 2`,
		`vitrine_job_duration_seconds_count{kind="mail"} 3`,
	)
}

func TestCountJobs(t *testing.T) {
	t.Parallel()
	m := obs.NewMetrics("v1", "abc")
	var fail error
	m.CountJobs(func(ctx context.Context) (map[string]int64, error) {
		if _, limited := ctx.Deadline(); !limited {
			t.Error("counting may take for ever")
		}
		return map[string]int64{"waiting": 7, "failed": 0}, fail
	})
	wantLines(t, scrape(t, m), `vitrine_jobs{state="waiting"} 7`, `vitrine_jobs{state="failed"} 0`)
	fail = errors.New("no database")
	if text := strings.Join(scrape(t, m), "\n"); strings.Contains(text, "vitrine_jobs{") || !strings.Contains(text, "go_goroutines") {
		t.Error("a count that failed is shown, or hides the rest")
	}
}
