package account

import (
	"context"

	"vitrine/internal/domain"
)

// HasWrites asks whether a database has so many transactions ($2) of a user ($1), or more.
const HasWrites = `SELECT EXISTS (SELECT 1 FROM account_writes WHERE user_id = $1 AND n >= $2)`

// CountWrite counts a transaction of a user, at its end: from its commit on, a replica has all
// of it once it has the new number. Others of the user that write wait until then, so that the
// numbers are in the order of the commits.
func (w Writes) CountWrite(ctx context.Context, user domain.UserID) error {
	return w.db.Exec(ctx, `INSERT INTO account_writes (user_id, n) VALUES ($1, 1) ON CONFLICT (user_id) DO UPDATE SET n = account_writes.n + 1`, user)
}
