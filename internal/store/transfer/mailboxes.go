package transfer

import (
	"context"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/store/sqlx"
)

// MailboxReads contains the statements about addresses for mails that change nothing.
type MailboxReads struct{ db sqlx.Conn }

// NewMailboxReads returns the statements on a connection.
func NewMailboxReads(db sqlx.Conn) MailboxReads { return MailboxReads{db} }

// MailboxWrites contains the statements of a transaction. Lock order: the channel, then the mailbox.
type MailboxWrites struct{ MailboxReads }

// NewMailboxWrites returns the statements on the connection of a transaction.
func NewMailboxWrites(db sqlx.Conn) MailboxWrites { return MailboxWrites{NewMailboxReads(db)} }

const selectMailbox = `SELECT m.id, m.channel_id, m.user_id, m.token, m.received, m.received_at, m.created_at FROM mailboxes m `

func mailboxScan(row sqlx.Row) (m domain.Mailbox, err error) {
	var received *int64
	var created int64
	err = row.Scan(&m.ID, &m.Channel, &m.UserID, &m.Token, &m.Received, &received, &created)
	m.ReceivedAt, m.CreatedAt = sqlx.TimePtr(received), sqlx.Time(created)
	return m, sqlx.Found(err)
}

// MailboxByToken reads the mailbox with a token, unless its channel is in Trash.
func (r MailboxReads) MailboxByToken(ctx context.Context, token string) (domain.Mailbox, error) {
	return mailboxScan(r.db.QueryRow(ctx, selectMailbox+"WHERE m.token = $1 AND m.trash_id IS NULL", token))
}

// MailboxesOf lists the mailboxes of a channel, in the order in which they were created.
func (r MailboxReads) MailboxesOf(ctx context.Context, channel domain.ChannelID) ([]domain.Mailbox, error) {
	rows, err := r.db.Query(ctx, selectMailbox+"WHERE m.channel_id = $1 ORDER BY m.id", channel)
	return sqlx.Collect(ctx, rows, err, mailboxScan)
}

// CountMailboxesBy counts the mailboxes that a user created, also those of channels in Trash, which may be restored.
func (r MailboxReads) CountMailboxesBy(ctx context.Context, user domain.UserID) (int64, error) {
	return sqlx.ScanInt64(r.db.QueryRow(ctx, "SELECT count(*) FROM mailboxes WHERE user_id = $1", user))
}

// AddMailbox adds a mailbox. The caller must lock the channel.
func (w MailboxWrites) AddMailbox(ctx context.Context, m domain.Mailbox) (domain.MailboxID, error) {
	return sqlx.ScanID[domain.MailboxID](w.db.QueryRow(ctx, `INSERT INTO mailboxes (channel_id, user_id, token, created_at) VALUES ($1, $2, $3, $4) RETURNING id`,
		m.Channel, m.UserID, m.Token, sqlx.Micros(m.CreatedAt)))
}

// LockMailbox reads and locks a mailbox.
func (w MailboxWrites) LockMailbox(ctx context.Context, id domain.MailboxID) (domain.Mailbox, error) {
	return mailboxScan(w.db.QueryRow(ctx, selectMailbox+"WHERE m.id = $1"+w.db.ForUpdate("m"), id))
}

// MailsSince counts the mails of a mailbox after a time.
func (r MailboxReads) MailsSince(ctx context.Context, id domain.MailboxID, after time.Time) (int64, error) {
	return sqlx.ScanInt64(r.db.QueryRow(ctx, "SELECT count(*) FROM mailbox_mails WHERE mailbox_id = $1 AND received_at > $2", id, sqlx.Micros(after)))
}

// ReceiveMail records that a locked mailbox received the mail with a key. It returns false if it did so before.
func (w MailboxWrites) ReceiveMail(ctx context.Context, id domain.MailboxID, key int64, now time.Time) (fresh bool, err error) {
	n, err := w.db.ExecCount(ctx, `INSERT INTO mailbox_mails (mailbox_id, key, received_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`, id, key, sqlx.Micros(now))
	if err != nil || n == 0 {
		return false, err
	}
	return true, w.db.ExecOne(ctx, `UPDATE mailboxes SET received = received + 1, received_at = $2 WHERE id = $1`, id, sqlx.Micros(now))
}

// PruneMails deletes the keys of a locked mailbox except the newest ones.
func (w MailboxWrites) PruneMails(ctx context.Context, id domain.MailboxID, keep int) error {
	return w.db.Exec(ctx, `DELETE FROM mailbox_mails WHERE mailbox_id = $1 AND received_at < (SELECT e.received_at FROM mailbox_mails e
		WHERE e.mailbox_id = $1 ORDER BY e.received_at DESC LIMIT 1 OFFSET CAST($2 AS BIGINT))`, id, keep)
}

// DeleteMailbox deletes a locked mailbox.
func (w MailboxWrites) DeleteMailbox(ctx context.Context, id domain.MailboxID) error {
	return w.deleteMailboxes(ctx, "id = $1", int64(id))
}

// ForgetMailboxes deletes the mailboxes that a user created.
func (w MailboxWrites) ForgetMailboxes(ctx context.Context, user domain.UserID) error {
	return w.deleteMailboxes(ctx, "user_id = $1", int64(user))
}

// DeleteMailboxesOf deletes the mailboxes of a locked channel, except those that are in Trash with it.
func (w MailboxWrites) DeleteMailboxesOf(ctx context.Context, channel domain.ChannelID) error {
	return w.deleteMailboxes(ctx, "channel_id = $1 AND trash_id IS NULL", int64(channel))
}

func (w MailboxWrites) deleteMailboxes(ctx context.Context, where string, arg int64) error {
	err := w.db.Exec(ctx, "DELETE FROM mailbox_mails WHERE mailbox_id IN (SELECT id FROM mailboxes WHERE "+where+")", arg)
	if err != nil {
		return err
	}
	return w.db.Exec(ctx, "DELETE FROM mailboxes WHERE "+where, arg)
}
