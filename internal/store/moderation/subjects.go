package moderation

import (
	"context"
	"fmt"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/store/sqlx"
)

// HidingReads contains the statements that change nothing.
type HidingReads struct{ db sqlx.Conn }

// NewHidingReads returns the statements on a connection.
func NewHidingReads(db sqlx.Conn) HidingReads { return HidingReads{db} }

// HidingWrites contains the statements of a transaction.
type HidingWrites struct{ HidingReads }

// NewHidingWrites returns the statements on the connection of a transaction.
func NewHidingWrites(db sqlx.Conn) HidingWrites { return HidingWrites{NewHidingReads(db)} }

// HidingID numbers hidden things in the order in which they were hidden.
type HidingID int64

// HidingState is the progress of hiding or showing a thing.
type HidingState string

// The states. The database contains their names.
const (
	Moving  HidingState = "hiding"  // some of it is still to be hidden
	Hidden  HidingState = "hidden"  // all of it is hidden
	Showing HidingState = "showing" // it is being restored; afterwards the row is deleted
)

// HiddenSubject is a hidden block, channel or comment, or a person, which includes everything that they
// created.
type HiddenSubject struct {
	ID        HidingID
	About     domain.AuditTarget // with its label when it was hidden
	OwnerID   domain.UserID      // the person responsible for it
	Owner     string             // their current slug
	State     HidingState
	Was       domain.Visibility // of a channel, before it was hidden
	Block     domain.BlockID    // the block itself, or that of a comment; 0 for others, and when it is read
	With      HidingID          // the row of the person that it was hidden with; 0 if it was hidden by itself
	CreatedAt time.Time
}

// ApplyHiding is the job that does the remaining work of hiding or showing a thing.
type ApplyHiding struct {
	ID HidingID      `json:"id"`
	By domain.UserID `json:"by"` // the person responsible for it; jobs take turns by person
}

// Kind returns the name of the job.
func (ApplyHiding) Kind() string { return "apply_hiding" }

const columns = `h.id, h.kind, h.target_id, h.label, h.owner_id, COALESCE(ow.slug, ''), h.state, h.was, COALESCE(h.with_id, 0), h.created_at`

const from = ` FROM hidden_things h LEFT JOIN users ow ON ow.id = h.owner_id `

func scan(row sqlx.Row) (t HiddenSubject, err error) {
	var at int64
	err = row.Scan(&t.ID, &t.About.Kind, &t.About.ID, &t.About.Label, &t.OwnerID, &t.Owner, &t.State, &t.Was, &t.With, &at)
	t.CreatedAt = sqlx.Time(at)
	return t, err
}

// RecordHidden records that a thing is to be hidden and returns its row. Concurrent calls wait for
// each other. A thing that was hidden with a person is now hidden by itself. It returns a Conflict
// if the thing is already hidden by itself or, when it is to be hidden with a person, if it is
// hidden at all.
func (w HidingWrites) RecordHidden(ctx context.Context, t HiddenSubject) (HiddenSubject, error) {
	about := t.About.Kept()
	fresh, err := w.db.ExecCount(ctx, `INSERT INTO hidden_things
			(kind, target_id, block_id, owner_id, label, state, was, with_id, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
		ON CONFLICT (kind, target_id) DO NOTHING`,
		about.Kind, about.ID, sqlx.OrNull(t.Block), t.OwnerID, about.Label, Moving, t.Was, sqlx.OrNull(t.With), sqlx.Micros(t.CreatedAt))
	if err != nil {
		return t, err
	}
	id, err := sqlx.ScanID[HidingID](w.db.QueryRow(ctx, `SELECT id FROM hidden_things WHERE kind = $1 AND target_id = $2`, about.Kind, about.ID))
	if err != nil {
		return t, sqlx.Found(err)
	}
	is, err := w.LockHidden(ctx, id)
	if err != nil || fresh > 0 {
		return is, err
	}
	switch {
	case is.State == Showing:
		is.State, is.With = Moving, t.With
	case is.With != 0 && t.With == 0:
		is.With = 0
	default:
		return is, domain.Wrap(domain.Conflict, "This is hidden already", nil)
	}
	return is, w.db.ExecOne(ctx, `UPDATE hidden_things SET state = $2, with_id = $3 WHERE id = $1`, id, is.State, sqlx.OrNull(is.With))
}

// SetHidden stores the state of a locked thing.
func (w HidingWrites) SetHidden(ctx context.Context, id HidingID, s HidingState) error {
	return w.db.ExecOne(ctx, `UPDATE hidden_things SET state = $2 WHERE id = $1`, id, s)
}

// ForgetHidden deletes the row of a hidden thing, with the connections and comments hidden for it.
func (w HidingWrites) ForgetHidden(ctx context.Context, what domain.Subject) error {
	return w.db.Exec(ctx, `DELETE FROM hidden_things WHERE kind = $1 AND target_id = $2`, what.Type, what.ID)
}

// ForgetHiddenIn deletes the hidden connections of a channel that is being deleted, unless it moves to Trash, and its own
// row.
func (w HidingWrites) ForgetHiddenIn(ctx context.Context, id domain.ChannelID) error {
	if err := w.ForgetHidden(ctx, domain.Subject{Type: domain.SubjectChannel, ID: int64(id)}); err != nil {
		return err
	}
	return w.db.Exec(ctx, `DELETE FROM hidden_connections WHERE channel_id = $1 AND NOT EXISTS (
		SELECT 1 FROM trash_things t WHERE t.kind = 'Channel' AND t.target_id = $1)`, id)
}

// LockHidden locks a hidden thing until the transaction ends and then reads it. It must be locked
// before what it is about.
func (w HidingWrites) LockHidden(ctx context.Context, id HidingID) (HiddenSubject, error) {
	if w.db.LocksRows() {
		if _, err := sqlx.ScanInt64(w.db.QueryRow(ctx, `SELECT h.id FROM hidden_things h WHERE h.id = $1`+w.db.ForUpdate("h"), id)); err != nil {
			return HiddenSubject{}, sqlx.Found(err)
		}
	}
	t, err := scan(w.db.QueryRow(ctx, "SELECT "+columns+from+"WHERE h.id = $1", id))
	return t, sqlx.Found(err)
}

// HiddenSubject reads the row of a thing that is hidden or about to be. It returns NotFound for
// other things and for a thing that is being restored.
func (r HidingReads) HiddenSubject(ctx context.Context, what domain.Subject) (HiddenSubject, error) {
	t, err := scan(r.db.QueryRow(ctx, "SELECT "+columns+from+"WHERE h.kind = $1 AND h.target_id = $2 AND h.state <> 'showing'", what.Type, what.ID))
	return t, sqlx.Found(err)
}

// A person hidden with everything they created is one entry of the list.
const listed = `h.with_id IS NULL AND (h.kind <> 'Channel' OR EXISTS (SELECT 1 FROM channels ch WHERE ch.id = h.target_id AND ch.state = 'available'))`

// HiddenSubjects lists hidden things below an id (0: from the beginning), newest first.
func (r HidingReads) HiddenSubjects(ctx context.Context, below HidingID, limit int) ([]HiddenSubject, error) {
	rows, err := r.db.Query(ctx, "SELECT "+columns+from+"WHERE "+listed+` AND ($1 = CAST(0 AS BIGINT) OR h.id < $1)
		ORDER BY h.id DESC`+sqlx.Limit("$2"), below, limit)
	return sqlx.Collect(ctx, rows, err, scan)
}

// ConcernsOperators reports whether operators may look at a block, channel or comment of others,
// because it is hidden or in an open case. The same holds for a block in such a channel or with
// such a comment, and for everything by a hidden person.
func (r HidingReads) ConcernsOperators(ctx context.Context, what domain.Subject) (concerns bool, err error) {
	it := func(kind, id string) string {
		return fmt.Sprintf(`EXISTS (SELECT 1 FROM report_cases rc WHERE rc.kind = %[1]s AND rc.target_id = %[2]s AND rc.closed_at IS NULL)
			OR EXISTS (SELECT 1 FROM hidden_things h WHERE h.kind = %[1]s AND h.target_id = %[2]s)`, kind, id)
	}
	query := "SELECT " + it("$1", "$2")
	switch what.Type {
	case domain.SubjectBlock:
		query += ` OR EXISTS (SELECT 1 FROM blocks b JOIN hidden_things h ON h.kind = 'User' AND h.target_id = b.user_id WHERE b.id = $2)
			OR EXISTS (SELECT 1 FROM connections c WHERE c.item_type = 'Block' AND c.item_id = $2 AND (` + it("'Channel'", "c.channel_id") + `))
			OR EXISTS (SELECT 1 FROM comments co WHERE co.block_id = $2 AND (` + it("'Comment'", "co.id") + `))
			OR EXISTS (SELECT 1 FROM hidden_comments hc WHERE hc.block_id = $2)`
	case domain.SubjectChannel, domain.SubjectComment:
	default:
		return false, nil
	}
	err = r.db.QueryRow(ctx, query, what.Type, what.ID).Scan(&concerns)
	return concerns, err
}

// HiddenOf lists the hidden things for which a person is responsible, newest first.
func (r HidingReads) HiddenOf(ctx context.Context, owner domain.UserID, limit int) ([]HiddenSubject, error) {
	rows, err := r.db.Query(ctx, "SELECT "+columns+from+"WHERE h.owner_id = $1 AND h.kind <> 'User' AND h.state <> 'showing' AND "+listed+
		" ORDER BY h.id DESC"+sqlx.Limit("$2"), owner, limit)
	return sqlx.Collect(ctx, rows, err, scan)
}

// HiddenWith lists some of the things that were hidden with a person.
func (r HidingReads) HiddenWith(ctx context.Context, id HidingID, limit int) ([]HiddenSubject, error) {
	rows, err := r.db.Query(ctx, "SELECT "+columns+from+"WHERE h.with_id = $1 ORDER BY h.id"+sqlx.Limit("$2"), id, limit)
	return sqlx.Collect(ctx, rows, err, scan)
}

// HidingToResume lists things above an id that a job may have to process: unfinished ones, and
// hidden people, who may have created something since.
func (r HidingReads) HidingToResume(ctx context.Context, above HidingID, limit int) ([]ApplyHiding, error) {
	rows, err := r.db.Query(ctx, `SELECT h.id, h.owner_id FROM hidden_things h WHERE h.id > $1 AND (h.state <> 'hidden' OR h.kind = 'User')
		ORDER BY h.id`+sqlx.Limit("$2"), above, limit)
	return sqlx.Collect(ctx, rows, err, func(row sqlx.Row) (a ApplyHiding, err error) {
		err = row.Scan(&a.ID, &a.By)
		return a, err
	})
}

// HidingChecks find hidden things that are visible anyway.
var HidingChecks = []sqlx.Check{
	{What: "hidden_things of a channel that is open", Query: `SELECT h.id, h.target_id, 0 FROM hidden_things h
		JOIN channels ch ON ch.id = h.target_id WHERE h.kind = 'Channel' AND h.state = 'hidden' AND ch.state = 'available' AND ch.visibility <> 'private'`},
	{What: "hidden_things of a block that is in a channel", Query: `SELECT h.id, h.target_id, 0 FROM hidden_things h
		JOIN connections c ON c.item_type = 'Block' AND c.item_id = h.target_id JOIN channels ch ON ch.id = c.channel_id
		WHERE h.kind = 'Block' AND h.state = 'hidden' AND ch.state = 'available'`},
	{What: "hidden_comments that are not hidden", Query: `SELECT c.id, c.block_id, 0 FROM hidden_comments c WHERE EXISTS (SELECT 1 FROM comments k WHERE k.id = c.id)`},
	{What: "hidden_connections that are not hidden", Query: `SELECT c.id, c.channel_id, 0 FROM hidden_connections c WHERE EXISTS (SELECT 1 FROM connections k WHERE k.id = c.id)`},
	{What: "hidden_things of a comment without it", Query: `SELECT h.id, h.target_id, 0 FROM hidden_things h
		WHERE h.kind = 'Comment' AND h.state = 'hidden' AND NOT EXISTS (SELECT 1 FROM hidden_comments c WHERE c.id = h.target_id AND c.hidden_id = h.id)`},
}
