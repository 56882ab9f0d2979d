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
	connected, err := db.Programs(ctx)
	if err != nil {
		return nil, 0, err
	}
	for _, p := range connected {
		if p.Version < serves {
			names = append(names, fmt.Sprintf("%s (connections: %d)", p, p.Connections))
		}
	}
	return names, serves, nil
}

// Connected is a program with connections to the database.
type Connected struct {
	Name        string // as in ProgramName
	Version     int64  // of the program; 0 if it is so old that it does not tell
	Address     string // "" for a Unix socket
	Connections int
}

// String returns the name and address.
func (c Connected) String() string {
	if c.Address == "" {
		return c.Name
	}
	return c.Name + " at " + c.Address
}

// Programs lists the programs connected to PostgreSQL. On SQLite it is unknown which programs have the file
// open.
func (db *DB) Programs(ctx context.Context) (all []Connected, err error) {
	if db.dialect != Postgres {
		return nil, nil
	}
	rows, err := db.Reader().Query(ctx, `SELECT application_name, COALESCE(host(client_addr), ''), count(*) FROM pg_stat_activity
		WHERE datname = current_database() AND application_name LIKE $1 GROUP BY 1, 2 ORDER BY 1, 2`, programName+"%")
	if err != nil {
		return nil, Classify(ctx, err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var c Connected
		if err := rows.Scan(&c.Name, &c.Address, &c.Connections); err != nil {
			return nil, Classify(ctx, err)
		}
		rest, _ := strings.CutPrefix(c.Name, programName)
		if rest != "" && rest[0] != '/' { // any other suffix belongs to a session that a pooler keeps open
			continue
		}
		version, _, _ := strings.Cut(strings.TrimPrefix(rest, "/"), " ")
		c.Version, _ = strconv.ParseInt(version, 10, 64)
		all = append(all, c)
	}
	return all, Classify(ctx, rows.Err())
}
