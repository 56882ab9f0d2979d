package e2e

import (
	"errors"
	"fmt"
	"maps"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// kinds are the kinds of requests, in the order of the report.
var kinds = []string{"read", "page", "write", "write, keyed", "upload"}

// report collects the outcomes of a drill's requests by phase.
type report struct {
	mu     sync.Mutex
	phases []*phase
}

// phase is a part of the drill with one event.
type phase struct {
	name       string
	begun      time.Time
	took       time.Duration
	requests   map[string]int            // by kind
	errors     map[string]map[string]int // by kind of request, then of error
	lastWrite  time.Time                 // last acknowledged write, of this phase or an earlier one
	longestGap time.Duration             // between two acknowledged writes
	slowest    time.Duration             // slowest successful request
}

// begin ends a phase and begins the next one.
func (r *report) begin(name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := time.Now()
	next := &phase{name: name, begun: now, lastWrite: now, requests: map[string]int{}, errors: map[string]map[string]int{}}
	if n := len(r.phases); n > 0 {
		last := r.phases[n-1]
		last.took = now.Sub(last.begun)
		last.longestGap = max(last.longestGap, now.Sub(last.lastWrite))
		next.lastWrite = last.lastWrite
	}
	r.phases = append(r.phases, next)
}

// met records a request and its start time. A failure counts in the phase in which the request
// began, even if it ends in the next one.
func (r *report) met(kind string, began time.Time, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.phases) == 0 {
		return
	}
	at := len(r.phases) - 1
	now := r.phases[at]
	if err == nil && (strings.HasPrefix(kind, "write") || kind == "upload") {
		now.longestGap = max(now.longestGap, time.Since(now.lastWrite))
		now.lastWrite = time.Now()
	}
	for at > 0 && began.Before(r.phases[at].begun) {
		at--
	}
	p := r.phases[at]
	p.requests[kind]++
	if err == nil {
		p.slowest = max(p.slowest, time.Since(began))
		return
	}
	if p.errors[kind] == nil {
		p.errors[kind] = map[string]int{}
	}
	p.errors[kind][errorKind(err)]++
}

// errorKind classifies an error by status and details.
func errorKind(err error) string {
	if refused, ok := errors.AsType[statusError](err); ok {
		if strings.Contains(refused.body, "<html><body><h1>") {
			return fmt.Sprintf("%d of the balancer", refused.status)
		}
		return fmt.Sprint(refused.status)
	}
	if timeout, ok := errors.AsType[net.Error](err); ok && timeout.Timeout() {
		return "no answer in time"
	}
	return "broken off"
}

// failed returns how many requests failed in a phase.
func (p *phase) failed() (n int) {
	for _, by := range p.errors {
		for _, m := range by {
			n += m
		}
	}
	return n
}

// the returns the phase with a name.
func (r *report) the(name string) *phase {
	for _, p := range r.phases {
		if p.name == name {
			return p
		}
	}
	return &phase{}
}

// String formats the report as a Markdown table.
func (r *report) String() string {
	var b strings.Builder
	b.WriteString("| phase | lasts, s | requests | errors | longest gap of writes, s | slowest answer, s |\n|---|--:|--:|---|--:|--:|\n")
	for _, p := range r.phases {
		all, wrong := 0, []string{}
		for _, n := range p.requests {
			all += n
		}
		for _, kind := range kinds {
			for _, what := range slices.Sorted(maps.Keys(p.errors[kind])) {
				wrong = append(wrong, fmt.Sprintf("%d %s: %s", p.errors[kind][what], kind, what))
			}
		}
		if len(wrong) == 0 {
			wrong = []string{"0"}
		}
		fmt.Fprintf(&b, "| %s | %.0f | %d | %s | %.1f | %.1f |\n", p.name, p.took.Seconds(), all, strings.Join(wrong, "; "), p.longestGap.Seconds(), p.slowest.Seconds())
	}
	return b.String()
}

// within checks the limits of a phase.
func (r *report) within(t *testing.T, name string, errors int, gap time.Duration) {
	t.Helper()
	p := r.the(name)
	if n := p.failed(); n > errors {
		t.Errorf("%s: %d requests failed, goal: at most %d: %v", name, n, errors, p.errors)
	}
	if gap > 0 && p.longestGap > gap {
		t.Errorf("%s: no write for %s, goal: at most %s", name, p.longestGap, gap)
	}
}
