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
