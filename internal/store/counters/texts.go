package counters

import (
	"context"
	"strings"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/store/rowmap"
	"vitrine/internal/store/sqlx"
)

// Database triggers count texts in byte_usage.texts, in the transaction that changes them. They
// cover every write, including loads, cascades and writes of nodes that run an older version. The
// tables here, and the columns that are declared with sqlx.Quota, must match the triggers
// (migration 0041); the store check compares both.

// textSource is a table with texts that count towards a user's quota.
type textSource struct {
	table   string
	payer   string // column with the user whose quota is used
	columns string
	where   string // condition for rows that count, or "TRUE"
	of      string // condition for rows of user $1, covered by an index
}

var textSources = []textSource{
	{"blocks", "user_id", rowmap.Blocks.Names(sqlx.Quota), "TRUE", "user_id = $1"},
	{"comments", "user_id", rowmap.Comments.Names(sqlx.Quota), "TRUE", "user_id = $1"},
	{"hidden_comments", "user_id", rowmap.Comments.Names(sqlx.Quota), "TRUE", "user_id = $1"},
	{"channels", "owner_id", rowmap.Channels.Names(sqlx.Quota), "state <> 'deleted' AND owner_type = 'User'", "owner_id = $1"},
	{"channels", "user_id", rowmap.Channels.Names(sqlx.Quota), "state <> 'deleted' AND owner_type <> 'User'", "user_id = $1"},
	{"connections", "user_id", rowmap.Connections.Names(sqlx.Quota), "metadata IS NOT NULL", "user_id = $1"},
	{"groups", "owner_id", rowmap.Groups.Names(sqlx.Quota), "TRUE",
		"owner_id = $1 AND id IN (SELECT group_id FROM group_members WHERE user_id = $1)"},
	{"users", "id", rowmap.Users.Names(sqlx.Quota), "TRUE", "id = $1"},
	{"once_keys", "user_id", "answer", "TRUE", "user_id = $1"},
}

// textRows selects the payer and size of all rows with text, and textsOf those of user $1.
var textRows, textsOf = func() (all, of string) {
	var selects, ofUser []string
	for _, s := range textSources {
		var sizes []string
		for column := range strings.SplitSeq(s.columns, ",") {
			sizes = append(sizes, "COALESCE(octet_length("+strings.TrimSpace(column)+"), 0)")
		}
		one := "SELECT " + s.payer + " AS user_id, " + strings.Join(sizes, " + ") + " AS size FROM " + s.table + " WHERE " + s.where
		selects, ofUser = append(selects, one), append(ofUser, one+" AND "+s.of)
	}
	const and = " UNION ALL "
	return strings.Join(selects, and), strings.Join(ofUser, and)
}()

// EachUsage calls each with the usage of a user, for a transaction that has written the user's
// texts, and then calls then. On PostgreSQL it reads the usage after the statements of the
// transaction, and the usage may lack texts that this transaction has written; on SQLite, it may
// lack counts that are written at the commit.
func (w Writes) EachUsage(ctx context.Context, user domain.UserID, now time.Time, each func(domain.ByteUsage), then func(context.Context) error) error {
	return w.db.LaterEach(ctx, func(row sqlx.Row) error {
		u, err := scanByteUsage(row)
		each(u)
		return err
	}, then, byteUsageOf+"stored_bytes"+byteUsageWhere+"u.id = $1", user, sqlx.Micros(now), "")
}

// LockTexts is LockByteUsage, but includes everything that the transaction has written.
func (w Writes) LockTexts(ctx context.Context, user domain.UserID, now time.Time) (domain.ByteUsage, error) {
	if err := w.db.RunTriggers(ctx); err != nil {
		return domain.ByteUsage{}, err
	}
	return w.LockByteUsage(ctx, user, "", now)
}

// FinishTexts sums the texts of all users after a load without triggers.
func (w Writes) FinishTexts(ctx context.Context) error {
	return w.db.Exec(ctx, `INSERT INTO byte_usage (user_id, unused, files, texts)
		SELECT user_id, 0, 0, CAST(sum(size) AS BIGINT) FROM (`+textRows+`) AS t WHERE size > 0 GROUP BY user_id
		ON CONFLICT (user_id) DO UPDATE SET texts = excluded.texts`)
}

// CountTexts sums the texts of at most `limit` users that were stored before texts were counted,
// and returns the number of users.
func (w Writes) CountTexts(ctx context.Context, limit int) (int, error) {
	rows, err := w.db.Query(ctx, `SELECT user_id FROM byte_usage WHERE texts_counted = FALSE ORDER BY user_id`+sqlx.Limit("$1"), limit)
	users, err := sqlx.Collect(ctx, rows, err, sqlx.ScanID[domain.UserID])
	for _, user := range users {
		if err == nil {
			err = w.RecountBytes(ctx, user)
		}
	}
	return len(users), err
}
