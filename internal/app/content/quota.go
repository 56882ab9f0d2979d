package content

import (
	"context"
	"errors"
	"math"
	"sync"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/store"
)

// Quotas are the quotas by tier. A missing tier is unlimited.
type Quotas map[domain.Tier]domain.Quota

// MaxOpenUploads is the maximum number of unused uploads per user. Direct uploads to S3 are measured only later and may
// have any size until then.
const MaxOpenUploads = 500

// holdLease is the time for which bytes stay reserved after their server died. A live server extends the lease three
// times as often.
const holdLease = time.Minute

// errOverQuota is the cause of refusals because a user has stored too much.
var errOverQuota = errors.New("over quota")

// ByteUsage returns the bytes that the actor has stored and the actor's quota.
func (a *Content) ByteUsage(ctx context.Context, actor domain.Actor) (u domain.ByteUsage, q domain.Quota, err error) {
	u, err = a.Store.Counters().ByteUsage(ctx, actor.UserID, a.Now())
	return u, a.quotas[u.Tier], err
}

// ByteUsages returns the bytes that several users have stored, for the operator.
func (a *Content) ByteUsages(ctx context.Context, users []domain.UserID) (map[domain.UserID]domain.ByteUsage, error) {
	return a.Store.Counters().ByteUsages(ctx, users, a.Now())
}

// Quota returns the quota of a tier.
func (a *Content) Quota(tier domain.Tier) domain.Quota { return a.quotas[tier] }

// UploadLimit returns the maximum number of bytes per file.
func (a *Content) UploadLimit() int64 { return a.uploadLimit }

// available returns how many more bytes a user may store, as an upload or in total, and the error for
// exceeding that. left is negative if there is no limit.
func (a *Content) available(u domain.ByteUsage, upload bool) (left int64, refusal error) {
	q := a.quotas[u.Tier]
	left = -1
	if q.Total > 0 {
		left = max(q.Total-u.Total, 0)
		refusal = overTotal(q.Total, left)
	}
	if upload && q.Unused > 0 && (left < 0 || q.Unused-u.Unused < left) {
		left = max(q.Unused-u.Unused, 0)
		refusal = overQuota("Uploads that are in no block may have "+domain.FormatBytes(q.Unused)+" in all", left,
			"Make blocks of them; what is in none is removed after a day")
	}
	return left, refusal
}

func overTotal(total, left int64) error {
	return overQuota("Your files and texts may have "+domain.FormatBytes(total)+" in all", left, "Delete blocks that you do not need")
}

// availableText returns how many more bytes of text a user may store. It runs after the transaction has stored the texts, so
// left is negative if they do not fit.
func (a *Content) availableText(u domain.ByteUsage) (left int64, refusal error) {
	total := a.quotas[u.Tier].Total
	if total == 0 {
		return math.MaxInt64, nil
	}
	left = total - u.Total
	return left, overTotal(total, max(left, 0))
}

func overQuota(bound string, left int64, remedy string) error {
	return domain.Wrap(domain.Forbidden, bound+", and "+domain.FormatBytes(left)+" are left. "+remedy, errOverQuota)
}

// hold reserves bytes that are about to be stored. It is not safe for concurrent use.
type hold struct {
	a      *Content
	key    string
	user   domain.UserID
	upload bool
	bytes  int64  // reserved
	stop   func() // stops extending the lease; nil if nothing is reserved
}

// newHold prepares a reservation under a key. It reserves nothing yet.
func (a *Content) newHold(key string, user domain.UserID, upload bool) *hold {
	return &hold{a: a, key: key, user: user, upload: upload}
}

// grow raises the reservation to a number of bytes. It returns Forbidden if that exceeds the quota.
func (h *hold) grow(ctx context.Context, bytes int64) error {
	_, err := h.growUpTo(ctx, bytes, bytes)
	return err
}

// growUpTo raises the reservation to at most most bytes and returns the number of reserved bytes.
// It returns Forbidden if the quota does not allow least bytes.
func (h *hold) growUpTo(ctx context.Context, least, limit int64) (int64, error) {
	if limit <= h.bytes {
		return h.bytes, nil
	}
	if bounded, err := h.bounded(ctx, h.a.Store.Queries); err != nil || !bounded {
		h.bytes = limit
		return limit, err
	}
	got := limit
	err := h.a.Store.InTx(ctx, func(tx *store.Tx) error {
		now := h.a.Now()
		u, err := tx.Counters().LockByteUsage(ctx, h.user, h.key, now)
		if err != nil {
			return err
		}
		got = limit
		if left, refusal := h.a.available(u, h.upload); left >= 0 {
			if least > left {
				return refusal
			}
			got = min(limit, left)
		}
		return tx.Counters().Reserve(ctx, domain.Reservation{Key: h.key, UserID: h.user, Upload: h.upload, Bytes: got, ExpiresAt: now.Add(holdLease)})
	})
	if err != nil {
		return h.bytes, err
	}
	if h.stop == nil {
		h.stop = h.a.extend(ctx, h.key)
	}
	h.bytes = got
	return got, nil
}

// bounded reports whether the quota has a limit.
func (h *hold) bounded(ctx context.Context, q store.Queries) (bool, error) {
	u, err := q.Counters().ByteUsage(ctx, h.user, h.a.Now())
	left, _ := h.a.available(u, h.upload)
	return left >= 0, err
}

// extend extends a lease until stop is called.
func (a *Content) extend(ctx context.Context, key string) (stop func()) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	var done sync.WaitGroup
	done.Go(func() {
		tick := time.NewTicker(holdLease / 3)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				// A lease that cannot be extended expires, and settle checks the quota again.
				_ = a.Store.InTx(ctx, func(tx *store.Tx) error {
					return tx.Counters().ExtendReservation(ctx, key, a.Now().Add(holdLease))
				})
			}
		}
	})
	return func() { cancel(); done.Wait() }
}

// settle releases the reservation in the transaction that stores its content, by which the user's bytes grow by growth.
// If the lease expired or was smaller than that, it checks the quota again and returns Forbidden if that is exceeded.
func (h *hold) settle(ctx context.Context, tx *store.Tx, growth int64) error {
	held, err := tx.Counters().EndReservation(ctx, h.key, h.a.Now())
	if err != nil || growth <= held {
		return err
	}
	if bounded, err := h.bounded(ctx, tx.Queries); err != nil || !bounded {
		return err
	}
	u, err := tx.Counters().LockByteUsage(ctx, h.user, h.key, h.a.Now())
	if err != nil {
		return err
	}
	if left, refusal := h.a.available(u, h.upload); left >= 0 && growth > left {
		return refusal
	}
	return nil
}

// release releases the bytes that were not settled.
func (h *hold) release(ctx context.Context) {
	if h.stop == nil {
		return
	}
	h.stop()
	// If this fails, they are released when the lease expires.
	_ = h.a.Note(ctx, func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.Counters().EndReservation(ctx, h.key, h.a.Now())
		return err
	})
}
