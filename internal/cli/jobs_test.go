package cli_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"vitrine/internal/apptest"
	"vitrine/internal/database"
)

// job is the JSON form of a job.
type job struct {
	ID          int64
	Kind, State string
	Attempts    int
	MaxAttempts int `json:"max_attempts"`
	At, Error   string
	Process     string
}

func TestJobs(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, p place) {
		p.run("migrate").ok()
		r := apptest.Boot(t, p.database())
		if r := p.run("jobs").ok(); r.out != "ID  KIND  ATTEMPTS  AT  ERROR\n" {
			t.Errorf("%q", r.out)
		}
		r.Web("example.com/", http.NotFound)
		channel := r.Channel("ada", "Links", "public")
		for range 3 {
			r.Do("ada", "POST", "/v3/blocks", map[string]any{"value": "http://example.com/", "channel_ids": []int64{channel}}).Want(201)
		}
		list := func(args ...string) (all []job) {
			t.Helper()
			p.run(append([]string{"jobs", "--json"}, args...)...).json(&all)
			return all
		}
		if failed, waiting := list(), list("--state", "waiting"); len(failed) != 0 || len(waiting) != 3 || waiting[0].State != "waiting" {
			t.Errorf("failed are %+v, waiting %+v", failed, waiting)
		}
		r.WorkJobs()
		failed := list()
		if len(failed) != 3 || len(list("--limit", "2")) != 2 || len(list("--state", "done")) != 0 || len(list("--state", "running")) != 0 {
			t.Fatalf("failed are %+v", failed)
		}
		if j := failed[0]; j.Kind != "process_block" || j.State != "failed" || j.Attempts != 1 || !strings.Contains(j.Error, "404") {
			t.Errorf("%+v", j)
		}
		line := fmt.Sprint(failed[0].ID, " process_block 1/", failed[0].MaxAttempts, " ", failed[0].At, " The server answered 404 Not Found")
		out := strings.Split(p.run("jobs", "list").ok().out, "\n")
		if got := strings.Join(strings.Fields(out[1]), " "); got != line {
			t.Errorf("got %q, want %q", got, line)
		}
		if out := p.run("jobs", "retry", fmt.Sprint(failed[0].ID)).ok().out; out != "Retrying 1 of 1 job.\n" {
			t.Errorf("%q", out)
		}
		if n, waiting := len(list()), len(list("--state", "waiting")); n != 2 || waiting != 1 {
			t.Errorf("%d failed, %d wait", n, waiting)
		}
		if out := p.run("jobs", "retry", "--all").ok().out; out != "Retrying 2 of 2 jobs.\n" {
			t.Errorf("%q", out)
		}
		if n, waiting := len(list()), len(list("--state", "waiting")); n != 0 || waiting != 3 {
			t.Errorf("%d failed, %d wait", n, waiting)
		}
		if r := p.run("jobs", "retry", "998", "999"); r.code != 1 || r.out != "Retrying 0 of 2 jobs.\n" ||
			r.err != "vitrine: job 998: there is no such job\njob 999: there is no such job\n" {
			t.Errorf("exit code %d\n%s%s", r.code, r.out, r.err)
		}
		p.run("jobs", "retry").fails(2, "want the IDs of jobs, or --all")
		p.run("jobs", "retry", "--all", "7").fails(2, "want the IDs of jobs, or --all")
		p.run("jobs", "--limit", "0").fails(2, "--limit: 0: want a number from 1 to 10000")
	})
}

// A job of a dead process is retried, and one of a living process only with --force.
func TestRetryRunningJobs(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, p place) {
		p.run("migrate").ok()
		r := apptest.Boot(t, p.database())
		channel := r.Channel("ada", "Links", "public")
		r.Do("ada", "POST", "/v3/blocks", map[string]any{"value": "http://example.com/", "channel_ids": []int64{channel}}).Want(201)
		living, err := r.DB().Announce(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer living.Release()
		const dead = "vitrine/gone/1/00000001"
		for _, c := range []struct {
			process string
			force   bool
			code    int
		}{{living.Name(), false, 1}, {living.Name(), true, 0}, {dead, false, 0}} {
			by := `["` + c.process + `"]`
			if r.DB().Dialect() == database.Postgres {
				by = "{" + c.process + "}"
			}
			r.Exec("UPDATE river_job SET state = 'running', attempt = max_attempts, attempted_by = '" + by + "'")
			var running []job
			p.run("jobs", "--json", "--state", "running").json(&running)
			if len(running) != 1 || running[0].Process != c.process {
				t.Fatalf("running are %+v", running)
			}
			args := []string{"jobs", "retry", fmt.Sprint(running[0].ID)}
			if c.force {
				args = append(args, "--force")
			}
			got := p.run(args...)
			if refused := strings.Contains(got.err, "its process is alive; wait for it, or use --force"); got.code != c.code || refused != (c.code == 1) {
				t.Errorf("%+v: exit code %d\n%s%s", c, got.code, got.out, got.err)
			}
			var waiting []job
			p.run("jobs", "--json", "--state", "waiting").json(&waiting)
			if len(waiting) != 1-c.code {
				t.Errorf("%+v: waiting are %+v", c, waiting)
			}
		}
	})
}
