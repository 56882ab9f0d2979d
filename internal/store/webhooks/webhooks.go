// Package webhooks stores webhooks and their deliveries (docs/design/webhooks.md).
package webhooks

import (
	"context"
	"strings"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/store/sqlx"
)

// Reads contains the statements that change nothing.
type Reads struct{ db sqlx.Conn }

// Writes also contains those that change something. Lock order: the user, then the webhook.
type Writes struct{ Reads }

// NewReads returns the statements on a connection.
func NewReads(db sqlx.Conn) Reads { return Reads{db} }

// NewWrites returns the statements of a transaction.
func NewWrites(db sqlx.Conn) Writes { return Writes{Reads{db}} }

const columns = `w.id, w.user_id, COALESCE(w.application_id, 0), w.channel_id, w.name, w.url, w.events, w.payload, w.secret, COALESCE(w.old_secret, ''), w.old_until,
	w.stopped, w.stopped_at, w.epoch, w.read_xid, w.read_id, w.failing_since, w.hold_until, w.strained, w.succeeded_at, w.created_at, w.updated_at`

func scan(row sqlx.Row) (w domain.Webhook, err error) {
	var events string
	var oldUntil, stopped, failing, succeeded *int64
	var hold, created, updated int64
	err = row.Scan(&w.ID, &w.UserID, &w.Application, &w.Channel, &w.Name, &w.URL, &events, &w.Payload, &w.Secret, &w.OldSecret, &oldUntil,
		&w.Stopped, &stopped, &w.Epoch, &w.Read.Transaction, &w.Read.ID, &failing, &hold, &w.Strained, &succeeded, &created, &updated)
	w.Events, w.OldUntil, w.StoppedAt, w.FailingSince, w.SucceededAt = strings.Fields(events), sqlx.TimePtr(oldUntil), sqlx.TimePtr(stopped), sqlx.TimePtr(failing), sqlx.TimePtr(succeeded)
	w.HoldUntil, w.CreatedAt, w.UpdatedAt = sqlx.Time(hold), sqlx.Time(created), sqlx.Time(updated)
	return w, sqlx.Found(err)
}

// HasWebhooks reports whether there is any webhook.
func (r Reads) HasWebhooks(ctx context.Context) (some bool, err error) {
	err = r.db.QueryRow(ctx, "SELECT EXISTS (SELECT 1 FROM webhooks)").Scan(&some)
	return some, err
}

// Webhooks lists the webhooks of a user, or those that an application created for them, in the order in which they were created.
func (r Reads) Webhooks(ctx context.Context, user domain.UserID, app domain.ApplicationID) ([]domain.Webhook, error) {
	rows, err := r.db.Query(ctx, "SELECT "+columns+" FROM webhooks w WHERE w.user_id = $1 AND (CAST($2 AS BIGINT) = 0 OR w.application_id = $2) ORDER BY w.id", user, int64(app))
	return sqlx.Collect(ctx, rows, err, scan)
}

// Webhook returns a webhook of a user, or one that an application created for them.
func (r Reads) Webhook(ctx context.Context, user domain.UserID, app domain.ApplicationID, id domain.WebhookID) (domain.Webhook, error) {
	return scan(r.db.QueryRow(ctx, "SELECT "+columns+" FROM webhooks w WHERE w.id = $1 AND w.user_id = $2 AND (CAST($3 AS BIGINT) = 0 OR w.application_id = $3)", id, user, int64(app)))
}

// WebhookByID returns a webhook of anyone.
func (r Reads) WebhookByID(ctx context.Context, id domain.WebhookID) (domain.Webhook, error) {
	return scan(r.db.QueryRow(ctx, "SELECT "+columns+" FROM webhooks w WHERE w.id = $1", id))
}

// CountWebhooks counts the webhooks of a user.
func (r Reads) CountWebhooks(ctx context.Context, user domain.UserID) (int64, error) {
	return sqlx.ScanInt64(r.db.QueryRow(ctx, "SELECT count(*) FROM webhooks WHERE user_id = $1", user))
}

// LockWebhook locks and returns a webhook.
func (w Writes) LockWebhook(ctx context.Context, id domain.WebhookID) (domain.Webhook, error) {
	return scan(w.db.QueryRow(ctx, "SELECT "+columns+" FROM webhooks w WHERE w.id = $1"+w.db.ForUpdate("w"), id))
}

// AddWebhook adds a webhook.
func (w Writes) AddWebhook(ctx context.Context, h domain.Webhook) (domain.WebhookID, error) {
	return sqlx.ScanID[domain.WebhookID](w.db.QueryRow(ctx, `INSERT INTO webhooks (user_id, application_id, channel_id, name, url, events, payload, secret, stopped, stopped_at,
			epoch, read_xid, read_id, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $14) RETURNING id`,
		h.UserID, sqlx.OrNull(h.Application), h.Channel, h.Name, h.URL, strings.Join(h.Events, " "), h.Payload, h.Secret, h.Stopped, sqlx.MicrosPtr(h.StoppedAt),
		h.Epoch, h.Read.Transaction, h.Read.ID, sqlx.Micros(h.CreatedAt)))
}

// SaveWebhook stores a locked webhook.
func (w Writes) SaveWebhook(ctx context.Context, h domain.Webhook) error {
	return w.db.ExecOne(ctx, `UPDATE webhooks SET channel_id = $2, name = $3, url = $4, events = $5, payload = $6, secret = $7, old_secret = NULLIF($8, ''), old_until = $9,
			stopped = $10, stopped_at = $11, epoch = $12, read_xid = $13, read_id = $14, failing_since = $15, hold_until = $16, strained = $17, succeeded_at = $18, updated_at = $19
		WHERE id = $1`, h.ID, h.Channel, h.Name, h.URL, strings.Join(h.Events, " "), h.Payload, h.Secret, h.OldSecret, sqlx.MicrosPtr(h.OldUntil),
		h.Stopped, sqlx.MicrosPtr(h.StoppedAt), h.Epoch, h.Read.Transaction, h.Read.ID, sqlx.MicrosPtr(h.FailingSince), sqlx.Micros(h.HoldUntil), h.Strained, sqlx.MicrosPtr(h.SucceededAt), sqlx.Micros(h.UpdatedAt))
}

// DeleteWebhook deletes a webhook with its deliveries.
func (w Writes) DeleteWebhook(ctx context.Context, id domain.WebhookID) error {
	return w.deleteWebhooks(ctx, "w.id = $1", int64(id))
}

// ForgetWebhooks deletes the webhooks of a user.
func (w Writes) ForgetWebhooks(ctx context.Context, user domain.UserID) error {
	return w.deleteWebhooks(ctx, "w.user_id = $1", int64(user))
}

// deleteWebhooks locks webhooks before it deletes their deliveries, so that no process adds some.
func (w Writes) deleteWebhooks(ctx context.Context, where string, arg int64) error {
	rows, err := w.db.Query(ctx, "SELECT w.id FROM webhooks w WHERE "+where+" ORDER BY w.id"+w.db.ForUpdate("w"), arg)
	ids, err := sqlx.Collect(ctx, rows, err, sqlx.ScanID[domain.WebhookID])
	if err != nil || len(ids) == 0 {
		return err
	}
	if err := w.db.Exec(ctx, "DELETE FROM webhook_deliveries WHERE "+w.db.In("webhook_id", "$1"), sqlx.IDs(w.db.Dialect, ids)); err != nil {
		return err
	}
	return w.db.Exec(ctx, "DELETE FROM webhooks WHERE "+w.db.In("id", "$1"), sqlx.IDs(w.db.Dialect, ids))
}

// BehindInput selects webhooks that have not read all changes.
type BehindInput struct {
	Head  domain.ChangePosition
	Epoch string // of the changes; webhooks of another one are behind, too
	Last  bool   // those that are least behind first
	Limit int
}

// Behind lists the webhooks that have not read all changes, and that are not crowded. Those that are furthest behind are first,
// unless the input says otherwise.
func (r Reads) Behind(ctx context.Context, in BehindInput) ([]domain.Webhook, error) {
	order := "w.read_xid, w.read_id, w.user_id, w.id"
	if in.Last {
		order = "w.read_xid DESC, w.read_id DESC, w.user_id, w.id"
	}
	rows, err := r.db.Query(ctx, "SELECT "+columns+` FROM webhooks w
		WHERE w.stopped = '' AND NOT w.crowded AND ((w.read_xid, w.read_id) < (CAST($1 AS BIGINT), CAST($2 AS BIGINT)) OR w.epoch <> $3)
		ORDER BY `+order+sqlx.Limit("$4"), in.Head.Transaction, in.Head.ID, in.Epoch, in.Limit)
	return sqlx.Collect(ctx, rows, err, scan)
}

// LockAt locks those of some webhooks that are on and have read up to a position, in the order of their ids.
func (w Writes) LockAt(ctx context.Context, ids []domain.WebhookID, at domain.ChangePosition) (map[domain.WebhookID]bool, error) {
	rows, err := w.db.Query(ctx, "SELECT w.id FROM webhooks w WHERE "+w.db.In("w.id", "$1")+" AND w.stopped = '' AND w.read_xid = $2 AND w.read_id = $3 ORDER BY w.id"+
		w.db.ForUpdate("w"), sqlx.IDs(w.db.Dialect, ids), at.Transaction, at.ID)
	locked, err := sqlx.Collect(ctx, rows, err, sqlx.ScanID[domain.WebhookID])
	all := make(map[domain.WebhookID]bool, len(locked))
	for _, id := range locked {
		all[id] = true
	}
	return all, err
}

// AdvanceWebhooks records that locked webhooks have read up to a position.
func (w Writes) AdvanceWebhooks(ctx context.Context, ids []domain.WebhookID, to domain.ChangePosition) error {
	return w.db.Exec(ctx, "UPDATE webhooks SET read_xid = $2, read_id = $3 WHERE "+w.db.In("id", "$1"), sqlx.IDs(w.db.Dialect, ids), to.Transaction, to.ID)
}

// Due is a webhook with a delivery that is due.
type Due struct {
	ID       domain.WebhookID
	User     domain.UserID
	Strained bool
}

// DueWebhooks lists the webhooks, strained or not, with deliveries that are due and that no process sends. The one that waits
// longest is first.
func (r Reads) DueWebhooks(ctx context.Context, strained bool, now time.Time, limit int) ([]Due, error) {
	rows, err := r.db.Query(ctx, `SELECT w.id, w.user_id, w.strained FROM webhooks w
		WHERE w.wake_at <= $1 AND w.hold_until <= $1 AND w.strained = $2 AND w.leased_until < `+r.db.Seconds()+` ORDER BY w.wake_at, w.id`+sqlx.Limit("$3"), sqlx.Micros(now), strained, limit)
	return sqlx.Collect(ctx, rows, err, func(row sqlx.Row) (d Due, err error) { return d, row.Scan(&d.ID, &d.User, &d.Strained) })
}

// LeaseWebhook reserves a webhook for a process. ok is false if another one has it.
func (w Writes) LeaseWebhook(ctx context.Context, id domain.WebhookID, lease string, seconds int64) (ok bool, err error) {
	n, err := w.db.ExecCount(ctx, "UPDATE webhooks SET lease = $2, leased_until = "+w.db.Seconds()+" + CAST($3 AS BIGINT) WHERE id = $1 AND leased_until < "+w.db.Seconds(), id, lease, seconds)
	return n > 0, err
}

// LockLeased locks and returns a webhook if it is still reserved under a lease. It returns NotFound otherwise.
func (w Writes) LockLeased(ctx context.Context, id domain.WebhookID, lease string) (domain.Webhook, error) {
	return scan(w.db.QueryRow(ctx, "SELECT "+columns+" FROM webhooks w WHERE w.id = $1 AND w.lease = $2"+w.db.ForUpdate("w"), id, lease))
}

// crowded is true for a webhook if at least as many of its deliveries wait as the parameter p says.
func crowded(id, p string) string {
	return "EXISTS (SELECT 1 FROM webhook_deliveries d WHERE d.webhook_id = " + id + " AND d.next_at IS NOT NULL LIMIT 1 OFFSET CAST(" + p + " AS BIGINT) - 1)"
}

// ReleaseWebhook ends the lease of a locked webhook, and computes when the next delivery is due: not before now, so that one
// with many deliveries waits for its turn after others. It reads no further changes while `full` deliveries wait.
func (w Writes) ReleaseWebhook(ctx context.Context, id domain.WebhookID, now time.Time, full int) error {
	return w.db.Exec(ctx, `UPDATE webhooks SET lease = '', leased_until = 0, crowded = `+crowded("$1", "$3")+`,
		wake_at = (SELECT CASE WHEN min(d.next_at) < CAST($2 AS BIGINT) THEN $2 ELSE min(d.next_at) END FROM webhook_deliveries d WHERE d.webhook_id = $1 AND `+sendable+`)
		WHERE id = $1`, id, sqlx.Micros(now), full)
}

// MarkCrowded makes those of some locked webhooks read no further changes for which `full` deliveries wait.
func (w Writes) MarkCrowded(ctx context.Context, ids []domain.WebhookID, full int) error {
	return w.db.Exec(ctx, "UPDATE webhooks SET crowded = TRUE WHERE "+w.db.In("id", "$1")+" AND "+crowded("webhooks.id", "$2"), sqlx.IDs(w.db.Dialect, ids), full)
}

// WakeWebhooks makes the deliveries of locked webhooks due at a time, unless some are due earlier.
func (w Writes) WakeWebhooks(ctx context.Context, ids []domain.WebhookID, at time.Time) error {
	return w.db.Exec(ctx, "UPDATE webhooks SET wake_at = CASE WHEN wake_at < CAST($2 AS BIGINT) THEN wake_at ELSE $2 END WHERE "+w.db.In("id", "$1"), sqlx.IDs(w.db.Dialect, ids), sqlx.Micros(at))
}
