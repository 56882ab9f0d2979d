package counters

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"strings"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/store/sqlx"
)

// The connections of a channel are counted by user (adder_counts), and those of blocks by the time
// of the block's last change (updated_counts). Each of UpdatedShifts has spans of 2^shift
// microseconds, so the number of connections before a time is the sum of some rows per level.
// Unlike the nodes of orders, spans are fixed, so changing a block needs no lock on its channels.
// adder_counts excludes private items, because whether they count depends on the viewer.
// updated_counts excludes channels, because adding to a channel changes it, and thousands of
// channels may contain it.

// UpdatedShifts are the levels of updated_counts: spans of 3.2 days and of 18 minutes. A wide span
// contains 256 narrow ones, and a page may read all of them; a year has 115 wide ones. Within a
// narrow span, a page scans all connections. A third, finer level had nearly a row per connection
// and made pages no cheaper.
var UpdatedShifts = [...]int{38, 30}

// shifts is UpdatedShifts as a table.
var shifts = func() string {
	rows := make([]string, len(UpdatedShifts))
	for i, shift := range UpdatedShifts {
		rows[i] = fmt.Sprintf("SELECT %d AS shift", shift)
	}
	return "(" + strings.Join(rows, " UNION ALL ") + ") AS shifts"
}()

// updatedKey is the key of a row of updated_counts. The span begins at bucket << shift.
type updatedKey struct {
	channel domain.ChannelID
	shift   int
	bucket  int64
}

var updatedCounts = countTable[updatedKey]{
	name:   "updated_counts",
	key:    []string{"channel_id", "shift", "bucket"},
	sums:   []string{"n"},
	sparse: true,
	compare: func(a, b updatedKey) int {
		return cmp.Or(cmp.Compare(a.channel, b.channel), cmp.Compare(a.shift, b.shift), cmp.Compare(a.bucket, b.bucket))
	},
	values: func(k updatedKey) []any { return []any{k.channel, k.shift, k.bucket} },
}

type adderKey struct {
	channel domain.ChannelID
	user    domain.UserID
}

var adderCounts = countTable[adderKey]{
	name:   "adder_counts",
	key:    []string{"channel_id", "user_id"},
	sums:   []string{"n"},
	sparse: true,
	compare: func(a, b adderKey) int {
		return cmp.Or(cmp.Compare(a.channel, b.channel), cmp.Compare(a.user, b.user))
	},
	values: func(k adderKey) []any { return []any{k.channel, k.user} },
}

// BlockTime registers that a channel gained (by 1) or lost (by -1) a connection of a block that
// was changed at a time in microseconds.
func (d *Deltas) BlockTime(channel domain.ChannelID, at, by int64) {
	for _, shift := range UpdatedShifts {
		d.updated.add(updatedKey{channel, shift, at >> shift}, Tally{Open: by})
	}
}

// Connection registers a connection of an item that is not private: by 1 if the connection is
// created or its item becomes open, by -1 for the opposite.
func (d *Deltas) Connection(channel domain.ChannelID, user domain.UserID, by int64) {
	d.adders.add(adderKey{channel, user}, Tally{Open: by})
}

// TouchBlock copies the time of change of a locked block to its connections, which sort by it. It
// also needs the previous time.
func (d *Deltas) TouchBlock(ctx context.Context, id domain.BlockID, was, now time.Time) error {
	rows, err := d.db.Query(ctx, `UPDATE connections SET item_updated_at = $2 WHERE item_type = 'Block' AND item_id = $1
		RETURNING channel_id`, id, sqlx.Micros(now))
	_, err = sqlx.Collect(ctx, rows, err, func(row sqlx.Row) (channel domain.ChannelID, err error) {
		err = row.Scan(&channel)
		d.BlockTime(channel, sqlx.Micros(was), -1)
		d.BlockTime(channel, sqlx.Micros(now), 1)
		return channel, err
	})
	return err
}

// RepairBlockTime copies the time of change of a locked block to its connections, which may have
// and be counted by any other time. It locks them first, in case a concurrent transaction moves
// one.
func (d *Deltas) RepairBlockTime(ctx context.Context, id domain.BlockID, now time.Time) error {
	rows, err := d.db.Query(ctx, `SELECT c.channel_id, c.item_updated_at FROM connections c
		WHERE c.item_type = 'Block' AND c.item_id = $1`+d.db.ForUpdate("c"), id)
	places, err := sqlx.Collect(ctx, rows, err, func(row sqlx.Row) (channel domain.ChannelID, err error) {
		var at int64
		if err = row.Scan(&channel, &at); err == nil {
			d.BlockTime(channel, at, -1)
			d.BlockTime(channel, sqlx.Micros(now), 1)
		}
		return channel, err
	})
	if err != nil || len(places) == 0 {
		return err
	}
	return d.db.Exec(ctx, `UPDATE connections SET item_updated_at = $2 WHERE item_type = 'Block' AND item_id = $1`, id, sqlx.Micros(now))
}

// The rows that each table counts, for all channels.
var (
	adderRows   = `SELECT c.channel_id, c.user_id FROM connections c WHERE c.item_private = FALSE`
	updatedRows = `SELECT c.channel_id, shifts.shift, c.item_updated_at >> shifts.shift AS bucket
		FROM connections c CROSS JOIN ` + shifts + ` WHERE c.item_type = 'Block'`
)

// missing returns the query for the differences to add to the counts of channel $1. As one
// statement, it reads connections and counts from the same snapshot.
func missing[K comparable](t countTable[K], rows string) string {
	key := strings.Join(t.key, ", ")
	return `SELECT ` + key + `, CAST(sum(n) AS BIGINT) FROM (
			SELECT counted.*, 1 AS n FROM (` + rows + ` AND c.channel_id = $1) AS counted
			UNION ALL SELECT ` + key + `, -n FROM ` + t.name + ` WHERE channel_id = $1) AS sides
		GROUP BY ` + key + ` HAVING sum(n) <> 0 ORDER BY ` + key
}

// ConnectionChecks compare both tables with the connections.
var ConnectionChecks = []sqlx.Check{
	miscountedConnections(adderCounts, adderRows),
	miscountedConnections(updatedCounts, updatedRows),
}

func miscountedConnections[K comparable](t countTable[K], rows string) sqlx.Check {
	key := strings.Join(t.key, ", ")
	return sqlx.Check{What: t.name + ".n", Query: `SELECT channel_id, CAST(sum(stored) AS BIGINT), CAST(sum(actual) AS BIGINT) FROM (
			SELECT ` + key + `, n AS stored, 0 AS actual FROM ` + t.name + `
			UNION ALL SELECT counted.*, 0, 1 FROM (` + rows + `) AS counted) AS sides
		GROUP BY ` + key + ` HAVING sum(stored) <> sum(actual)`}
}

// RecountConnections recounts the connections of a channel. It adds the differences, so items may
// change concurrently.
func (d *Deltas) RecountConnections(ctx context.Context, id domain.ChannelID) error {
	if err := d.FlushCounts(ctx); err != nil { // registered changes are neither missing nor stored
		return err
	}
	for _, statement := range []string{
		adderCounts.adding(missing(adderCounts, adderRows)),
		`DELETE FROM adder_counts WHERE channel_id = $1 AND n = 0`,
		updatedCounts.adding(missing(updatedCounts, updatedRows)),
		`DELETE FROM updated_counts WHERE channel_id = $1 AND n = 0`,
	} {
		if err := d.db.Exec(ctx, statement, id); err != nil {
			return err
		}
	}
	return nil
}

// content_counts counts the blocks and channels of each user and group.

// countParts is the number of rows over which a count is spread.
const countParts = 8

// contentKey is the key of a row of content_counts.
type contentKey struct {
	owner domain.PrincipalRef
	typ   string
	part  int64
}

var contentCounts = countTable[contentKey]{
	name: "content_counts",
	key:  []string{"owner_type", "owner_id", "type", "part"},
	sums: []string{"open", "hidden"},
	compare: func(a, b contentKey) int {
		return cmp.Or(strings.Compare(string(a.owner.Type), string(b.owner.Type)), cmp.Compare(a.owner.ID, b.owner.ID),
			strings.Compare(a.typ, b.typ), cmp.Compare(a.part, b.part))
	},
	values: func(k contentKey) []any { return []any{k.owner.Type, k.owner.ID, k.typ, k.part} },
}

// Content registers a change of how many items of a type an owner has. Users and groups do not
// count as items.
func (d *Deltas) Content(owner domain.PrincipalRef, typ string, item int64, by Tally) {
	if typ == string(domain.SubjectUser) || typ == string(domain.SubjectGroup) {
		return
	}
	d.contents.add(contentKey{owner, typ, item % countParts}, by)
}

// Contents registers the changes that a query returns as (owner, type, part, open, hidden).
func (d *Deltas) Contents(ctx context.Context, owner domain.PrincipalType, query string, args ...any) error {
	rows, err := d.db.Query(ctx, query, args...)
	_, err = sqlx.Collect(ctx, rows, err, func(row sqlx.Row) (by Tally, err error) {
		key := contentKey{owner: domain.PrincipalRef{Type: owner}}
		err = row.Scan(&key.owner.ID, &key.typ, &key.part, &by.Open, &by.Hidden)
		d.Content(key.owner, key.typ, key.part, by)
		return by, err
	})
	return err
}

// ContentChecks compare the counts with the counted rows and report differences by owner.
var ContentChecks = []sqlx.Check{
	miscounted("User", "search_documents", "author_id", "d.kind IN ('Block', 'Channel')"),
	miscounted("Group", "group_items", "group_id", "EXISTS (SELECT 1 FROM groups g WHERE g.id = d.group_id)"),
}

// miscounted compares the counts for a type of owner. It weighs open and hidden rows differently,
// so that errors in one cannot offset errors in the other. A job deletes the counts of a deleted
// group.
func miscounted(owner, table, column, where string) sqlx.Check {
	return sqlx.Check{What: "content_counts of a " + owner, Query: `SELECT owner_id, CAST(sum(stored) AS BIGINT), CAST(sum(actual) AS BIGINT) FROM (
		SELECT owner_id, type, part, open * 1000003 + hidden AS stored, 0 AS actual FROM content_counts n
			WHERE owner_type = '` + owner + `' AND (owner_type = 'User' OR EXISTS (SELECT 1 FROM groups g WHERE g.id = n.owner_id))
		UNION ALL SELECT d.` + column + `, d.type, d.item_id % 8, 0, CASE WHEN d.open THEN 1000003 ELSE 1 END
			FROM ` + table + ` d WHERE ` + where + `) AS both_sides
		GROUP BY owner_id, type, part HAVING sum(stored) <> sum(actual)`}
}

// span is a range of times in microseconds, including both ends.
type span struct{ from, to int64 }

// bucket is a row of updated_counts.
type bucket struct {
	span
	n int64
}

// maxNear is how many connections a scan may skip before it is worth looking up its start.
const maxNear = 100

// StartTime returns where to start a scan by the blocks' times of change that skips `skip`
// connections: at a time, after `rest` more connections.
func (r Reads) StartTime(ctx context.Context, id domain.ChannelID, desc bool, skip int64) (start, rest int64, err error) {
	left := span{math.MinInt64, math.MaxInt64}
	levels := UpdatedShifts[:]
	if skip <= maxNear {
		levels = nil
	}
	for _, shift := range levels {
		buckets, err := r.buckets(ctx, id, shift, left, desc)
		if err != nil {
			return 0, 0, err
		}
		inside := false
		for _, b := range buckets {
			// Skip a bucket together with the empty time before it.
			part, after := span{left.from, b.to}, span{b.to + 1, left.to}
			if desc {
				part, after = span{b.from, left.to}, span{left.from, b.from - 1}
			}
			if inside = skip < b.n; inside {
				left = part
				break
			}
			skip, left = skip-b.n, after
		}
		if !inside {
			break
		}
	}
	if desc {
		return left.to, skip, nil
	}
	return left.from, skip, nil
}

// buckets lists the rows of a level within a span whose ends are also ends of rows.
func (r Reads) buckets(ctx context.Context, id domain.ChannelID, shift int, within span, desc bool) ([]bucket, error) {
	rows, err := r.db.Query(ctx, `SELECT bucket, n FROM updated_counts
		WHERE channel_id = $1 AND shift = $2 AND bucket >= $3 AND bucket <= $4 ORDER BY bucket `+sqlx.Direction(desc),
		id, shift, within.from>>shift, within.to>>shift)
	return sqlx.Collect(ctx, rows, err, func(row sqlx.Row) (b bucket, err error) {
		var at int64
		err = row.Scan(&at, &b.n)
		b.from, b.to = at<<shift, at<<shift+1<<shift-1
		return b, err
	})
}
