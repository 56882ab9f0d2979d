package postgres

import (
	"net"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// silenceTimeout is how long a server may stay silent: after data was sent to it, after a keep-alive probe,
// and in a check of an idle connection. A statement may take longer, because the network still
// acknowledges data and probes in the meantime.
const silenceTimeout = 3 * time.Second

// readOnly is the SQLSTATE of a statement that a server rejects because it has become a standby or is
// read-only for another reason.
const readOnly = "25006"

// ParseURL is like pgxpool.ParseConfig, but closes connections whose server is lost, so that the next one
// is made to the server that accepts writes now. Otherwise, statements would wait for an unreachable
// machine until they time out.
func ParseURL(url string) (*pgxpool.Config, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, err // contains no password
	}
	dialer := &net.Dialer{
		KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: silenceTimeout / 3, Interval: silenceTimeout / 3, Count: 2},
		Control:         setUserTimeout,
	}
	config.ConnConfig.DialFunc = dialer.DialContext // its context has the connect_timeout
	if config.PingTimeout == 0 {
		config.PingTimeout = silenceTimeout
	}
	config.ConnConfig.OnNotice = noteUnconfirmed
	before := config.ConnConfig.OnPgError
	config.ConnConfig.OnPgError = func(c *pgconn.PgConn, e *pgconn.PgError) (keep bool) {
		return e.Code != readOnly && before(c, e)
	}
	return config, nil
}
