// Package doctor examines an installation: its settings, and everything that it depends on. Each check has
// a deadline, so one that hangs does not hold up the others.
package doctor

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"
)

// Level is the severity of a result.
type Level string

// The levels, mildest first.
const (
	OK      Level = "ok"
	Warning Level = "warning"
	Error   Level = "error"
)

// Result is one finding. IDs are stable, see docs/doctor.md. Texts contain no secrets.
type Result struct {
	ID      string `json:"id"`
	Level   Level  `json:"level"`
	Summary string `json:"summary"`
	Remedy  string `json:"remedy,omitempty"` // empty at level OK

	costly bool // of a check that connects to other machines, or writes
}

// Report contains the results of an examination.
type Report struct {
	At      time.Time `json:"at"`
	Level   Level     `json:"level"` // the worst of the results
	Results []Result  `json:"results"`
}

// Worst returns the worst level of the results.
func Worst(results []Result) Level {
	worst := OK
	for _, r := range results {
		if r.Level == Error || worst == OK {
			worst = r.Level
		}
		if worst == Error {
			break
		}
	}
	return worst
}

func ok(id, format string, args ...any) Result {
	return Result{ID: id, Level: OK, Summary: fmt.Sprintf(format, args...)}
}

func warning(id, summary, remedy string) Result {
	return Result{ID: id, Level: Warning, Summary: summary, Remedy: remedy}
}

func failure(id, summary, remedy string) Result {
	return Result{ID: id, Level: Error, Summary: summary, Remedy: remedy}
}

// check is one examination. It returns at least one result.
type check struct {
	id     string // of the result if the check does not end
	costly bool   // connects to other machines, or writes
	run    func(ctx context.Context) []Result
}

// Within is how long each check may take.
const Within = 10 * time.Second

// grace is how long a check may take to report that its deadline has passed.
const grace = 500 * time.Millisecond

// hanging contains the checks that have not returned, although their time was up. They are not started
// again, so that a check that never ends occupies only one goroutine.
type hanging struct {
	mu  sync.Mutex
	ids map[string]bool
}

// begin reports whether the check may start.
func (h *hanging) begin(id string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.ids[id] {
		return false
	}
	if h.ids == nil {
		h.ids = map[string]bool{}
	}
	h.ids[id] = true
	return true
}

func (h *hanging) end(id string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.ids, id)
}

// run runs the checks concurrently, and returns their results in the order of the checks.
func (h *hanging) run(ctx context.Context, within time.Duration, checks []check) []Result {
	results := make([][]Result, len(checks))
	var all sync.WaitGroup
	for i, c := range checks {
		all.Go(func() {
			results[i] = h.one(ctx, within, c)
			for j := range results[i] {
				results[i][j].costly = c.costly
			}
		})
	}
	all.Wait()
	return slices.Concat(results...)
}

// one runs a check, and stops waiting for it after its deadline.
func (h *hanging) one(ctx context.Context, within time.Duration, c check) []Result {
	if !h.begin(c.id) {
		return []Result{failure(c.id, "An earlier run of this check has still not ended.", "Find out what it waits for; restarting the server ends it.")}
	}
	ctx, cancel := context.WithTimeout(ctx, within)
	done := make(chan []Result, 1)
	go func() {
		defer h.end(c.id)
		defer cancel()
		defer func() {
			if r := recover(); r != nil {
				done <- []Result{failure(c.id, fmt.Sprintf("The check failed unexpectedly: %v.", r), "Report this as a bug.")}
			}
		}()
		done <- c.run(ctx)
	}()
	select {
	case found := <-done:
		return found
	case <-ctx.Done():
	}
	select { // a check that observes its context knows more about the reason
	case found := <-done:
		return found
	case <-time.After(grace):
		return []Result{failure(c.id, fmt.Sprintf("The check did not end within %s.", within), "Find out why the other side does not answer: a firewall that drops packets, a disk or a server that hangs.")}
	}
}
