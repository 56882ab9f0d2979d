// Package changes stores what changed, in the order of commits (docs/design/changes.md).
package changes

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/store/access"
	"vitrine/internal/store/sqlx"
)

// Reads contains the statements that change nothing.
type Reads struct{ db sqlx.Conn }

// Writes also contains those that change something.
type Writes struct{ Reads }

// NewReads returns the statements on a connection.
func NewReads(db sqlx.Conn) Reads { return Reads{db} }

// NewWrites returns the statements of a transaction.
func NewWrites(db sqlx.Conn) Writes { return Writes{Reads{db}} }

// State is what is needed to check a cursor.
type State struct {
	Secret    string                // of cursors
	Forgotten domain.ChangePosition // the last change that was deleted
	End       domain.ChangePosition // after everything that can be read
	Newest    int64                 // the newest transaction of PostgreSQL
	Standby   bool                  // the server may be behind the primary
}

// State returns the state of the outbox.
func (r Reads) State(ctx context.Context) (s State, err error) {
	err = r.db.QueryRow(ctx, "SELECT e.secret, e.forgotten_xid, e.forgotten_id, "+r.db.ChangesEnd()+" FROM change_epoch e WHERE e.id = 1").
		Scan(&s.Secret, &s.Forgotten.Transaction, &s.Forgotten.ID, &s.End.Transaction, &s.End.ID, &s.Newest, &s.Standby)
	if s.End.Before(s.Forgotten) {
		s.End = s.Forgotten
	}
	return s, err
}

// Secret returns the key of cursors. It changes with the epoch.
func (r Reads) Secret(ctx context.Context) (secret string, err error) {
	err = r.db.QueryRow(ctx, "SELECT secret FROM change_epoch WHERE id = 1").Scan(&secret)
	return secret, err
}

// Head returns the position of the last change that can be read.
func (r Reads) Head(ctx context.Context) (p domain.ChangePosition, err error) {
	var args sqlx.Args
	number, condition, order := r.db.ChangesAfter(&args, 0, 0)
	rows, err := r.db.Query(ctx, "SELECT "+number+", c.id FROM changes c WHERE "+condition+" ORDER BY "+strings.ReplaceAll(order, ",", " DESC,")+" DESC LIMIT 1", args...)
	all, err := sqlx.Collect(ctx, rows, err, func(row sqlx.Row) (p domain.ChangePosition, err error) {
		return p, row.Scan(&p.Transaction, &p.ID)
	})
	if err != nil || len(all) == 0 {
		return p, err
	}
	return all[0], nil
}

// OldestWaiting returns when the oldest change was made that is committed but cannot be read yet.
func (r Reads) OldestWaiting(ctx context.Context) (*time.Time, error) {
	var at *int64
	err := r.db.QueryRow(ctx, "SELECT min(c.created_at) FROM changes c WHERE "+r.db.WaitingChanges()).Scan(&at)
	return sqlx.TimePtr(at), err
}

// After lists the changes after a position, without their details.
func (r Reads) After(ctx context.Context, p domain.ChangePosition, limit int) ([]domain.Change, error) {
	return r.after(ctx, p, limit, "''")
}

// AfterWithDetail is After with details, for webhooks.
func (r Reads) AfterWithDetail(ctx context.Context, p domain.ChangePosition, limit int) ([]domain.Change, error) {
	return r.after(ctx, p, limit, "c.detail")
}

func (r Reads) after(ctx context.Context, p domain.ChangePosition, limit int, detail string) ([]domain.Change, error) {
	var args sqlx.Args
	number, condition, order := r.db.ChangesAfter(&args, p.Transaction, p.ID)
	rows, err := r.db.Query(ctx, "SELECT "+number+`, c.id, c.kind, c.type, c.thing_id, COALESCE(c.channel_id, 0), COALESCE(c.item_type, ''),
			COALESCE(c.item_id, 0), c.actor_id, c.fields, `+detail+`, c.audience, c.created_at
		FROM changes c WHERE `+condition+" ORDER BY "+order+sqlx.Limit(args.Add(limit)), args...)
	return sqlx.Collect(ctx, rows, err, func(row sqlx.Row) (c domain.Change, err error) {
		var at int64
		var fields string
		err = row.Scan(&c.At.Transaction, &c.At.ID, &c.Kind, &c.Type, &c.ID, &c.Channel, &c.Item.Type, &c.Item.ID, &c.Actor, &fields, &c.Detail, &c.Audience, &at)
		c.Fields, c.CreatedAt = strings.Fields(fields), sqlx.Time(at)
		return c, err
	})
}

// Groups returns the groups of a user, and since when they are a member.
func (r Reads) Groups(ctx context.Context, user domain.UserID) (map[domain.GroupID]time.Time, error) {
	all := map[domain.GroupID]time.Time{}
	if user == 0 {
		return all, nil
	}
	rows, err := r.db.Query(ctx, "SELECT group_id, created_at FROM group_members WHERE user_id = $1", user)
	_, err = sqlx.Collect(ctx, rows, err, func(row sqlx.Row) (none struct{}, err error) {
		var g domain.GroupID
		var at int64
		err = row.Scan(&g, &at)
		all[g] = sqlx.Time(at)
		return none, err
	})
	return all, err
}

// VisibleChannels returns which of some channels a viewer may see.
func (r Reads) VisibleChannels(ctx context.Context, viewer domain.UserID, ids []domain.ChannelID) (map[domain.ChannelID]bool, error) {
	return found(ctx, r.db, ids, "SELECT ch.id FROM channels ch WHERE "+r.db.In("ch.id", "$2")+" AND "+
		access.For(viewer, access.VisibleChannel, access.GuestChannel), int64(viewer))
}

// VisibleBlocks returns which of some blocks a viewer may see.
func (r Reads) VisibleBlocks(ctx context.Context, viewer domain.UserID, ids []domain.BlockID) (map[domain.BlockID]bool, error) {
	return found(ctx, r.db, ids, "SELECT b.id FROM blocks b WHERE "+r.db.In("b.id", "$2")+" AND "+
		access.For(viewer, access.VisibleBlock, access.GuestBlock), int64(viewer))
}

// BlocksIn returns which of some blocks are in a channel.
func (r Reads) BlocksIn(ctx context.Context, channel domain.ChannelID, ids []domain.BlockID) (map[domain.BlockID]bool, error) {
	return found(ctx, r.db, ids, "SELECT c.item_id FROM connections c WHERE c.channel_id = $1 AND c.item_type = 'Block' AND "+r.db.In("c.item_id", "$2"), int64(channel))
}

// Connections returns which of some connections exist.
func (r Reads) Connections(ctx context.Context, ids []domain.ConnectionID) (map[domain.ConnectionID]bool, error) {
	return found(ctx, r.db, ids, "SELECT c.id FROM connections c WHERE "+r.db.In("c.id", "$1"))
}

// Comments returns which of some comments exist.
func (r Reads) Comments(ctx context.Context, ids []domain.CommentID) (map[domain.CommentID]bool, error) {
	return found(ctx, r.db, ids, "SELECT k.id FROM comments k WHERE "+r.db.In("k.id", "$1"))
}

// found returns the ids that a query selects of some, which are its last argument. For no ids it runs no query.
func found[T ~int64](ctx context.Context, db sqlx.Conn, ids []T, query string, args ...any) (map[T]bool, error) {
	all := make(map[T]bool, len(ids))
	if len(ids) == 0 {
		return all, nil
	}
	rows, err := db.Query(ctx, query, append(args, sqlx.IDs(db.Dialect, ids))...)
	_, err = sqlx.Collect(ctx, rows, err, func(row sqlx.Row) (none struct{}, err error) {
		id, err := sqlx.ScanID[T](row)
		all[id] = true
		return none, err
	})
	return all, err
}

// Entry is a new change. Its audience is extended in the database.
type Entry struct {
	domain.Change
	Channels []domain.ChannelID // the owners and collaborators of these channels saw the thing, and everyone if one is not private
	Members  domain.ChannelID   // the owner and the collaborators of this channel saw the thing
	Block    domain.BlockID     // those who see this block saw the thing
}

var columns = []string{"kind", "type", "thing_id", "channel_id", "item_type", "item_id", "actor_id", "fields", "detail", "audience",
	"channels", "members_id", "block_id", "created_at"}

// owner and member are the words of the audience for the owner of the channel ch and its collaborator co.
const (
	owner  = `CASE WHEN ch.owner_type = 'Group' THEN 'g' ELSE 'u' END || CAST(ch.owner_id AS TEXT)`
	member = `CASE WHEN co.member_type = 'Group' THEN 'g' ELSE 'u' END || CAST(co.member_id AS TEXT)`
)

// insert writes the changes listed at $1. Subqueries find the id of new connections if `joins` is set, and audiences if
// `seen` is set. PostgreSQL plans the statement for each execution, which takes longer than running it: most
// transactions need neither.
func insert(d sqlx.Dialect, joins, seen bool) string {
	id, audience := "l.thing_id", "l.audience"
	if joins {
		id = `COALESCE(l.thing_id, (SELECT nc.id FROM connections nc
			WHERE nc.channel_id = l.channel_id AND nc.item_type = l.item_type AND nc.item_id = l.item_id), 0)`
	}
	if seen {
		audience += audienceOf(d)
	}
	return `INSERT INTO changes (kind, type, thing_id, channel_id, item_type, item_id, actor_id, fields, detail, audience, created_at)
		SELECT l.kind, l.type, ` + id + `, l.channel_id, NULLIF(l.item_type, ''), l.item_id, l.actor_id, l.fields, l.detail, ` + audience + `, l.created_at
		FROM ` + d.ChangeRows("$1", columns...) + ` ORDER BY l.n`
}

// audienceOf returns what is appended to the audience of a change l.
func audienceOf(d sqlx.Dialect) string {
	listed := `(SELECT listed.id FROM ` + d.ListedIDs("l.channels") + `
		UNION ALL SELECT bc.channel_id FROM connections bc WHERE bc.item_type = 'Block' AND bc.item_id = l.block_id)`
	return `
			|| CASE WHEN l.channels IS NULL AND l.block_id IS NULL THEN '' ELSE ' ' || COALESCE((SELECT string_agg(seen.who, ' ') FROM (
				SELECT CASE WHEN ch.visibility <> 'private' THEN '*' ELSE ` + owner + ` END AS who FROM channels ch WHERE ch.state = 'available' AND ch.id IN ` + listed + `
				UNION SELECT ` + member + ` FROM collaborators co JOIN channels ch ON ch.id = co.channel_id AND ch.visibility = 'private' AND ch.state = 'available'
					WHERE co.channel_id IN ` + listed + `
				UNION SELECT 'u' || CAST(b.user_id AS TEXT) FROM blocks b WHERE b.id = l.block_id) AS seen), '') END
			|| CASE WHEN l.members_id IS NULL THEN '' ELSE ' ' || COALESCE((SELECT string_agg(seen.who, ' ') FROM (
				SELECT ` + owner + ` AS who FROM channels ch WHERE ch.id = l.members_id
				UNION SELECT ` + member + ` FROM collaborators co WHERE co.channel_id = l.members_id) AS seen), '') END`
}

// kindOfInsert selects a variant of the statement.
type kindOfInsert struct {
	d           sqlx.Dialect
	joins, seen bool
}

var inserts = func() map[kindOfInsert]string {
	all := map[kindOfInsert]string{}
	for _, d := range []sqlx.Dialect{sqlx.SQLite, sqlx.Postgres} {
		for _, joins := range []bool{false, true} {
			for _, seen := range []bool{false, true} {
				all[kindOfInsert{d, joins, seen}] = insert(d, joins, seen)
			}
		}
	}
	return all
}()

// Record writes the changes of a transaction, in one statement.
func (w Writes) Record(ctx context.Context, all []Entry) error {
	list := make([]byte, 0, 2+160*len(all))
	kind := kindOfInsert{d: w.db.Dialect}
	for i := range all {
		e := &all[i]
		kind.joins = kind.joins || e.ID == 0
		kind.seen = kind.seen || len(e.Channels) > 0 || e.Members != 0 || e.Block != 0
		list = appendText(append(list, separator(i), '['), string(e.Kind))
		list = appendText(append(list, ','), string(e.Type))
		list = appendID(append(list, ','), e.ID)
		list = appendID(append(list, ','), int64(e.Channel))
		list = appendText(append(list, ','), string(e.Item.Type))
		list = appendID(append(list, ','), e.Item.ID)
		list = strconv.AppendInt(append(list, ','), int64(e.Actor), 10)
		list = appendText(append(list, ','), strings.Join(e.Fields, " "))
		if e.Detail == "" {
			list = append(list, `,""`...)
		} else {
			detail, _ := json.Marshal(e.Detail) // a string can always be encoded
			list = append(append(list, ','), detail...)
		}
		list = appendText(append(list, ','), string(e.Audience))
		list = append(list, ',')
		if len(e.Channels) == 0 {
			list = append(list, "null"...)
		} else {
			list = append(list, '"')
			for n, id := range e.Channels {
				list = strconv.AppendInt(append(list, separator(n)), int64(id), 10)
			}
			list = append(list, `]"`...)
		}
		list = appendID(append(list, ','), int64(e.Members))
		list = appendID(append(list, ','), int64(e.Block))
		list = append(strconv.AppendInt(append(list, ','), sqlx.Micros(e.CreatedAt), 10), ']')
	}
	return w.db.Later(ctx, inserts[kind], string(append(list, ']')))
}

// separator returns what precedes an element of a JSON list.
func separator(i int) byte {
	if i == 0 {
		return '['
	}
	return ','
}

// appendText appends a text as JSON. The texts of changes are words without characters that JSON escapes.
func appendText(list []byte, s string) []byte {
	return append(append(append(list, '"'), s...), '"')
}

// appendID appends an id as JSON, null if it is 0.
func appendID(list []byte, id int64) []byte {
	if id == 0 {
		return append(list, "null"...)
	}
	return strconv.AppendInt(list, id, 10)
}

// ForgetDetails deletes the values of a user's profile, and those that the user wrote, from the next limit changes after one.
// It returns the last of them, 0 at the end. What changed and when stays, so that followers notice.
func (w Writes) ForgetDetails(ctx context.Context, user domain.UserID, after int64, limit int) (last int64, err error) {
	err = w.db.QueryRow(ctx, `SELECT coalesce(max(id), 0) FROM (SELECT id FROM changes WHERE id > $1 ORDER BY id LIMIT $2) AS c`, after, limit).Scan(&last)
	if err != nil || last == 0 {
		return 0, err
	}
	return last, w.db.Exec(ctx, `UPDATE changes SET detail = '' WHERE id > $2 AND id <= $3 AND detail <> '' AND (actor_id = $1 OR type = 'User' AND thing_id = $1)`,
		user, after, last)
}

// ForgetChanges deletes at most `limit` of the oldest changes if they were made before a time, and returns their number.
// Cursors before them are refused from then on.
func (w Writes) ForgetChanges(ctx context.Context, before time.Time, limit int) (int, error) {
	old, err := w.After(ctx, domain.ChangePosition{}, limit)
	if err != nil {
		return 0, err
	}
	n := 0
	for n < len(old) && old[n].CreatedAt.Before(before) {
		n++
	}
	if n == 0 {
		return 0, nil
	}
	last := old[n-1].At
	var args sqlx.Args
	if err := w.db.Exec(ctx, "DELETE FROM changes WHERE "+w.db.ChangesUpTo(&args, last.Transaction, last.ID), args...); err != nil {
		return 0, err
	}
	return n, w.db.ExecOne(ctx, "UPDATE change_epoch SET forgotten_xid = $1, forgotten_id = $2 WHERE id = 1", last.Transaction, last.ID)
}
