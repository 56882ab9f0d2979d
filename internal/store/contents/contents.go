package contents

import (
	"context"
	"math"
	"slices"
	"strings"

	"vitrine/internal/database"
	"vitrine/internal/domain"
	"vitrine/internal/store/access"
	"vitrine/internal/store/ranked"
	"vitrine/internal/store/rowmap"
	"vitrine/internal/store/sqlx"
)

// Query selects a page of a channel's contents. If By is not 0, it selects only connections by
// that user.
type Query struct {
	Viewer  domain.UserID
	Channel domain.Channel
	Sort    domain.ContentSort
	By      domain.UserID
	Page    domain.Page

	// Revisions restricts the result to the stamps of connections and blocks, with the items and
	// positions of the connections.
	Revisions bool
}

// selected returns the beginning of a statement that reads connections.
func (q Query) selected() string {
	if q.Revisions {
		return "SELECT " + rowmap.OutlineColumns + " FROM connections c " + rowmap.OutlineJoins
	}
	return "SELECT " + rowmap.ConnectionColumns + " FROM connections c " + rowmap.ConnectionMaker
}

// reader returns a function that reads up to n of its rows.
func (q Query) reader(n int) func(sqlx.Row, *domain.Connection) error {
	if q.Revisions {
		return rowmap.NewOutline(n).Read
	}
	return rowmap.ReadConnection
}

// Contents lists the connections of a channel whose items the viewer may see, with their positions
// (behaviour.md section 5). The cost grows with the logarithm of the channel's size, except for
// two lists that are scanned from the nearer end: those sorted by time of change, and those of one
// user among several who added to the channel.
func (v Lists) Contents(ctx context.Context, q Query) (l domain.List[domain.Connection], err error) {
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
		l.Items, err = v.run(ctx, q, start)
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

// run reads the connections of open items, starting at a key.
func (v Lists) run(ctx context.Context, q Query, start int64) ([]domain.Connection, error) {
	n := int(min(q.Page.Per, q.Channel.Contents()))
	rows, err := v.db.Query(database.Uninterruptible(ctx), runs[ofRun{sortOf(q.Sort), q.Sort.Desc, q.Revisions}], q.Channel.ID, start, q.Page.Per)
	return sqlx.CollectPage(ctx, rows, err, n, q.reader(n))
}

// ofRun is the key of runs.
type ofRun struct {
	order        ranked.Order
	desc, stamps bool
}

// runs contains the queries of run, so that it does not build one for every page.
var runs = func() map[ofRun]string {
	all := map[ofRun]string{}
	for _, order := range []ranked.Order{ranked.ByPosition, ranked.ByTime} {
		for _, desc := range []bool{false, true} {
			for _, stamps := range []bool{false, true} {
				compare, dir := direction(desc)
				key := "c." + order.Column()
				all[ofRun{order, desc, stamps}] = Query{Revisions: stamps}.selected() + " WHERE c.channel_id = $1 AND c.item_private = FALSE AND " +
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
