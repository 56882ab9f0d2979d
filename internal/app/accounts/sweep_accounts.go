package accounts

import (
	"context"
	"time"

	"vitrine/internal/app/core"
	"vitrine/internal/store"
)

// SignUpLinkKept is how long a link for signing up is kept after it was used or expired.
const SignUpLinkKept = 30 * 24 * time.Hour

// SweepAccounts is the job that removes expired data of accounts: sessions, known browsers, unfinished sign-ins,
// signups, links, authorization codes, counted attempts, idempotency keys, old receipts and removed
// connections that could be restored.
type SweepAccounts struct{}

// Kind implements jobs.Args.
func (SweepAccounts) Kind() string { return "sweep_accounts" }

// SweepAccounts removes expired data. It may stop at any point and run again.
func (a *Accounts) SweepAccounts(ctx context.Context) error {
	now := a.Now()
	sweeps := []func(tx *store.Tx) (int, error){
		func(tx *store.Tx) (int, error) { return tx.Account().SweepSessions(ctx, now, core.SweepBatch) },
		func(tx *store.Tx) (int, error) { return tx.Account().SweepKnownBrowsers(ctx, now, core.SweepBatch) },
		func(tx *store.Tx) (int, error) { return tx.Account().SweepHalfSignIns(ctx, now, core.SweepBatch) },
		func(tx *store.Tx) (int, error) { return tx.Identity().SweepSteps(ctx, now, core.SweepBatch) },
		func(tx *store.Tx) (int, error) { return tx.Account().SweepSignups(ctx, now, core.SweepBatch) },
		func(tx *store.Tx) (int, error) { return tx.Account().SweepMailLinks(ctx, now, core.SweepBatch) },
		func(tx *store.Tx) (int, error) {
			return tx.Account().SweepSignUpLinks(ctx, now.Add(-SignUpLinkKept), core.SweepBatch)
		},
		func(tx *store.Tx) (int, error) { return tx.Account().SweepCodes(ctx, now, core.SweepBatch) },
		func(tx *store.Tx) (int, error) { return tx.Account().SweepRefreshTokens(ctx, now, core.SweepBatch) },
		func(tx *store.Tx) (int, error) { return tx.Account().SweepTokens(ctx, now, core.SweepBatch) },
		func(tx *store.Tx) (int, error) { return tx.Account().SweepAttempts(ctx, now, core.SweepBatch) },
		func(tx *store.Tx) (int, error) {
			return tx.Account().SweepReceipts(ctx, now.Add(-receiptsKept), core.SweepBatch)
		},
		func(tx *store.Tx) (int, error) { return tx.Redo().SweepOnceKeys(ctx, now, core.SweepBatch) },
		func(tx *store.Tx) (int, error) { return tx.Redo().SweepRemovals(ctx, now, core.SweepBatch) },
	}
	for _, sweep := range sweeps {
		if err := a.InBatches(ctx, sweep); err != nil {
			return err
		}
	}
	return nil
}
