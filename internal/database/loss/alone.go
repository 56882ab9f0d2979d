package loss

import (
	"errors"

	"github.com/jackc/pgx/v5/pgconn"
)

// ErrAlone says that a commit was not confirmed by the replica that it has to wait for. The
// server has it, but who is promoted in its place may not.
var ErrAlone = errors.New("the commit is on the primary alone: no replica has confirmed it")

// waitRoutine is the function of PostgreSQL in which a commit waits for replicas. When the wait is ended, by a
// statement that is cancelled or by a time that is over, it warns, and the commit succeeds. Texts of
// warnings are translated; the names of functions are not.
const waitRoutine = "SyncRepWaitForLSN"

// alone is where a connection keeps that it was so.
const alone = "vitrine: committed alone"

// noteAlone remembers at a connection that its commit was not confirmed.
func noteAlone(c *pgconn.PgConn, n *pgconn.Notice) {
	if n.Routine == waitRoutine {
		c.CustomData()[alone] = true
	}
}

// Alone reports whether the last commit on a connection was not confirmed, and forgets it.
func Alone(c *pgconn.PgConn) bool {
	data := c.CustomData()
	_, was := data[alone]
	delete(data, alone)
	return was
}
