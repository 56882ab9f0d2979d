package store

import (
	"context"

	"vitrine/internal/domain"
)

// Secret reads a random key of this installation; NotFound before it is made.
func (q Queries) Secret(ctx context.Context, name string) (value []byte, err error) {
	err = q.q.QueryRow(ctx, `SELECT value FROM secrets WHERE name = $1`, name).Scan(&value)
	return value, found(err)
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
