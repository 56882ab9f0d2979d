package database

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Health describes a database server, or an SQLite file.
type Health struct {
	Version  string // such as "15.8"; of the library on SQLite
	Encoding string // of the database; "" on SQLite
	Clock    time.Time

	// Collations are those that sort differently than when the database was created, because the C library or
	// ICU was upgraded. Indexes of texts may then be wrong. PostgreSQL before 15 does not record the version
	// of a database's own collation.
	Collations        []string
	CollationRecorded bool
}

// Health reads the state of the server. Clock is the zero time on SQLite, which has no clock of its own.
func (db *DB) Health(ctx context.Context) (h Health, err error) {
	q := db.Reader()
	if db.dialect == SQLite {
		err := q.QueryRow(ctx, "SELECT sqlite_version()").Scan(&h.Version)
		return h, err
	}
	var micros int64
	var number int
	if err := q.QueryRow(ctx, `SELECT current_setting('server_version'), CAST(current_setting('server_version_num') AS INTEGER), current_setting('server_encoding'),
		CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS BIGINT)`).Scan(&h.Version, &number, &h.Encoding, &micros); err != nil {
		return h, err
	}
	h.Clock = time.UnixMicro(micros)
	query := `SELECT DISTINCT CAST(c.collname AS TEXT) FROM pg_collation c
		JOIN pg_attribute a ON a.attcollation = c.oid JOIN pg_class t ON t.oid = a.attrelid
		WHERE t.relnamespace = CAST(current_schema() AS REGNAMESPACE) AND c.collversion <> pg_collation_actual_version(c.oid)`
	if h.CollationRecorded = number >= 150000; h.CollationRecorded {
		query += ` UNION ALL SELECT CAST(datname AS TEXT) FROM pg_database
			WHERE datname = current_database() AND datcollversion <> pg_database_collation_actual_version(oid)`
	}
	err = each(ctx, q, query, 1, func(row []string) error {
		h.Collations = append(h.Collations, row[0])
		return nil
	})
	return h, err
}

// QuickCheck returns the first faults in the structure of an SQLite file, in time proportional to its size.
func (db *DB) QuickCheck(ctx context.Context) (faults []string, err error) {
	if db.dialect == Postgres {
		return nil, nil
	}
	err = each(ctx, db.Reader(), "PRAGMA quick_check(10)", 1, func(row []string) error {
		if row[0] != "ok" {
			faults = append(faults, row[0])
		}
		return nil
	})
	return faults, err
}

// OldestPostgres is the oldest supported major version of PostgreSQL.
const OldestPostgres = 13

// checkVersion fails if a server is too old. version is its server_version, such as "12.22 (Debian 12.22-1)".
// An unreadable one, of another product, passes.
func checkVersion(version string) error {
	digits := version[:len(version)-len(strings.TrimLeft(version, "0123456789"))]
	if major, err := strconv.Atoi(digits); err == nil && major < OldestPostgres {
		return fmt.Errorf("PostgreSQL %s is too old: version %d or later is required", version, OldestPostgres)
	}
	return nil
}
