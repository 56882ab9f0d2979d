package saved

import (
	"context"
	"slices"
	"strings"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/store/sqlx"
)

// MaxFound is how many results an entry stores.
const MaxFound = 50

// keptFinds is how many entries of a search are kept. Older ones are deleted.
const keptFinds = 50

// Watermark is the state from which the number is computed up to which all documents are committed.
type Watermark struct {
	Safe    int64    // all documents up to this number are committed, and a while old
	nextSeq int64    // the last document when it was noted, 0 if none was
	nextAt  int64    // when it was noted
	writers []string // transactions that were in progress then
}

// LockWatermark reads the watermark, and creates its row if it is missing.
func (w Writes) LockWatermark(ctx context.Context) (m Watermark, err error) {
	if err = w.db.Exec(ctx, `INSERT INTO search_watermark (id, safe, next_seq, next_at, writers) VALUES (1, 0, 0, 0, '') ON CONFLICT (id) DO NOTHING`); err != nil {
		return m, err
	}
	var writers string
	err = w.db.QueryRow(ctx, `SELECT m.safe, m.next_seq, m.next_at, m.writers FROM search_watermark m WHERE m.id = 1`+w.db.ForUpdate("m")).
		Scan(&m.Safe, &m.nextSeq, &m.nextAt, &writers)
	m.writers = strings.Fields(writers)
	return m, err
}

// MoveWatermark moves a locked watermark and returns the number up to which all documents are committed and at least
// `age` old.
//
// On PostgreSQL, a transaction may commit after another that wrote documents with higher numbers. So the last number is
// noted together with the transactions that may have written documents, and is safe once all of them have ended. A
// transaction with a lower number is among them or has ended, because it locks the table before it allocates the number.
func (w Writes) MoveWatermark(ctx context.Context, m Watermark, now time.Time, age time.Duration) (int64, error) {
	last, err := sqlx.ScanInt64(w.db.QueryRow(ctx, "SELECT COALESCE(max(seq), 0) FROM search_documents")) // before the writers
	if err != nil {
		return 0, err
	}
	writers, err := w.documentWriters(ctx)
	if err != nil {
		return 0, err
	}
	if m.nextAt != 0 {
		if m.nextAt > sqlx.Micros(now.Add(-age)) || slices.ContainsFunc(m.writers, func(one string) bool { return slices.Contains(writers, one) }) {
			return m.Safe, nil
		}
		m.Safe = max(m.Safe, m.nextSeq)
	}
	return m.Safe, w.db.ExecOne(ctx, `UPDATE search_watermark SET safe = $1, next_seq = $2, next_at = $3, writers = $4 WHERE id = 1`,
		m.Safe, last, sqlx.Micros(now), strings.Join(writers, " "))
}

// documentWriters lists the transactions in progress that may have written documents.
func (w Writes) documentWriters(ctx context.Context) ([]string, error) {
	query := w.db.DocumentWriters()
	if query == "" {
		return nil, nil
	}
	rows, err := w.db.Query(ctx, query)
	return sqlx.Collect(ctx, rows, err, sqlx.ScanString)
}

// DueSearches lists some saved searches that have not been checked up to a document, those that are furthest behind first.
func (r Reads) DueSearches(ctx context.Context, upTo int64, now time.Time, limit int) ([]domain.SavedSearch, error) {
	rows, err := r.db.Query(ctx, "SELECT "+searchColumns+" FROM saved_searches s WHERE s.read_to < $1 AND s.retry_at <= $2 ORDER BY s.read_to, s.id"+sqlx.Limit("$3"),
		upTo, sqlx.Micros(now), limit)
	return sqlx.Collect(ctx, rows, err, scanSearch)
}

// Postpone leaves a saved search out of checks until a time.
func (w Writes) Postpone(ctx context.Context, id domain.SavedSearchID, until time.Time) error {
	return w.db.Exec(ctx, `UPDATE saved_searches SET retry_at = $2 WHERE id = $1`, id, sqlx.Micros(until))
}

// Advance records that a saved search was checked up to a document, and locks it. It returns false, and does nothing, if
// the search was checked again or deleted since it was read.
func (w Writes) Advance(ctx context.Context, s domain.SavedSearch, upTo int64) (bool, error) {
	n, err := w.db.ExecCount(ctx, `UPDATE saved_searches SET read_to = $3, retry_at = 0 WHERE id = $1 AND read_to = $2`, s.ID, s.ReadTo, upTo)
	return n == 1, err
}

// AddFound adds new results of a locked search. If more is set, there were others. It adds them to the last entry if
// that is of the same day, and neither read nor mailed.
func (w Writes) AddFound(ctx context.Context, s domain.SavedSearch, found []domain.Subject, more bool, now time.Time) error {
	at, day := sqlx.Micros(now), sqlx.Micros(now.UTC().Truncate(24*time.Hour))
	var mail any
	if s.Mail {
		mail = 0
	}
	id, err := w.openFind(ctx, s, day)
	if err != nil {
		return err
	}
	if id == 0 {
		id, err = sqlx.ScanID[domain.SearchFindID](w.db.QueryRow(ctx, `INSERT INTO saved_search_finds (search_id, user_id, found_at, more, notify, mail_at)
			VALUES ($1, $2, $3, $4, $5, $6) RETURNING id`, s.ID, s.User, at, more, s.Notify, mail))
	} else {
		err = w.db.ExecOne(ctx, `UPDATE saved_search_finds SET found_at = $2, more = more OR $3, notify = $4, mail_at = $5 WHERE id = $1`, id, at, more, s.Notify, mail)
	}
	if err != nil {
		return err
	}
	for _, kind := range []domain.SubjectType{domain.SubjectBlock, domain.SubjectChannel, domain.SubjectUser, domain.SubjectGroup} {
		var ids []int64
		for _, f := range found {
			if f.Type == kind {
				ids = append(ids, f.ID)
			}
		}
		if len(ids) == 0 {
			continue
		}
		err := w.db.Exec(ctx, `INSERT INTO saved_search_results (find_id, seq, kind, item_id) SELECT CAST($1 AS BIGINT), d.seq, d.kind, d.item_id
			FROM search_documents d WHERE d.kind = $2 AND `+w.db.In("d.item_id", "$3")+` ON CONFLICT (find_id, seq) DO NOTHING`, id, kind, sqlx.IDs(w.db.Dialect, ids))
		if err != nil {
			return err
		}
	}
	return w.trim(ctx, s.ID, id)
}

// openFind returns the entry of a day that new results are added to, or 0.
func (w Writes) openFind(ctx context.Context, s domain.SavedSearch, day int64) (domain.SearchFindID, error) {
	rows, err := w.db.Query(ctx, `SELECT f.id FROM saved_search_finds f WHERE f.id = (SELECT max(l.id) FROM saved_search_finds l WHERE l.search_id = $1)
		AND f.found_at >= $2 AND f.read_at IS NULL AND COALESCE(f.mail_at, 0) = 0`+w.db.ForUpdate("f"), s.ID, day)
	found, err := sqlx.Collect(ctx, rows, err, sqlx.ScanID[domain.SearchFindID])
	if err != nil || len(found) == 0 {
		return 0, err
	}
	return found[0], nil
}

// trim deletes the oldest entries of a search, and the oldest results of an entry that has too many.
func (w Writes) trim(ctx context.Context, search domain.SavedSearchID, find domain.SearchFindID) error {
	n, err := w.db.ExecCount(ctx, `DELETE FROM saved_search_results WHERE find_id = $1 AND seq <= (
		SELECT r.seq FROM saved_search_results r WHERE r.find_id = $1 ORDER BY r.seq DESC LIMIT 1 OFFSET $2)`, find, MaxFound)
	if err != nil {
		return err
	}
	if n > 0 {
		if err := w.db.Exec(ctx, `UPDATE saved_search_finds SET more = TRUE WHERE id = $1`, find); err != nil {
			return err
		}
	}
	const old = `(SELECT f.id FROM saved_search_finds f WHERE f.search_id = $1 ORDER BY f.id DESC LIMIT 1 OFFSET $2)`
	err = w.db.Exec(ctx, `DELETE FROM saved_search_results WHERE find_id IN (SELECT o.id FROM saved_search_finds o WHERE o.search_id = $1 AND o.id <= `+old+`)`, search, keptFinds)
	if err != nil {
		return err
	}
	return w.db.Exec(ctx, `DELETE FROM saved_search_finds WHERE search_id = $1 AND id <= `+old, search, keptFinds)
}

// FindsWanted selects entries of a user, those with the newest results first.
type FindsWanted struct {
	User     domain.UserID
	Before   domain.SearchFindCursor // only those after it; zero for all
	Since    time.Time               // zero for no limit
	Notified bool                    // only notifications
	Unread   bool                    // only unread ones
	Mail     time.Time               // only those of the user's mail of this time, unless mails are off
	Limit    int
}

// Finds lists entries with their results.
func (r Reads) Finds(ctx context.Context, q FindsWanted) ([]domain.SearchFind, error) {
	args := sqlx.Args{q.User}
	where := ""
	if q.Before.ID != 0 {
		at := args.Add(q.Before.FoundAt)
		where += " AND f.found_at <= " + at + " AND (f.found_at < " + at + " OR f.id < " + args.Add(q.Before.ID) + ")"
	}
	if !q.Since.IsZero() {
		where += " AND f.found_at >= " + args.Add(sqlx.Micros(q.Since))
	}
	if q.Notified {
		where += " AND f.notify"
	}
	if q.Unread {
		where += " AND f.read_at IS NULL"
	}
	if !q.Mail.IsZero() {
		where += " AND s.mail AND f.mail_at > 0 AND f.mail_at = " + args.Add(sqlx.Micros(q.Mail))
	}
	rows, err := r.db.Query(ctx, "SELECT "+searchColumns+`, f.id, f.found_at, f.more, f.notify, f.read_at IS NOT NULL
		FROM saved_search_finds f JOIN saved_searches s ON s.id = f.search_id WHERE f.user_id = $1`+where+` ORDER BY f.found_at DESC, f.id DESC`+sqlx.Limit(args.Add(q.Limit)), args...)
	all, err := sqlx.Collect(ctx, rows, err, func(row sqlx.Row) (f domain.SearchFind, err error) {
		var at int64
		err = scanInto(row, &f.Search, &f.ID, &at, &f.More, &f.Notify, &f.Read)
		f.FoundAt = sqlx.Time(at)
		return f, err
	})
	if err != nil || len(all) == 0 {
		return all, err
	}
	return all, r.results(ctx, all)
}

// results reads the results of entries.
func (r Reads) results(ctx context.Context, all []domain.SearchFind) error {
	ids, at := make([]int64, len(all)), make(map[domain.SearchFindID]int, len(all))
	for i, f := range all {
		ids[i], at[f.ID] = int64(f.ID), i
	}
	type result struct {
		of   domain.SearchFindID
		item domain.Subject
	}
	rows, err := r.db.Query(ctx, `SELECT find_id, kind, item_id FROM saved_search_results WHERE `+r.db.In("find_id", "$1")+` ORDER BY find_id, seq DESC`,
		sqlx.IDs(r.db.Dialect, ids))
	found, err := sqlx.Collect(ctx, rows, err, func(row sqlx.Row) (x result, err error) {
		err = row.Scan(&x.of, &x.item.Type, &x.item.ID)
		return x, err
	})
	for _, x := range found {
		i := at[x.of]
		all[i].Results = append(all[i].Results, x.item)
	}
	return err
}

// SearchOfFind returns the saved search of an entry of a user.
func (r Reads) SearchOfFind(ctx context.Context, user domain.UserID, id domain.SearchFindID) (domain.SavedSearch, error) {
	s, err := scanSearch(r.db.QueryRow(ctx, "SELECT "+searchColumns+` FROM saved_search_finds f JOIN saved_searches s ON s.id = f.search_id
		WHERE f.id = $1 AND f.user_id = $2`, id, user))
	return s, sqlx.Found(err)
}

const readFinds = `UPDATE saved_search_finds SET read_at = $2 WHERE user_id = $1 AND notify AND read_at IS NULL`

// ReadFinds marks all notifications of a user about saved searches as read.
func (w Writes) ReadFinds(ctx context.Context, user domain.UserID, now time.Time) error {
	return w.db.Exec(ctx, readFinds, user, sqlx.Micros(now))
}

// ReadFind is ReadFinds for one of them.
func (w Writes) ReadFind(ctx context.Context, user domain.UserID, id domain.SearchFindID, now time.Time) error {
	return w.db.Exec(ctx, readFinds+" AND id = $3", user, sqlx.Micros(now), id)
}

// DueMails lists some users with new results to mail, whose last mail is not after a time.
func (r Reads) DueMails(ctx context.Context, after time.Time, limit int) ([]domain.UserID, error) {
	rows, err := r.db.Query(ctx, `SELECT DISTINCT f.user_id FROM saved_search_finds f LEFT JOIN saved_search_mails m ON m.user_id = f.user_id
		WHERE f.mail_at = 0 AND COALESCE(m.mailed_at, 0) <= $1 ORDER BY f.user_id`+sqlx.Limit("$2"), sqlx.Micros(after), limit)
	return sqlx.Collect(ctx, rows, err, sqlx.ScanID[domain.UserID])
}

// TakeMail assigns the new results of a user to a mail of this time, and reports whether there are any. It does nothing if
// another mail was sent after a time.
func (w Writes) TakeMail(ctx context.Context, user domain.UserID, after, now time.Time) (bool, error) {
	err := w.db.Exec(ctx, `INSERT INTO saved_search_mails (user_id, mailed_at) VALUES ($1, 0) ON CONFLICT (user_id) DO NOTHING`, user)
	if err != nil {
		return false, err
	}
	last, err := sqlx.ScanInt64(w.db.QueryRow(ctx, `SELECT m.mailed_at FROM saved_search_mails m WHERE m.user_id = $1`+w.db.ForUpdate("m"), user))
	if err != nil || last > sqlx.Micros(after) {
		return false, err
	}
	n, err := w.db.ExecCount(ctx, `UPDATE saved_search_finds SET mail_at = $2 WHERE user_id = $1 AND mail_at = 0`, user, sqlx.Micros(now))
	if err != nil || n == 0 {
		return false, err
	}
	return true, w.db.ExecOne(ctx, `UPDATE saved_search_mails SET mailed_at = $2 WHERE user_id = $1`, user, sqlx.Micros(now))
}
