package store

import (
	"context"
	"math"
	"slices"

	"vitrine/internal/database"
	"vitrine/internal/domain"
)

// ContentsQuery asks for a page of a channel's contents. By, if not 0, narrows it
// to what that user connected.
type ContentsQuery struct {
	Viewer  domain.UserID
	Channel domain.Channel
	Sort    domain.ContentSort
	By      domain.UserID
	Page    domain.Page
}

// Contents lists connections of a channel, with their positions, whose items the
// viewer may see (V3.md section 5). The cost grows with the logarithm of the channel's
// size, but for two lists that are walked from the nearer end: by the time of change, and
// where By is one of several who added to it.
func (v *Snapshot) Contents(ctx context.Context, q ContentsQuery) (l domain.List[domain.Connection], err error) {
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
	total := open + int64(len(private))
	switch {
	case q.Page.Offset() >= total:
		return domain.List[domain.Connection]{Total: total}, nil
	case q.Sort.Key == domain.ByUpdated:
		return v.updatedContents(ctx, q, total, int64(len(private)))
	case q.By != 0:
		return v.scanContents(ctx, q, total, private)
	}
	return v.rankedContents(ctx, q, total, private)
}

// narrow leaves what By connected of open items and of the given private ones. A filter
// that leaves all of them is dropped.
func (v *Snapshot) narrow(ctx context.Context, q ContentsQuery, open int64, private []keyed) (ContentsQuery, int64, []keyed, error) {
	own, err := scanInt64(v.q.QueryRow(ctx, `SELECT COALESCE((SELECT n FROM adder_counts WHERE channel_id = $1 AND user_id = $2), 0)`,
		q.Channel.ID, q.By))
	if err != nil {
		return q, 0, nil, err
	}
	all := len(private)
	private = slices.DeleteFunc(private, func(k keyed) bool { return k.by != q.By })
	if own == open && len(private) == all {
		q.By = 0
	}
	return q, own, private, nil
}

// keyed is a connection with its key in some order, and who made it if that is asked.
type keyed struct {
	id  domain.ConnectionID
	key int64
	by  domain.UserID
}

func scanKeyed(row scanner) (k keyed, err error) {
	err = row.Scan(&k.id, &k.key)
	return k, err
}

func sortOf(s domain.ContentSort) orderSort {
	if s.Key == domain.ByConnected {
		return createdOrder
	}
	return positionOrder
}

// visiblePrivate lists the connections of private channels that the viewer may
// see, in ascending order. It starts from the viewer's private channels, so that
// its cost does not depend on the channel's size.
func (v *Snapshot) visiblePrivate(ctx context.Context, q ContentsQuery) ([]keyed, error) {
	if q.Channel.PrivateItems == 0 || q.Viewer == 0 {
		return nil, nil
	}
	key := sortOf(q.Sort).column()
	const here = ` FROM connections c
		WHERE c.channel_id = $2 AND c.item_type = 'Channel' AND c.item_id = mine.id AND c.item_private = TRUE`
	rows, err := v.q.Query(ctx, `WITH `+myChannels+`
		SELECT id, k, maker FROM (SELECT (SELECT c.id`+here+`) AS id, (SELECT c.`+key+here+`) AS k,
			(SELECT c.user_id`+here+`) AS maker FROM mine) AS found
		WHERE id IS NOT NULL ORDER BY 2`, q.Viewer, q.Channel.ID)
	return collect(ctx, rows, err, func(row scanner) (k keyed, err error) {
		err = row.Scan(&k.id, &k.key, &k.by)
		return k, err
	})
}

// rankedContents finds the page by the order's tree.
func (v *Snapshot) rankedContents(ctx context.Context, q ContentsQuery, total int64, private []keyed) (l domain.List[domain.Connection], err error) {
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
	if s.all && q.Sort.Key == domain.ByPosition {
		for i := range l.Items {
			l.Items[i].Position = offset + int64(i) + 1
			if q.Sort.Desc {
				l.Items[i].Position = l.Total - offset - int64(i)
			}
		}
		return l, nil
	}
	return l, v.place(ctx, l.Items)
}

// seenOf tells which keys count in a channel for one who sees the given private items.
func seenOf(private []keyed, c domain.Channel) seen {
	s := seen{all: int64(len(private)) == c.PrivateItems, keys: make([]int64, len(private))}
	for i, k := range private {
		s.keys[i] = k.key
	}
	return s
}

// startKey is the key at which the page begins.
func (v *Snapshot) startKey(ctx context.Context, q ContentsQuery, offset, total int64, s seen) (int64, error) {
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
	o := order{v.Queries, q.Channel.ID, sortOf(q.Sort)}
	key, ok, err := o.keyAt(ctx, rank, s)
	if err != nil || !ok {
		return 0, o.lost(err, rank)
	}
	return key, nil
}

// direction gives the comparison and the order of a walk from a key.
func direction(desc bool) (compare, order string) {
	if desc {
		return "<=", "DESC"
	}
	return ">=", "ASC"
}

// run reads the connections of open items from a key on.
func (v *Snapshot) run(ctx context.Context, q ContentsQuery, start int64) ([]domain.Connection, error) {
	compare, dir := direction(q.Sort.Desc)
	key := "c." + sortOf(q.Sort).column()
	rows, err := v.q.Query(database.Brief(ctx), "SELECT "+connectionColumns+" FROM connections c "+connectionMaker+`
		WHERE c.channel_id = $1 AND c.item_private = FALSE AND `+key+compare+` $2
		ORDER BY `+key+" "+dir+limit("$3"), q.Channel.ID, start, q.Page.Per)
	return gather(ctx, rows, err, int(min(q.Page.Per, q.Channel.Contents())), readConnection)
}

// mergedRun reads the connections from a key on, of open items and of the given
// private ones.
func (v *Snapshot) mergedRun(ctx context.Context, q ContentsQuery, start int64, private []keyed) ([]domain.Connection, error) {
	compare, dir := direction(q.Sort.Desc)
	key := sortOf(q.Sort).column()
	rows, err := v.q.Query(database.Brief(ctx), "SELECT id, "+key+` FROM connections
		WHERE channel_id = $1 AND item_private = FALSE AND `+key+compare+` $2
		ORDER BY `+key+" "+dir+limit("$3"), q.Channel.ID, start, q.Page.Per)
	page, err := collect(ctx, rows, err, scanKeyed)
	if err != nil {
		return nil, err
	}
	for _, k := range private {
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
	return v.connectionsInOrder(ctx, idsOf(page))
}

// connectionsInOrder reads connections in the order of their ids in the list.
func (q Queries) connectionsInOrder(ctx context.Context, ids []domain.ConnectionID) ([]domain.Connection, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	rows, err := q.q.Query(database.Brief(ctx), "SELECT "+connectionColumns+" FROM connections c "+connectionMaker+
		" WHERE "+q.d.in("c.id", "$1"), list(q.d, ids))
	all, err := gather(ctx, rows, err, len(ids), readConnection)
	if err != nil {
		return nil, err
	}
	place := make(map[domain.ConnectionID]int, len(ids))
	for i, id := range ids {
		place[id] = i
	}
	slices.SortFunc(all, func(a, b domain.Connection) int { return place[a.ID] - place[b.ID] })
	return all, nil
}

// place fills in the positions of connections.
func (q Queries) place(ctx context.Context, conns []domain.Connection) error {
	if len(conns) == 0 {
		return nil
	}
	ids := make([]domain.ConnectionID, len(conns))
	for i, c := range conns {
		ids[i] = c.ID
	}
	at, err := q.Positions(ctx, ids...)
	for i := range conns {
		conns[i].Position = at[conns[i].ID]
	}
	return err
}
