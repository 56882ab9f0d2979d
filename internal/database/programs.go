package database

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
)

// programName is the prefix of the application_name of our connections. Old programs, which did not add
// their version, use it as the whole name.
const programName = "vitrine"

// ProgramName returns the application_name of this process, such as "vitrine/34 web1": the version of
// the program, which is that of its last migration, and the host name.
func ProgramName(version int64) string {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	return fmt.Sprintf("%s/%d %.40s", programName, version, host)
}

// LeftBehind returns the programs connected to the database that these migrations would no longer
// support, and the oldest supported version. The list is empty if the migrations raise no minimum
// version, and on SQLite, where it is unknown which programs have the file open.
func (db *DB) LeftBehind(ctx context.Context, migrations fs.FS) (names []string, serves int64, err error) {
	now, err := db.Served(ctx)
	if err != nil || db.dialect != Postgres || now.Version == 0 {
		return nil, 0, err
	}
	to, err := LatestVersion(migrations)
	if err != nil {
		return nil, 0, err
	}
	all, err := raises(migrations)
	if err != nil {
		return nil, 0, err
	}
	if serves = oldestVersion(all, to); to <= now.Version || serves <= now.From {
		return nil, serves, nil
	}
	rows, err := db.Reader().Query(ctx, `SELECT application_name, host(client_addr), count(*) FROM pg_stat_activity
		WHERE datname = current_database() AND application_name LIKE $1 GROUP BY 1, 2 ORDER BY 1, 2`, programName+"%")
	if err != nil {
		return nil, 0, Classify(ctx, err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var name string
		var address *string // nil for a Unix socket
		var connections int
		if err := rows.Scan(&name, &address, &connections); err != nil {
			return nil, 0, Classify(ctx, err)
		}
		rest, _ := strings.CutPrefix(name, programName)
		version, _, _ := strings.Cut(strings.TrimPrefix(rest, "/"), " ")
		// Any other suffix belongs to a session that a pooler keeps open.
		if n, err := strconv.ParseInt(version, 10, 64); err == nil && n >= serves || rest != "" && rest[0] != '/' {
			continue
		}
		if address != nil {
			name += " at " + *address
		}
		names = append(names, fmt.Sprintf("%s (connections: %d)", name, connections))
	}
	return names, serves, Classify(ctx, rows.Err())
}
