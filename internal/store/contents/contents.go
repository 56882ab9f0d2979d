// Package contents reads what is in a channel and around an item: the connections of a channel
// with their positions, the channels of an item, the comments on blocks, neighbours in a channel,
// related channels, previews of channels, and the channels that a user is likely to need next. The
// store itself connects and moves items.
package contents

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"vitrine/internal/database"
	"vitrine/internal/domain"
	"vitrine/internal/store/access"
	"vitrine/internal/store/counters"
	"vitrine/internal/store/ranked"
	"vitrine/internal/store/rowmap"
	"vitrine/internal/store/sqlx"
)

// Reads contains the statements that change nothing.
type Reads struct{ db sqlx.Conn }

// NewReads returns the statements on a connection.
func NewReads(db sqlx.Conn) Reads { return Reads{db} }

// Lists contains the statements that count and read a page, which need one consistent state for
// both.
type Lists struct {
	Reads
	listed int64 // maximum number of private items that are listed; beyond it, they are looked up during the scan
}

// NewLists returns the statements on the connection of a snapshot.
func NewLists(db sqlx.Conn, listed int64) Lists { return Lists{NewReads(db), listed} }

// Query selects a page of a channel's contents. If By is not 0, it selects only connections by
// that user.
type Query struct {
	Viewer  domain.UserID
	Channel domain.Channel
	Sort    domain.ContentSort
	By      domain.UserID
	Page    domain.Page

	// Outline, if set, restricts the result to the stamps of connections and blocks, with the items
	// and positions of the connections, and provides their memory.
	Outline *Outline
}

// Outline owns the memory of an outline, which lasts until it is used again.
type Outline = rowmap.Outline

// NewOutline returns an Outline.
func NewOutline() *Outline { return rowmap.NewOutline() }

// selected returns the beginning of a statement that reads connections.
func (q Query) selected() string {
	if q.Outline != nil {
		return "SELECT " + rowmap.OutlineColumns + " FROM connections c " + rowmap.OutlineJoins
	}
	return "SELECT " + rowmap.ConnectionColumns + " FROM connections c " + rowmap.ConnectionMaker
}

// collect reads about n rows of its statement.
func (q Query) collect(ctx context.Context, rows database.Rows, err error, n int) ([]domain.Connection, error) {
	if q.Outline != nil {
		return collectOutline(ctx, q.Outline, rows, err, n, q.Outline.Read)
	}
	return sqlx.CollectPage(ctx, rows, err, n, rowmap.ReadConnection)
}

// collectOutline reads about n rows into an outline. Their texts are not charged to the response,
// because they are not shown.
func collectOutline(ctx context.Context, o *Outline, rows database.Rows, err error, n int, read func(sqlx.Row) error) ([]domain.Connection, error) {
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for o.Reset(n); rows.Next(); {
		if err := read(rows); err != nil {
			return nil, err
		}
	}
	return o.Connections(), database.Classify(ctx, rows.Err())
}

// Contents lists the connections of a channel whose items the viewer may see, with their positions
// (behaviour.md section 5). The cost grows with the logarithm of the channel's size, except for
// two lists that are scanned from the nearer end: those sorted by time of change, and those of one
// user among several who added to the channel.
func (v Lists) Contents(ctx context.Context, q Query) (l domain.List[domain.Connection], err error) {
	if q.Sort.Key == domain.ByTitle {
		return v.titledContents(ctx, q)
	}
	private, err := v.visiblePrivate(ctx, q)
	if err != nil {
		return l, err
	}
	open := q.Channel.Contents() - q.Channel.PrivateItems
	if q.By != 0 {
		if q, open, private, err = v.narrow(ctx, q, open, private); err != nil {
			return l, err
		}
	}
	total := open + private.n
	switch {
	case q.Page.Offset() >= total:
		return domain.List[domain.Connection]{Total: total}, nil
	case q.Sort.Key == domain.ByUpdated:
		return v.updatedContents(ctx, q, total, private.n)
	case q.By != 0 || !private.listed && private.n < q.Channel.PrivateItems:
		return v.scanContents(ctx, q, total, private)
	}
	return v.rankedContents(ctx, q, total, private)
}

// narrow counts only the connections by By, among open and private items. It drops a filter that
// excludes nothing.
func (v Lists) narrow(ctx context.Context, q Query, open int64, private privateItems) (Query, int64, privateItems, error) {
	own, err := sqlx.ScanInt64(v.db.QueryRow(ctx, `SELECT COALESCE((SELECT n FROM adder_counts WHERE channel_id = $1 AND user_id = $2), 0)`,
		q.Channel.ID, q.By))
	if err != nil {
		return q, 0, private, err
	}
	theirs := private
	if private.listed {
		theirs.all = slices.DeleteFunc(slices.Clone(private.all), func(k keyed) bool { return k.by != q.By })
		theirs.n = int64(len(theirs.all))
	} else if theirs.n, err = v.countPrivateItems(ctx, q, q.By); err != nil {
		return q, 0, private, err
	}
	if own == open && theirs.n == private.n {
		q.By = 0
	}
	return q, own, theirs, nil
}

// privateItems contains the connections of private channels that the viewer may see: their number
// and, unless there are too many to list, all of them in ascending order.
type privateItems struct {
	n      int64
	all    []keyed
	listed bool
}

// keyed is a connection with its key in some order and, if requested, its creator.
type keyed struct {
	id  domain.ConnectionID
	key int64
	by  domain.UserID
}

func scanKeyed(row sqlx.Row) (k keyed, err error) {
	err = row.Scan(&k.id, &k.key)
	return k, err
}

func sortOf(s domain.ContentSort) ranked.Order {
	if s.Key == domain.ByConnected {
		return ranked.ByTime
	}
	return ranked.ByPosition
}

// visiblePrivate finds the connections of private channels that the viewer may see. It starts from
// the smaller set, either the private items of the channel or the private channels of the viewer.
// So the cost does not grow with the size of the channel, and a viewer with many channels
// elsewhere only pays for them if the channel has as many private items.
func (v Lists) visiblePrivate(ctx context.Context, q Query) (p privateItems, err error) {
	p.listed = true
	if q.Channel.PrivateItems == 0 || q.Viewer == 0 {
		return p, nil
	}
	from, args, err := v.privateSide(ctx, q)
	if err != nil {
		return p, err
	}
	key := sortOf(q.Sort).Column()
	rows, err := v.db.Query(ctx, from("id, "+key+", user_id")+" ORDER BY 2"+sqlx.Limit("$3"), append(args, v.listed+1)...)
	p.all, err = sqlx.Collect(ctx, rows, err, func(row sqlx.Row) (k keyed, err error) {
		err = row.Scan(&k.id, &k.key, &k.by)
		return k, err
	})
	p.n = int64(len(p.all))
	if err != nil || p.n <= v.listed {
		return p, err
	}
	p.all, p.listed = nil, false
	p.n, err = v.countPrivateItems(ctx, q, 0)
	return p, err
}

// countPrivateItems counts the connections of private channels that the viewer may see, created by
// one user or (0) by any.
func (v Lists) countPrivateItems(ctx context.Context, q Query, by domain.UserID) (int64, error) {
	from, args, err := v.privateSide(ctx, q)
	if err != nil {
		return 0, err
	}
	return sqlx.ScanInt64(v.db.QueryRow(ctx, "SELECT count(*) FROM ("+from("user_id")+") AS counted WHERE CAST($3 AS BIGINT) IN (0, counted.user_id)",
		append(args, by)...))
}

// maxPrivate is how many private items of a channel are looked up without comparing alternatives.
const maxPrivate = 100

// privateSide returns the beginning of a statement for the connections of private channels that
// the viewer $1 may see in the channel $2, with the given columns.
func (v Lists) privateSide(ctx context.Context, q Query) (from func(columns string) string, args []any, err error) {
	args = []any{q.Viewer, q.Channel.ID}
	const here = ` FROM connections c WHERE c.channel_id = $2 AND c.item_type = 'Channel' AND c.item_id = mine.id AND c.item_private = TRUE)`
	fromItems := func(columns string) string {
		return "SELECT c." + strings.ReplaceAll(columns, ", ", ", c.") + ` FROM connections c CROSS JOIN channels ch
			WHERE c.channel_id = $2 AND c.item_type = 'Channel' AND c.item_private = TRUE AND ch.id = c.item_id AND ` + access.VisibleChannel
	}
	if q.Channel.PrivateItems <= maxPrivate {
		return fromItems, args, nil
	}
	mine, err := sqlx.ScanInt64(v.db.QueryRow(ctx, access.CountPrivateChannels, q.Viewer, q.Channel.PrivateItems))
	if err != nil || mine >= q.Channel.PrivateItems {
		return fromItems, args, err
	}
	return func(columns string) string {
		// Look up each channel separately: PostgreSQL would join them with all private items of the
		// channel.
		each := "(SELECT c.id" + here + " AS at"
		for column := range strings.SplitSeq(columns, ", ") {
			each += ", (SELECT c." + column + here + " AS " + column
		}
		return "WITH " + access.PrivateChannels + " SELECT " + columns + " FROM (SELECT " + each + " FROM mine) AS found WHERE at IS NOT NULL"
	}, args, nil
}

// rankedContents finds the page with the tree of the order.
func (v Lists) rankedContents(ctx context.Context, q Query, total int64, private privateItems) (l domain.List[domain.Connection], err error) {
	s := seenOf(private, q.Channel)
	l.Total = total
	offset := q.Page.Offset()
	start, err := v.startKey(ctx, q, offset, l.Total, s)
	if err != nil {
		return l, err
	}
	if q.Channel.PrivateItems == 0 {
		l.Items, err = v.run(ctx, q, start, int(min(q.Page.Per, total-offset)))
	} else {
		l.Items, err = v.mergedRun(ctx, q, start, private)
	}
	if err != nil {
		return l, err
	}
	if s.All && q.Sort.Key == domain.ByPosition {
		for i := range l.Items {
			l.Items[i].Position = offset + int64(i) + 1
			if q.Sort.Desc {
				l.Items[i].Position = l.Total - offset - int64(i)
			}
		}
		return l, nil
	}
	return l, Reads{v.db}.place(ctx, l.Items)
}

// seenOf returns which keys of a channel count for a viewer who sees the given private items.
func seenOf(private privateItems, c domain.Channel) ranked.Seen {
	s := ranked.Seen{All: private.n == c.PrivateItems, Keys: make([]int64, len(private.all))}
	for i, k := range private.all {
		s.Keys[i] = k.key
	}
	return s
}

// startKey returns the key at which the page begins.
func (v Lists) startKey(ctx context.Context, q Query, offset, total int64, s ranked.Seen) (int64, error) {
	switch {
	case offset == 0 && q.Sort.Desc:
		return math.MaxInt64, nil
	case offset == 0:
		return math.MinInt64, nil
	}
	rank := offset + 1
	if q.Sort.Desc {
		rank = total - offset
	}
	return ranked.KeyAt(ctx, v.db, q.Channel.ID, sortOf(q.Sort), rank, s)
}

// direction returns the comparison and the order of a scan from a key.
func direction(desc bool) (compare, order string) {
	if desc {
		return "<=", sqlx.Direction(desc)
	}
	return ">=", sqlx.Direction(desc)
}

// run reads the n connections of open items from a key on.
func (v Lists) run(ctx context.Context, q Query, start int64, n int) ([]domain.Connection, error) {
	ctx = database.Uninterruptible(ctx)
	of := ofRun{sortOf(q.Sort), q.Sort.Desc, wholeRows}
	if q.Outline != nil {
		read := q.Outline.Read
		of.rows = settledOutlines
		if q.Channel.Channels == 0 {
			of.rows, read = blockOutlines, q.Outline.ReadBlock
		}
		rows, err := v.db.Query(ctx, runs[of], q.Channel.ID, start, n)
		all, err := collectOutline(ctx, q.Outline, rows, err, n, read)
		if err != nil || len(all) == n {
			return all, err
		}
		of.rows = outlines
	}
	rows, err := v.db.Query(ctx, runs[of], q.Channel.ID, start, n)
	return q.collect(ctx, rows, err, n)
}

// ofRun is the key of runs.
type ofRun struct {
	order ranked.Order
	desc  bool
	rows  int
}

// The rows of a run.
const (
	wholeRows = iota
	outlines
	settledOutlines // nothing while transitions are pending
	blockOutlines   // the same, without channels
)

// runs contains the queries of run, so that it does not build one for every page.
var runs = func() map[ofRun]string {
	selected := [...]string{
		wholeRows:       Query{}.selected() + " WHERE",
		outlines:        Query{Outline: &Outline{}}.selected() + " WHERE",
		settledOutlines: access.Settled(Query{Outline: &Outline{}}.selected()) + " WHERE NOT " + access.Pending + " AND",
		blockOutlines:   rowmap.BlockOutline + " AND",
	}
	all := map[ofRun]string{}
	for _, order := range []ranked.Order{ranked.ByPosition, ranked.ByTime} {
		for _, desc := range []bool{false, true} {
			compare, dir := direction(desc)
			key := "c." + order.Column()
			for rows, text := range selected {
				all[ofRun{order, desc, rows}] = text + " c.channel_id = $1 AND c.item_private = FALSE AND " +
					key + compare + " $2 ORDER BY " + key + " " + dir + sqlx.Limit("$3")
			}
		}
	}
	return all
}()

// mergedRun reads the connections of open items and the listed private ones, starting at a key. If
// the private ones are not listed, the viewer sees all of them.
func (v Lists) mergedRun(ctx context.Context, q Query, start int64, private privateItems) ([]domain.Connection, error) {
	compare, dir := direction(q.Sort.Desc)
	key := sortOf(q.Sort).Column()
	part := func(private string) string {
		return "SELECT * FROM (SELECT id, " + key + ` AS k FROM connections WHERE channel_id = $1 AND item_private = ` + private +
			" AND " + key + compare + " $2 ORDER BY " + key + " " + dir + sqlx.Limit("$3") + ") AS part"
	}
	query := part("FALSE")
	if !private.listed {
		query += " UNION ALL " + part("TRUE") + " ORDER BY k " + dir + sqlx.Limit("$3")
	}
	rows, err := v.db.Query(database.Uninterruptible(ctx), query, q.Channel.ID, start, q.Page.Per)
	page, err := sqlx.Collect(ctx, rows, err, scanKeyed)
	if err != nil {
		return nil, err
	}
	for _, k := range private.all {
		if k.key == start || k.key < start == q.Sort.Desc {
			page = append(page, k)
		}
	}
	slices.SortFunc(page, func(a, b keyed) int {
		if (a.key < b.key) == q.Sort.Desc {
			return 1
		}
		return -1
	})
	page = page[:min(int64(len(page)), q.Page.Per)]
	return Reads{v.db}.inOrder(ctx, q, idsOf(page))
}

// indexScan is a scan of an index to a page: past some connections, in one direction. It begins at the
// nearer end of the list, so the result may have to be reversed.
type indexScan struct {
	desc       bool
	skip, take int64
	turned     bool
}

// scanTo returns the scan that reaches the page in a list of the given length.
func scanTo(q Query, total int64) indexScan {
	before := q.Page.Offset()
	w := indexScan{desc: q.Sort.Desc, skip: before, take: min(q.Page.Per, total-before)}
	if after := total - before - w.take; after < before {
		w.desc, w.skip, w.turned = !w.desc, after, true
	}
	return w
}

// walked runs the query of a scan and returns its connections as a page.
func (v Lists) walked(ctx context.Context, q Query, w indexScan, total int64, query string, args ...any) (l domain.List[domain.Connection], err error) {
	l.Total = total
	rows, err := v.db.Query(ctx, query, args...)
	found, err := sqlx.Collect(ctx, rows, err, sqlx.ScanID[domain.ConnectionID])
	if err != nil {
		return l, err
	}
	if w.turned {
		slices.Reverse(found)
	}
	l.Items, err = v.inOrder(ctx, q, found)
	return l, err
}

// scanContents finds a page of the connections by one of several users, or of a channel with so
// many private items that the visible ones are not listed. It reads open and private items
// separately, so that an index serves each condition.
func (v Lists) scanContents(ctx context.Context, q Query, total int64, private privateItems) (domain.List[domain.Connection], error) {
	w := scanTo(q, total)
	key := sortOf(q.Sort).Column()
	_, dir := direction(w.desc)
	order := " ORDER BY k " + dir
	s := sqlx.Args{q.Viewer}
	columns := "SELECT c.id AS id, c." + key + " AS k FROM connections c "
	where := "WHERE c.channel_id = " + s.Add(q.Channel.ID)
	open := " AND c.item_private = FALSE"
	if q.By != 0 {
		where += " AND c.user_id = " + s.Add(q.By)
		open = " AND NOT c.item_private" // SQLite would prefer an index on item_private to the one on the user
	}
	query := columns + where + open + order
	if private.n > 0 {
		limit := sqlx.Limit(s.Add(w.skip + w.take))
		var hidden string
		if private.listed {
			hidden = columns + "WHERE " + v.db.In("c.id", s.Add(sqlx.IDs(v.db.Dialect, idsOf(private.all))))
		} else {
			hidden = columns + "CROSS JOIN channels ch " + where + " AND c.item_type = 'Channel' AND c.item_private = TRUE AND ch.id = c.item_id AND " + access.VisibleChannel
		}
		query = "SELECT id, k FROM (SELECT * FROM (" + query + limit + ") AS open UNION ALL SELECT * FROM (" +
			hidden + order + limit + ") AS private) AS visible" + order
	}
	return v.walked(ctx, q, w, total, "SELECT id FROM ("+query+sqlx.Limit(s.Add(w.take))+" OFFSET "+s.Add(w.skip)+
		") AS paged WHERE CAST($1 AS BIGINT) IS NOT NULL", s...)
}

// updatedContents finds a page by the items' times of change. For blocks, connections have an
// index on that time and counts by it. For channels, only their own rows have it: adding to a
// channel must not cost a write for each channel that contains it. So the query reads all channels
// in this one. At least `passed` blocks come before the page, and the counts skip most of them;
// only the rest is sorted together with the channels.
func (v Lists) updatedContents(ctx context.Context, q Query, total, private int64) (domain.List[domain.Connection], error) {
	w := scanTo(q, total)
	compare, dir := direction(w.desc)
	order := fmt.Sprintf(" ORDER BY k %s, id %s", dir, dir)
	channels := q.Channel.Channels - q.Channel.PrivateItems + private
	passed := max(0, w.skip-channels) // blocks that come before the page in any case
	ahead := w.skip - passed
	s := sqlx.Args{q.Viewer}
	where := "c.channel_id = " + s.Add(q.Channel.ID)
	blocks := " AND c.item_type = 'Block'"
	if q.By != 0 {
		where += " AND c.user_id = " + s.Add(q.By)
		blocks = " AND " + v.db.NoIndex("c.item_type") + " = 'Block'" // avoid the index of all blocks
	} else {
		start, rest, err := counters.NewReads(v.db).StartTime(ctx, q.Channel.ID, w.desc, passed)
		if err != nil {
			return domain.List[domain.Connection]{}, err
		}
		passed = rest
		blocks += " AND c.item_updated_at " + compare + " " + s.Add(start)
	}
	blocks = "SELECT c.id AS id, c.item_updated_at AS k FROM connections c WHERE " + where + blocks + order +
		sqlx.Limit(s.Add(ahead+w.take)) + " OFFSET " + s.Add(passed)
	if channels == 0 {
		return v.walked(ctx, q, w, total, "SELECT id FROM ("+blocks+") AS paged WHERE CAST($1 AS BIGINT) IS NOT NULL", s...)
	}
	query := fmt.Sprintf(`SELECT id FROM (SELECT * FROM (%s) AS part
			UNION ALL SELECT c.id AS id, ch.updated_at AS k FROM connections c CROSS JOIN channels ch
				WHERE %s AND c.item_type = 'Channel' AND ch.id = c.item_id AND %s%s%s OFFSET %s) AS paged`,
		blocks, where, access.For(q.Viewer, access.VisibleChannel, access.GuestChannel), order, sqlx.Limit(s.Add(w.take)), s.Add(ahead))
	return v.walked(ctx, q, w, total, query, s...)
}

func idsOf(all []keyed) []domain.ConnectionID {
	ids := make([]domain.ConnectionID, len(all))
	for i, k := range all {
		ids[i] = k.id
	}
	return ids
}
