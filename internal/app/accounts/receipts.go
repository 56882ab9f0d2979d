package accounts

import (
	"context"
	"crypto/rand"
	"regexp"
	"slices"
	"time"

	"vitrine/internal/app/core"
	"vitrine/internal/domain"
	"vitrine/internal/store"
)

// receiptsKept is how long receipts are kept, and receiptsShown how many an account is shown.
const (
	receiptsKept  = 3 * 365 * core.Day
	receiptsShown = 20
)

// receiptCode matches the codes that rand.Text returns.
var receiptCode = regexp.MustCompile(`^[A-Z2-7]{20,40}$`)

// addErasure stores the receipt of an erasure that begins now.
func (a *Accounts) addErasure(ctx context.Context, tx *store.Tx, actor domain.Actor, user domain.UserID, now time.Time) error {
	l, err := tx.Users().Legacy(ctx, user)
	if err != nil {
		return err
	}
	return tx.Account().AddReceipt(ctx, domain.DataReceipt{Code: rand.Text(), Kind: domain.ReceiptErasure, UserID: user, ByOperator: actor.UserID != user, AskedAt: now,
		Counts: map[string]int64{"channels": l.Channels, "blocks": l.Blocks, "shared_blocks": l.SharedBlocks, "comments": l.Comments, "groups": int64(len(l.Groups))}})
}

// Receipt reads a receipt by its code, or returns NotFound. Everybody who knows the code may read it.
func (a *Accounts) Receipt(ctx context.Context, code string) (domain.DataReceipt, error) {
	if !receiptCode.MatchString(code) {
		return domain.DataReceipt{}, domain.NewNotFound()
	}
	return a.Store.AtPrimary().Account().Receipt(ctx, code) // a person is led here right after the deletion
}

// OwnReceipts lists the actor's newest receipts.
func (a *Accounts) OwnReceipts(ctx context.Context, actor domain.Actor) ([]domain.DataReceipt, error) {
	return a.Store.Account().ReceiptsOf(ctx, actor.UserID, receiptsShown)
}

// ErasureReceipt reads the receipt of a deleted account.
func (a *Accounts) ErasureReceipt(ctx context.Context, user domain.UserID) (domain.DataReceipt, error) {
	all, err := a.Store.AtPrimary().Account().ReceiptsOf(ctx, user, receiptsShown) // an export may have ended since
	if err != nil {
		return domain.DataReceipt{}, err
	}
	if i := slices.IndexFunc(all, func(r domain.DataReceipt) bool { return r.Kind == domain.ReceiptErasure }); i >= 0 {
		return all[i], nil
	}
	return domain.DataReceipt{}, domain.NewNotFound()
}
