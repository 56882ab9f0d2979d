package store

import (
	"context"
	"maps"
	"slices"
	"time"

	"vitrine/internal/domain"
)

// TextBound limits the texts that users store. Without a Room nothing is refused.
type TextBound struct {
	Now  func() time.Time
	Room func(domain.ByteUsage) (left int64, refusal error) // left is negative if the user has stored too much
}

// nearBound is how close to the bound a user's row is locked, so that no other transaction can store
// anything until this one has ended. It is more than the texts of all requests that a user can have
// running at once.
const nearBound = 256 << 20

// BoundTexts limits the texts that transactions write. It must be called before the first one.
func (s *Store) BoundTexts(b TextBound) { s.texts = b }

// grow notes that the texts of a user grow if a text of was bytes has is bytes now. The transaction is
// refused at its end if they are beyond the bound; one that shortens a text never is.
func (tx *Tx) grow(user domain.UserID, was, is int) {
	if is <= was || tx.texts.Room == nil {
		return
	}
	if tx.growing == nil {
		tx.growing = map[domain.UserID]bool{}
	}
	tx.growing[user] = true
}

// checkTexts refuses the transaction if a user whose texts it has made longer is beyond the bound.
func (tx *Tx) checkTexts(ctx context.Context) error {
	for _, user := range slices.Sorted(maps.Keys(tx.growing)) {
		var left int64
		now := tx.texts.Now()
		err := tx.EachUsage(ctx, user, now, func(u domain.ByteUsage) { left, _ = tx.texts.Room(u) }, func(ctx context.Context) error {
			if left > nearBound {
				return nil
			}
			u, err := tx.LockTexts(ctx, user, now)
			if err != nil {
				return err
			}
			left, refusal := tx.texts.Room(u)
			if left < 0 {
				return refusal
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// textBytes estimates the length of a text with Markdown, to compare it with another.
func textBytes(t *domain.Text, others ...*string) (n int) {
	if t != nil {
		n = len(t.Markdown)
	}
	for _, s := range others {
		if s != nil {
			n += len(*s)
		}
	}
	return n
}

func blockBytes(b domain.Block) int {
	return textBytes(b.Description, b.Title, b.SourceURL, b.SourceTitle, b.ValueURL, b.AltText) + textBytes(b.Content) + len(b.Metadata)
}

func channelBytes(c domain.Channel) int { return textBytes(c.Description, &c.Title) + len(c.Metadata) }

// channelPayer returns the user against whose quota the texts of a channel count.
func channelPayer(owner domain.PrincipalRef, maker domain.UserID) domain.UserID {
	if owner.Type == domain.TypeUser {
		return domain.UserID(owner.ID)
	}
	return maker
}
