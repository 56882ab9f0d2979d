package dataset

import (
	"context"

	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/bulk"
	"vitrine/internal/store/ranked"
)

// doomed is the number of channels of each kind that are deleted while measuring.
const doomed = 12

// open creates the channels: those for activities, and those that will be deleted.
func (c *audience) open(ctx context.Context) error {
	n := c.size.of(10_000, 100)
	return c.s.InTx(ctx, func(tx *store.Tx) (err error) {
		if c.channels, err = tx.Bulk().LoadChannels(ctx, 0, n, c.users.Part(0, n), at(0)); err != nil {
			return err
		}
		if c.crowded, err = tx.Bulk().LoadChannels(ctx, n, n+doomed, c.one(Star), at(0)); err != nil {
			return err
		}
		c.quiet, err = tx.Bulk().LoadChannels(ctx, n+doomed, n+2*doomed, c.one(Star), at(0))
		return err
	})
}

// fillChannels puts two blocks into each channel. All activities are about these.
func (c *audience) fillChannels(ctx context.Context) error {
	f := &filler{rng: c.rng, words: newWords(c.rng, 500)}
	n := int(c.channels.N)
	blocks := make([]domain.Block, 2*n)
	for i := range blocks {
		b := f.block(domain.UserID(c.users.First+int64(i%n)), at(0.4))
		b.open = 1
		blocks[i] = b.entity(0)
	}
	return c.s.InTx(ctx, func(tx *store.Tx) error {
		first, err := tx.Bulk().LoadBlocks(ctx, blocks)
		if err != nil {
			return err
		}
		if err := tx.Documents().AddDocuments(ctx); err != nil {
			return err
		}
		c.blocks = bulk.Span{First: int64(first), N: int64(len(blocks))}
		loaded := make([]bulk.LoadedConnection, len(blocks))
		for i, b := range blocks {
			loaded[i] = bulk.LoadedConnection{ItemUpdatedAt: b.UpdatedAt, Connection: domain.Connection{
				ChannelID: domain.ChannelID(c.channels.First + int64(i%n)), Item: domain.BlockRef(first + domain.BlockID(i)), Maker: b.Author,
				PositionKey: ranked.InitialKey(int64(i / n)), CreatedAt: at(0.4 + 0.1*float64(i/n))}}
		}
		if err := tx.Bulk().LoadConnections(ctx, loaded); err != nil {
			return err
		}
		for i := range c.channels.N {
			if err := tx.Bulk().FinishLoad(ctx, domain.ChannelID(c.channels.First+i)); err != nil {
				return err
			}
		}
		return nil
	})
}

// actors returns the active users. All other users, except the silent ones, have no activities.
func (c *audience) actors() bulk.Span { return c.users.Part(0, c.users.N/5) }

// busy returns the first active users, who have many followers. modest returns users with few
// followers and about a hundred activities each. productive returns a user with thousands of
// activities.
func (c *audience) busy() bulk.Span       { return c.users.Part(0, c.size.of(20, 2)) }
func (c *audience) productive() bulk.Span { return c.users.Part(c.size.of(25, 3), 1) }
func (c *audience) modest() bulk.Span     { return c.users.Part(c.size.of(1_000, 10), c.size.of(80, 4)) }

// act creates the activities: one by each of the silent, then all others, added in sessions of 25. Half of the channels
// have none.
func (c *audience) act(ctx context.Context) error {
	n := c.size.of(10_000_000, 10_000)
	c.silent = c.users.Part(c.users.N/2, c.size.of(9_900, 50))
	old := bulk.ActivityLoad{Length: 1, Actors: c.silent, Channels: c.channels.Part(0, c.channels.N/2), Blocks: c.blocks,
		Even: true, Start: at(0.45), Step: c.step(n)}
	busy := old
	busy.Length, busy.Actors, busy.Even, busy.Start = 25, c.actors(), false, at(0.5)
	var err error
	c.activity, err = c.inParts(ctx, c.silent.N, func(tx *store.Tx, from, to int64) (bulk.Span, error) {
		return tx.Bulk().LoadActivities(ctx, from, to, old)
	})
	if err != nil {
		return err
	}
	_, err = c.inParts(ctx, n-c.silent.N, func(tx *store.Tx, from, to int64) (bulk.Span, error) {
		return tx.Bulk().LoadActivities(ctx, from, to, busy)
	})
	c.activity.N = n
	return err
}

// following describes follows between two sets.
type following struct {
	followers bulk.Span
	what      domain.SubjectType
	followed  bulk.Span
}

// follow creates the follows, those of readers last.
func (c *audience) follow(ctx context.Context) error {
	all := append(c.audiences(), c.readings()...)
	for _, f := range all {
		err := c.s.InTx(ctx, func(tx *store.Tx) error { return tx.Bulk().LoadFollows(ctx, f.followers, f.what, f.followed, at(0.1)) })
		if err != nil {
			return err
		}
	}
	return nil
}

// audiences returns the followers of those who have many, and one follow of an active user for every twentieth user.
func (c *audience) audiences() []following {
	user := domain.SubjectUser
	all := []following{
		{c.users, user, c.one(Star)},
		{c.users.Part(0, 10), user, c.one(Twin)},
		{c.users.Part(c.users.N/4, c.size.of(50_000, 50)), user, c.actors().Part(c.busy().N+10, c.actors().N-c.busy().N-10)},
	}
	for _, n := range Followed {
		all = append(all, following{c.users.Part(0, min(n, c.users.N)), user, c.one(FollowedBy(n))})
	}
	for i := range c.busy().N {
		all = append(all, following{c.users.Part(c.users.N/3, c.size.of(20_000, 600)/10), user, c.busy().Part(i, 1)})
	}
	for i := range int64(doomed) {
		all = append(all, following{c.users.Part(i, c.size.of(10_000, 100)), domain.SubjectChannel, c.crowded.Part(i, 1)},
			following{c.users.Part(i, 10), domain.SubjectChannel, c.quiet.Part(i, 1)})
	}
	return all
}

// readings returns the follows of the readers.
func (c *audience) readings() []following {
	user, channel := domain.SubjectUser, domain.SubjectChannel
	half, quarter := c.channels.N/2, c.channels.N/4
	reader, small, silent := c.one(Reader), c.one(SmallReader), c.one(Silent)
	all := []following{
		{reader, user, c.silent}, {reader, user, c.modest()}, {reader, user, c.busy()},
		{reader, channel, c.channels.Part(half, c.size.of(990, 9))}, {reader, channel, c.channels.Part(quarter, c.size.of(10, 1))},
		{small, user, c.silent.Part(0, 8)}, {small, user, c.modest().Part(0, 1)}, {small, user, c.busy().Part(0, 1)},
		{silent, user, c.users.Part(c.users.N*3/4, c.size.of(10_000, 100))},
		{silent, channel, c.channels.Part(half, c.size.of(1_000, 10))},
	}
	for _, n := range Following {
		r := c.one(ReaderOf(n))
		all = append(all, following{r, user, c.silent.Part(0, min(n-2, c.silent.N))},
			following{r, user, c.modest().Part(0, 1)}, following{r, user, c.busy().Part(0, 1)})
	}
	return all
}

// notify fills the inboxes from the whole time span.
func (c *audience) notify(ctx context.Context) error {
	return c.s.InTx(ctx, func(tx *store.Tx) error {
		if err := tx.Bulk().LoadNotifications(ctx, c.people[Inbox], c.activity, 10); err != nil {
			return err
		}
		return tx.Bulk().LoadNotifications(ctx, c.people[SmallInbox], c.activity, c.activity.N/100)
	})
}

func (c *audience) finish(ctx context.Context) error {
	return c.s.InTx(ctx, func(tx *store.Tx) error { return tx.Activity().FinishFollows(ctx) })
}
