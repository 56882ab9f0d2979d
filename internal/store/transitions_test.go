package store_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"vitrine/internal/database"
	"vitrine/internal/domain"
	"vitrine/internal/heavy"
	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
)

// largeChanges returns changes of a large channel by a member of the group.
func largeChanges(group domain.GroupID) map[string]func(c *domain.Channel) {
	return map[string]func(c *domain.Channel){
		"private": func(c *domain.Channel) { c.Visibility = domain.Private },
		"open":    func(c *domain.Channel) { c.Visibility = domain.Public },
		"given":   func(c *domain.Channel) { c.Owner.PrincipalRef = domain.GroupRef(group) },
		"given and private": func(c *domain.Channel) {
			c.Visibility, c.Owner.PrincipalRef = domain.Private, domain.GroupRef(group)
		},
	}
}

// No transaction writes more rows for a channel that is twenty times as large: neither the one
// that changes it nor a batch of the job.
func TestRowsOfTransitions(t *testing.T) {
	t.Parallel()
	storetest.EachDB(t, func(t *testing.T, s *store.Store, db *database.DB) {
		s.LimitTransitions(store.TransitionLimits{AtOnce: 20, Batch: 10})
		ada := storetest.User(t, s, "Ada")
		group := storetest.Group(t, s, "Group", ada)
		written := func(n int64) map[string]int64 {
			limit := map[string]int64{}
			note := func(what string, do func(tx *store.Tx) error) {
				storetest.In(t, s, func(tx *store.Tx) error {
					before, err := store.Changes(t.Context(), tx)
					if err != nil {
						return err
					}
					if err := do(tx); err != nil {
						return err
					}
					after, err := store.Changes(t.Context(), tx)
					limit[what] = max(limit[what], after-before)
					return err
				})
			}
			settle := func(id domain.ChannelID) {
				for more := true; more; {
					note("a batch", func(tx *store.Tx) (err error) {
						more, err = tx.Transitions().ApplySome(t.Context(), id)
						return err
					})
				}
			}
			for name, change := range largeChanges(group) {
				id := storetest.Channel(t, s, ada, fmt.Sprint("Large ", n, name), domain.Closed)
				storetest.Fill(t, s, db, ada, id, n)
				if name == "open" {
					storetest.SetVisibility(t, s, ada, id, domain.Private)
					storetest.Apply(t, s)
				}
				note(name, func(tx *store.Tx) error {
					was, err := tx.Channels().Channel(t.Context(), ada, domain.Ref{ID: int64(id)})
					if err != nil {
						return err
					}
					is := was
					change(&is)
					return tx.Channels().UpdateChannel(t.Context(), was, is, storetest.Later)
				})
				settle(id)
				note("deletion", func(tx *store.Tx) error {
					c, err := tx.Channels().Channel(t.Context(), ada, domain.Ref{ID: int64(id)})
					if err != nil {
						return err
					}
					return tx.Channels().DeleteChannel(t.Context(), c, storetest.Later)
				})
				settle(id)
			}
			return limit
		}
		few, many := written(30), written(600)
		for what, n := range many {
			if n > few[what]+20 || n > 200 { // ten connections are in two places, with their counts
				t.Errorf("%s writes %d rows for 600 connections, and %d for 30", what, n, few[what])
			}
		}
	})
}

// A transaction that deletes many channels updates no more connections directly than one that
// deletes a single channel.
func TestTransitionsOfManyChannels(t *testing.T) {
	t.Parallel()
	storetest.EachDB(t, func(t *testing.T, s *store.Store, db *database.DB) {
		s.LimitTransitions(store.TransitionLimits{AtOnce: 10, Batch: 10})
		ada := storetest.User(t, s, "Ada")
		var all []domain.ChannelID
		for i := range 5 {
			id := storetest.Channel(t, s, ada, fmt.Sprint("Channel ", i), domain.Closed)
			storetest.Fill(t, s, db, ada, id, 4)
			all = append(all, id)
		}
		storetest.In(t, s, func(tx *store.Tx) error {
			for _, id := range all {
				c, err := tx.Channels().Channel(t.Context(), ada, domain.Ref{ID: int64(id)})
				if err != nil {
					return err
				}
				if err := tx.Channels().DeleteChannel(t.Context(), c, storetest.Later); err != nil {
					return err
				}
			}
			return nil
		})
		pending, err := s.Transitions().Pending(t.Context(), 0, 10)
		if err != nil || !slices.Equal(pending, all[2:]) {
			t.Errorf("pending are %v (%v), want %v", pending, err, all[2:])
		}
		var others int64 // jobs that take another's turn
		err = db.Reader().QueryRow(t.Context(), `SELECT count(*) FROM river_job WHERE kind = 'apply_transition' AND queue <> $1`,
			fmt.Sprint("bulk_", ada)).Scan(&others)
		if err != nil || others != 0 {
			t.Errorf("%d jobs are not Ada's (%v)", others, err)
		}
		storetest.Check(t, s)
		storetest.Apply(t, s)
		storetest.Check(t, s)
	})
}

// An interrupted batch has no effect, and the one after it takes effect once.
func TestTransitionsAreBrokenOff(t *testing.T) {
	t.Parallel()
	storetest.EachDB(t, func(t *testing.T, s *store.Store, db *database.DB) {
		s.LimitTransitions(store.TransitionLimits{AtOnce: 5, Batch: 4})
		ada := storetest.User(t, s, "Ada")
		group := storetest.Group(t, s, "Group", ada)
		for name, change := range largeChanges(group) {
			id := storetest.Channel(t, s, ada, "Large, "+name, domain.Closed)
			storetest.Fill(t, s, db, ada, id, 21)
			storetest.Update(t, s, ada, id, change)
			crash := errors.New("crash")
			for more := true; more; {
				err := s.InTx(t.Context(), func(tx *store.Tx) error {
					_, err := tx.Transitions().ApplySome(t.Context(), id)
					return errors.Join(err, crash)
				})
				if !errors.Is(err, crash) {
					t.Fatal(err)
				}
				storetest.Check(t, s)
				more = storetest.ApplySome(t, s)
				storetest.Check(t, s)
			}
		}
		storetest.In(t, s, func(tx *store.Tx) error { // again, after everything is done
			more, err := tx.Transitions().ApplySome(t.Context(), 1)
			if more {
				t.Error("more is left")
			}
			return err
		})
	})
}

// Everybody finds and sees the right items while all transitions are pending, and while jobs apply
// some of them.
func TestFixtureWhilePending(t *testing.T) {
	t.Parallel()
	for seed := range uint64(3) {
		storetest.EachDB(t, func(t *testing.T, s *store.Store, db *database.DB) {
			s.LimitTransitions(store.TransitionLimits{AtOnce: -1, Batch: 2})
			w := newFixture(t, s, 500+seed)
			for i := range 200 {
				w.step()
				switch {
				case i < 20:
				case i%9 == 0:
					w.hand()
				case i%50 == 0:
					w.disband()
				case seed > 0 && i%3 == 0: // with the first seed, no job ever runs
					storetest.ApplySome(t, s)
				}
			}
			for _, limits := range fixtureLimits {
				w.s, w.limits = s.WithSearchLimits(limits), limits
				for range heavy.Count(5, 25) {
					q, as := w.contentsQuestion()
					w.expectContents(db, q, as)
					w.expectFound(anyOf(w.rng, append(w.users, 0)), w.question())
				}
			}
			w.s, w.limits = s, store.SearchLimits{}
			w.expectRevisions()
			before := w.answers(s)
			storetest.Check(t, s)
			storetest.Apply(t, s)
			w.expectRevisions()
			for i, answer := range w.answers(s) {
				if answer != before[i] {
					t.Errorf("%s, was\n%s", answer, before[i])
				}
			}
		})
	}
}

// expectRevisions compares the revisions of all blocks with the blocks that each viewer sees.
func (w *fixture) expectRevisions() {
	w.t.Helper()
	ctx := w.t.Context()
	for _, viewer := range append(slices.Clone(w.users), 0) {
		for id := range w.blocks {
			b, err := w.s.Block(ctx, viewer, id)
			revision, revisionErr := w.s.Blocks().BlockRevision(ctx, viewer, id)
			if sees := w.seesBlock(viewer, id); sees != (err == nil) || sees != (revisionErr == nil) || sees && revision != b.Revision() {
				w.t.Errorf("%d sees %d: %v; %v, %v; revision %+v, want %+v", viewer, id, sees, err, revisionErr, revision, b.Revision())
			}
		}
	}
}

// Batches are applied while channels change their visibility, their owner and their contents, and
// are deleted. Nothing is counted twice, and everything once.
func TestStressTransitions(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		s.LimitTransitions(store.TransitionLimits{AtOnce: 0, Batch: 1})
		w := newOwners(t, s)
		atOnce(t, 11, 100, func(ctx context.Context, r *rand.Rand) error {
			if r.IntN(4) > 0 {
				return w.step(ctx, r)
			}
			return s.InTx(ctx, func(tx *store.Tx) error {
				_, err := tx.Transitions().ApplySome(ctx, w.channel(r))
				return err
			})
		})
		storetest.Check(t, s)
		storetest.Apply(t, s)
	})
}
