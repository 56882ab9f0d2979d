package e2e

import (
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// patience is the timeout for actions that should take seconds.
const patience = time.Minute

// until waits for a condition, and returns how long it took.
func until(t *testing.T, what string, there func() bool) time.Duration {
	t.Helper()
	start := time.Now()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for end := time.After(patience); !there(); {
		select {
		case <-end:
			t.Fatalf("%s: not after %s", what, patience)
		case <-tick.C:
		}
	}
	return time.Since(start)
}

// While a batch of dripping addresses occupies all the workers that one user may have, mail is sent
// and another user's block gets its content.
func TestDrippingBatch(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, r *reader) {
		const all = 50
		blocks := make([]fields, all)
		for i := range blocks { // from a different site
			blocks[i] = fields{"value": fmt.Sprintf("%s/drip/%d", strings.Replace(r.web.url, "127.0.0.1", "localhost", 1), i)}
		}
		other := &reader{t: t, p: r.p, web: r.web, client: client{token: r.p.user("bob")}}
		other.to(r.s.url, &http.Transport{})
		var made struct{ ID int64 }
		r.must(other.send(http.MethodPost, "/v3/channels", fields{"title": "Read", "visibility": "private"}, &made))
		other.channel = made.ID

		r.must(r.send(http.MethodPost, "/v3/blocks/batch", fields{"channel_ids": []int64{r.channel}, "blocks": blocks}, nil))
		until(t, "the batch drips", func() bool { return r.web.drips.Load() == 2 })

		answer, err := other.http.PostForm(r.s.url+"/forgot-password", url.Values{"email": {"bob@example.org"}})
		r.must(err)
		r.must(answer.Body.Close())
		if answer.StatusCode != http.StatusOK {
			t.Fatalf("the form is answered %s", answer.Status)
		}
		mailed := until(t, "a mail", func() bool {
			mails, err := filepath.Glob(filepath.Join(r.p.dataDir, "outbox", "*.eml"))
			return err == nil && len(mails) > 0
		})
		start := time.Now()
		r.must(other.post(1))
		until(t, "a block", func() bool { _, pending := other.contents(); return pending == 0 })
		t.Logf("a mail left after %.1f s, a block of another was done after %.1f s", mailed.Seconds(), time.Since(start).Seconds())
		if n := r.web.drips.Load(); n == 0 {
			t.Error("the batch does not drip any more")
		}
	})
}

// If one of three processes on a database is killed, the others take over its jobs.
func TestKillOneOfThree(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, r *reader) {
		const all = 12
		nodes := []*process{r.p.work(), r.p.work()}
		open := r.web.close()
		defer open()
		r.must(r.post(all))
		// Half of each process's workers are available to one user.
		until(t, "all three work", func() bool { return len(r.running()) == 6 })
		victim := fmt.Sprintf("/%d/", nodes[0].cmd.Process.Pid)
		r.must(nodes[0].cmd.Process.Kill())
		nodes[0].ended(t)
		// The others take them over as soon as they have free workers.
		open()
		took := until(t, "the jobs of the dead are taken up", func() bool {
			for _, process := range r.running() {
				if strings.Contains(process, victim) {
					return false
				}
			}
			return true
		})
		t.Logf("the jobs of the dead were taken up after %.1f s", took.Seconds())
		r.settle()
		r.terminate(nodes[1])
		r.verify(all)
		if left, err := filepath.Glob(filepath.Join(r.p.dataDir, "*.alive-*")); err != nil || len(left) > 0 {
			t.Errorf("left behind are %q, %v", left, err)
		}
	})
}

// running returns the processes of the jobs in progress.
func (r *reader) running() (processes []string) {
	r.t.Helper()
	var list []struct{ Process string }
	r.p.json(&list, "jobs", "--state", "running", "--json")
	for _, job := range list {
		processes = append(processes, job.Process)
	}
	return processes
}
