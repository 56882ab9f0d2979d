package storetest

import (
	"testing"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/store"
)

// Update changes a channel that `by` can see, at the time Later.
func Update(t testing.TB, s *store.Store, by domain.UserID, id domain.ChannelID, change func(c *domain.Channel)) {
	t.Helper()
	In(t, s, func(tx *store.Tx) error {
		if err := tx.Channels().LockWithParents(t.Context(), id); err != nil {
			return err
		}
		was, err := tx.Channels().Channel(t.Context(), by, domain.Ref{ID: int64(id)})
		if err != nil {
			return err
		}
		c := was
		change(&c)
		return tx.Channels().UpdateChannel(t.Context(), was, c, Later)
	})
}

// Apply runs the jobs that apply changes of large channels to their contents.
func Apply(t testing.TB, s *store.Store) {
	t.Helper()
	for ApplySome(t, s) {
	}
}

// ApplySome is Apply for one batch of each waiting channel. It reports whether there was one.
func ApplySome(t testing.TB, s *store.Store) bool {
	t.Helper()
	ids, err := s.Transitions().Pending(t.Context(), 0, 1000)
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range ids {
		In(t, s, func(tx *store.Tx) error {
			_, err := tx.Transitions().ApplySome(t.Context(), id)
			return err
		})
	}
	return len(ids) > 0
}

// Later is the time of changes.
var Later = Now.Add(time.Hour)

// SetVisibility changes the visibility of a channel.
func SetVisibility(t testing.TB, s *store.Store, by domain.UserID, id domain.ChannelID, v domain.Visibility) {
	t.Helper()
	Update(t, s, by, id, func(c *domain.Channel) { c.Visibility = v })
}

// Delete deletes a channel that `by` can see.
func Delete(t testing.TB, s *store.Store, by domain.UserID, id domain.ChannelID) {
	t.Helper()
	In(t, s, func(tx *store.Tx) error {
		if err := tx.Channels().LockWithParents(t.Context(), id); err != nil {
			return err
		}
		c, err := tx.Channels().Channel(t.Context(), by, domain.Ref{ID: int64(id)})
		if err != nil {
			return err
		}
		return tx.Channels().DeleteChannel(t.Context(), c, Later)
	})
}

func Disconnect(t testing.TB, s *store.Store, id domain.ConnectionID) {
	t.Helper()
	In(t, s, func(tx *store.Tx) error {
		c, err := tx.Contents().Connection(t.Context(), id)
		if err != nil {
			return err
		}
		if err := tx.Channels().LockChannels(t.Context(), c.ChannelID); err != nil {
			return err
		}
		if c, err = tx.Contents().Connection(t.Context(), id); err != nil {
			return err
		}
		return tx.Connections().Disconnect(t.Context(), c, Later)
	})
}

// Collaborate lets users and groups add to a channel.
func Collaborate(t testing.TB, s *store.Store, id domain.ChannelID, who ...domain.PrincipalRef) {
	t.Helper()
	In(t, s, func(tx *store.Tx) error {
		if err := tx.Channels().LockChannels(t.Context(), id); err != nil {
			return err
		}
		for _, w := range who {
			if _, err := tx.Membership().AddCollaborator(t.Context(), id, w, Now); err != nil {
				return err
			}
		}
		return nil
	})
}
