package bulk

import (
	"context"
	"fmt"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/store/sqlx"
)

// These functions load millions of accounts, channels and activities. The database generates the
// rows from a series of numbers, so none of them are sent to it. Derived tables are updated by
// FinishFollows.

// Span is a range of N consecutive ids.
type Span struct{ First, N int64 }

// Part returns the n ids of a span that begin at its i-th.
func (s Span) Part(i, n int64) Span { return Span{s.First + i, n} }

// series begins a statement whose rows are numbered i, from $1 to $2-1.
const series = `WITH RECURSIVE series (i) AS (SELECT CAST($1 AS BIGINT) UNION ALL SELECT i + 1 FROM series WHERE i < $2 - 1) `

// loadSeries generates the rows from..to of a table and returns their ids. It checks that the ids
// have no gaps.
func (tx Writes) loadSeries(ctx context.Context, table, insert string, from, to int64, args ...any) (Span, error) {
	last := func() (int64, error) {
		return sqlx.ScanInt64(tx.db.QueryRow(ctx, "SELECT COALESCE(max(id), 0) FROM "+table))
	}
	before, err := last()
	if err != nil {
		return Span{}, err
	}
	if err := tx.db.Exec(ctx, series+insert, append([]any{from, to}, args...)...); err != nil {
		return Span{}, fmt.Errorf("store: loading %s: %w", table, err)
	}
	after, err := last()
	if err == nil && after-before != to-from {
		err = fmt.Errorf("store: loading %s: ids from %d to %d for %d rows", table, before+1, after, to-from)
	}
	return Span{before + 1, to - from}, err
}

// LoadUsers creates the accounts numbered from..to, without passwords.
func (tx Writes) LoadUsers(ctx context.Context, from, to int64, now time.Time) (Span, error) {
	made, err := tx.loadSeries(ctx, "users", `INSERT INTO users (slug, name, email, password_hash, tier, created_at, updated_at)
		SELECT 'account-' || i, 'Account ' || i, 'account-' || i || '@example.org', '', 'free', $3, $3 FROM series ORDER BY i`,
		from, to, sqlx.Micros(now))
	if err != nil {
		return made, err
	}
	err = tx.db.Exec(ctx, `INSERT INTO slugs (kind, slug, target_id, created_at)
		SELECT 'User', slug, id, created_at FROM users WHERE id >= $1 AND id < $2`, made.First, made.First+made.N)
	if err != nil {
		return made, err
	}
	return made, tx.loadDocuments(ctx, `SELECT 'User', id, 'User', id, TRUE, `, "users", made)
}

// loadDocuments creates the search documents of loaded rows. They can be found by their words
// after IndexPending has processed them.
func (tx Writes) loadDocuments(ctx context.Context, columns, table string, made Span) error {
	return tx.db.Exec(ctx, `INSERT INTO search_documents (kind, item_id, type, author_id, open, random_key, created_at, updated_at) `+
		columns+tx.db.Random()+`, created_at, updated_at FROM `+table+` WHERE id >= $1 AND id < $2 ORDER BY id`,
		made.First, made.First+made.N)
}

// LoadChannels creates the closed channels numbered from..to, owned by the users in turn.
func (tx Writes) LoadChannels(ctx context.Context, from, to int64, owners Span, now time.Time) (Span, error) {
	made, err := tx.loadSeries(ctx, "channels", `INSERT INTO channels (slug, title, visibility, owner_type, owner_id, user_id, created_at, updated_at)
		SELECT 'channel-' || i, 'Channel ' || i, 'closed', 'User', $3 + i % $4, $3 + i % $4, $5, $5 FROM series ORDER BY i`,
		from, to, owners.First, owners.N, sqlx.Micros(now))
	if err != nil {
		return made, err
	}
	err = tx.db.Exec(ctx, `INSERT INTO slugs (kind, slug, target_id, created_at)
		SELECT 'Channel', slug, id, created_at FROM channels WHERE id >= $1 AND id < $2`, made.First, made.First+made.N)
	if err != nil {
		return made, err
	}
	if err := tx.loadDocuments(ctx, `SELECT 'Channel', id, 'Channel', user_id, TRUE, `, "channels", made); err != nil {
		return made, err
	}
	err = tx.deltas.Contents(ctx, domain.TypeUser, `SELECT user_id, 'Channel', id % 8, count(*), 0 FROM channels
		WHERE id >= $1 AND id < $2 GROUP BY user_id, id % 8`, made.First, made.First+made.N)
	if err != nil {
		return made, err
	}
	return made, tx.db.Exec(ctx, `UPDATE users SET open_channels = (SELECT count(*) FROM channels c
			WHERE c.owner_type = 'User' AND c.owner_id = users.id AND c.visibility <> 'private')
		WHERE id >= $1 AND id < $2`, owners.First, owners.First+owners.N)
}

// ActivityLoad describes activities to load: in a sitting, somebody adds `Length` blocks to a channel,
// one after the other. The earlier an actor or channel is in its span, the more often it is
// chosen. If Even is set, all are chosen in turn.
type ActivityLoad struct {
	Length                   int64
	Actors, Channels, Blocks Span
	Even                     bool
	Start                    time.Time
	Step                     time.Duration // time between activities
}

// LoadActivities creates the activities numbered from..to and notifies nobody.
func (tx Writes) LoadActivities(ctx context.Context, from, to int64, s ActivityLoad) (Span, error) {
	actor, channel := "x * x / $5", "y * y / $7"
	if s.Even {
		actor, channel = "x", "y"
	}
	// Multiplied by a prime, sittings visit the whole span in no obvious order.
	return tx.loadSeries(ctx, "activities", `INSERT INTO activities (kind, actor_id, item_type, item_id, target_type, target_id, channel_id, created_at)
		SELECT 'added_block_to_channel', $4 + `+actor+`, 'Block', $8 + (7 * s + i) % $9, 'Channel', $6 + `+channel+`, $6 + `+channel+`, $10 + i * $11
		FROM (SELECT i, s, s * 7919 % $5 AS x, s * 104729 % $7 AS y FROM (SELECT i, i / $3 AS s FROM series) AS sitting) AS d ORDER BY i`,
		from, to, s.Length, s.Actors.First, s.Actors.N, s.Channels.First, s.Channels.N, s.Blocks.First, s.Blocks.N,
		sqlx.Micros(s.Start), s.Step.Microseconds())
}

// LoadFollows makes each user follow one of the subjects, in turn. If there are more subjects than
// users, each subject gets one follower instead.
func (tx Writes) LoadFollows(ctx context.Context, followers Span, t domain.SubjectType, followed Span, now time.Time) error {
	_, err := tx.loadSeries(ctx, "follows", `INSERT INTO follows (follower_id, followed_type, followed_id, created_at)
		SELECT $3 + i % $4, $5, $6 + i % $7, $8 + i FROM series ORDER BY i`,
		0, max(followers.N, followed.N), followers.First, followers.N, t, followed.First, followed.N, sqlx.Micros(now))
	return err
}

// LoadNotifications notifies a user of every n-th activity, except their own.
func (tx Writes) LoadNotifications(ctx context.Context, user domain.UserID, activities Span, n int64) error {
	err := tx.db.Exec(ctx, `INSERT INTO notifications (user_id, activity_id) SELECT CAST($1 AS BIGINT), id FROM activities
		WHERE id >= $2 AND id < $3 AND (id - $2) % $4 = 0 AND actor_id <> $1`,
		user, activities.First, activities.First+activities.N, n)
	if err != nil {
		return err
	}
	return tx.db.Exec(ctx, `INSERT INTO inboxes (user_id, unread, read_upto)
		SELECT CAST($1 AS BIGINT), CASE WHEN count(*) < $2 THEN count(*) ELSE $2 END, COALESCE((
			SELECT activity_id FROM notifications WHERE user_id = $1 ORDER BY activity_id DESC LIMIT 1 OFFSET $2), 0)
		FROM notifications WHERE user_id = $1`, user, domain.MaxUnread)
}
