// Package moderation stores reports and the decisions of operators: cases with their reports, notices to
// authors and reporters, and hidden content with its previous state, including the connections and
// comments that are removed until it is shown again.
//
// A hidden channel is private. A hidden block is in no channel, so only its author sees it. A
// hidden comment is not in the table of comments. So code that reads needs no rule for hidden
// things.
package moderation

import (
	"context"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/store/sqlx"
)

// Reads contains the statements that change nothing.
type Reads struct{ db sqlx.Conn }

// NewReads returns the statements on a connection.
func NewReads(db sqlx.Conn) Reads { return Reads{db} }

// Writes contains the statements of a transaction.
type Writes struct{ Reads }

// NewWrites returns the statements on the connection of a transaction.
func NewWrites(db sqlx.Conn) Writes { return Writes{NewReads(db)} }

// CaseID numbers cases in the order in which they were opened.
type CaseID int64

// Reason is the reason for a report.
type Reason string

// Outcome is the result of a case, "" while it is open.
type Outcome string

// Case is a reported thing with all reports about it until the case is closed.
type Case struct {
	ID       CaseID
	About    domain.AuditTarget // with its label at the first report
	OwnerID  domain.UserID      // the person responsible for it
	Owner    string             // their current slug
	Reports  int64
	OpenedAt time.Time
	LastAt   time.Time // time of the latest report
	ClosedAt *time.Time
	ClosedBy string // a slug, "" for the command line
	Outcome  Outcome
	Words    string // the message to its owner
}

// Report is one person's report of a thing.
type Report struct {
	ID         int64
	Case       CaseID
	ReporterID domain.UserID
	Reporter   string // their current slug
	Reported   int64  // number of their reports, up to countedReports
	Dismissed  int64  // how many of these were dismissed
	Reason     Reason
	Words      string
	CreatedAt  time.Time
}

// countedReports limits how many of a person's reports are counted when one of them is shown.
const countedReports = 1000

// AddReport adds a report to the open case of a thing, and returns the case. If no case is open, it
// opens one. It returns Conflict if the person has already reported the case.
func (w Writes) AddReport(ctx context.Context, about domain.AuditTarget, owner domain.UserID, r Report) (id CaseID, err error) {
	about, at := about.Kept(), sqlx.Micros(r.CreatedAt)
	reports := 0
	err = w.db.QueryRow(ctx, `INSERT INTO report_cases
			(kind, target_id, label, owner_id, reports, opened_at, last_at, closed_by, outcome, words) VALUES ($1, $2, $3, $4, 1, $5, $5, 0, '', '')
		ON CONFLICT (kind, target_id) WHERE closed_at IS NULL DO UPDATE SET reports = report_cases.reports + 1, last_at = excluded.last_at
		RETURNING id, reports`, about.Kind, about.ID, about.Label, owner, at).Scan(&id, &reports)
	if err == nil && reports == 1 {
		err = w.countFreshCase(ctx)
	}
	if err != nil {
		return 0, err
	}
	n, err := w.db.ExecCount(ctx, `INSERT INTO reports (case_id, reporter_id, reason, words, created_at) VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (case_id, reporter_id) DO NOTHING`, id, r.ReporterID, r.Reason, r.Words, at)
	if err == nil && n == 0 {
		err = domain.Wrap(domain.Conflict, "You have reported this already, and it is being looked at", nil)
	}
	return id, err
}

const caseColumns = `rc.id, rc.kind, rc.target_id, rc.label, rc.owner_id, COALESCE(ow.slug, ''), rc.reports, rc.opened_at, rc.last_at,
	rc.closed_at, COALESCE(cl.slug, ''), rc.outcome, rc.words`

const caseFrom = ` FROM report_cases rc LEFT JOIN users ow ON ow.id = rc.owner_id LEFT JOIN users cl ON cl.id = rc.closed_by `

func scanCase(row sqlx.Row) (c Case, err error) {
	var opened, last int64
	var closed *int64
	err = row.Scan(&c.ID, &c.About.Kind, &c.About.ID, &c.About.Label, &c.OwnerID, &c.Owner, &c.Reports, &opened, &last,
		&closed, &c.ClosedBy, &c.Outcome, &c.Words)
	c.OpenedAt, c.LastAt, c.ClosedAt = sqlx.Time(opened), sqlx.Time(last), sqlx.TimePtr(closed)
	return c, err
}

// Cases lists open or closed cases below an id (0: from the beginning), newest first.
func (r Reads) Cases(ctx context.Context, closed bool, below CaseID, limit int) ([]Case, error) {
	which := "rc.closed_at IS NULL"
	if closed {
		which = "rc.closed_at IS NOT NULL"
	}
	rows, err := r.db.Query(ctx, "SELECT "+caseColumns+caseFrom+"WHERE "+which+` AND ($1 = CAST(0 AS BIGINT) OR rc.id < $1)
		ORDER BY rc.id DESC`+sqlx.Limit("$2"), below, limit)
	return sqlx.Collect(ctx, rows, err, scanCase)
}

func (r Reads) Case(ctx context.Context, id CaseID) (Case, error) {
	c, err := scanCase(r.db.QueryRow(ctx, "SELECT "+caseColumns+caseFrom+"WHERE rc.id = $1", id))
	return c, sqlx.Found(err)
}

// OpenCases counts the open cases, up to `limit`.
func (r Reads) OpenCases(ctx context.Context, limit int) (n int64, err error) {
	return sqlx.ScanInt64(r.db.QueryRow(ctx, `SELECT count(*) FROM (SELECT 1 FROM report_cases WHERE closed_at IS NULL`+sqlx.Limit("$1")+`) AS opened`, limit))
}

// ReportsOf lists the reports of a case below an id (0: from the beginning), newest first.
func (r Reads) ReportsOf(ctx context.Context, id CaseID, below int64, limit int) ([]Report, error) {
	const theirs = `SELECT r2.case_id FROM reports r2 WHERE r2.reporter_id = re.reporter_id ORDER BY r2.id DESC LIMIT CAST($4 AS BIGINT)`
	rows, err := r.db.Query(ctx, `SELECT re.id, re.case_id, re.reporter_id, u.slug, re.reason, re.words, re.created_at,
			(SELECT count(*) FROM (`+theirs+`) AS t), (SELECT count(*) FROM (`+theirs+`) AS t JOIN report_cases c ON c.id = t.case_id WHERE c.outcome = 'dismissed')
		FROM reports re JOIN users u ON u.id = re.reporter_id
		WHERE re.case_id = $1 AND ($2 = CAST(0 AS BIGINT) OR re.id < $2) ORDER BY re.id DESC`+sqlx.Limit("$3"), id, below, limit, countedReports)
	return sqlx.Collect(ctx, rows, err, func(row sqlx.Row) (p Report, err error) {
		var at int64
		err = row.Scan(&p.ID, &p.Case, &p.ReporterID, &p.Reporter, &p.Reason, &p.Words, &at, &p.Reported, &p.Dismissed)
		p.CreatedAt = sqlx.Time(at)
		return p, err
	})
}

// LockCase locks a case until the transaction ends and then reads it. It must be locked before
// what it is about.
func (w Writes) LockCase(ctx context.Context, id CaseID) (Case, error) {
	if w.db.LocksRows() {
		if _, err := sqlx.ScanInt64(w.db.QueryRow(ctx, `SELECT rc.id FROM report_cases rc WHERE rc.id = $1`+w.db.ForUpdate("rc"), id)); err != nil {
			return Case{}, sqlx.Found(err)
		}
	}
	return w.Case(ctx, id)
}

// CloseCase closes a locked, open case.
func (w Writes) CloseCase(ctx context.Context, id CaseID, by domain.UserID, o Outcome, words string, now time.Time) error {
	return w.db.ExecOne(ctx, `UPDATE report_cases SET closed_at = $2, closed_by = $3, outcome = $4, words = $5 WHERE id = $1 AND closed_at IS NULL`,
		id, sqlx.Micros(now), by, o, words)
}

// Checks find cases with a wrong count of reports.
var Checks = []sqlx.Check{
	{What: "report_cases.reports", Query: `SELECT id, stored, actual FROM (SELECT rc.id AS id, rc.reports AS stored,
		(SELECT count(*) FROM reports re WHERE re.case_id = rc.id) AS actual FROM report_cases rc) AS d WHERE stored <> actual`},
}

// ChannelAnswers returns the user responsible for a live channel: its owner, or the owner of its
// group.
func (r Reads) ChannelAnswers(ctx context.Context, id domain.ChannelID) (domain.UserID, error) {
	owner, err := sqlx.ScanID[domain.UserID](r.db.QueryRow(ctx, `SELECT CASE WHEN ch.owner_type = 'User' THEN ch.owner_id ELSE
		(SELECT g.owner_id FROM groups g WHERE g.id = ch.owner_id) END FROM channels ch WHERE ch.id = $1 AND ch.state = 'available'`, id))
	return owner, sqlx.Found(err)
}
