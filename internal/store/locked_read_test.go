package store_test

import (
	"context"
	"testing"

	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
)

// A transaction that waits for a lock reads the locked row, and the viewer's access to it, as of
// the time when it gets the lock.
func TestLockedReadsAreOfNow(t *testing.T) {
	t.Parallel()
	s, db := storetest.OpenDB(t, storetest.Migrated.Postgres(t))
	ada, bob, cyd := storetest.User(t, s, "Ada"), storetest.User(t, s, "Bob"), storetest.User(t, s, "Cyd")
	notes, drafts := storetest.Channel(t, s, ada, "Notes", domain.Closed), storetest.Channel(t, s, ada, "Drafts", domain.Private)
	handed, group := storetest.Channel(t, s, ada, "Handed over", domain.Public), storetest.Group(t, s, "Group", ada)
	block := storetest.Block(t, s, ada, "x")
	inDrafts := storetest.Connect(t, s, ada, drafts, domain.BlockRef(block), 0)
	papers := storetest.Channel(t, s, ada, "Papers", domain.Private)
	inPapers := storetest.Connect(t, s, ada, papers, domain.BlockRef(block), 0)
	for _, c := range []domain.ChannelID{notes, drafts, papers} {
		for _, who := range []domain.UserID{bob, cyd} {
			storetest.In(t, s, func(tx *store.Tx) error {
				_, err := tx.Membership().AddCollaborator(t.Context(), c, domain.UserRef(who), storetest.Now)
				return err
			})
		}
	}
	remove := func(c domain.ChannelID) func(ctx context.Context, tx *store.Tx, comes func()) error {
		return func(ctx context.Context, tx *store.Tx, comes func()) error {
			if err := tx.Channels().LockChannels(ctx, c); err != nil {
				return err
			}
			comes()
			_, err := tx.Membership().RemoveCollaborator(ctx, c, domain.UserRef(bob))
			return err
		}
	}
	hidden := func(what string, err error) error {
		if domain.KindOf(err) == domain.NotFound {
			return nil
		}
		t.Errorf("%s: %v", what, err)
		return err
	}
	for _, e := range []encounter{
		{"a collaborator adds to a channel while they are removed", remove(notes), func(ctx context.Context, tx *store.Tx) error {
			c, _, err := tx.Channels().LockToAdd(ctx, bob, domain.Ref{ID: int64(notes)})
			if err == nil && c.Role != domain.RoleNone {
				t.Errorf("the role is %d", c.Role)
			}
			return err
		}},
		{"a collaborator moves something while they are removed", remove(drafts), func(ctx context.Context, tx *store.Tx) error {
			_, err := tx.Channels().LockChannelOf(ctx, bob, inDrafts)
			return hidden("the channel", err)
		}},
		{"something is added to a channel while it gets another owner", func(ctx context.Context, tx *store.Tx, comes func()) error {
			if err := tx.Channels().LockChannels(ctx, handed); err != nil {
				return err
			}
			comes()
			was, err := tx.Channels().Channel(ctx, ada, domain.Ref{ID: int64(handed)})
			if err != nil {
				return err
			}
			is := was
			is.Owner.PrincipalRef = domain.GroupRef(group)
			return tx.Channels().UpdateChannel(ctx, was, is, storetest.Later)
		}, func(ctx context.Context, tx *store.Tx) error {
			c, _, err := tx.Channels().LockToAdd(ctx, bob, domain.Ref{ID: int64(handed)})
			if err == nil && c.Owner.Name != "Group" {
				t.Errorf("the owner is %q", c.Owner.Name)
			}
			return err
		}},
		{"a block is changed while it leaves the only channel by which it is seen", func(ctx context.Context, tx *store.Tx, comes func()) error {
			c, err := tx.Contents().Connection(ctx, inPapers)
			if err != nil {
				return err
			}
			if err := tx.Channels().LockChannels(ctx, c.ChannelID); err != nil {
				return err
			}
			if err := tx.Blocks().LockBlock(ctx, block); err != nil {
				return err
			}
			comes()
			return tx.Connections().Disconnect(ctx, c, storetest.Later)
		}, func(ctx context.Context, tx *store.Tx) error {
			_, err := tx.Blocks().LockedBlock(ctx, bob, block)
			return hidden("the block", err)
		}},
	} {
		t.Run(e.name, func(t *testing.T) { e.run(t, s, db) })
	}
	storetest.Check(t, s)
}
