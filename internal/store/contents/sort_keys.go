package contents

import (
	"context"
	"slices"

	"vitrine/internal/domain"
	"vitrine/internal/store/access"
	"vitrine/internal/store/sqlx"
)

// sortTitle is the beginning of a text by which an item without a title is sorted.
const sortTitle = `COALESCE(ch.title, NULLIF(b.title, ''), NULLIF(substr(b.content_plain, 1, 100), ''), b.source_title, b.source_url, '')`

// SortKeys returns what the items of a channel that the viewer may see can be sorted by, lowest position first, up to
// `limit`. It reads a row of each.
func (q Reads) SortKeys(ctx context.Context, viewer domain.UserID, channel domain.ChannelID, limit int) ([]domain.SortKeys, error) {
	rows, err := q.db.Query(ctx, `SELECT c.id, c.created_at, `+sortTitle+`, COALESCE(f.blurhash, '') FROM connections c
			LEFT JOIN blocks b ON c.item_type = 'Block' AND b.id = c.item_id
			LEFT JOIN channels ch ON c.item_type = 'Channel' AND ch.id = c.item_id
			LEFT JOIN files f ON f.id = b.image_id
		WHERE c.channel_id = $2 AND (c.item_private = FALSE OR `+access.VisibleChannel+`)
		ORDER BY c.position_key`+sqlx.Limit("$3"), viewer, channel, limit)
	return sqlx.CollectPage(ctx, rows, err, limit, func(row sqlx.Row, k *domain.SortKeys) error {
		var connected int64
		err := row.Scan(&k.Connection, &connected, &k.Title, &k.Blurhash)
		k.ConnectedAt = sqlx.Time(connected)
		return err
	})
}

// titledContents finds a page by the titles of the items. It reads the titles of the whole channel, which the caller
// has checked not to be larger than domain.MaxByTitle.
func (v Lists) titledContents(ctx context.Context, q Query) (l domain.List[domain.Connection], err error) {
	keys, err := v.SortKeys(ctx, q.Viewer, q.Channel.ID, domain.MaxByTitle)
	if err != nil {
		return l, err
	}
	l.Total = int64(len(keys))
	if q.Page.Offset() >= l.Total {
		return l, nil
	}
	ids := domain.OnceByTitle.Sorted(keys)
	if q.Sort.Desc {
		slices.Reverse(ids)
	}
	ids = ids[q.Page.Offset():]
	if l.Items, err = v.inOrder(ctx, q, ids[:min(int64(len(ids)), q.Page.Per)]); err != nil {
		return l, err
	}
	return l, Reads{v.db}.place(ctx, l.Items)
}

// IDsAbove returns connections of a channel whose items the viewer may see by position, from the lowest above a key,
// and the key of the last one.
func (q Reads) IDsAbove(ctx context.Context, viewer domain.UserID, channel domain.ChannelID, key int64, limit int) (ids []domain.ConnectionID, last int64, err error) {
	last = key
	rows, err := q.db.Query(ctx, `SELECT id, position_key FROM (
			SELECT * FROM (SELECT c.id, c.position_key FROM connections c WHERE c.channel_id = $2 AND c.item_private = FALSE
				AND c.position_key > $3 ORDER BY c.position_key`+sqlx.Limit("$4")+`) AS open
			UNION ALL SELECT * FROM (SELECT c.id, c.position_key FROM connections c CROSS JOIN channels ch
				WHERE c.channel_id = $2 AND c.item_private = TRUE AND c.position_key > $3 AND ch.id = c.item_id AND `+access.VisibleChannel+`
				ORDER BY c.position_key`+sqlx.Limit("$4")+`) AS private) AS above
		ORDER BY position_key`+sqlx.Limit("$4"), viewer, channel, key, limit)
	ids, err = sqlx.Collect(ctx, rows, err, func(row sqlx.Row) (id domain.ConnectionID, err error) {
		return id, row.Scan(&id, &last)
	})
	return ids, last, err
}
