package operating

import (
	"context"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/blobs"
)

// Backup is a backup that was started.
type Backup = blobs.Backup

// Backups lists the backups of the last half year for an operator, newest first, from the beginning or below one that
// started at a time.
func (a *Operating) Backups(ctx context.Context, by Operator, before time.Time, limit int) (all []Backup, err error) {
	err = a.Store.InSnapshot(ctx, func(v *store.Snapshot) error {
		if err := by.Allowed(ctx, v.Queries); err != nil {
			return err
		}
		all, err = v.Backups().Backups(ctx, a.Now(), before, limit)
		return err
	})
	return all, err
}

// RequestBackup makes one of the servers start a backup within a minute. It returns Unprocessable if the servers make no
// backups.
func (a *Operating) RequestBackup(ctx context.Context, by Operator) error {
	return a.Store.InTx(ctx, func(tx *store.Tx) error {
		if err := by.Allowed(ctx, tx.Queries); err != nil {
			return err
		}
		if !a.backups {
			return domain.NewUnprocessable("This server makes no backups: set --backup-to")
		}
		if err := tx.Account().RequestBackup(ctx, a.Now()); err != nil {
			return err
		}
		return a.Audit(ctx, tx, by.actor, domain.ActBackupRequested, domain.AuditTarget{}, nil)
	})
}
