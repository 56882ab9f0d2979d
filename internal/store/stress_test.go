package store_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
)

// stress is a few users, blocks and channels that many goroutines change at once, so that they
// conflict.
type stress struct {
	s        *store.Store
	users    []domain.UserID
	group    domain.GroupID
	blocks   []domain.BlockID
	mu       sync.Mutex
	channels []domain.ChannelID
}

func newStress(t *testing.T, s *store.Store) *stress {
	w := &stress{s: s}
	for _, name := range []string{"Ada", "Bob", "Cem", "Dee"} {
		w.users = append(w.users, storetest.User(t, s, name))
	}
	w.group = storetest.Group(t, s, "Group", w.users[0], w.users[1:]...)
	for i := range 12 {
		w.blocks = append(w.blocks, storetest.Block(t, s, w.users[i%4], "x"))
	}
	for i := range 8 {
		v := []domain.Visibility{domain.Public, domain.Private}[i%2]
		w.channels = append(w.channels, storetest.OwnedChannel(t, s, w.owner(i), w.users[i%4], fmt.Sprint("Channel ", i), v))
	}
	return w
}

func (w *stress) owner(i int) domain.PrincipalRef {
	if i%3 == 0 {
		return domain.GroupRef(w.group)
	}
	return domain.UserRef(w.users[i%4])
}

func (w *stress) channel(r *rand.Rand) domain.ChannelID {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.channels[r.IntN(len(w.channels))]
}

// locked locks channels and then reads them, like the service. It returns NotFound for one that is
// deleted or hidden.
func (w *stress) locked(ctx context.Context, tx *store.Tx, viewer domain.UserID, ids ...domain.ChannelID) ([]domain.Channel, error) {
	if err := tx.Channels().LockChannels(ctx, ids...); err != nil {
		return nil, err
	}
	all := make([]domain.Channel, len(ids))
	for i, id := range ids {
		var err error
		if all[i], err = tx.Channels().Channel(ctx, viewer, domain.Ref{ID: int64(id)}); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// step makes one random change in a transaction.
func (w *stress) step(ctx context.Context, r *rand.Rand) error {
	by := w.users[r.IntN(4)]
	now := storetest.Now.Add(time.Duration(r.IntN(1e6)) * time.Second)
	switch k := r.IntN(100); {
	case k < 25:
		return w.connectBlock(ctx, by, w.blocks[r.IntN(len(w.blocks))], r.Int64N(20), now, w.channel(r), w.channel(r))
	case k < 40:
		return w.connectChannel(ctx, by, w.channel(r), w.channel(r), r.Int64N(20), now)
	case k < 52:
		return w.arrange(ctx, by, w.channel(r), r.IntN(20), func(tx *store.Tx, _ domain.Channel, c domain.Connection) error {
			return tx.Connections().Disconnect(ctx, c, storetest.Now)
		})
	case k < 56:
		return w.sort(ctx, by, w.channel(r), r)
	case k < 62:
		return w.arrange(ctx, by, w.channel(r), r.IntN(20), func(tx *store.Tx, in domain.Channel, c domain.Connection) error {
			return tx.Connections().Move(ctx, &c, c.Position, r.Int64N(in.Contents())+1, in.Contents(), storetest.Now)
		})
	case k < 74:
		v := []domain.Visibility{domain.Public, domain.Closed, domain.Private}[r.IntN(3)]
		return w.update(ctx, by, w.channel(r), now, func(c *domain.Channel) { c.Visibility = v })
	case k < 80:
		owner := w.owner(r.IntN(12))
		return w.update(ctx, by, w.channel(r), now, func(c *domain.Channel) { c.Owner.PrincipalRef = owner })
	case k < 86:
		return w.updateBlock(ctx, by, w.blocks[r.IntN(len(w.blocks))], now)
	case k < 92:
		return w.collaborate(ctx, by, w.channel(r), w.owner(r.IntN(12)), r.IntN(2) == 0, now)
	case k < 96:
		return w.replace(ctx, by, w.channel(r), w.owner(r.IntN(12)), now)
	}
	return w.read(ctx, by, w.channel(r), domain.ContentSort{Key: domain.ContentKey(r.IntN(3)), Desc: r.IntN(2) == 0})
}

// Concurrent changes fail only for deleted items, and all derived values are correct afterwards.
func TestStress(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newStress(t, s)
		atOnce(t, 6, 150, w.step)
	})
}

// atOnce runs the given number of steps in each of eight goroutines. Steps fail only for deleted
// items, and at least half of them find their items.
func atOnce(t *testing.T, seed uint64, steps int, step func(ctx context.Context, r *rand.Rand) error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	var writers sync.WaitGroup
	var done atomic.Int64
	for n := range uint64(8) {
		writers.Go(func() {
			r := rand.New(rand.NewPCG(n, seed))
			for range steps {
				switch err := step(ctx, r); {
				case err == nil:
					done.Add(1)
				case domain.KindOf(err) != domain.NotFound:
					t.Error(err)
					return
				}
			}
		})
	}
	writers.Wait()
	if done.Load() < 8*int64(steps)/2 {
		t.Errorf("only %d steps found what they wanted", done.Load())
	}
}
