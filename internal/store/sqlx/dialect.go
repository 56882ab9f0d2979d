package sqlx

import (
	"encoding/hex"
	"encoding/json"
	"strconv"
	"strings"

	"vitrine/internal/database"
)

// Dialect is the dialect of a database. Its methods return the SQL that differs between the two
// databases.
type Dialect database.Dialect

// The two dialects.
const (
	SQLite   = Dialect(database.SQLite)
	Postgres = Dialect(database.Postgres)
)

// Table returns the name of a table where a common table expression has the same name.
func (d Dialect) Table(name string) string {
	if d == Postgres {
		return name // an expression does not refer to itself there
	}
	return "main." + name
}

// In compares a column with the list of ids bound at parameter p ("$2").
func (d Dialect) In(column, p string) string {
	if d == Postgres {
		return column + " = ANY(CAST(" + p + " AS BIGINT[]))"
	}
	return column + " IN (SELECT value FROM json_each(" + p + "))"
}

// InTexts compares a column with the list of texts bound at parameter p.
func (d Dialect) InTexts(column, p string) string {
	if d == Postgres {
		return column + " = ANY(CAST(" + p + " AS TEXT[]))"
	}
	return column + " IN (SELECT value FROM json_each(" + p + "))"
}

// InHashes compares a column of bytes with the list bound at parameter p, whose elements are in hexadecimal.
func (d Dialect) InHashes(column, p string) string {
	if d == Postgres {
		return column + " = ANY(ARRAY(SELECT decode(listed, 'hex') FROM unnest(CAST(" + p + " AS TEXT[])) AS listed))"
	}
	return column + " IN (SELECT unhex(value) FROM json_each(" + p + "))"
}

// Hashes returns the argument with a list of hashes for InHashes.
func Hashes(d Dialect, hashes []string) any {
	texts := make([]string, len(hashes))
	for i, h := range hashes {
		texts[i] = hex.EncodeToString([]byte(h))
	}
	return Texts(d, texts)
}

// Texts returns the argument with a list of texts for InTexts.
func Texts(d Dialect, texts []string) any {
	if d == Postgres {
		return texts
	}
	list, _ := json.Marshal(texts) // a list of strings can always be encoded
	return string(list)
}

// IDs returns the argument with a list of ids for In.
func IDs[T ~int64](d Dialect, ids []T) any {
	plain := make([]int64, len(ids))
	for i, id := range ids {
		plain[i] = int64(id)
	}
	if d == Postgres {
		return plain
	}
	text, _ := json.Marshal(plain) // a list of integers can always be encoded
	return string(text)
}

// ForUpdate returns the clause that locks the rows read from the named tables until the
// transaction ends. SQLite has one writer at a time and needs none.
func (d Dialect) ForUpdate(tables ...string) string {
	if d == Postgres {
		return " FOR NO KEY UPDATE OF " + strings.Join(tables, ", ")
	}
	return ""
}

// Unmoved reports whether the row of a table, read to be locked, is still the one that the
// statement started with. If the statement had to wait for the lock, the other rows that it read
// may be older.
func (d Dialect) Unmoved(table, alias string) string {
	if d == Postgres {
		return alias + ".ctid = (SELECT was.ctid FROM " + table + " was WHERE was.id = " + alias + ".id)"
	}
	return "TRUE"
}

// HasReplicas reports whether the database may have replicas that lag behind it.
func (d Dialect) HasReplicas() bool { return d == Postgres }

// LocksRows reports whether rows must be locked one by one.
func (d Dialect) LocksRows() bool { return d == Postgres }

// ForShare returns the clause that prevents others from changing the rows read. Others may share
// the lock.
func (d Dialect) ForShare(table string) string {
	if d == Postgres {
		return " FOR SHARE OF " + table
	}
	return ""
}

// ActivitiesOf returns a query for the ids of the activities of a source, found by its column,
// between two bounds, in order. Each bound is a comparison ("> $2"). PostgreSQL compares pairs: if
// one source has most of the activities, it would plan for any source to scan all activities by
// id.
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

// JoinActivities joins, as `a`, the activities whose ids a query returns for each previous row.
func (d Dialect) JoinActivities(query string) string {
	if d == Postgres {
		return " CROSS JOIN LATERAL (" + query + ") a"
	}
	return " CROSS JOIN activities a ON a.id IN (" + query + ")"
}

// JoinSome joins, for each previous row, the rows of a table that a bounded query finds. `rest` is
// that query after FROM, where the table is called s. SQLite finds the rows by a column that is
// unique among the rows that meet the conditions.
func (d Dialect) JoinSome(table, alias, column, rest string, conditions ...string) string {
	if d == Postgres {
		return " CROSS JOIN LATERAL (SELECT s.* FROM " + table + " s WHERE " + rest + ") AS " + alias
	}
	found := alias + "." + column + " IN (SELECT s." + column + " FROM " + table + " s WHERE " + rest + ")"
	return " CROSS JOIN " + table + " " + alias + " ON " + strings.Join(append(conditions, found), " AND ")
}

// Analyze returns the statement that updates PostgreSQL's statistics. SQLite plans without
// statistics.
func (d Dialect) Analyze() string {
	if d == Postgres {
		return "ANALYZE"
	}
	return ""
}

// announceClass identifies the advisory locks with which PostgreSQL's transactions announce the id
// after which they may write activities.
const announceClass = "7086"

// AnnounceActivity returns a join for the row of a new activity that takes, before its id is
// allocated, the shared lock of the last allocated id modulo 2^31. The lock lasts until the
// transaction ends. SQLite has one writer at a time and needs none.
func (d Dialect) AnnounceActivity() string {
	if d == Postgres {
		return ` CROSS JOIN (SELECT pg_advisory_xact_lock_shared(` + announceClass + `, CAST(CASE WHEN is_called THEN last_value
			ELSE last_value - 1 END % 2147483648 AS INTEGER)) FROM activities_id_seq) AS announced`
	}
	return ""
}

// AnnouncedActivities returns two queries: for the last allocated id, and for what transactions in
// progress have announced.
func (d Dialect) AnnouncedActivities() (last, locks string) {
	return `SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END FROM activities_id_seq`,
		`SELECT CAST(objid AS BIGINT) FROM pg_locks WHERE locktype = 'advisory' AND classid = ` + announceClass + `
			AND objsubid = 2 AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`
}

// DocumentWriters returns a query for the transactions in progress that may have written documents, or "" for SQLite,
// which has one writer at a time. A transaction locks the table before it allocates the number of a document.
func (d Dialect) DocumentWriters() string {
	if d != Postgres {
		return ""
	}
	return `SELECT DISTINCT virtualtransaction FROM pg_locks WHERE locktype = 'relation' AND mode = 'RowExclusiveLock' AND granted
		AND relation = CAST('search_documents' AS regclass) AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`
}

// Rows returns the list of ids bound at parameter p as rows of l (id).
func (d Dialect) Rows(p string) string {
	if d == Postgres {
		return "unnest(CAST(" + p + " AS BIGINT[])) AS l (id)"
	}
	return "(SELECT value AS id FROM json_each(" + p + ")) AS l"
}

// TextRows returns the list of texts bound at parameter p, as made by Texts, as rows of l (text).
func (d Dialect) TextRows(p string) string {
	if d == Postgres {
		return "unnest(CAST(" + p + " AS TEXT[])) AS l (text)"
	}
	return "(SELECT value AS text FROM json_each(" + p + ")) AS l"
}

// Pair is a pair of numbers.
type Pair [2]int64

// Pairs returns the argument with a list of pairs for Dialect.Pairs.
func Pairs(all []Pair) string {
	text, _ := json.Marshal(all) // integers can always be encoded
	return string(text)
}

// Pairs returns the list of pairs bound at parameter p as rows of l (id, value).
func (d Dialect) Pairs(p string) string {
	if d == Postgres {
		return "(SELECT CAST(pair ->> 0 AS BIGINT) AS id, CAST(pair ->> 1 AS BIGINT) AS value FROM json_array_elements(CAST(" + p + " AS JSON)) AS pair) AS l"
	}
	return "(SELECT value ->> 0 AS id, value ->> 1 AS value FROM json_each(" + p + ")) AS l"
}

// SortedPart returns a part of a UNION ALL that is sorted and limited to `limit` as a whole. SQLite
// merges parts that indexes sort. PostgreSQL does so only if each part has its own order and
// limit.
func (d Dialect) SortedPart(part, order, limit string) string {
	if d == Postgres {
		return "(" + part + order + Limit(limit) + ")"
	}
	return part
}

// Random returns an expression for a random number from 0 to 2^63 - 1.
func (d Dialect) Random() string {
	if d == Postgres {
		return "CAST(floor(random() * 9007199254740991) * 1024 AS BIGINT)"
	}
	return "random() & 9223372036854775807"
}

// Fence ends a subquery that must run once per row. Otherwise PostgreSQL would turn it into a join
// and read all rows that the subquery can return, even for a page or a bounded count.
func (d Dialect) Fence() string {
	if d == Postgres {
		return " OFFSET 0"
	}
	return ""
}

// NoIndex returns a column in a form for which SQLite uses no index. PostgreSQL needs no such
// hint.
func (d Dialect) NoIndex(column string) string {
	if d == Postgres {
		return column
	}
	return "+" + column
}

// ChangeRows returns the list bound at parameter p, which contains a list of texts and numbers for each row, as rows of
// l with these columns. A column is a number if its name ends in _id or _at.
func (d Dialect) ChangeRows(p string, columns ...string) string {
	var parts []string
	for i, name := range columns {
		value := "r.value ->> " + strconv.Itoa(i)
		if d == Postgres && (strings.HasSuffix(name, "_id") || strings.HasSuffix(name, "_at")) {
			value = "CAST(" + value + " AS BIGINT)"
		}
		parts = append(parts, value+" AS "+name)
	}
	from, order := "json_each("+p+") AS r", "r.key"
	if d == Postgres {
		from, order = "json_array_elements(CAST("+p+" AS JSON)) WITH ORDINALITY AS r (value, n)", "r.n"
	}
	return "(SELECT " + strings.Join(parts, ", ") + ", " + order + " AS n FROM " + from + ") AS l"
}

// ListedIDs returns the ids in the JSON list of a column as rows of listed (id), or no rows if the column is null.
func (d Dialect) ListedIDs(column string) string {
	if d == Postgres {
		return "(SELECT CAST(listed.value AS BIGINT) AS id FROM json_array_elements_text(CAST(" + column + " AS JSON)) AS listed (value)) AS listed"
	}
	return "(SELECT value AS id FROM json_each(" + column + ")) AS listed"
}

// ChangesAfter returns the transaction of the change c, a condition for the changes after a position, and their order.
// PostgreSQL numbers rows before it commits them, so it leaves out those of transactions that are newer than the oldest
// one in progress.
func (d Dialect) ChangesAfter(args *Args, transaction, id int64) (number, condition, order string) {
	if d != Postgres {
		return "0", "c.id > " + args.Add(id), "c.id"
	}
	after := "(CAST(" + args.Add(strconv.FormatInt(transaction, 10)) + " AS XID8), CAST(" + args.Add(id) + " AS BIGINT))"
	return "CAST(CAST(c.xid AS TEXT) AS BIGINT)", "(c.xid, c.id) > " + after + " AND c.xid < pg_snapshot_xmin(pg_current_snapshot())", "c.xid, c.id"
}

// ChangesUpTo returns a condition for the rows of changes up to a position.
func (d Dialect) ChangesUpTo(args *Args, transaction, id int64) string {
	if d != Postgres {
		return "id <= " + args.Add(id)
	}
	return "(xid, id) <= (CAST(" + args.Add(strconv.FormatInt(transaction, 10)) + " AS XID8), CAST(" + args.Add(id) + " AS BIGINT))"
}

// ChangesEnd returns the position after the changes that can be read now: the transaction and the id. It also returns
// the newest transaction that a position can contain, and whether the server is a standby.
func (d Dialect) ChangesEnd() string {
	if d == Postgres {
		return `CAST(CAST(pg_snapshot_xmin(pg_current_snapshot()) AS TEXT) AS BIGINT), 0,
			CAST(CAST(pg_snapshot_xmax(pg_current_snapshot()) AS TEXT) AS BIGINT), pg_is_in_recovery()`
	}
	return "0, COALESCE((SELECT max(c.id) FROM " + d.Table("changes") + " c), 0), 0, FALSE" // of all changes, also for tokens with limits
}

// WaitingChanges returns a condition for the changes c that were committed but cannot be read yet.
func (d Dialect) WaitingChanges() string {
	if d == Postgres {
		return "c.xid >= pg_snapshot_xmin(pg_current_snapshot())"
	}
	return "FALSE"
}

// Seconds returns the time on the clock of the database, in seconds. Leases use it, because the clocks of servers differ.
func (d Dialect) Seconds() string {
	if d == Postgres {
		return "CAST(extract(epoch FROM clock_timestamp()) AS BIGINT)"
	}
	return "unixepoch()"
}
