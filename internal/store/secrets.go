package store

import (
	"context"

	"vitrine/internal/domain"
)

// Secret reads a key of this installation; NotFound before it is made.
func (q Queries) Secret(ctx context.Context, name string) (value []byte, err error) {
	err = q.q.QueryRow(ctx, `SELECT value FROM secrets WHERE name = $1`, name).Scan(&value)
	return value, found(err)
}

// PutSecret keeps a value under a name, in place of what was there.
func (s *Store) PutSecret(ctx context.Context, name string, value []byte) error {
	return s.InTx(ctx, func(tx *Tx) error {
		return tx.exec(ctx, `INSERT INTO secrets (name, value) VALUES ($1, $2)
			ON CONFLICT (name) DO UPDATE SET value = excluded.value`, name, value)
	})
}

// DeleteSecret forgets what is kept under a name, if anything is.
func (s *Store) DeleteSecret(ctx context.Context, name string) error {
	return s.InTx(ctx, func(tx *Tx) error {
		return tx.exec(ctx, `DELETE FROM secrets WHERE name = $1`, name)
	})
}

// EnsureSecret keeps a key under a name unless there is one, and gives what is kept.
func (s *Store) EnsureSecret(ctx context.Context, name string, fresh []byte) (value []byte, err error) {
	value, err = s.Secret(ctx, name)
	if domain.KindOf(err) != domain.NotFound {
		return value, err
	}
	err = s.InTx(ctx, func(tx *Tx) error {
		err := tx.exec(ctx, `INSERT INTO secrets (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING`, name, fresh)
		if err != nil {
			return err
		}
		value, err = tx.Secret(ctx, name)
		return err
	})
	return value, err
}
