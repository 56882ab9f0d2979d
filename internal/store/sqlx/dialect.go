package sqlx

import (
	"encoding/json"
	"strings"

	"vitrine/internal/database"
)

// Dialect has the places where the two databases need different text.
type Dialect database.Dialect

// The two dialects.
const (
	SQLite   = Dialect(database.SQLite)
	Postgres = Dialect(database.Postgres)
)

// In tests a column against the list of ids bound at parameter p ("$2").
func (d Dialect) In(column, p string) string {
	if d == Postgres {
		return column + " = ANY(CAST(" + p + " AS BIGINT[]))"
	}
	return column + " IN (SELECT value FROM json_each(" + p + "))"
}

// InTexts tests a column against the list of texts bound at parameter p.
func (d Dialect) InTexts(column, p string) string {
	if d == Postgres {
		return column + " = ANY(CAST(" + p + " AS TEXT[]))"
	}
	return column + " IN (SELECT value FROM json_each(" + p + "))"
}

// Texts binds a list of texts for InTexts.
func Texts(d Dialect, texts []string) any {
	if d == Postgres {
		return texts
	}
	list, _ := json.Marshal(texts) // a list of texts always encodes
	return string(list)
}

// IDs binds a list of ids for In.
func IDs[T ~int64](d Dialect, ids []T) any {
	plain := make([]int64, len(ids))
	for i, id := range ids {
		plain[i] = int64(id)
	}
	if d == Postgres {
		return plain
	}
	text, _ := json.Marshal(plain) // a list of integers always encodes
	return string(text)
}

// ForUpdate is the clause that locks the rows read from the named tables until the
// transaction ends. SQLite has one writer at a time and needs none.
func (d Dialect) ForUpdate(tables ...string) string {
	if d == Postgres {
		return " FOR NO KEY UPDATE OF " + strings.Join(tables, ", ")
	}
	return ""
}

// Unmoved reports whether the row of a table, read to be locked, is still the one that the
// statement began with: if it waited for the lock, the rest of what it read may be older.
func (d Dialect) Unmoved(table, alias string) string {
	if d == Postgres {
		return alias + ".ctid = (SELECT was.ctid FROM " + table + " was WHERE was.id = " + alias + ".id)"
	}
	return "TRUE"
}

// HasReplicas reports whether there may be copies of the database that are read and lag behind it.
func (d Dialect) HasReplicas() bool { return d == Postgres }

// LocksRows reports whether rows must be locked one by one.
func (d Dialect) LocksRows() bool { return d == Postgres }

// ForShare is the clause that keeps the rows read from being changed by others, who may
// share them.
func (d Dialect) ForShare(table string) string {
	if d == Postgres {
		return " FOR SHARE OF " + table
	}
	return ""
}

// ActivitiesOf gives the ids of the activities of a source, by its column, between two bounds, each
// a comparison ("> $2"), in order. PostgreSQL compares pairs: where one source did most of what was
// done, it plans for any source to walk along all activities by id.
func (d Dialect) ActivitiesOf(column, source, low, high, dir string) string {
	if d != Postgres {
		return "SELECT x.id FROM activities x WHERE x." + column + " = " + source + " AND x.id " + low + " AND x.id " + high + " ORDER BY x.id " + dir
	}
	pair := func(bound string) string {
		op, id, _ := strings.Cut(bound, " ")
		return " AND (x." + column + ", x.id) " + op + " (" + source + ", " + id + ")"
	}
	return "SELECT x.id FROM activities x WHERE x." + column + " IS NOT NULL" + pair(low) + pair(high) + " ORDER BY x." + column + " " + dir + ", x.id " + dir
}

// JoinActivities joins, as `a`, the activities whose ids a query gives for every row before it.
func (d Dialect) JoinActivities(query string) string {
	if d == Postgres {
		return " CROSS JOIN LATERAL (" + query + ") a"
	}
	return " CROSS JOIN activities a ON a.id IN (" + query + ")"
}

// JoinSome joins for every row before it those rows of a table, as an alias, that a bounded query
// finds: its rest names the table s. SQLite finds them by a column, which is unique among those
// of which the conditions are true.
func (d Dialect) JoinSome(table, alias, column, rest string, conditions ...string) string {
	if d == Postgres {
		return " CROSS JOIN LATERAL (SELECT s.* FROM " + table + " s WHERE " + rest + ") AS " + alias
	}
	found := alias + "." + column + " IN (SELECT s." + column + " FROM " + table + " s WHERE " + rest + ")"
	return " CROSS JOIN " + table + " " + alias + " ON " + strings.Join(append(conditions, found), " AND ")
}

// Analyze tells PostgreSQL's planner what tables hold. SQLite plans without statistics.
func (d Dialect) Analyze() string {
	if d == Postgres {
		return "ANALYZE"
	}
	return ""
}

// announceClass marks the advisory locks by which PostgreSQL's transactions say from
// which id on they may write activities.
const announceClass = "7086"

// AnnounceActivity joins to the row of an activity, so that it comes before its id is drawn,
// the shared lock of the last id given out so far, which lasts until the transaction ends;
// ids are counted modulo 2^31 there. SQLite has one writer at a time and needs none.
func (d Dialect) AnnounceActivity() string {
	if d == Postgres {
		return ` CROSS JOIN (SELECT pg_advisory_xact_lock_shared(` + announceClass + `, CAST(CASE WHEN is_called THEN last_value
			ELSE last_value - 1 END % 2147483648 AS INTEGER)) FROM activities_id_seq) AS announced`
	}
	return ""
}

// AnnouncedActivities gives two queries: the last id given out, and what transactions in progress
// have announced.
func (d Dialect) AnnouncedActivities() (last, locks string) {
	return `SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END FROM activities_id_seq`,
		`SELECT CAST(objid AS BIGINT) FROM pg_locks WHERE locktype = 'advisory' AND classid = ` + announceClass + `
			AND objsubid = 2 AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`
}

// Rows gives the list of ids bound at parameter p as rows of l (id).
func (d Dialect) Rows(p string) string {
	if d == Postgres {
		return "unnest(CAST(" + p + " AS BIGINT[])) AS l (id)"
	}
	return "(SELECT value AS id FROM json_each(" + p + ")) AS l"
}

// Pair is two numbers that belong together.
type Pair [2]int64

// Pairs binds a list of pairs for Dialect.Pairs.
func Pairs(all []Pair) string {
	text, _ := json.Marshal(all) // integers always encode
	return string(text)
}

// Pairs gives the list of pairs bound at parameter p as rows of l (id, value).
func (d Dialect) Pairs(p string) string {
	if d == Postgres {
		return "(SELECT CAST(pair ->> 0 AS BIGINT) AS id, CAST(pair ->> 1 AS BIGINT) AS value FROM json_array_elements(CAST(" + p + " AS JSON)) AS pair) AS l"
	}
	return "(SELECT value ->> 0 AS id, value ->> 1 AS value FROM json_each(" + p + ")) AS l"
}

// SortedPart gives part of a UNION ALL that is sorted as a whole and cut to `most`. SQLite merges
// parts that indexes sort; PostgreSQL does if each of them says that it is sorted and cut.
func (d Dialect) SortedPart(part, order, most string) string {
	if d == Postgres {
		return "(" + part + order + Limit(most) + ")"
	}
	return part
}

// Random gives a random number from 0 to 2^63 - 1.
func (d Dialect) Random() string {
	if d == Postgres {
		return "CAST(floor(random() * 9007199254740991) * 1024 AS BIGINT)"
	}
	return "random() & 9223372036854775807"
}

// Any reports whether a column is true in any row of a group.
func (d Dialect) Any(column string) string {
	if d == Postgres {
		return "bool_or(" + column + ")"
	}
	return "max(" + column + ")"
}

// Fence ends a subquery that is to be asked for each row. PostgreSQL would make a join of it
// and read all that the subquery can give, for a page or for a bounded count.
func (d Dialect) Fence() string {
	if d == Postgres {
		return " OFFSET 0"
	}
	return ""
}

// NoIndex writes a column so that SQLite uses no index on it: the number of words above
// all, for each of which it would ask for its words. PostgreSQL weighs that well.
func (d Dialect) NoIndex(column string) string {
	if d == Postgres {
		return column
	}
	return "+" + column
}
