package transfer

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/store/sqlx"
)

// ImportReads contains the statements that change nothing.
type ImportReads struct{ db sqlx.Conn }

// NewImportReads returns the statements on a connection.
func NewImportReads(db sqlx.Conn) ImportReads { return ImportReads{db} }

// ImportLists contains the statements that count and read a page, which need one consistent state for
// both.
type ImportLists struct{ ImportReads }

// NewImportLists returns the statements on the connection of a snapshot.
func NewImportLists(db sqlx.Conn) ImportLists { return ImportLists{NewImportReads(db)} }

// ImportWrites contains the statements of a transaction.
type ImportWrites struct{ ImportReads }

// NewImportWrites returns the statements on the connection of a transaction.
func NewImportWrites(db sqlx.Conn) ImportWrites { return ImportWrites{NewImportReads(db)} }

const columns = `id, user_id, source, address, what, visibility, into_visible, choose, listed, attempts,
	COALESCE(upload_id, 0), file_name, state, reason, created_at, started_at, ended_at`

func scan(row sqlx.Row) (i domain.Import, err error) {
	var what string
	var created int64
	var started, ended *int64
	err = row.Scan(&i.ID, &i.UserID, &i.Source, &i.Address, &what, &i.Visibility, &i.IntoVisible, &i.Choose, &i.Listed, &i.Attempts,
		&i.UploadID, &i.FileName, &i.State, &i.Reason, &created, &started, &ended)
	if err != nil {
		return i, sqlx.Found(err)
	}
	i.CreatedAt, i.StartedAt, i.EndedAt = sqlx.Time(created), sqlx.TimePtr(started), sqlx.TimePtr(ended)
	if err := json.Unmarshal([]byte(what), &i.What); err != nil {
		return i, fmt.Errorf("store: read what an import is to bring: %w", err)
	}
	return i, nil
}

// summed selects the sums of the steps' counts, in the order of countsOf.
const summed = `CAST(COALESCE(SUM(expected), 0) AS BIGINT), CAST(COALESCE(SUM(done), 0) AS BIGINT), CAST(COALESCE(SUM(channels), 0) AS BIGINT),
	CAST(COALESCE(SUM(blocks), 0) AS BIGINT), CAST(COALESCE(SUM(connections), 0) AS BIGINT), CAST(COALESCE(SUM(comments), 0) AS BIGINT),
	CAST(COALESCE(SUM(files), 0) AS BIGINT), CAST(COALESCE(SUM(bytes), 0) AS BIGINT), CAST(COALESCE(SUM(unchanged), 0) AS BIGINT),
	CAST(COALESCE(SUM(changed), 0) AS BIGINT), CAST(COALESCE(SUM(moved), 0) AS BIGINT), CAST(COALESCE(SUM(left_out), 0) AS BIGINT)`

func countsOf(c *domain.ImportCounts) []any {
	return []any{&c.Expected, &c.Done, &c.Channels, &c.Blocks, &c.Connections, &c.Comments, &c.Files, &c.Bytes, &c.Unchanged, &c.Changed, &c.Moved, &c.LeftOut}
}

// counted adds the counts of their steps to imports.
func counted(ctx context.Context, db sqlx.Conn, all []domain.Import) error {
	ids := make([]domain.ImportID, len(all))
	at := map[domain.ImportID]*domain.Import{}
	for n := range all {
		ids[n], at[all[n].ID] = all[n].ID, &all[n]
	}
	rows, err := db.Query(ctx, `SELECT import_id, CAST(SUM(CASE WHEN n > 0 AND state <> 'skipped' THEN 1 ELSE 0 END) AS BIGINT),
			CAST(SUM(CASE WHEN n > 0 AND state IN ('done', 'failed') THEN 1 ELSE 0 END) AS BIGINT), `+summed+`
		FROM import_steps WHERE `+db.In("import_id", "$1")+` GROUP BY import_id`, sqlx.IDs(db.Dialect, ids))
	_, err = sqlx.Collect(ctx, rows, err, func(row sqlx.Row) (of domain.ImportID, err error) {
		var i domain.Import
		if err = row.Scan(append([]any{&of, &i.Steps, &i.StepsDone}, countsOf(&i.Counts)...)...); err == nil {
			at[of].Steps, at[of].StepsDone, at[of].Counts = i.Steps, i.StepsDone, i.Counts
		}
		return of, err
	})
	return err
}

// Import reads an import of a user.
func (r ImportReads) Import(ctx context.Context, user domain.UserID, id domain.ImportID) (domain.Import, error) {
	i, err := scan(r.db.QueryRow(ctx, "SELECT "+columns+" FROM imports WHERE id = $1 AND user_id = $2", id, user))
	if err != nil {
		return i, err
	}
	all := []domain.Import{i}
	err = counted(ctx, r.db, all)
	return all[0], err
}

// Imports reads a page of a user's imports, newest first.
func (l ImportLists) Imports(ctx context.Context, user domain.UserID, p domain.Page) (page domain.List[domain.Import], err error) {
	if page.Total, err = sqlx.ScanInt64(l.db.QueryRow(ctx, `SELECT count(*) FROM imports WHERE user_id = $1`, user)); err != nil {
		return page, err
	}
	rows, err := l.db.Query(ctx, "SELECT "+columns+" FROM imports WHERE user_id = $1 ORDER BY id DESC"+sqlx.Limit("$2")+
		" OFFSET CAST($3 AS BIGINT)", user, p.Per, p.Offset())
	if page.Items, err = sqlx.Collect(ctx, rows, err, scan); err != nil {
		return page, err
	}
	return page, counted(ctx, l.db, page.Items)
}

const stepColumns = `n, ref, title, page, state, expected, done, channels, blocks, connections, comments, files, bytes, unchanged, changed, moved, left_out`

// stepFields returns the destinations of stepColumns.
func stepFields(s *domain.ImportStep) []any {
	return append([]any{&s.N, &s.Ref, &s.Title, &s.Page, &s.State}, countsOf(&s.Counts)...)
}

func scanStep(row sqlx.Row) (s domain.ImportStep, err error) {
	err = row.Scan(stepFields(&s)...)
	return s, err
}

// ImportSteps reads the first steps of an import that import a channel or a file.
func (r ImportReads) ImportSteps(ctx context.Context, id domain.ImportID, limit int) ([]domain.ImportStep, error) {
	rows, err := r.db.Query(ctx, "SELECT "+stepColumns+" FROM import_steps WHERE import_id = $1 AND n > 0 ORDER BY n"+sqlx.Limit("$2"), id, limit)
	return sqlx.Collect(ctx, rows, err, scanStep)
}

// ImportHeads reads the source's description of some channels that are still to be imported, with
// step numbers above the given one.
func (r ImportReads) ImportHeads(ctx context.Context, id domain.ImportID, above int64, limit int) ([]domain.ImportStep, error) {
	rows, err := r.db.Query(ctx, `SELECT n, head FROM import_steps WHERE import_id = $1 AND n > $2 AND state = 'waiting' ORDER BY n`+
		sqlx.Limit("$3"), id, above, limit)
	return sqlx.Collect(ctx, rows, err, func(row sqlx.Row) (s domain.ImportStep, err error) {
		err = row.Scan(&s.N, &s.Head)
		return s, err
	})
}

// ImportFile reads the description of the file of an import, which is its only step.
func (r ImportReads) ImportFile(ctx context.Context, id domain.ImportID) (f domain.ImportFile, err error) {
	rows, err := r.db.Query(ctx, `SELECT head FROM import_steps WHERE import_id = $1 AND n = 1`, id)
	steps, err := sqlx.Collect(ctx, rows, err, func(row sqlx.Row) (s domain.ImportStep, err error) {
		err = row.Scan(&s.Head)
		return s, err
	})
	if err != nil || len(steps) == 0 {
		return f, err
	}
	return steps[0].File()
}

// NextImportStep reads the first unfinished step of an import, with its head. It returns NotFound if
// there is none.
func (r ImportReads) NextImportStep(ctx context.Context, id domain.ImportID) (s domain.ImportStep, err error) {
	row := r.db.QueryRow(ctx, "SELECT "+stepColumns+`, head FROM import_steps WHERE import_id = $1 AND state = 'waiting'
		ORDER BY n LIMIT 1`, id)
	err = row.Scan(append(stepFields(&s), &s.Head)...)
	return s, sqlx.Found(err)
}

// LeftOut reads the listed items that an import had to skip.
func (r ImportReads) LeftOut(ctx context.Context, id domain.ImportID) ([]domain.LeftOut, error) {
	rows, err := r.db.Query(ctx, `SELECT what, place, why FROM import_left_out WHERE import_id = $1 ORDER BY step, n`, id)
	return sqlx.Collect(ctx, rows, err, func(row sqlx.Row) (l domain.LeftOut, err error) {
		err = row.Scan(&l.What, &l.Where, &l.Why)
		return l, err
	})
}

// ImportActor returns the user of an import as an actor, NotFound if they may not act any more.
func (r ImportReads) ImportActor(ctx context.Context, user domain.UserID) (a domain.Actor, err error) {
	err = r.db.QueryRow(ctx, `SELECT u.id, u.tier FROM users u WHERE u.id = $1 AND u.suspended_at IS NULL AND u.deleted_at IS NULL`, user).
		Scan(&a.UserID, &a.Tier)
	a.Scope = domain.ScopeWrite
	return a, sqlx.Found(err)
}

// ImportRuns reports whether an import is running.
func (r ImportReads) ImportRuns(ctx context.Context, id domain.ImportID) (runs bool, err error) {
	err = r.db.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM imports WHERE id = $1 AND state = 'running')`, id).Scan(&runs)
	return runs, err
}

// ImportToken reads the sealed token of an import, nil if it has none.
func (r ImportReads) ImportToken(ctx context.Context, id domain.ImportID) (sealed []byte, err error) {
	err = r.db.QueryRow(ctx, `SELECT token FROM imports WHERE id = $1`, id).Scan(&sealed)
	return sealed, sqlx.Found(err)
}

// AddImport adds an import; ok is false if its user has an unfinished one.
func (w ImportWrites) AddImport(ctx context.Context, i domain.Import) (id domain.ImportID, ok bool, err error) {
	if i.What == nil {
		i.What = []string{}
	}
	what, err := json.Marshal(i.What)
	if err != nil {
		return 0, false, fmt.Errorf("store: keep what an import is to bring: %w", err)
	}
	rows, err := w.db.Query(ctx, `INSERT INTO imports (user_id, source, address, what, visibility, into_visible, choose, upload_id, file_name, state, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) ON CONFLICT DO NOTHING RETURNING id`,
		i.UserID, i.Source, i.Address, string(what), i.Visibility, i.IntoVisible, i.Choose, sqlx.OrNull(i.UploadID), i.FileName, i.State, sqlx.Micros(i.CreatedAt))
	ids, err := sqlx.Collect(ctx, rows, err, sqlx.ScanID[domain.ImportID])
	if err != nil || len(ids) == 0 {
		return 0, false, err
	}
	return ids[0], true, nil
}

// SealImport stores the sealed token of an import.
func (w ImportWrites) SealImport(ctx context.Context, id domain.ImportID, sealed []byte) error {
	return w.db.ExecOne(ctx, `UPDATE imports SET token = $2 WHERE id = $1`, id, sealed)
}

// BeginImportStep counts an attempt at the next step of an import, NotFound if there is nothing to
// do.
func (w ImportWrites) BeginImportStep(ctx context.Context, id domain.ImportID, now time.Time) (domain.Import, error) {
	return scan(w.db.QueryRow(ctx, `UPDATE imports SET state = 'running', attempts = attempts + 1, started_at = COALESCE(started_at, $2)
		WHERE id = $1 AND state IN ('queued', 'running') RETURNING `+columns, id, sqlx.Micros(now)))
}

// UndoImportAttempt subtracts an attempt that could not be finished.
func (w ImportWrites) UndoImportAttempt(ctx context.Context, id domain.ImportID) error {
	return w.db.Exec(ctx, `UPDATE imports SET attempts = attempts - 1 WHERE id = $1 AND state = 'running' AND attempts > 0`, id)
}

// ListImport stores the steps of a running import, unless it has some, and whether its owner is to
// choose among them.
func (w ImportWrites) ListImport(ctx context.Context, id domain.ImportID, steps []domain.ImportStep, state domain.ImportState) (bool, error) {
	n, err := w.db.ExecCount(ctx, `UPDATE imports SET listed = TRUE, attempts = 0, state = $2
		WHERE id = $1 AND state = 'running' AND listed = FALSE`, id, state)
	if err != nil || n == 0 {
		return false, err
	}
	for len(steps) > 0 {
		some := steps[:min(len(steps), sqlx.BatchRows)]
		steps = steps[len(some):]
		args := make([]any, 0, 7*len(some))
		for _, s := range some {
			args = append(args, id, s.N, s.Ref, s.Title, s.Head, s.State, s.Counts.LeftOut)
		}
		if err := w.db.Exec(ctx, "INSERT INTO import_steps (import_id, n, ref, title, head, state, left_out) VALUES "+sqlx.Tuples(len(some), 7), args...); err != nil {
			return false, err
		}
	}
	return true, nil
}

// ChooseSteps continues an import whose owner is to choose: it skips all steps except the chosen
// ones. It reports whether the import was waiting for that.
func (w ImportWrites) ChooseSteps(ctx context.Context, id domain.ImportID, chosen []int64) (bool, error) {
	n, err := w.db.ExecCount(ctx, `UPDATE imports SET state = 'queued' WHERE id = $1 AND state = 'choosing'`, id)
	if err != nil || n == 0 {
		return false, err
	}
	return true, w.db.Exec(ctx, `UPDATE import_steps SET state = 'skipped' WHERE import_id = $1 AND n > 0 AND state = 'waiting' AND NOT (`+w.db.In("n", "$2")+`)`,
		id, sqlx.IDs(w.db.Dialect, chosen))
}

// NoteImportStep stores the progress of a waiting step, and its head unless that is empty. It
// reports whether the import is still running.
func (w ImportWrites) NoteImportStep(ctx context.Context, id domain.ImportID, s domain.ImportStep) (bool, error) {
	n, err := w.db.ExecCount(ctx, `UPDATE import_steps SET expected = $3, done = $4, channels = $5, blocks = $6, connections = $7,
			comments = $8, files = $9, bytes = $10, unchanged = $11, changed = $12, moved = $13, left_out = $14, page = $15,
			head = COALESCE(NULLIF($16, ''), head)
		WHERE import_id = $1 AND n = $2 AND state = 'waiting'
			AND EXISTS (SELECT 1 FROM imports i WHERE i.id = $1 AND i.state = 'running')`,
		id, s.N, s.Counts.Expected, s.Counts.Done, s.Counts.Channels, s.Counts.Blocks, s.Counts.Connections, s.Counts.Comments, s.Counts.Files,
		s.Counts.Bytes, s.Counts.Unchanged, s.Counts.Changed, s.Counts.Moved, s.Counts.LeftOut, max(s.Page, 1), s.Head)
	return n > 0, err
}

// EndImportStep ends a waiting step of a running import and reports whether there was one.
func (w ImportWrites) EndImportStep(ctx context.Context, id domain.ImportID, n int64, state domain.ImportStepState) (bool, error) {
	running, err := w.db.ExecCount(ctx, `UPDATE imports SET attempts = 0 WHERE id = $1 AND state = 'running'`, id)
	if err != nil || running == 0 {
		return false, err
	}
	ended, err := w.db.ExecCount(ctx, `UPDATE import_steps SET state = $3 WHERE import_id = $1 AND n = $2 AND state = 'waiting'`, id, n, state)
	return ended > 0, err
}

// AddLeftOut adds the items that a step skipped to the import's list, numbered from `from`. The
// list is limited to `limit` entries.
func (w ImportWrites) AddLeftOut(ctx context.Context, id domain.ImportID, step, from int64, all []domain.LeftOut, limit int) error {
	has, err := sqlx.ScanInt64(w.db.QueryRow(ctx, `SELECT count(*) FROM import_left_out WHERE import_id = $1`, id))
	if err != nil {
		return err
	}
	all = all[:max(min(len(all), limit-int(has)), 0)]
	for len(all) > 0 {
		some := all[:min(len(all), sqlx.BatchRows)]
		all = all[len(some):]
		args := make([]any, 0, 6*len(some))
		for _, l := range some {
			args = append(args, id, step, from, l.What, l.Where, l.Why)
			from++
		}
		err := w.db.Exec(ctx, "INSERT INTO import_left_out (import_id, step, n, what, place, why) VALUES "+sqlx.Tuples(len(some), 6), args...)
		if err != nil {
			return err
		}
	}
	return nil
}

// ForgetLeftOut deletes the skipped items of a step that runs again.
func (w ImportWrites) ForgetLeftOut(ctx context.Context, id domain.ImportID, step int64) error {
	return w.db.Exec(ctx, `DELETE FROM import_left_out WHERE import_id = $1 AND step = $2`, id, step)
}

// EndImport ends an import unless it has ended and deletes its token. It returns the upload that
// the import does not need any more, and whether the import had not ended.
func (w ImportWrites) EndImport(ctx context.Context, id domain.ImportID, state domain.ImportState, reason *string, now time.Time) (upload domain.UploadID, ended bool, err error) {
	rows, err := w.db.Query(ctx, `SELECT COALESCE(i.upload_id, 0) FROM imports i WHERE i.id = $1 AND i.ended_at IS NULL`+w.db.ForUpdate("i"), id)
	found, err := sqlx.Collect(ctx, rows, err, sqlx.ScanID[domain.UploadID])
	if err != nil || len(found) == 0 {
		return 0, false, err
	}
	n, err := w.db.ExecCount(ctx, `UPDATE imports SET state = $2, reason = $3, token = NULL, upload_id = NULL, ended_at = $4
		WHERE id = $1 AND ended_at IS NULL`, id, state, reason, sqlx.Micros(now))
	return found[0], n > 0, err
}

// StaleImports lists imports created before a time whose owner has not chosen.
func (r ImportReads) StaleImports(ctx context.Context, before time.Time, limit int) ([]domain.ImportID, error) {
	rows, err := r.db.Query(ctx, `SELECT id FROM imports WHERE ended_at IS NULL AND state = 'choosing' AND created_at < $1
		ORDER BY id`+sqlx.Limit("$2"), sqlx.Micros(before), limit)
	return sqlx.Collect(ctx, rows, err, sqlx.ScanID[domain.ImportID])
}

// SweepImports deletes at most `limit` imports that ended before a time and returns their number.
// The imported items remain.
func (w ImportWrites) SweepImports(ctx context.Context, before time.Time, limit int) (int, error) {
	n, err := w.db.ExecCount(ctx, `DELETE FROM imports WHERE id IN (
		SELECT id FROM imports WHERE ended_at < $1 ORDER BY ended_at`+sqlx.Limit("$2")+`)`, sqlx.Micros(before), limit)
	return int(n), err
}

// ForgetImports deletes all imports of a user, including running ones.
func (w ImportWrites) ForgetImports(ctx context.Context, user domain.UserID) error {
	return w.db.Exec(ctx, `DELETE FROM imports WHERE user_id = $1`, user)
}
