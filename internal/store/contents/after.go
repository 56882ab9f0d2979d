package contents

import (
	"context"
	"slices"

	"vitrine/internal/domain"
	"vitrine/internal/store/access"
	"vitrine/internal/store/ranked"
	"vitrine/internal/store/sqlx"
)

// Bookmark is the place between two items of a list, just after the last one that was shown. Time and ID place the last item
// in lists by time. Contents by position have its Key instead, which is only comparable while the channel's keys have been
// spread the same number of times. Near are the last connections that were shown, in their order.
type Bookmark struct {
	Time    int64    `json:"t,omitempty"` // in microseconds
	ID      int64    `json:"i,omitempty"`
	Key     int64    `json:"k,omitempty"`
	Spreads int64    `json:"s,omitempty"`
	Near    []Anchor `json:"n,omitempty"`
}

// Anchor identifies a connection at the place where it was. Moving it changes its version, spreading keys does not.
type Anchor [2]int64

// maxNear is how many anchors a Bookmark has. If all of them are moved or removed, and keys are spread too, the place is lost.
const maxNear = 8

// AfterQuery selects up to N items after a mark, or the first ones.
type AfterQuery struct {
	Viewer domain.UserID
	Desc   bool
	After  *Bookmark
	N      int
}

// order returns the comparison with a mark, and the direction.
func (q AfterQuery) order() (compare, dir string) {
	if q.Desc {
		return "<", "DESC"
	}
	return ">", "ASC"
}

// cut removes the extra item that shows whether there are more.
func cut[T any](q AfterQuery, all []T) (page []T, more bool) {
	return all[:min(q.N, len(all))], len(all) > q.N
}

// ErrLost is returned for a Bookmark whose place cannot be found any more.
var ErrLost = domain.Wrap(domain.Gone, "cursor: so much of the list was moved and removed that its place is lost: start again without a cursor", nil)

type marked struct {
	id      domain.ConnectionID
	key     int64
	version int64
}

// ContentsAfter lists connections of a channel whose items the viewer may see, by position or by time. next is nil at the
// end. A connection that stays where it is is listed exactly once by all pages together.
func (v Lists) ContentsAfter(ctx context.Context, channel domain.ChannelID, by domain.ContentKey, q AfterQuery) (page []domain.Connection, next *Bookmark, err error) {
	order, spreads := ranked.ByTime, int64(0)
	if by == domain.ByPosition {
		order = ranked.ByPosition
		if spreads, err = sqlx.ScanInt64(v.db.QueryRow(ctx, `SELECT key_spreads FROM channels WHERE id = $1`, channel)); err != nil {
			return nil, nil, err
		}
	}
	from, shown, err := v.resume(ctx, channel, spreads, q.After)
	if err != nil {
		return nil, nil, err
	}
	all, err := v.keyedAfter(ctx, channel, order.Column(), from, q, q.N+1+len(shown))
	if err != nil {
		return nil, nil, err
	}
	all = slices.DeleteFunc(all, func(m marked) bool { return slices.Contains(shown, int64(m.id)) })
	all, more := cut(q, all)
	ids := make([]domain.ConnectionID, len(all))
	for i, m := range all {
		ids[i] = m.id
	}
	if more {
		next = &Bookmark{Key: all[len(all)-1].key, Spreads: spreads}
		if order == ranked.ByPosition {
			next.Near = near(q.After, all)
		}
	}
	page, err = v.ConnectionsInOrder(ctx, ids)
	return page, next, err
}

// near returns the anchors after a page.
func near(before *Bookmark, page []marked) (all []Anchor) {
	if before != nil {
		all = slices.Clone(before.Near)
	}
	for _, m := range page {
		all = append(all, Anchor{int64(m.id), m.version})
	}
	return all[max(0, len(all)-maxNear):]
}

// resume returns the key at which a list continues, nil for its beginning, and the connections beyond it that were shown
// already. If keys were spread since, the key is that of the last anchor that has not moved.
func (v Lists) resume(ctx context.Context, channel domain.ChannelID, spreads int64, at *Bookmark) (from *int64, shown []int64, err error) {
	if at == nil {
		return nil, nil, nil
	}
	if at.Spreads == spreads {
		return &at.Key, nil, nil
	}
	ids := make([]domain.ConnectionID, len(at.Near))
	for i, a := range at.Near {
		ids[i] = domain.ConnectionID(a[0])
	}
	rows, err := v.db.Query(ctx, `SELECT id, position_key, version FROM connections WHERE channel_id = $1 AND `+v.db.In("id", "$2"),
		channel, sqlx.IDs(v.db.Dialect, ids))
	all, err := sqlx.Collect(ctx, rows, err, scanMarked)
	if err != nil {
		return nil, nil, err
	}
	for i, a := range slices.Backward(at.Near) {
		for _, m := range all {
			if int64(m.id) == a[0] && m.version == a[1] {
				return &m.key, shown, nil
			}
		}
		shown = append(shown, at.Near[i][0])
	}
	return nil, nil, ErrLost
}

func scanMarked(row sqlx.Row) (m marked, err error) { return m, row.Scan(&m.id, &m.key, &m.version) }

// keyedAfter reads up to n visible connections beyond a key.
func (v Lists) keyedAfter(ctx context.Context, channel domain.ChannelID, key string, from *int64, q AfterQuery, n int) ([]marked, error) {
	compare, dir := q.order()
	args := sqlx.Args{q.Viewer, channel, n}
	beyond := ""
	if from != nil {
		beyond = " AND c." + key + " " + compare + " " + args.Add(*from)
	}
	end := beyond + " ORDER BY c." + key + " " + dir + sqlx.Limit("$3") + ")"
	columns := "SELECT c.id, c." + key + " AS k, c.version FROM connections c"
	rows, err := v.db.Query(ctx, "SELECT id, k, version FROM (SELECT * FROM ("+columns+" WHERE c.channel_id = $2 AND c.item_private = FALSE"+end+
		" AS open UNION ALL SELECT * FROM ("+columns+` CROSS JOIN channels ch
			WHERE c.channel_id = $2 AND c.item_private = TRUE AND ch.id = c.item_id AND `+access.VisibleChannel+end+
		" AS closed) AS found ORDER BY k "+dir+sqlx.Limit("$3"), args...)
	return sqlx.Collect(ctx, rows, err, scanMarked)
}

// Timeline is a list by time. Time and ID are its columns, and ID breaks ties. From ends in a condition.
type Timeline struct {
	From, Time, ID string
	Args           sqlx.Args
}

// timed is a row of a list by time.
type timed[T any] struct {
	of   T
	time int64
	row  int64
}

// AfterTime reads a part of a list by time. fields returns where to scan the columns.
func AfterTime[T any](ctx context.Context, db sqlx.Conn, q AfterQuery, list Timeline, columns string, fields func(*T) []any) (page []T, next *Bookmark, err error) {
	compare, dir := q.order()
	if q.After != nil {
		list.From += " AND (" + list.Time + ", " + list.ID + ") " + compare + " (" + list.Args.Add(q.After.Time) + ", " + list.Args.Add(q.After.ID) + ")"
	}
	rows, err := db.Query(ctx, "SELECT "+columns+", "+list.Time+", "+list.ID+" FROM "+list.From+
		" ORDER BY "+list.Time+" "+dir+", "+list.ID+" "+dir+sqlx.Limit(list.Args.Add(q.N+1)), list.Args...)
	all, err := sqlx.Collect(ctx, rows, err, func(row sqlx.Row) (t timed[T], err error) {
		return t, row.Scan(append(fields(&t.of), &t.time, &t.row)...)
	})
	if err != nil {
		return nil, nil, err
	}
	all, more := cut(q, all)
	for _, t := range all {
		page = append(page, t.of)
	}
	if more {
		last := all[len(all)-1]
		next = &Bookmark{Time: last.time, ID: last.row}
	}
	return page, next, nil
}

// OneID returns where to scan a row that is an id.
func OneID[T ~int64](id *T) []any { return []any{id} }

// ItemChannelsAfter lists the channels that contain an item and that the viewer may see, by the time of connecting.
func (v Lists) ItemChannelsAfter(ctx context.Context, item domain.ItemRef, q AfterQuery) ([]domain.ChannelID, *Bookmark, error) {
	return AfterTime(ctx, v.db, q, Timeline{`connections x JOIN channels ch ON ch.id = x.channel_id
		WHERE x.item_type = $2 AND x.item_id = $3 AND ` + access.VisibleChannel, "x.created_at", "x.id", sqlx.Args{q.Viewer, item.Type, item.ID}},
		"x.channel_id", OneID[domain.ChannelID])
}

// CommentsAfter lists the comments on a block by time.
func (v CommentLists) CommentsAfter(ctx context.Context, block domain.BlockID, q AfterQuery) (page []domain.Comment, next *Bookmark, err error) {
	ids, next, err := AfterTime(ctx, v.db, q, Timeline{"comments x WHERE x.block_id = $1", "x.created_at", "x.id", sqlx.Args{block}},
		"x.id", OneID[domain.CommentID])
	if err != nil {
		return nil, nil, err
	}
	byID, err := v.CommentsByID(ctx, ids)
	for _, id := range ids {
		if c, ok := byID[id]; ok {
			page = append(page, c)
		}
	}
	return page, next, err
}

// NewestChannels returns, for each of some blocks and channels, up to n channels that contain it and that the viewer may
// see, by the time of connecting, newest first. It takes one statement for each kind.
func (v Lists) NewestChannels(ctx context.Context, viewer domain.UserID, blocks, channels []int64, n int) (map[domain.ItemRef][]domain.ChannelID, error) {
	all := map[domain.ItemRef][]domain.ChannelID{}
	for kind, ids := range map[domain.ItemType][]int64{domain.ItemBlock: blocks, domain.ItemChannel: channels} {
		if len(ids) == 0 {
			continue
		}
		rows, err := v.db.Query(ctx, "SELECT c.item_id, c.channel_id FROM "+v.db.Rows("$3")+
			v.db.JoinSome("connections", "c", "id", `s.item_type = $2 AND s.item_id = l.id
				AND EXISTS (SELECT 1 FROM channels ch WHERE ch.id = s.channel_id AND `+access.VisibleChannel+v.db.Fence()+`)
				ORDER BY s.created_at DESC, s.id DESC`+sqlx.Limit("$4"))+
			" ORDER BY c.item_id, c.created_at DESC, c.id DESC", viewer, kind, sqlx.IDs(v.db.Dialect, ids), n)
		_, err = sqlx.Collect(ctx, rows, err, func(row sqlx.Row) (id domain.ChannelID, err error) {
			item := domain.ItemRef{Type: kind}
			err = row.Scan(&item.ID, &id)
			all[item] = append(all[item], id)
			return id, err
		})
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}
