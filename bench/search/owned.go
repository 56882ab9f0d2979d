package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/bulk"
	"vitrine/internal/store/ranked"
)

// estate contains the owners to measure: users and groups with very many things and with few.
type estate struct{ largeUser, smallUser, largeGroup, smallGroup domain.PrincipalRef }

// owned compares the contents of a user and of a group with those of others with 1,000 things. Channel 1 of the data is
// the large one, channel 2 the small one, and user 1 created the contents of both.
func (cmd command) owned(ctx context.Context, s *store.Store) error {
	now := time.Now()
	e := estate{largeUser: domain.UserRef(1)}
	var err error
	if e.smallUser, err = smallUser(ctx, s, now); err != nil {
		return err
	}
	for channel, group := range map[domain.ChannelID]*domain.PrincipalRef{1: &e.largeGroup, 2: &e.smallGroup} {
		if *group, err = handOver(ctx, s, channel, now); err != nil {
			return err
		}
	}
	if err := s.Analyze(ctx); err != nil {
		return err
	}
	fmt.Printf("%-52s %9s %9s %7s\n", "case", "ms", "small ms", "ratio")
	for _, viewer := range []domain.UserID{0, 1} { // a guest, and the creator, who is in both groups
		for _, pair := range [][2]domain.PrincipalRef{{e.largeUser, e.smallUser}, {e.largeGroup, e.smallGroup}} {
			for _, at := range []string{"1", "1000", "middle", "last"} {
				if err := cmd.contents(ctx, s, viewer, pair, at); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// smallUser creates a user with 1,000 blocks in an open channel.
func smallUser(ctx context.Context, s *store.Store, now time.Time) (owner domain.PrincipalRef, err error) {
	number := now.Unix() % 1_000_000_000 // for unused names
	err = s.InTx(ctx, func(tx *store.Tx) error {
		made, err := tx.Bulk().LoadUsers(ctx, number, number+1, now)
		if err != nil {
			return err
		}
		owner = domain.UserRef(domain.UserID(made.First))
		channels, err := tx.Bulk().LoadChannels(ctx, number, number+1, made, now)
		if err != nil {
			return err
		}
		blocks := make([]domain.Block, 1000)
		for i := range blocks {
			at := now.Add(time.Duration(i) * time.Second)
			blocks[i] = domain.Block{Type: domain.TextBlock, State: domain.Available, Author: domain.Principal{PrincipalRef: owner},
				Content: &domain.Text{Markdown: "x", HTML: "<p>x</p>", Plain: "x"}, OpenCount: 1, CreatedAt: at, UpdatedAt: at}
		}
		first, err := tx.Bulk().LoadBlocks(ctx, blocks)
		if err != nil {
			return err
		}
		loaded := make([]bulk.LoadedConnection, len(blocks))
		for i, b := range blocks {
			loaded[i] = bulk.LoadedConnection{ItemUpdatedAt: b.UpdatedAt, Connection: domain.Connection{
				ChannelID: domain.ChannelID(channels.First), Item: domain.BlockRef(first + domain.BlockID(i)), Maker: b.Author,
				PositionKey: ranked.InitialKey(int64(i)), CreatedAt: b.CreatedAt}}
		}
		if err := tx.Bulk().LoadConnections(ctx, loaded); err != nil {
			return err
		}
		return tx.Bulk().FinishLoad(ctx, domain.ChannelID(channels.First))
	})
	return owner, err
}

// handOver creates a group of user 1 and transfers a channel to it.
func handOver(ctx context.Context, s *store.Store, id domain.ChannelID, now time.Time) (owner domain.PrincipalRef, err error) {
	began := time.Now()
	err = s.InTx(ctx, func(tx *store.Tx) error {
		slug, err := tx.Slugs().SlugFor(ctx, store.GroupSlug, "Bench", now)
		if err != nil {
			return err
		}
		group, err := tx.Groups().CreateGroup(ctx, store.NewGroup{Slug: slug, Name: "Bench", Owner: 1, Now: now})
		if err != nil {
			return err
		}
		owner = domain.GroupRef(group)
		was, err := tx.Channels().Channel(ctx, 1, domain.Ref{ID: int64(id)})
		if err != nil {
			return err
		}
		c := was
		c.Owner.PrincipalRef = owner
		return tx.Channels().UpdateChannel(ctx, was, c, now)
	})
	for more := err == nil; more; { // the work of a job, without which lists cost more
		err = s.InTx(ctx, func(tx *store.Tx) (err error) {
			more, err = tx.Transitions().ApplySome(ctx, id)
			return err
		})
		more = more && err == nil
	}
	fmt.Printf("channel %d to a group in %s\n", id, time.Since(began).Round(time.Millisecond))
	return owner, err
}

// contents measures pages of both lists in turn: the same page, or the middle of a list that is shorter.
func (cmd command) contents(ctx context.Context, s *store.Store, viewer domain.UserID, pair [2]domain.PrincipalRef, at string) error {
	var took [2][]time.Duration
	for range cmd.Rounds {
		for i, owner := range pair {
			q := store.OwnerContentsQuery{Viewer: viewer, Owner: owner, Sort: domain.SearchSort{Key: domain.SearchByCreated, Desc: true}}
			d, err := timedPage(ctx, s, q, at)
			if err != nil {
				return err
			}
			took[i] = append(took[i], d)
		}
	}
	slices.Sort(took[0])
	slices.Sort(took[1])
	a, b := took[0][cmd.Rounds/2], took[1][cmd.Rounds/2]
	fmt.Printf("%-52s %9.2f %9.2f %7.2f\n", fmt.Sprintf("%s, page %s, viewer %d", pair[0].Type, at, viewer), ms(a), ms(b), float64(a)/float64(b))
	return nil
}

// timedPage measures one page, which must not be empty.
func timedPage(ctx context.Context, s *store.Store, q store.OwnerContentsQuery, at string) (took time.Duration, err error) {
	const per = 24
	err = s.InSnapshot(ctx, func(v *store.Snapshot) error {
		q.Page = domain.Page{Number: 1, Per: per}
		l, err := v.OwnerContents(ctx, q)
		if err != nil {
			return err
		}
		last := (l.Total + per - 1) / per
		q.Page.Number = map[string]int64{"1": 1, "1000": 1000, "middle": last/2 + 1, "last": last}[at]
		if q.Page.Number > last {
			q.Page.Number = last/2 + 1
		}
		took, err = timed(func() error {
			l, err = v.OwnerContents(ctx, q)
			return err
		})
		if err == nil && len(l.Items) == 0 {
			err = errors.New("the page is empty")
		}
		return err
	})
	return took, err
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func timed(do func() error) (time.Duration, error) {
	began := time.Now()
	err := do()
	return time.Since(began), err
}
