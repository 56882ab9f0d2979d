package server

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"vitrine/internal/database"
	"vitrine/internal/domain"
	"vitrine/internal/jobs"
	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
)

type chore struct{}

func (chore) Kind() string { return "chore" }

// An outage does not use up a job's attempts.
func TestOutagesUseUpNoTries(t *testing.T) {
	t.Parallel()
	storetest.Migrated.Each(t, func(t *testing.T, o database.Options) {
		db, err := database.Open(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = db.Close() })
		var log lines
		s, runs, away := store.New(db), 0, true
		h := jobs.NewHandlers()
		handle(h, func(context.Context, chore) error {
			if runs++; away {
				return domain.NewUnavailable(errors.New("nothing answers"))
			}
			return errors.New("a failure")
		})
		w := jobs.New(s.Queue(), slog.New(slog.NewTextHandler(&log, nil)), h, jobs.Options{})
		if err := s.InTx(t.Context(), func(tx *store.Tx) error { return tx.Enqueue(t.Context(), chore{}, jobs.Attempts(2)) }); err != nil {
			t.Fatal(err)
		}
		work := func() {
			t.Helper()
			if err := errors.Join(w.Hasten(t.Context()), w.Drain(t.Context())); err != nil {
				t.Fatal(err)
			}
		}
		for range 5 {
			work()
		}
		if runs != 5 {
			t.Errorf("it ran %d times while something was away", runs)
		}
		if n := strings.Count(log.String(), "level=WARN msg=\"job postponed because of an outage\""); n != 5 || !strings.Contains(log.String(), "nothing answers") {
			t.Errorf("the operator is told %d times:\n%s", n, log.String())
		}
		for away = false; runs < 7; {
			work()
		}
		work()
		if counts, err := s.Queue().Counts(t.Context()); err != nil || counts[jobs.Failed] != 1 || runs != 7 {
			t.Errorf("after that it ran %d times; there are %v (%v)", runs-5, counts, err)
		}
	})
}

// lines collects log lines.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// A periodic job is not postponed until the outage is over; the next run comes anyway.
func TestOutagesEndWhatIsDoneEverySoOften(t *testing.T) {
	t.Parallel()
	storetest.Migrated.Each(t, func(t *testing.T, o database.Options) {
		db, err := database.Open(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = db.Close() })
		s, runs := store.New(db), 0
		h := jobs.NewHandlers()
		every(h, time.Hour, chore{}, func(context.Context) error {
			runs++
			return domain.NewUnavailable(errors.New("nothing answers"))
		})
		w := jobs.New(s.Queue(), slog.New(slog.DiscardHandler), h, jobs.Options{})
		if err := s.InTx(t.Context(), func(tx *store.Tx) error { return tx.Enqueue(t.Context(), chore{}, jobs.Attempts(2)) }); err != nil {
			t.Fatal(err)
		}
		for range 4 {
			if err := errors.Join(w.Hasten(t.Context()), w.Drain(t.Context())); err != nil {
				t.Fatal(err)
			}
		}
		if counts, err := s.Queue().Counts(t.Context()); err != nil || counts[jobs.Failed] != 1 || runs != 2 {
			t.Errorf("it ran %d times; there are %v (%v)", runs, counts, err)
		}
	})
}
