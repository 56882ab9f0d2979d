package accounts

import (
	"context"
	"time"

	"vitrine/internal/app/core"
	"vitrine/internal/store"
)

// SignUpLinkKept is how long a link for signing up is kept after it was used or ran out.
const SignUpLinkKept = 30 * 24 * time.Hour

// SweepAccounts is the job that removes what has run out of accounts: sessions, known
// browsers, half sign-ins, sign-ins by a provider, signups, links, authorization codes, counted attempts, keys of requests and what
// could be put back.
type SweepAccounts struct{}

// Kind implements jobs.Args.
func (SweepAccounts) Kind() string { return "sweep_accounts" }

// SweepAccounts removes what has run out. It may stop anywhere and run again.
func (a *Accounts) SweepAccounts(ctx context.Context) error {
	now := a.Now()
	sweeps := []func(tx *store.Tx) (int, error){
		func(tx *store.Tx) (int, error) { return tx.SweepSessions(ctx, now, core.SweepBatch) },
		func(tx *store.Tx) (int, error) { return tx.SweepKnownBrowsers(ctx, now, core.SweepBatch) },
		func(tx *store.Tx) (int, error) { return tx.SweepHalfSignIns(ctx, now, core.SweepBatch) },
		func(tx *store.Tx) (int, error) { return tx.SweepSteps(ctx, now, core.SweepBatch) },
		func(tx *store.Tx) (int, error) { return tx.SweepSignups(ctx, now, core.SweepBatch) },
		func(tx *store.Tx) (int, error) { return tx.SweepMailLinks(ctx, now, core.SweepBatch) },
		func(tx *store.Tx) (int, error) {
			return tx.SweepSignUpLinks(ctx, now.Add(-SignUpLinkKept), core.SweepBatch)
		},
		func(tx *store.Tx) (int, error) { return tx.SweepCodes(ctx, now, core.SweepBatch) },
		func(tx *store.Tx) (int, error) { return tx.SweepAttempts(ctx, now, core.SweepBatch) },
		func(tx *store.Tx) (int, error) { return tx.SweepOnceKeys(ctx, now, core.SweepBatch) },
		func(tx *store.Tx) (int, error) { return tx.SweepRemovals(ctx, now, core.SweepBatch) },
	}
	for _, sweep := range sweeps {
		if err := a.InBatches(ctx, sweep); err != nil {
			return err
		}
	}
	return nil
}
