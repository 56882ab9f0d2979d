package store_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
)

// owners is a storm in which channels change hands between users and groups, and groups are
// deleted and created again.
type owners struct {
	*stress
	groups []domain.GroupID // guarded by storm.mu
}

func newOwners(t *testing.T, s *store.Store) *owners {
	w := &owners{stress: newStress(t, s)}
	for i := range 3 {
		w.groups = append(w.groups, storetest.Group(t, s, fmt.Sprint("Owners ", i), w.users[i], w.users...))
	}
	return w
}

func (w *owners) someGroup(r *rand.Rand) domain.GroupID {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.groups[r.IntN(len(w.groups))]
}

func (w *owners) step(ctx context.Context, r *rand.Rand) error {
	by := w.users[r.IntN(4)]
	now := storetest.Now.Add(time.Duration(r.IntN(1e6)) * time.Microsecond)
	switch k := r.IntN(100); {
	case k < 30:
		to := w.someGroup(r)
		return w.handTo(ctx, by, w.channel(r), domain.GroupRef(to), now)
	case k < 36:
		return w.handTo(ctx, by, w.channel(r), domain.UserRef(by), now)
	case k < 40:
		return w.refound(ctx, r, now)
	case k < 48:
		return w.refill(ctx, w.blocks[r.IntN(len(w.blocks))], r, now)
	case k < 58:
		return w.list(ctx, by, domain.GroupRef(w.someGroup(r)))
	case k < 62:
		return w.list(ctx, by, domain.UserRef(w.users[r.IntN(4)]))
	}
	return w.stress.step(ctx, r)
}

// handTo transfers a channel to another owner like the service, locking groups after channels.
func (w *owners) handTo(ctx context.Context, by domain.UserID, id domain.ChannelID, to domain.PrincipalRef, now time.Time) error {
	return w.s.InTx(ctx, func(tx *store.Tx) error {
		if err := tx.Channels().LockWithParents(ctx, id); err != nil {
			return err
		}
		was, err := w.locked(ctx, tx, by, id)
		if err != nil {
			return err
		}
		if err := tx.Principals().LockOwners(ctx, was[0].Owner.PrincipalRef, to); err != nil {
			return err
		}
		if to.Type == domain.TypeGroup {
			if err := tx.Groups().LockGroup(ctx, domain.GroupID(to.ID)); err != nil {
				return err
			}
		}
		c := was[0]
		c.Owner.PrincipalRef = to
		return tx.Channels().UpdateChannel(ctx, was[0], c, now)
	})
}

// refound deletes a group and creates another one.
func (w *owners) refound(ctx context.Context, r *rand.Rand, now time.Time) error {
	id := w.someGroup(r)
	var chief domain.UserID
	err := w.s.InTx(ctx, func(tx *store.Tx) error {
		if err := tx.Groups().LockGroupWithChannels(ctx, id); err != nil {
			return err
		}
		g, err := tx.Groups().Group(ctx, w.users[0], domain.Ref{ID: int64(id)})
		if err != nil {
			return err
		}
		chief = domain.UserID(g.Owner.ID)
		return tx.Groups().DeleteGroup(ctx, g, now)
	})
	if err != nil {
		return err
	}
	var made domain.GroupID
	err = w.s.InTx(ctx, func(tx *store.Tx) error {
		slug, err := tx.Slugs().SlugFor(ctx, store.GroupSlug, "Owners", now)
		if err != nil {
			return err
		}
		if made, err = tx.Groups().CreateGroup(ctx, store.NewGroup{Slug: slug, Name: "Owners", Owner: chief, Now: now}); err != nil {
			return err
		}
		for _, u := range w.users {
			if _, err := tx.Membership().AddMember(ctx, made, u, now); err != nil {
				return err
			}
		}
		return nil
	})
	w.mu.Lock()
	defer w.mu.Unlock()
	for i := range w.groups {
		if w.groups[i] == id && err == nil {
			w.groups[i] = made
		}
	}
	return err
}

// refill changes the type of a block.
func (w *owners) refill(ctx context.Context, id domain.BlockID, r *rand.Rand, now time.Time) error {
	return w.s.InTx(ctx, func(tx *store.Tx) error {
		if err := tx.Blocks().LockBlock(ctx, id); err != nil {
			return err
		}
		was, err := tx.Blocks().AnyBlock(ctx, id)
		if err != nil {
			return err
		}
		b := was
		b.Type = []domain.BlockType{domain.TextBlock, domain.LinkBlock}[r.IntN(2)]
		return tx.Blocks().FillBlock(ctx, was, b, now)
	})
}

// list pages through the items of an owner and expects the list to be complete.
func (w *owners) list(ctx context.Context, by domain.UserID, owner domain.PrincipalRef) error {
	return w.s.InSnapshot(ctx, func(v *store.Snapshot) error {
		seen := map[domain.Subject]bool{}
		q := store.OwnerContentsQuery{Viewer: by, Owner: owner, Sort: domain.SearchSort{Key: domain.SearchByUpdated, Desc: true}}
		for page := int64(1); ; page++ {
			q.Page = domain.Page{Number: page, Per: 4}
			l, err := v.OwnerContents(ctx, q)
			if err != nil {
				return err
			}
			for _, item := range l.Items {
				if seen[item] {
					return fmt.Errorf("%v comes twice", item)
				}
				seen[item] = true
			}
			if len(l.Items) == 0 {
				if int64(len(seen)) != l.Total {
					return fmt.Errorf("%d items of %d", len(seen), l.Total)
				}
				return nil
			}
		}
	})
}

// While channels change hands and groups are deleted, lists are always complete. Afterwards all
// derived values are correct.
func TestStressOwners(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newOwners(t, s)
		atOnce(t, 7, 80, w.step)
	})
}
