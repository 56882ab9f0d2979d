package webhooks

import (
	"context"
	"encoding/json"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/store/sqlx"
)

const deliveryColumns = `d.id, d.webhook_id, d.message, d.channel_id, d.type, d.change, d.state, d.manual, d.attempts, d.next_at, d.status, d.problem, d.response,
	d.took, d.attempted_at, d.created_at`

// sendable is the condition for deliveries d that wait for nothing but their time.
const sendable = `d.next_at IS NOT NULL AND (d.manual OR NOT EXISTS (SELECT 1 FROM webhook_deliveries e
	WHERE e.webhook_id = d.webhook_id AND e.channel_id = d.channel_id AND e.id < d.id AND e.next_at IS NOT NULL AND NOT e.manual))`

func scanDelivery(row sqlx.Row) (d domain.WebhookDelivery, err error) {
	var change string
	var next, attempted *int64
	var created int64
	err = row.Scan(&d.ID, &d.Webhook, &d.Message, &d.Channel, &d.Type, &change, &d.State, &d.Manual, &d.Attempts, &next, &d.Status, &d.Problem, &d.Response,
		&d.Took, &attempted, &created)
	if err != nil {
		return d, sqlx.Found(err)
	}
	d.NextAt, d.AttemptedAt, d.CreatedAt = sqlx.TimePtr(next), sqlx.TimePtr(attempted), sqlx.Time(created)
	if change != "" {
		err = json.Unmarshal([]byte(change), &d.Change)
	}
	return d, err
}

// changeOf returns the change of a delivery as it is stored.
func changeOf(d *domain.WebhookDelivery) (string, error) {
	if d.Change == nil {
		return "", nil
	}
	text, err := json.Marshal(d.Change)
	return string(text), err
}

// AddDelivery adds a delivery to a locked webhook.
func (w Writes) AddDelivery(ctx context.Context, d domain.WebhookDelivery) (domain.WebhookDeliveryID, error) {
	change, err := changeOf(&d)
	if err != nil {
		return 0, err
	}
	return sqlx.ScanID[domain.WebhookDeliveryID](w.db.QueryRow(ctx, `INSERT INTO webhook_deliveries (webhook_id, message, channel_id, type, change, state, manual, next_at, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) RETURNING id`, d.Webhook, d.Message, d.Channel, d.Type, change, d.State, d.Manual, sqlx.MicrosPtr(d.NextAt), sqlx.Micros(d.CreatedAt)))
}

// listBytes is about how long the list of a statement becomes at most.
const listBytes = 1 << 20

// AddDeliveries adds deliveries to locked webhooks that are due when they are created, with as few statements as possible.
func (w Writes) AddDeliveries(ctx context.Context, all []domain.WebhookDelivery) error {
	var list []byte
	for i := range all {
		d := &all[i]
		change, err := changeOf(d)
		if err != nil {
			return err
		}
		row, err := json.Marshal([]any{d.Webhook, d.Message, d.Channel, d.Type, change, sqlx.Micros(d.CreatedAt)})
		if err != nil {
			return err
		}
		list = append(append(list, ','), row...)
		if len(list) < listBytes && i < len(all)-1 {
			continue
		}
		list[0] = '['
		err = w.db.Exec(ctx, `INSERT INTO webhook_deliveries (webhook_id, message, channel_id, type, change, state, manual, next_at, created_at)
			SELECT l.webhook_id, l.message, l.channel_id, l.type, l.change, $2, FALSE, l.created_at, l.created_at
			FROM `+w.db.ChangeRows("$1", "webhook_id", "message", "channel_id", "type", "change", "created_at")+` ORDER BY l.n`,
			string(append(list, ']')), domain.DeliveryPending)
		if err != nil {
			return err
		}
		list = list[:0]
	}
	return nil
}

// Deliveries lists the deliveries of a webhook before an id, newest first. 0 means all.
func (r Reads) Deliveries(ctx context.Context, id domain.WebhookID, before domain.WebhookDeliveryID, limit int) ([]domain.WebhookDelivery, error) {
	rows, err := r.db.Query(ctx, "SELECT "+deliveryColumns+` FROM webhook_deliveries d WHERE d.webhook_id = $1 AND (CAST($2 AS BIGINT) = 0 OR d.id < $2) ORDER BY d.id DESC`+sqlx.Limit("$3"), id, int64(before), limit)
	return sqlx.Collect(ctx, rows, err, scanDelivery)
}

// Delivery returns a delivery of a webhook.
func (r Reads) Delivery(ctx context.Context, id domain.WebhookID, delivery domain.WebhookDeliveryID) (domain.WebhookDelivery, error) {
	return scanDelivery(r.db.QueryRow(ctx, "SELECT "+deliveryColumns+" FROM webhook_deliveries d WHERE d.id = $2 AND d.webhook_id = $1", id, delivery))
}

// NextDelivery returns the delivery of a webhook that has been due for the longest time. It returns NotFound if none is due. So
// one that fails again and again does not hold up those of other channels.
func (r Reads) NextDelivery(ctx context.Context, id domain.WebhookID, now time.Time) (domain.WebhookDelivery, error) {
	return scanDelivery(r.db.QueryRow(ctx, "SELECT "+deliveryColumns+` FROM webhook_deliveries d WHERE d.webhook_id = $1 AND d.next_at <= $2 AND `+sendable+`
		ORDER BY d.manual DESC, d.next_at, d.id LIMIT 1`, id, sqlx.Micros(now)))
}

// CountManual counts the test events and repeated deliveries of a webhook that wait.
func (r Reads) CountManual(ctx context.Context, id domain.WebhookID) (int64, error) {
	return sqlx.ScanInt64(r.db.QueryRow(ctx, "SELECT count(*) FROM webhook_deliveries d WHERE d.webhook_id = $1 AND d.next_at IS NOT NULL AND d.manual", id))
}

// TestedSince reports whether a test event of a webhook, or a repeated delivery, was sent since a time.
func (r Reads) TestedSince(ctx context.Context, id domain.WebhookID, since time.Time) (tested bool, err error) {
	err = r.db.QueryRow(ctx, "SELECT EXISTS (SELECT 1 FROM webhook_deliveries d WHERE d.webhook_id = $1 AND d.manual AND d.attempted_at > $2)", id, sqlx.Micros(since)).Scan(&tested)
	return tested, err
}

// SaveDelivery stores the state of a delivery after an attempt. The caller must lock its webhook.
func (w Writes) SaveDelivery(ctx context.Context, d domain.WebhookDelivery) error {
	return w.db.ExecOne(ctx, `UPDATE webhook_deliveries SET state = $2, manual = $3, attempts = $4, next_at = $5, status = $6, problem = $7, response = $8, took = $9, attempted_at = $10
		WHERE id = $1`, d.ID, d.State, d.Manual, d.Attempts, sqlx.MicrosPtr(d.NextAt), d.Status, d.Problem, d.Response, d.Took, sqlx.MicrosPtr(d.AttemptedAt))
}

// EndDeliveries ends the deliveries of a locked webhook that wait, as failed.
func (w Writes) EndDeliveries(ctx context.Context, id domain.WebhookID, why string) error {
	if err := w.db.Exec(ctx, `UPDATE webhook_deliveries SET state = $2, next_at = NULL, problem = COALESCE(problem, $3) WHERE webhook_id = $1 AND next_at IS NOT NULL`,
		id, domain.DeliveryFailed, why); err != nil {
		return err
	}
	return w.db.Exec(ctx, "UPDATE webhooks SET wake_at = NULL, crowded = FALSE WHERE id = $1", id)
}

// HastenDeliveries makes all deliveries of a locked webhook due that wait for another attempt.
func (w Writes) HastenDeliveries(ctx context.Context, id domain.WebhookID, now time.Time) error {
	return w.db.Exec(ctx, "UPDATE webhook_deliveries SET next_at = $2 WHERE webhook_id = $1 AND next_at > $2", id, sqlx.Micros(now))
}

// TrimDeliveries deletes the oldest deliveries of a webhook beyond a number, except those that wait.
func (w Writes) TrimDeliveries(ctx context.Context, id domain.WebhookID, keep int) error {
	return w.db.Exec(ctx, `DELETE FROM webhook_deliveries WHERE webhook_id = $1 AND next_at IS NULL
		AND id <= (SELECT d.id FROM webhook_deliveries d WHERE d.webhook_id = $1 ORDER BY d.id DESC LIMIT 1 OFFSET CAST($2 AS BIGINT))`, id, keep)
}

// SweepDeliveries deletes some of the deliveries that were created before a time, except those that wait.
func (w Writes) SweepDeliveries(ctx context.Context, before time.Time, limit int) (int, error) {
	n, err := w.db.ExecCount(ctx, `DELETE FROM webhook_deliveries WHERE id IN (SELECT d.id FROM webhook_deliveries d
		WHERE d.created_at < $1 AND d.next_at IS NULL ORDER BY d.created_at`+sqlx.Limit("$2")+")", sqlx.Micros(before), limit)
	return int(n), err
}
