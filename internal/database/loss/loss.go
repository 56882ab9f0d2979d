// Package loss has connections to PostgreSQL notice that their server is gone without a word, as
// a machine without power is, or that it is not the one that takes writes any more.
package loss

import (
	"net"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// patience is how long a server, or the network to it, may say nothing at all: to what was
// sent to it, to a probe of a connection on which nothing is sent, or to a look at a connection that was not used for
// a while. A statement that takes longer is answered by the network all the same.
const patience = 3 * time.Second

// readOnly is the SQLSTATE of a statement that a server refuses since it has become a standby, or
// takes no writes for another reason.
const readOnly = "25006"

// Parse reads a URL as pgxpool.ParseConfig does. The connections of the configuration end when their server is
// lost, so that the next one is made to whichever server takes writes now. Without that a statement
// waits for a machine that is gone until its own time is over, and so do those after it.
func Parse(url string) (*pgxpool.Config, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, err // names no password
	}
	dialer := &net.Dialer{
		KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: patience / 3, Interval: patience / 3, Count: 2},
		Control:         boundUnanswered,
	}
	config.ConnConfig.DialFunc = dialer.DialContext // which ends with connect_timeout by its context
	if config.PingTimeout == 0 {
		config.PingTimeout = patience
	}
	config.ConnConfig.OnNotice = noteAlone
	before := config.ConnConfig.OnPgError
	config.ConnConfig.OnPgError = func(c *pgconn.PgConn, e *pgconn.PgError) (keep bool) {
		return e.Code != readOnly && before(c, e)
	}
	return config, nil
}
