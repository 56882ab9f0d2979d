package storetest

import (
	"testing"

	"vitrine/internal/domain"
	"vitrine/internal/store"
)

// Follow makes a user follow a user, channel or group.
func Follow(t testing.TB, s *store.Store, follower domain.UserID, what domain.Subject) {
	t.Helper()
	In(t, s, func(tx *store.Tx) error {
		_, err := tx.Activity().Follow(t.Context(), follower, what, Now)
		return err
	})
}

// Unfollow ends a following.
func Unfollow(t testing.TB, s *store.Store, follower domain.UserID, what domain.Subject) {
	t.Helper()
	In(t, s, func(tx *store.Tx) error {
		_, err := tx.Activity().Unfollow(t.Context(), follower, what)
		return err
	})
}

func Record(t testing.TB, s *store.Store, a domain.Activity, notify ...domain.UserID) (id domain.ActivityID) {
	t.Helper()
	a.CreatedAt = Now
	In(t, s, func(tx *store.Tx) (err error) {
		id, err = tx.Activity().Record(t.Context(), a, notify...)
		return err
	})
	return id
}

// UserSubject returns a user as a subject.
func UserSubject(id domain.UserID) domain.Subject {
	return domain.Subject{Type: domain.SubjectUser, ID: int64(id)}
}

// ChannelSubject returns a channel as a subject.
func ChannelSubject(id domain.ChannelID) domain.Subject {
	return domain.Subject{Type: domain.SubjectChannel, ID: int64(id)}
}

// GroupSubject returns a group as a subject.
func GroupSubject(id domain.GroupID) domain.Subject {
	return domain.Subject{Type: domain.SubjectGroup, ID: int64(id)}
}

// BlockSubject returns a block as a subject.
func BlockSubject(id domain.BlockID) domain.Subject {
	return domain.Subject{Type: domain.SubjectBlock, ID: int64(id)}
}

// Comment creates a comment on a block without notifying anybody.
func Comment(t testing.TB, s *store.Store, author domain.UserID, block domain.BlockID, body string) (id domain.CommentID) {
	t.Helper()
	In(t, s, func(tx *store.Tx) (err error) {
		if err := tx.Blocks().LockBlock(t.Context(), block); err != nil {
			return err
		}
		id, err = tx.Comments().CreateComment(t.Context(), block, author,
			domain.Text{Markdown: body, HTML: "<p>" + body + "</p>", Plain: body}, Now)
		return err
	})
	return id
}
