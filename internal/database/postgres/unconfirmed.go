package postgres

import (
	"errors"

	"github.com/jackc/pgx/v5/pgconn"
)

// ErrUnconfirmed reports that no synchronous replica confirmed a commit. The primary has it, but a server that
// is promoted in its place may not.
var ErrUnconfirmed = errors.New("the commit is only on the primary: no replica has confirmed it")

// waitRoutine is the function of PostgreSQL in which a commit waits for replicas. If the wait is ended
// early, by a cancel request or a timeout, PostgreSQL warns and the commit succeeds. The text of the
// warning is localized, but the function name is not.
const waitRoutine = "SyncRepWaitForLSN"

// unconfirmed is the key of the connection's custom data that records an unconfirmed commit.
const unconfirmed = "vitrine: committed unconfirmed"

// noteUnconfirmed records on the connection that its commit was not confirmed.
func noteUnconfirmed(c *pgconn.PgConn, n *pgconn.Notice) {
	if n.Routine == waitRoutine {
		c.CustomData()[unconfirmed] = true
	}
}

// Unconfirmed reports whether the last commit of a connection was not confirmed, and resets that state.
func Unconfirmed(c *pgconn.PgConn) bool {
	data := c.CustomData()
	_, was := data[unconfirmed]
	delete(data, unconfirmed)
	return was
}
