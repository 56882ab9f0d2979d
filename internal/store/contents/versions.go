package contents

import (
	"context"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/store/sqlx"
)

// VersionReads contains the statements about earlier texts that change nothing.
type VersionReads struct{ db sqlx.Conn }

// NewVersionReads returns the statements on a connection.
func NewVersionReads(db sqlx.Conn) VersionReads { return VersionReads{db} }

// VersionWrites contains the statements of a transaction.
type VersionWrites struct{ VersionReads }

// NewVersionWrites returns the statements on the connection of a transaction.
func NewVersionWrites(db sqlx.Conn) VersionWrites { return VersionWrites{NewVersionReads(db)} }

// keepVersion inserts a row with the next number. If the newest row has the number already, because the same user
// replaced its texts moments ago, only its time changes. The first version has slot 0, and each other one replaces the
// version that had its slot before.
const keepVersion = `INSERT INTO text_versions (item_type, item_id, slot, number, user_id, title, description, content, alt_text, since, replaced_at)
	SELECT CAST($1 AS TEXT), CAST($2 AS BIGINT), CASE WHEN n.number = 1 THEN 0 ELSE 1 + (n.number - 2) % CAST($10 AS BIGINT) END, n.number,
		CAST($3 AS BIGINT), CAST($4 AS TEXT), CAST($5 AS TEXT), CAST($6 AS TEXT), CAST($7 AS TEXT), CAST($8 AS BIGINT), CAST($8 AS BIGINT)
	FROM (SELECT COALESCE((SELECT CASE WHEN v.user_id = $3 AND v.since > CAST($9 AS BIGINT) THEN v.number ELSE v.number + 1 END
		FROM text_versions v WHERE v.item_type = $1 AND v.item_id = $2 ORDER BY v.number DESC LIMIT 1), 1) AS number) n
	WHERE TRUE
	ON CONFLICT (item_type, item_id, slot) DO UPDATE SET number = excluded.number, user_id = excluded.user_id, replaced_at = excluded.replaced_at,
		title = CASE WHEN text_versions.number = excluded.number THEN text_versions.title ELSE excluded.title END,
		description = CASE WHEN text_versions.number = excluded.number THEN text_versions.description ELSE excluded.description END,
		content = CASE WHEN text_versions.number = excluded.number THEN text_versions.content ELSE excluded.content END,
		alt_text = CASE WHEN text_versions.number = excluded.number THEN text_versions.alt_text ELSE excluded.alt_text END,
		since = CASE WHEN text_versions.number = excluded.number THEN text_versions.since ELSE excluded.since END`

// KeepVersion stores the texts of something locked that a user is about to replace. If apart is not set, changes
// that the user makes within domain.VersionWindow count as one.
func (w VersionWrites) KeepVersion(ctx context.Context, of domain.Subject, by domain.UserID, was domain.Texts, apart bool, now time.Time) error {
	after := now
	if !apart {
		after = now.Add(-domain.VersionWindow)
	}
	return w.db.Later(ctx, keepVersion, string(of.Type), of.ID, by, was.Title, was.Description, was.Content, was.AltText,
		sqlx.Micros(now), sqlx.Micros(after), domain.KeptVersions-1)
}

// Replaced is an earlier version with the change that replaced it.
type Replaced struct {
	Number int64
	User   domain.UserID // who replaced it
	At     time.Time
}

// Versions lists the earlier versions of something, the newest first.
func (r VersionReads) Versions(ctx context.Context, of domain.Subject) ([]Replaced, error) {
	rows, err := r.db.Query(ctx, `SELECT v.number, v.user_id, v.replaced_at FROM text_versions v WHERE v.item_type = $1 AND v.item_id = $2 ORDER BY v.number DESC`,
		string(of.Type), of.ID)
	return sqlx.Collect(ctx, rows, err, func(row sqlx.Row) (v Replaced, err error) {
		var at int64
		err = row.Scan(&v.Number, &v.User, &at)
		v.At = sqlx.Time(at)
		return v, err
	})
}

// VersionTexts reads the texts of an earlier version.
func (r VersionReads) VersionTexts(ctx context.Context, of domain.Subject, number int64) (t domain.Texts, err error) {
	err = r.db.QueryRow(ctx, `SELECT v.title, v.description, v.content, v.alt_text FROM text_versions v
		WHERE v.item_type = $1 AND v.item_id = $2 AND v.number = $3`, string(of.Type), of.ID, number).Scan(&t.Title, &t.Description, &t.Content, &t.AltText)
	return t, sqlx.Found(err)
}

// DropVersions deletes the earlier versions of something.
func (w VersionWrites) DropVersions(ctx context.Context, of domain.Subject) error {
	return w.db.Later(ctx, `DELETE FROM text_versions WHERE item_type = $1 AND item_id = $2`, string(of.Type), of.ID)
}

// trashed is the type of the versions of something in Trash.
func trashed(of domain.Subject) string { return "Trashed" + string(of.Type) }

// TrashVersions keeps the earlier versions of a block or channel that moves to Trash.
func (w VersionWrites) TrashVersions(ctx context.Context, of domain.Subject) error {
	return w.retype(ctx, of.ID, string(of.Type), trashed(of))
}

// RestoreVersions restores what TrashVersions kept.
func (w VersionWrites) RestoreVersions(ctx context.Context, of domain.Subject) error {
	return w.retype(ctx, of.ID, trashed(of), string(of.Type))
}

func (w VersionWrites) retype(ctx context.Context, id int64, from, to string) error {
	return w.db.Exec(ctx, `UPDATE text_versions SET item_type = $3 WHERE item_type = $2 AND item_id = $1`, id, from, to)
}

// PurgeVersions deletes what TrashVersions kept.
func (w VersionWrites) PurgeVersions(ctx context.Context, of domain.Subject) error {
	return w.db.Exec(ctx, `DELETE FROM text_versions WHERE item_type = $1 AND item_id = $2`, trashed(of), of.ID)
}

// ForgetVersions deletes the earlier versions of the blocks and the profile of a user, which nobody else can change.
func (w VersionWrites) ForgetVersions(ctx context.Context, user domain.UserID) error {
	return w.db.Exec(ctx, `DELETE FROM text_versions WHERE user_id = $1 AND item_type IN ('Block', 'TrashedBlock', 'User')`, user)
}

// VersionChecks finds versions of things that no longer exist.
var VersionChecks = []sqlx.Check{
	{What: "text_versions of blocks that do not exist", Query: `SELECT v.item_id, 1, 0 FROM text_versions v
		WHERE v.item_type = 'Block' AND NOT EXISTS (SELECT 1 FROM blocks b WHERE b.id = v.item_id)`},
	{What: "text_versions of channels that do not exist", Query: `SELECT v.item_id, 1, 0 FROM text_versions v
		WHERE v.item_type = 'Channel' AND NOT EXISTS (SELECT 1 FROM channels ch WHERE ch.id = v.item_id AND ch.state = 'available')`},
	{What: "text_versions of users that do not exist", Query: `SELECT v.item_id, 1, 0 FROM text_versions v
		WHERE v.item_type = 'User' AND NOT EXISTS (SELECT 1 FROM users u WHERE u.id = v.item_id AND u.deleted_at IS NULL)`},
	{What: "text_versions of groups that do not exist", Query: `SELECT v.item_id, 1, 0 FROM text_versions v
		WHERE v.item_type = 'Group' AND NOT EXISTS (SELECT 1 FROM groups g WHERE g.id = v.item_id)`},
	{What: "text_versions in Trash of things that are not there", Query: `SELECT v.item_id, 1, 0 FROM text_versions v
		WHERE v.item_type IN ('TrashedBlock', 'TrashedChannel')
			AND NOT EXISTS (SELECT 1 FROM trash_things t WHERE t.kind = substr(v.item_type, 8) AND t.target_id = v.item_id)`},
}
