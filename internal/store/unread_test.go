package store_test

import (
	"testing"

	"vitrine/internal/database"
	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
)

// Only the newest notifications remain unread, even if a user reads none of them. Hidden
// notifications are marked as read first.
func TestUnreadIsBounded(t *testing.T) {
	t.Parallel()
	storetest.EachDB(t, func(t *testing.T, s *store.Store, db *database.DB) {
		ada, bob := storetest.User(t, s, "Ada"), storetest.User(t, s, "Bob")
		block := storetest.Block(t, s, bob, "x")
		news := func(n int) []domain.News {
			all := make([]domain.News, n)
			for i := range all {
				all[i] = domain.News{Activity: domain.Activity{Kind: domain.AddedBlock, Actor: ada,
					Item: storetest.BlockSubject(block), CreatedAt: storetest.Now}, Notify: []domain.UserID{bob}}
			}
			return all
		}
		unread := func() (counted int64, listed []domain.Receipt) {
			err := s.InSnapshot(t.Context(), func(v *store.Snapshot) (err error) {
				if counted, err = v.Activity().Unread(t.Context(), bob); err == nil {
					listed, err = v.Activity().Receipts(t.Context(), bob, true, domain.Window{Before: 1 << 62, Limit: 10_000})
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			return counted, listed
		}
		var last domain.ActivityID
		for _, n := range []int{domain.MaxUnread, 99, 1, 150} {
			storetest.In(t, s, func(tx *store.Tx) error { return tx.Activity().RecordAll(t.Context(), news(n)...) })
			if err := db.Reader().QueryRow(t.Context(), "SELECT max(id) FROM activities").Scan(&last); err != nil {
				t.Fatal(err)
			}
			counted, listed := unread()
			if counted < domain.MaxUnread || counted >= domain.MaxUnread+100 || int(counted) != len(listed) || listed[0].ID != last {
				t.Errorf("after %d more %d are unread, %d of them listed", n, counted, len(listed))
			}
		}
		storetest.In(t, s, func(tx *store.Tx) error {
			return tx.Activity().MarkRead(t.Context(), bob, []domain.ActivityID{last}, storetest.Now)
		})
		before, _ := unread()
		storetest.Check(t, s)
		// If an inbox has grown too large for any reason, the next notification trims it.
		storetest.Exec(t, db, `UPDATE inboxes SET read_upto = 0, unread = (SELECT count(*) FROM notifications n
			WHERE n.user_id = inboxes.user_id AND n.read_at IS NULL)`)
		storetest.In(t, s, func(tx *store.Tx) error { return tx.Activity().RecordAll(t.Context(), news(1)...) })
		if after, listed := unread(); before == 0 || after != domain.MaxUnread || len(listed) != domain.MaxUnread {
			t.Errorf("of an overfull inbox %d are unread, %d of them listed", after, len(listed))
		}
		storetest.Check(t, s)
		// The same holds for an inbox with a wrong count and no unread notifications.
		storetest.Exec(t, db, `UPDATE inboxes SET unread = 5000, read_upto = 1000000`)
		storetest.In(t, s, func(tx *store.Tx) error { return tx.Activity().RecordAll(t.Context(), news(1)...) })
		if after, listed := unread(); after != 0 || len(listed) != 0 {
			t.Errorf("of an inbox that is read %d are unread, %d of them listed", after, len(listed))
		}
		storetest.Check(t, s)
	})
}
