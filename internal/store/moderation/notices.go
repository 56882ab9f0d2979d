package moderation

import (
	"context"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/store/sqlx"
)

// NoticeKind is the subject of a notice.
type NoticeKind string

// Notice is a message of the operators to a user.
type Notice struct {
	ID        int64
	To        domain.UserID
	What      NoticeKind
	About     domain.AuditTarget
	Words     string
	CreatedAt time.Time
}

// keptNotices is how many notices a user keeps. Older ones are deleted.
const keptNotices = 200

// AddNotice adds a notice for a user, whose row it locks, and returns its id.
func (w Writes) AddNotice(ctx context.Context, n Notice) (id int64, err error) {
	about := n.About.Kept()
	id, err = sqlx.ScanInt64(w.db.QueryRow(ctx, `INSERT INTO notices (user_id, what, kind, target_id, label, words, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING id`, n.To, n.What, about.Kind, about.ID, about.Label, n.Words, sqlx.Micros(n.CreatedAt)))
	if err != nil {
		return 0, err
	}
	err = w.db.Exec(ctx, `DELETE FROM notices WHERE user_id = $1 AND id <= (
		SELECT id FROM notices WHERE user_id = $1 ORDER BY id DESC LIMIT 1 OFFSET $2)`, n.To, keptNotices)
	if err != nil {
		return 0, err
	}
	return id, w.db.Exec(ctx, `UPDATE users SET unread_notices = unread_notices + 1 WHERE id = $1`, n.To)
}

// AnswerReporters adds a notice for everyone who reported the thing of a case. It locks their rows
// in the order of their ids.
func (w Writes) AnswerReporters(ctx context.Context, id CaseID, n Notice) error {
	about := n.About.Kept()
	err := w.db.Exec(ctx, `INSERT INTO notices (user_id, what, kind, target_id, label, words, created_at)
		SELECT re.reporter_id, $2, $3, $4, $5, $6, $7 FROM reports re JOIN users u ON u.id = re.reporter_id
		WHERE re.case_id = $1 AND u.deleted_at IS NULL`,
		id, n.What, about.Kind, about.ID, about.Label, n.Words, sqlx.Micros(n.CreatedAt))
	if err != nil {
		return err
	}
	return w.db.Exec(ctx, `UPDATE users SET unread_notices = unread_notices + 1 WHERE id IN (SELECT u.id FROM users u
		WHERE u.deleted_at IS NULL AND u.id IN (SELECT re.reporter_id FROM reports re WHERE re.case_id = $1) ORDER BY u.id`+w.db.ForUpdate("u")+`)`, id)
}

const noticeColumns = `id, user_id, what, kind, target_id, label, words, created_at`

func scanNotice(row sqlx.Row) (n Notice, err error) {
	var at int64
	err = row.Scan(&n.ID, &n.To, &n.What, &n.About.Kind, &n.About.ID, &n.About.Label, &n.Words, &at)
	n.CreatedAt = sqlx.Time(at)
	return n, err
}

// Notices lists the notices of a user, newest first.
func (r Reads) Notices(ctx context.Context, of domain.UserID) ([]Notice, error) {
	rows, err := r.db.Query(ctx, "SELECT "+noticeColumns+" FROM notices WHERE user_id = $1 ORDER BY id DESC LIMIT $2", of, keptNotices)
	return sqlx.Collect(ctx, rows, err, scanNotice)
}

func (r Reads) Notice(ctx context.Context, id int64) (Notice, error) {
	n, err := scanNotice(r.db.QueryRow(ctx, "SELECT "+noticeColumns+" FROM notices WHERE id = $1", id))
	return n, sqlx.Found(err)
}

// ReadNotices marks all notices of a user as read.
func (w Writes) ReadNotices(ctx context.Context, of domain.UserID) error {
	return w.db.Exec(ctx, `UPDATE users SET unread_notices = 0 WHERE id = $1 AND unread_notices <> 0`, of)
}

// ForgetNotices deletes the notices of a user and their wish for mail about cases.
func (w Writes) ForgetNotices(ctx context.Context, of domain.UserID) error {
	if err := w.WantCaseMail(ctx, of, false); err != nil {
		return err
	}
	return w.db.Exec(ctx, `DELETE FROM notices WHERE user_id = $1`, of)
}

// SetSuspended suspends a user from the given time, or lifts the suspension (nil).
func (w Writes) SetSuspended(ctx context.Context, id domain.UserID, since *time.Time) error {
	var at *int64
	if since != nil {
		us := sqlx.Micros(*since)
		at = &us
	}
	return w.db.ExecOne(ctx, `UPDATE users SET suspended_at = $2, version = version + 1 WHERE id = $1`, id, at)
}
