package store

import (
	"encoding/json"
	"strings"

	"vitrine/internal/database"
)

// dialect holds the places where the two databases need different text.
type dialect struct{ of database.Dialect }

// in tests a column against the list of ids bound at parameter p ("$2").
func (d dialect) in(column, p string) string {
	if d.of == database.Postgres {
		return column + " = ANY(CAST(" + p + " AS BIGINT[]))"
	}
	return column + " IN (SELECT value FROM json_each(" + p + "))"
}

// list binds a list of ids for in.
func list[T ~int64](d dialect, ids []T) any {
	plain := make([]int64, len(ids))
	for i, id := range ids {
		plain[i] = int64(id)
	}
	if d.of == database.Postgres {
		return plain
	}
	text, _ := json.Marshal(plain) // a list of integers always encodes
	return string(text)
}

// lock is the clause that locks the rows read from the named tables until the
// transaction ends. SQLite has one writer at a time and needs none.
func (d dialect) lock(tables ...string) string {
	if d.of == database.Postgres {
		return " FOR NO KEY UPDATE OF " + strings.Join(tables, ", ")
	}
	return ""
}

// locks tells whether rows must be locked one by one.
func (d dialect) locks() bool { return d.of == database.Postgres }

// share is the clause that keeps the rows read from being changed by others, who may
// share them.
func (d dialect) share(table string) string {
	if d.of == database.Postgres {
		return " FOR SHARE OF " + table
	}
	return ""
}

// each joins, as `a`, the activities whose ids a query gives for every row before it.
func (d dialect) each(query string) string {
	if d.of == database.Postgres {
		return " CROSS JOIN LATERAL (" + query + ") a"
	}
	return " CROSS JOIN activities a ON a.id IN (" + query + ")"
}

// announceClass marks the advisory locks by which PostgreSQL's transactions say from
// which id on they may write activities.
const announceClass = "7086"

// announce locks the last id given out so far, shared, until the transaction ends; ids
// are counted modulo 2^31 there. SQLite has one writer at a time and needs none.
func (d dialect) announce() string {
	if d.of == database.Postgres {
		return `SELECT pg_advisory_xact_lock_shared(` + announceClass + `, CAST(CASE WHEN is_called THEN last_value
			ELSE last_value - 1 END % 2147483648 AS INTEGER)) FROM activities_id_seq`
	}
	return ""
}

// announced gives two queries: the last id given out, and what transactions in progress
// have announced.
func (d dialect) announced() (last, locks string) {
	return `SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END FROM activities_id_seq`,
		`SELECT CAST(objid AS BIGINT) FROM pg_locks WHERE locktype = 'advisory' AND classid = ` + announceClass + `
			AND objsubid = 2 AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`
}
