package dataset

import (
	"context"
	"slices"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/bulk"
	"vitrine/internal/store/ranked"
)

// chunk is how many rows one transaction writes.
const chunk = 50_000

func maker(user domain.UserID) domain.Principal {
	return domain.Principal{PrincipalRef: domain.UserRef(user)}
}

// block is a Text or a Link block, not yet in any channel. One in ten has been
// changed since it was made.
func (f *filler) block(author domain.UserID, made time.Time) domain.Block {
	b := domain.Block{Type: domain.TextBlock, State: domain.Available, Author: maker(author), CreatedAt: made, UpdatedAt: made}
	if f.rng.IntN(10) == 0 {
		b.UpdatedAt = made.Add(time.Duration(f.rng.IntN(30*24*60)+1) * time.Minute)
	}
	if f.rng.IntN(5) < 3 {
		b.Content = f.words.text()
		return b
	}
	address := f.words.address()
	b.Type, b.ValueURL, b.SourceURL = domain.LinkBlock, &address, &address
	if f.rng.IntN(2) == 0 {
		title := numbered(f.rng.IntN(4000))
		b.Title, b.Description = &title, f.words.note()
	}
	return b
}

// store writes blocks and gives the id of the first.
func (f *filler) store(ctx context.Context, blocks []domain.Block) (first domain.BlockID, err error) {
	for part := range slices.Chunk(blocks, chunk) {
		var id domain.BlockID
		err := f.s.InTx(ctx, func(tx *store.Tx) (err error) {
			id, err = tx.LoadBlocks(ctx, part)
			return err
		})
		if err != nil {
			return 0, err
		}
		if first == 0 {
			first = id
		}
	}
	f.made.Blocks += len(blocks)
	return first, nil
}

// connect writes connections and finishes their channels.
func (f *filler) connect(ctx context.Context, loaded []bulk.LoadedConnection, rooms []room) error {
	for part := range slices.Chunk(loaded, chunk) {
		if err := f.s.InTx(ctx, func(tx *store.Tx) error { return tx.LoadConnections(ctx, part) }); err != nil {
			return err
		}
	}
	f.made.Connections += len(loaded)
	return f.s.InTx(ctx, func(tx *store.Tx) error {
		for _, r := range rooms {
			if err := tx.FinishLoad(ctx, r.id); err != nil {
				return err
			}
		}
		return nil
	})
}

// extremes fills the large and the small channel with notes, a block each, in the
// same way, so that a page of one weighs what a page of the other does.
func (f *filler) extremes(ctx context.Context) error {
	for i, n := range []int{f.size.Large, f.size.Small} {
		for from := 0; from < n; from += chunk {
			if err := f.fillNotes(ctx, &f.rooms[i], from, min(from+chunk, n), n); err != nil {
				return err
			}
		}
		err := f.s.InTx(ctx, func(tx *store.Tx) error { return tx.FinishLoad(ctx, f.rooms[i].id) })
		if err != nil {
			return err
		}
	}
	return nil
}

// fillNotes adds the items from..to of n to a channel.
func (f *filler) fillNotes(ctx context.Context, r *room, from, to, n int) error {
	blocks := make([]domain.Block, to-from)
	for i := range blocks {
		when := at(float64(from+i) / float64(n))
		blocks[i] = domain.Block{Type: domain.TextBlock, State: domain.Available, Author: maker(f.users[0]),
			Content: f.words.note(), OpenCount: 1, CreatedAt: when, UpdatedAt: when}
	}
	first, err := f.store(ctx, blocks)
	if err != nil {
		return err
	}
	loaded := make([]bulk.LoadedConnection, len(blocks))
	for i, b := range blocks {
		loaded[i] = bulk.LoadedConnection{ItemUpdatedAt: b.UpdatedAt, Connection: domain.Connection{
			ChannelID: r.id, Item: domain.BlockRef(first + domain.BlockID(i)), Maker: b.Author,
			PositionKey: ranked.InitialKey(int64(from + i)), CreatedAt: b.CreatedAt}}
	}
	r.items = to
	return f.connect(ctx, loaded, nil)
}

// Index has the words of all documents written, which a new data set lacks and a job would
// write, and tells how many they were.
func Index(ctx context.Context, s *store.Store) (total int, err error) {
	for {
		var n int
		err := s.InTx(ctx, func(tx *store.Tx) (err error) {
			n, err = tx.IndexPending(ctx, 2000)
			return err
		})
		if err != nil {
			return total, err
		}
		if total += n; n == 0 {
			break
		}
	}
	if total == 0 {
		return 0, nil
	}
	return total, s.Analyze(ctx)
}

// document makes the documents of all blocks, in the order in which they came.
func (f *filler) document(ctx context.Context) error {
	return f.s.InTx(ctx, func(tx *store.Tx) error { return tx.AddDocuments(ctx) })
}
