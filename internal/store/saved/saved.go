// Package saved stores saved searches, their new results, and up to which document these were looked for.
package saved

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/store/sqlx"
)

// Reads contains the statements that change nothing.
type Reads struct{ db sqlx.Conn }

// Writes also contains those that change something.
type Writes struct{ Reads }

// NewReads returns the statements on a connection.
func NewReads(db sqlx.Conn) Reads { return Reads{db} }

// NewWrites returns the statements of a transaction.
func NewWrites(db sqlx.Conn) Writes { return Writes{Reads{db}} }

const searchColumns = `s.id, s.user_id, s.name, s.query, s.following, s.notify, s.mail, s.read_to, s.created_at, s.updated_at`

func scanSearch(row sqlx.Row) (s domain.SavedSearch, err error) {
	err = scanInto(row, &s)
	return s, err
}

// scanInto reads searchColumns, and then other columns.
func scanInto(row sqlx.Row, s *domain.SavedSearch, others ...any) error {
	var created, updated int64
	err := row.Scan(append([]any{&s.ID, &s.User, &s.Name, &s.Query, &s.Following, &s.Notify, &s.Mail, &s.ReadTo, &created, &updated}, others...)...)
	s.CreatedAt, s.UpdatedAt = sqlx.Time(created), sqlx.Time(updated)
	return err
}

// hash returns the key of a search among those of a user. It is a hash, because indexes limit the length of texts.
func hash(query string, following bool) string {
	sum := sha256.Sum256([]byte(strconv.FormatBool(following) + "\n" + query))
	return hex.EncodeToString(sum[:])
}

// Searches lists the saved searches of a user by name.
func (r Reads) Searches(ctx context.Context, user domain.UserID) ([]domain.SavedSearch, error) {
	rows, err := r.db.Query(ctx, "SELECT "+searchColumns+" FROM saved_searches s WHERE s.user_id = $1 ORDER BY lower(s.name), s.id LIMIT $2",
		user, domain.MaxSavedSearches)
	return sqlx.Collect(ctx, rows, err, scanSearch)
}

// Search returns a saved search of a user.
func (r Reads) Search(ctx context.Context, user domain.UserID, id domain.SavedSearchID) (domain.SavedSearch, error) {
	s, err := scanSearch(r.db.QueryRow(ctx, "SELECT "+searchColumns+" FROM saved_searches s WHERE s.id = $1 AND s.user_id = $2", id, user))
	return s, sqlx.Found(err)
}

// Same returns the saved search of a user with a query.
func (r Reads) Same(ctx context.Context, user domain.UserID, query string, following bool) (domain.SavedSearch, error) {
	s, err := scanSearch(r.db.QueryRow(ctx, "SELECT "+searchColumns+" FROM saved_searches s WHERE s.user_id = $1 AND s.query_hash = $2", user, hash(query, following)))
	return s, sqlx.Found(err)
}

// CountSearches counts the saved searches of a user.
func (r Reads) CountSearches(ctx context.Context, user domain.UserID) (int64, error) {
	return sqlx.ScanInt64(r.db.QueryRow(ctx, "SELECT count(*) FROM saved_searches WHERE user_id = $1", user))
}

// AddSearch adds a saved search of a user whose row is locked. Its results are new if their documents are written after
// all existing ones.
func (w Writes) AddSearch(ctx context.Context, s domain.SavedSearch) (domain.SavedSearchID, error) {
	return sqlx.ScanID[domain.SavedSearchID](w.db.QueryRow(ctx, `INSERT INTO saved_searches (user_id, name, query, following, query_hash, notify, mail, read_to, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, (SELECT COALESCE(max(seq), 0) FROM search_documents), $8, $8) RETURNING id`,
		s.User, s.Name, s.Query, s.Following, hash(s.Query, s.Following), s.Notify, s.Mail, sqlx.Micros(s.CreatedAt)))
}

// LockSearch locks and returns a saved search of a user.
func (w Writes) LockSearch(ctx context.Context, user domain.UserID, id domain.SavedSearchID) (domain.SavedSearch, error) {
	s, err := scanSearch(w.db.QueryRow(ctx, "SELECT "+searchColumns+" FROM saved_searches s WHERE s.id = $1 AND s.user_id = $2"+w.db.ForUpdate("s"), id, user))
	return s, sqlx.Found(err)
}

// UpdateSearch changes the name of a locked search, and what happens with its new results. Results that wait for a mail
// are not mailed if mails are off.
func (w Writes) UpdateSearch(ctx context.Context, s domain.SavedSearch) error {
	err := w.db.ExecOne(ctx, `UPDATE saved_searches SET name = $2, notify = $3, mail = $4, updated_at = $5 WHERE id = $1`,
		s.ID, s.Name, s.Notify, s.Mail, sqlx.Micros(s.UpdatedAt))
	if err != nil || s.Mail {
		return err
	}
	return w.db.Exec(ctx, `UPDATE saved_search_finds SET mail_at = NULL WHERE search_id = $1 AND mail_at = 0`, s.ID)
}

// DeleteSearch deletes a locked search with its results.
func (w Writes) DeleteSearch(ctx context.Context, id domain.SavedSearchID) error {
	return w.deleteSearches(ctx, "id = $1", int64(id))
}

// ForgetSearches deletes the saved searches of a user.
func (w Writes) ForgetSearches(ctx context.Context, user domain.UserID) error {
	if err := w.deleteSearches(ctx, "user_id = $1", int64(user)); err != nil {
		return err
	}
	return w.db.Exec(ctx, `DELETE FROM saved_search_mails WHERE user_id = $1`, user)
}

// deleteSearches deletes the searches that meet a condition on $1. It locks them first, so no job adds results.
func (w Writes) deleteSearches(ctx context.Context, where string, arg int64) error {
	of := "(SELECT s.id FROM saved_searches s WHERE s." + where + ")"
	if w.db.LocksRows() {
		rows, err := w.db.Query(ctx, "SELECT s.id FROM saved_searches s WHERE s."+where+" ORDER BY s.id"+w.db.ForUpdate("s"), arg)
		if _, err := sqlx.Collect(ctx, rows, err, sqlx.ScanInt64); err != nil {
			return err
		}
	}
	for _, statement := range []string{
		"DELETE FROM saved_search_results WHERE find_id IN (SELECT f.id FROM saved_search_finds f WHERE f.search_id IN " + of + ")",
		"DELETE FROM saved_search_finds WHERE search_id IN " + of,
		"DELETE FROM saved_searches WHERE " + where,
	} {
		if err := w.db.Exec(ctx, statement, arg); err != nil {
			return err
		}
	}
	return nil
}

// StopMails turns off mail for all saved searches of a user.
func (w Writes) StopMails(ctx context.Context, user domain.UserID, now time.Time) error {
	err := w.db.Exec(ctx, `UPDATE saved_searches SET mail = FALSE, updated_at = $2 WHERE mail AND id IN (
		SELECT s.id FROM saved_searches s WHERE s.user_id = $1 ORDER BY s.id`+w.db.ForUpdate("s")+`)`, user, sqlx.Micros(now))
	if err != nil {
		return err
	}
	return w.db.Exec(ctx, `UPDATE saved_search_finds SET mail_at = NULL WHERE user_id = $1 AND mail_at = 0`, user)
}
