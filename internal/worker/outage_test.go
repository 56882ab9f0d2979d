package worker

import (
	"context"
	"errors"
	"log/slog"
	"testing"

	"vitrine/internal/database"
	"vitrine/internal/domain"
	"vitrine/internal/jobs"
	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
)

type chore struct{}

func (chore) Kind() string { return "chore" }

// A job that meets an outage is run again as often as it takes; its tries are for
// failures.
func TestOutagesUseUpNoTries(t *testing.T) {
	t.Parallel()
	storetest.Migrated.Each(t, func(t *testing.T, o database.Options) {
		db, err := database.Open(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = db.Close() })
		s, runs, away := store.New(db), 0, true
		h := jobs.NewHandlers()
		handle(h, func(context.Context, chore) error {
			if runs++; away {
				return domain.NewUnavailable(errors.New("nothing answers"))
			}
			return errors.New("a failure")
		})
		w := jobs.New(s.Queue(), slog.New(slog.DiscardHandler), h, jobs.Options{})
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
		for away = false; runs < 7; {
			work()
		}
		work()
		if counts, err := s.Queue().Counts(t.Context()); err != nil || counts[jobs.Failed] != 1 || runs != 7 {
			t.Errorf("after that it ran %d times; there are %v (%v)", runs-5, counts, err)
		}
	})
}
