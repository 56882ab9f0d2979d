package content

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/fetch"
	"vitrine/internal/store"
)

const day = 24 * time.Hour

// Requests that fail in a row make a link dead once they have gone on for long enough, depending on the reason.
func TestJudged(t *testing.T) {
	t.Parallel()
	gone, down := &fetch.Error{Reason: "gone", Status: 404}, &fetch.Error{Reason: "down", Temporary: true}
	for _, c := range []struct {
		name  string
		err   error
		after []time.Duration // between requests
		dead  int             // the request after which the link is dead, from 1; 0: none
	}{
		{"gone", gone, []time.Duration{0, day, 3 * day, 7 * day}, 3},
		{"gone, checked by hand", gone, []time.Duration{0, time.Hour, time.Hour, time.Hour, time.Hour}, 0},
		{"down", down, []time.Duration{0, day, 3 * day, 7 * day, 14 * day}, 5},
		{"refused", &fetch.Error{Status: 403}, []time.Duration{0, 30 * day, 30 * day, 30 * day}, 0},
		{"blocked here", errBlocked, []time.Duration{0, 30 * day, 30 * day, 30 * day}, 0},
		{"busy", fmt.Errorf("later: %w", fetch.ErrBusy), []time.Duration{0, CheckLinksInterval, CheckLinksInterval}, 0},
		{"large", fmt.Errorf("too much: %w", fetch.ErrTooLarge), []time.Duration{0, 30 * day}, 0},
	} {
		now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		l := store.DueLink{CreatedAt: now.Add(-day)}
		for i, after := range c.after {
			now = now.Add(after)
			f, again := judged(l, c.err, now)
			if f.Dead != (c.dead > 0 && i+1 >= c.dead) {
				t.Errorf("%s: request %d: %+v", c.name, i+1, f)
			}
			if i+1 < len(c.after) && again < c.after[i+1] && c.name != "gone, checked by hand" {
				t.Errorf("%s: request %d: again after %v", c.name, i+1, again)
			}
			l.LinkFailure = f
		}
		if f, _ := judged(l, nil, now); f != (domain.LinkFailure{}) {
			t.Errorf("%s: %+v although the page is there", c.name, f)
		}
	}
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for age, want := range map[time.Duration]time.Duration{day: 30 * day, 90 * day: 45 * day, 5000 * day: 180 * day} {
		if _, again := judged(store.DueLink{CreatedAt: now.Add(-age)}, nil, now); again != want {
			t.Errorf("after %v: again after %v", age, again)
		}
	}
	late := &fetch.Error{Temporary: true, RetryAfter: 40 * day}
	if _, again := judged(store.DueLink{}, late, now); again != 40*day || errors.Is(late, fetch.ErrBusy) {
		t.Errorf("again after %v", again)
	}
}
