package transfer

import (
	"context"
	"slices"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/store/sqlx"
)

// FeedReads contains the statements about feeds of channels that change nothing.
type FeedReads struct{ db sqlx.Conn }

// NewFeedReads returns the statements on a connection.
func NewFeedReads(db sqlx.Conn) FeedReads { return FeedReads{db} }

// FeedWrites contains the statements of a transaction. Lock order: the channel, then the feed.
type FeedWrites struct{ FeedReads }

// NewFeedWrites returns the statements on the connection of a transaction.
func NewFeedWrites(db sqlx.Conn) FeedWrites { return FeedWrites{NewFeedReads(db)} }

const feedColumns = `f.id, f.channel_id, f.user_id, f.address, f.title, f.etag, f.last_modified, f.pause, f.failures, f.problem, f.next_at, f.checked_at,
	f.succeeded_at, f.created_at, f.trash_id IS NOT NULL`

func feedScan(row sqlx.Row) (f domain.ChannelFeed, err error) {
	var pause, created int64
	var next, checked, succeeded *int64
	err = row.Scan(&f.ID, &f.Channel, &f.UserID, &f.Address, &f.Title, &f.ETag, &f.LastModified, &pause, &f.Failures, &f.Problem, &next, &checked,
		&succeeded, &created, &f.InTrash)
	f.Pause = time.Duration(pause) * time.Microsecond
	f.NextAt, f.CheckedAt, f.SucceededAt, f.CreatedAt = sqlx.TimePtr(next), sqlx.TimePtr(checked), sqlx.TimePtr(succeeded), sqlx.Time(created)
	return f, sqlx.Found(err)
}

// Feed reads a feed.
func (r FeedReads) Feed(ctx context.Context, id domain.ChannelFeedID) (domain.ChannelFeed, error) {
	return feedScan(r.db.QueryRow(ctx, "SELECT "+feedColumns+" FROM channel_feeds f WHERE f.id = $1", id))
}

// FeedsOf lists the feeds of a channel, in the order in which they were added.
func (r FeedReads) FeedsOf(ctx context.Context, channel domain.ChannelID) ([]domain.ChannelFeed, error) {
	rows, err := r.db.Query(ctx, "SELECT "+feedColumns+" FROM channel_feeds f WHERE f.channel_id = $1 ORDER BY f.id", channel)
	return sqlx.Collect(ctx, rows, err, feedScan)
}

// FeedsBy lists the feeds of a subscriber, by channel, except those of channels in Trash.
func (r FeedReads) FeedsBy(ctx context.Context, user domain.UserID) ([]domain.ChannelFeed, error) {
	rows, err := r.db.Query(ctx, "SELECT "+feedColumns+" FROM channel_feeds f WHERE f.user_id = $1 AND f.trash_id IS NULL ORDER BY f.channel_id, f.id", user)
	return sqlx.Collect(ctx, rows, err, feedScan)
}

// CountFeedsBy counts the feeds of a subscriber, also those of channels in Trash, which may be restored.
func (r FeedReads) CountFeedsBy(ctx context.Context, user domain.UserID) (int64, error) {
	return sqlx.ScanInt64(r.db.QueryRow(ctx, "SELECT count(*) FROM channel_feeds WHERE user_id = $1", user))
}

// DueFeeds lists the feeds whose next check is due, the one that waits longest first. Those of channels in Trash are not checked.
func (r FeedReads) DueFeeds(ctx context.Context, now time.Time, limit int) ([]domain.ChannelFeed, error) {
	rows, err := r.db.Query(ctx, "SELECT "+feedColumns+" FROM channel_feeds f WHERE f.next_at <= $1 AND f.trash_id IS NULL ORDER BY f.next_at"+sqlx.Limit("$2"), sqlx.Micros(now), limit)
	return sqlx.Collect(ctx, rows, err, feedScan)
}

// AddFeed adds a feed. The caller must lock the channel. It returns 0 if the channel has a feed
// with this address.
func (w FeedWrites) AddFeed(ctx context.Context, f domain.ChannelFeed, key int64) (domain.ChannelFeedID, error) {
	rows, err := w.db.Query(ctx, `INSERT INTO channel_feeds (channel_id, user_id, address, address_key, title, next_at, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING RETURNING id`, f.Channel, f.UserID, f.Address, key, f.Title, sqlx.Micros(*f.NextAt), sqlx.Micros(f.CreatedAt))
	ids, err := sqlx.Collect(ctx, rows, err, sqlx.ScanID[domain.ChannelFeedID])
	if err != nil || len(ids) == 0 {
		return 0, err
	}
	return ids[0], nil
}

// LockFeed reads and locks a feed.
func (w FeedWrites) LockFeed(ctx context.Context, id domain.ChannelFeedID) (domain.ChannelFeed, error) {
	return feedScan(w.db.QueryRow(ctx, "SELECT "+feedColumns+" FROM channel_feeds f WHERE f.id = $1"+w.db.ForUpdate("f"), id))
}

// PostponeFeed moves the next check of a feed from one time to another. ok is false if another process has moved it.
func (w FeedWrites) PostponeFeed(ctx context.Context, f domain.ChannelFeed, to time.Time) (ok bool, err error) {
	n, err := w.db.ExecCount(ctx, "UPDATE channel_feeds SET next_at = $3 WHERE id = $1 AND next_at = $2", f.ID, sqlx.Micros(*f.NextAt), sqlx.Micros(to))
	return n > 0, err
}

// SaveFeed stores the state of a locked feed after a check.
func (w FeedWrites) SaveFeed(ctx context.Context, f domain.ChannelFeed) error {
	micros := func(t *time.Time) any {
		if t == nil {
			return nil
		}
		return sqlx.Micros(*t)
	}
	return w.db.ExecOne(ctx, `UPDATE channel_feeds SET title = $2, etag = $3, last_modified = $4, pause = $5, failures = $6, problem = $7, next_at = $8,
		checked_at = $9, succeeded_at = $10 WHERE id = $1`, f.ID, f.Title, f.ETag, f.LastModified, f.Pause.Microseconds(), f.Failures, f.Problem,
		micros(f.NextAt), micros(f.CheckedAt), micros(f.SucceededAt))
}

// MoveFeed changes the address of a locked feed. ok is false if the channel has another feed with the new address.
func (w FeedWrites) MoveFeed(ctx context.Context, f domain.ChannelFeed, address string, key int64) (ok bool, err error) {
	n, err := w.db.ExecCount(ctx, `UPDATE channel_feeds SET address = $2, address_key = $3 WHERE id = $1 AND NOT EXISTS (
		SELECT 1 FROM channel_feeds o WHERE o.channel_id = $4 AND o.address_key = $3 AND o.id <> $1)`, f.ID, address, key, f.Channel)
	return n > 0, err
}

// DeleteFeed deletes a locked feed.
func (w FeedWrites) DeleteFeed(ctx context.Context, id domain.ChannelFeedID) error {
	return w.deleteWhere(ctx, "id = $1", int64(id))
}

// ForgetFeeds deletes the feeds of a subscriber.
func (w FeedWrites) ForgetFeeds(ctx context.Context, user domain.UserID) error {
	return w.deleteWhere(ctx, "user_id = $1", int64(user))
}

// DeleteFeedsOf deletes the feeds of a locked channel, except those that are in Trash with it.
func (w FeedWrites) DeleteFeedsOf(ctx context.Context, channel domain.ChannelID) error {
	return w.deleteWhere(ctx, "channel_id = $1 AND trash_id IS NULL", int64(channel))
}

func (w FeedWrites) deleteWhere(ctx context.Context, where string, arg int64) error {
	err := w.db.Exec(ctx, "DELETE FROM channel_feed_entries WHERE feed_id IN (SELECT id FROM channel_feeds WHERE "+where+")", arg)
	if err != nil {
		return err
	}
	return w.db.Exec(ctx, "DELETE FROM channel_feeds WHERE "+where, arg)
}

// SeenEntries returns those of the keys that a feed has had before.
func (r FeedReads) SeenEntries(ctx context.Context, id domain.ChannelFeedID, keys []int64) (map[int64]bool, error) {
	rows, err := r.db.Query(ctx, "SELECT key FROM channel_feed_entries WHERE feed_id = $1 AND "+r.db.In("key", "$2"), id, sqlx.IDs(r.db.Dialect, keys))
	all, err := sqlx.Collect(ctx, rows, err, sqlx.ScanInt64)
	seen := make(map[int64]bool, len(all))
	for _, key := range all {
		seen[key] = true
	}
	return seen, err
}

// SeeEntries records the keys of entries that a locked feed lists.
func (w FeedWrites) SeeEntries(ctx context.Context, id domain.ChannelFeedID, keys []int64, now time.Time) error {
	keys = slices.Compact(slices.Sorted(slices.Values(keys)))
	return w.db.Exec(ctx, `INSERT INTO channel_feed_entries (feed_id, key, seen_at)
		SELECT CAST($1 AS BIGINT), l.id, CAST($3 AS BIGINT) FROM `+w.db.Rows("$2")+`
		WHERE TRUE ON CONFLICT (feed_id, key) DO UPDATE SET seen_at = excluded.seen_at`, id, sqlx.IDs(w.db.Dialect, keys), sqlx.Micros(now))
}

// PruneEntries deletes the keys of a locked feed except those that it listed most recently.
func (w FeedWrites) PruneEntries(ctx context.Context, id domain.ChannelFeedID, keep int) error {
	return w.db.Exec(ctx, `DELETE FROM channel_feed_entries WHERE feed_id = $1 AND seen_at < (SELECT e.seen_at FROM channel_feed_entries e
		WHERE e.feed_id = $1 ORDER BY e.seen_at DESC LIMIT 1 OFFSET CAST($2 AS BIGINT))`, id, keep)
}

// ChannelHasPage reports whether a channel contains a block of the page with a key of words.Source.
func (r FeedReads) ChannelHasPage(ctx context.Context, channel domain.ChannelID, page int64) (bool, error) {
	n, err := sqlx.ScanInt64(r.db.QueryRow(ctx, `SELECT count(*) FROM (SELECT 1 FROM search_documents d
		WHERE d.kind = 'Block' AND d.source_key = $2 AND d.source_key <> 0 AND EXISTS (
			SELECT 1 FROM connections c WHERE c.channel_id = $1 AND c.item_type = 'Block' AND c.item_id = d.item_id) LIMIT 1) AS found`, channel, page))
	return n > 0, err
}
