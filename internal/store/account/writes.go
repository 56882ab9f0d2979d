package account

import (
	"context"

	"vitrine/internal/domain"
)

// HasWrites reports whether a database has at least $2 transactions of the user $1.
const HasWrites = `SELECT EXISTS (SELECT 1 FROM account_writes WHERE user_id = $1 AND n >= $2)`

// CountWrite counts a transaction of a user. It is called at the end of the transaction, so a
// replica with the new number has the whole transaction. Other writing transactions of the user
// wait for the commit, so the numbers are in the order of the commits.
func (w Writes) CountWrite(ctx context.Context, user domain.UserID) error {
	return w.db.Exec(ctx, `INSERT INTO account_writes (user_id, n) VALUES ($1, 1) ON CONFLICT (user_id) DO UPDATE SET n = account_writes.n + 1`, user)
}
