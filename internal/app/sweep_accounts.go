package app

import (
	"context"

	"vitrine/internal/store"
)

// SweepAccounts is the job that removes what has run out of accounts: sessions, known
// browsers, signups, links, authorization codes and counted attempts.
type SweepAccounts struct{}

// Kind implements jobs.Args.
func (SweepAccounts) Kind() string { return "sweep_accounts" }

// SweepAccounts removes what has run out. It may stop anywhere and run again.
func (a *App) SweepAccounts(ctx context.Context) error {
	now := a.now()
	sweeps := []func(tx *store.Tx) (int, error){
		func(tx *store.Tx) (int, error) { return tx.SweepSessions(ctx, now, sweepBatch) },
		func(tx *store.Tx) (int, error) { return tx.SweepKnownBrowsers(ctx, now, sweepBatch) },
		func(tx *store.Tx) (int, error) { return tx.SweepSignups(ctx, now, sweepBatch) },
		func(tx *store.Tx) (int, error) { return tx.SweepMailLinks(ctx, now, sweepBatch) },
		func(tx *store.Tx) (int, error) {
			return tx.SweepSignUpLinks(ctx, now.Add(-signUpLinkKept), sweepBatch)
		},
		func(tx *store.Tx) (int, error) { return tx.SweepCodes(ctx, now, sweepBatch) },
		func(tx *store.Tx) (int, error) { return tx.SweepAttempts(ctx, now, sweepBatch) },
	}
	for _, sweep := range sweeps {
		if err := a.inBatches(ctx, sweep); err != nil {
			return err
		}
	}
	return nil
}
