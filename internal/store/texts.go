package store

import (
	"context"
	"maps"
	"slices"
	"time"

	"vitrine/internal/domain"
)

// TextBound limits the texts that users store. A nil Room means no limit.
type TextBound struct {
	Now       func() time.Time
	Available func(domain.ByteUsage) (left int64, refusal error) // left is negative if the user has stored too much
}

// nearBound is the distance from the limit within which a user's row is locked until the
// transaction ends, so that no other transaction can store anything. It is more than the texts of
// all requests that a user can have in progress at once.
const nearBound = 256 << 20

// BoundTexts sets the limit for texts. It must be called before the first transaction.
func (s *Store) BoundTexts(b TextBound) { s.texts = b }

// grow records that a text of a user grows from was to is bytes. At its end the transaction is
// refused if the user's texts exceed the limit. Transactions that only shorten texts are never
// refused.
func (tx *Tx) grow(user domain.UserID, was, is int) {
	if is <= was || tx.texts.Available == nil {
		return
	}
	if tx.growing == nil {
		tx.growing = map[domain.UserID]bool{}
	}
	tx.growing[user] = true
}

// checkTexts refuses the transaction if it made the texts of a user longer and they exceed the
// limit.
func (tx *Tx) checkTexts(ctx context.Context) error {
	for _, user := range slices.Sorted(maps.Keys(tx.growing)) {
		var left int64
		now := tx.texts.Now()
		err := tx.Counters().EachUsage(ctx, user, now, func(u domain.ByteUsage) { left, _ = tx.texts.Available(u) }, func(ctx context.Context) error {
			if left > nearBound {
				return nil
			}
			u, err := tx.Counters().LockTexts(ctx, user, now)
			if err != nil {
				return err
			}
			left, refusal := tx.texts.Available(u)
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

// textBytes estimates the size of a text with Markdown, for comparison with another.
func textBytes(t *domain.Text, others ...*string) (n int) {
	if t != nil {
		n = max(len(t.Markdown), len(t.Plain))
	}
	for _, s := range others {
		if s != nil {
			n += len(*s)
		}
	}
	return n
}

func blockBytes(b domain.Block) int {
	n := textBytes(b.Description, b.Title, b.SourceURL, b.ValueURL) + textBytes(b.Content) + len(b.Metadata)
	for _, f := range domain.BlockTextFields {
		n += textBytes(nil, *f.Of(&b.BlockTexts))
	}
	return n
}

func channelBytes(c domain.Channel) int { return textBytes(c.Description, &c.Title) + len(c.Metadata) }

// channelPayer returns the user whose quota the texts of a channel count towards.
func channelPayer(owner domain.PrincipalRef, maker domain.UserID) domain.UserID {
	if owner.Type == domain.TypeUser {
		return domain.UserID(owner.ID)
	}
	return maker
}
