package jobs_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"vitrine/internal/database"
	"vitrine/internal/jobs"
)

// victim starts a copy of this test program and waits until it runs the only job.
func (r *rig) victim() *exec.Cmd {
	r.Helper()
	victim := exec.CommandContext(r.Context(), os.Args[0], "-test.run=^TestVictim$")
	victim.Env = append(os.Environ(), victimEnv+"="+r.options.URL, victimDirectEnv+"="+r.options.DirectURL)
	out, err := victim.StdoutPipe()
	r.must(err)
	r.must(victim.Start())
	if _, err := out.Read(make([]byte, 1)); err != nil {
		r.Fatal(err)
	}
	if r.count("running") != 1 {
		r.Fatalf("%d are running", r.count("running"))
	}
	return victim
}

// kill kills a victim and waits for its end.
func (r *rig) kill(victim *exec.Cmd) {
	r.Helper()
	r.must(victim.Process.Kill())
	_ = victim.Wait() // fails because it was killed
}

// stop stops a victim while it holds no lock on the database.
func (r *rig) stop(victim *exec.Cmd) {
	r.Helper()
	r.must(r.in(func(*database.Tx) error { // SQLite allows one writer, so the victim is not writing now
		if err := victim.Process.Signal(syscall.SIGSTOP); err != nil {
			return err
		}
		_, err := syscall.Wait4(victim.Process.Pid, nil, syscall.WUNTRACED, nil)
		return err
	}))
}

// idle returns workers that are not started.
func (r *rig) idle() *jobs.Workers {
	r.Helper()
	return r.workers(r.queue, jobs.Options{}, func(context.Context, note) error { return nil })
}

// rescued rescues until a job is put back. PostgreSQL notices closed connections with a delay.
func (r *rig) rescued() {
	r.Helper()
	w := r.idle()
	for {
		n, err := jobs.Rescue(r.Context(), w)
		r.must(err)
		if n == 1 {
			return
		}
	}
}

// The job of a dead process runs again immediately, long before it would count as stuck.
func TestDeadProcess(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	t.Parallel()
	each(t, func(t *testing.T, r *rig) {
		r.enqueue(note{"a"})
		r.kill(r.victim())
		ran := make(chan string, 1)
		w := r.workers(r.queue, jobs.Options{Timeout: time.Hour}, func(_ context.Context, n note) error { ran <- n.Name; return nil })
		r.must(w.Start(t.Context()))
		if got := <-ran; got != "a" {
			t.Errorf("got %s", got)
		}
	})
}

// The job of a living process is not put back, even if the process is stopped by a signal. An operator
// gets an error but can force it.
func TestLivingProcess(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	t.Parallel()
	each(t, func(t *testing.T, r *rig) {
		r.enqueue(note{"a"}, jobs.Attempts(2))
		victim := r.victim()
		r.stop(victim)
		if n, err := jobs.Rescue(t.Context(), r.idle()); n != 0 || err != nil {
			t.Errorf("put back %d jobs of a living process, %v", n, err)
		}
		job := r.list(jobs.Running, 1)[0]
		if err := r.retry(job.ID); !errors.Is(err, jobs.ErrAlive) || r.count("running") != 1 {
			t.Errorf("retried a job that runs: %v", err)
		}
		r.kill(victim)
		r.rescued()
		if r.count("available") != 1 {
			t.Error("the job does not wait")
		}
	})
}

// An operator can retry the job of a dead process, and with force that of a living one.
func TestRetryRunning(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	t.Parallel()
	each(t, func(t *testing.T, r *rig) {
		r.enqueue(note{"a"}, jobs.Attempts(1)) // no attempts left, so it is not put back automatically
		victim := r.victim()
		job := r.list(jobs.Running, 1)[0]
		r.must(r.in(func(tx *database.Tx) error { return r.queue.Retry(t.Context(), tx, job.ID, true) }))
		if r.count("available") != 1 {
			t.Error("a job that was forced does not wait")
		}
		r.exec("UPDATE river_job SET state = 'running', attempt = max_attempts")
		r.kill(victim)
		for errors.Is(r.retry(job.ID), jobs.ErrAlive) { // until PostgreSQL notices
		}
		ran := 0
		r.must(r.workers(r.queue, jobs.Options{}, func(context.Context, note) error { ran++; return nil }).Drain(t.Context()))
		if ran != 1 || r.count("completed") != 1 {
			t.Errorf("it ran %d times after it was put back", ran)
		}
	})
}

// The job of a version without process names is not put back before its timeout.
func TestUnknownProcess(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, r *rig) {
		r.enqueue(note{"a"})
		got, err := jobs.NewPicker(r.idle()).Pick(t.Context(), 1)
		r.must(err)
		if n, err := jobs.Rescue(t.Context(), r.idle()); n != 0 || err != nil {
			t.Errorf("put back %d jobs, %v", n, err)
		}
		if err := r.retry(got[0].ID); !errors.Is(err, jobs.ErrAlive) {
			t.Errorf("retried: %v", err)
		}
	})
}

// A job during which several processes died waits longer each time.
func TestDeadlyJob(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	t.Parallel()
	each(t, func(t *testing.T, r *rig) {
		r.enqueue(note{"a"})
		r.kill(r.victim())
		due := func() (n int) {
			t.Helper()
			now := "datetime('now', 'subsec')"
			if r.db.Dialect() == database.Postgres {
				now = "now()"
			}
			r.must(r.db.Reader().QueryRow(t.Context(), "SELECT COUNT(*) FROM river_job WHERE state = 'available' AND scheduled_at <= "+now).Scan(&n))
			return n
		}
		for attempt, want := range []int{1: 1, 2: 1, 3: 0} {
			if attempt == 0 {
				continue
			}
			r.exec("UPDATE river_job SET state = 'running', attempt = $1", attempt)
			r.rescued()
			if n := due(); n != want {
				t.Errorf("after attempt %d: %d jobs are due, want %d", attempt, n, want)
			}
		}
	})
}

// A process that has lost its lock cancels its jobs and continues under another name.
func TestLostPresence(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, r *rig) {
		names, cancelled := make(chan string, 1), make(chan struct{})
		w := r.workers(r.queue, jobs.Options{}, func(ctx context.Context, n note) error {
			if n.Name == "after" {
				names <- r.list(jobs.Running, 1)[0].Process
				return nil
			}
			names <- r.list(jobs.Running, 1)[0].Process
			select {
			case <-ctx.Done():
				close(cancelled)
				return ctx.Err()
			case <-cancelled: // the second run
				return nil
			}
		})
		r.must(w.Start(t.Context()))
		r.enqueue(note{"before"})
		first := <-names
		if dead, err := r.db.Dead(t.Context(), []string{first}); err != nil || len(dead) != 0 {
			t.Errorf("dead are %q, %v", dead, err)
		}
		r.lose()
		<-cancelled
		if second := <-names; second == first {
			t.Errorf("works as %s again", second)
		}
		r.enqueue(note{"after"})
		if third := <-names; third == first {
			t.Errorf("works as %s again", third)
		}
		r.must(w.Stop(t.Context()))
		if dead, err := r.db.Dead(t.Context(), []string{first}); err != nil || len(dead) != 1 {
			t.Errorf("dead are %q, %v", dead, err)
		}
		if n := r.count("completed"); n != 2 {
			t.Errorf("%d jobs are done", n)
		}
		if path := r.db.Path(); path != "" {
			if left, err := filepath.Glob(path + ".alive-*"); err != nil || len(left) > 0 {
				t.Errorf("left behind are %q, %v", left, err)
			}
		}
	})
}

// lose breaks the lock of the only working process.
func (r *rig) lose() {
	r.Helper()
	path := r.db.Path()
	if path == "" {
		r.exec(`SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 2
			AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`)
		return
	}
	files, err := filepath.Glob(path + ".alive-????????")
	r.must(err)
	if len(files) != 1 {
		r.Fatalf("alive are %q", files)
	}
	r.must(os.Remove(files[0]))
}
