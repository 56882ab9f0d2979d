package store_test

import (
	"context"
	"testing"

	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
)

// A block is deleted while both inboxes are used in their order. The later inbox was notified of
// the block by a comment, the earlier one by a connection.
func TestNoDeadlockOfInboxes(t *testing.T) {
	t.Parallel()
	s, db := storetest.OpenDB(t, storetest.Migrated.Postgres(t))
	early, late, ada := storetest.User(t, s, "Early"), storetest.User(t, s, "Late"), storetest.User(t, s, "Ada")
	block := storetest.Block(t, s, ada, "x")
	comment := domain.Subject{Type: domain.SubjectComment, ID: int64(storetest.Comment(t, s, ada, block, "hi"))}
	added := storetest.Record(t, s, domain.Activity{Kind: domain.AddedBlock, Actor: ada, Item: storetest.BlockSubject(block),
		CreatedAt: storetest.Now}, early)
	commented := storetest.Record(t, s, domain.Activity{Kind: domain.Commented, Actor: ada, Item: comment,
		Target: storetest.BlockSubject(block), CreatedAt: storetest.Now}, late)
	e := encounter{"",
		func(ctx context.Context, tx *store.Tx, comes func()) error {
			if err := tx.Activity().MarkRead(ctx, early, []domain.ActivityID{added}, storetest.Now); err != nil {
				return err
			}
			comes()
			return tx.Activity().MarkRead(ctx, late, []domain.ActivityID{commented}, storetest.Now)
		},
		func(ctx context.Context, tx *store.Tx) error {
			if err := tx.Blocks().LockBlock(ctx, block); err != nil {
				return err
			}
			return tx.Blocks().DeleteBlock(ctx, block, storetest.Now)
		}}
	e.run(t, s, db)
	storetest.Check(t, s)
}
