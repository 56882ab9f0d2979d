package activity

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/store/sqlx"
)

// AuditReads contains the statements that change nothing.
type AuditReads struct{ db sqlx.Conn }

// NewAuditReads returns the statements on a connection.
func NewAuditReads(db sqlx.Conn) AuditReads { return AuditReads{db} }

// AuditWrites contains the statements of a transaction.
type AuditWrites struct{ AuditReads }

// NewAuditWrites returns the statements on the connection of a transaction.
func NewAuditWrites(db sqlx.Conn) AuditWrites { return AuditWrites{NewAuditReads(db)} }

// AddAuditEntry adds an entry. If the actor is a user, their current slug replaces Actor.
func (w AuditWrites) AddAuditEntry(ctx context.Context, e domain.AuditEntry) error {
	details := []byte("{}")
	if len(e.Details) > 0 {
		var err error
		if details, err = json.Marshal(e.Details); err != nil {
			return fmt.Errorf("details of %s: %w", e.Act, err)
		}
	}
	about := e.About.Kept()
	return w.db.Exec(ctx, `INSERT INTO audit_entries (at, actor_id, actor, act, kind, target_id, label, details, address, request)
		VALUES ($1, $2, COALESCE((SELECT u.slug FROM users u WHERE u.id = $2), $3), $4, $5, $6, $7, $8, $9, $10)`,
		sqlx.Micros(e.At), e.ActorID, e.Actor, e.Act, about.Kind, about.ID, about.Label, string(details), e.Address, e.Request)
}

// AuditEntries reads the entries that match a filter and come after a place, newest first or, if
// rising, oldest first. The zero place is the beginning of either order.
func (r AuditReads) AuditEntries(ctx context.Context, f domain.AuditFilter, after domain.AuditPlace, rising bool, limit int) ([]domain.AuditEntry, error) {
	var args sqlx.Args
	conditions := where(f, &args)
	if after.ID != 0 {
		compare := "<"
		if rising {
			compare = ">"
		}
		conditions = append(conditions, "(at, id) "+compare+" ("+args.Add(sqlx.Micros(after.At))+", "+args.Add(after.ID)+")")
	}
	direction := sqlx.Direction(!rising)
	rows, err := r.db.Query(ctx, `SELECT id, at, actor_id, actor, act, kind, target_id, label, details, address, request FROM audit_entries
		WHERE `+strings.Join(append(conditions, "TRUE"), " AND ")+" ORDER BY at "+direction+", id "+direction+sqlx.Limit(args.Add(limit)), args...)
	return sqlx.Collect(ctx, rows, err, scan)
}

func where(f domain.AuditFilter, args *sqlx.Args) (all []string) {
	equal := func(column string, value any, given bool) {
		if given {
			all = append(all, column+" = "+args.Add(value))
		}
	}
	equal("actor_id", f.ActorID, f.ActorID != 0)
	equal("actor", f.Actor, f.Actor != "")
	// Acts are few and their frequencies differ widely. With a parameter, PostgreSQL would use one
	// plan for all of them and read the whole log for a rare one. No act has a quote in its name.
	if slices.Contains(domain.Acts, f.Act) {
		all = append(all, "act = '"+string(f.Act)+"'")
	} else {
		equal("act", f.Act, f.Act != "")
	}
	equal("kind", f.About.Kind, f.About.Kind != "")
	equal("target_id", f.About.ID, f.About.ID != 0)
	equal("label", f.About.Label, f.About.Label != "")
	if !f.From.IsZero() {
		all = append(all, "at >= "+args.Add(sqlx.Micros(f.From)))
	}
	if !f.To.IsZero() {
		all = append(all, "at < "+args.Add(sqlx.Micros(f.To)))
	}
	return all
}

func scan(row sqlx.Row) (e domain.AuditEntry, err error) {
	var at int64
	var details string
	err = row.Scan(&e.ID, &at, &e.ActorID, &e.Actor, &e.Act, &e.About.Kind, &e.About.ID, &e.About.Label, &details, &e.Address, &e.Request)
	if err != nil {
		return e, err
	}
	e.At = sqlx.Time(at)
	if details != "{}" {
		err = json.Unmarshal([]byte(details), &e.Details)
	}
	return e, err
}

// SweepAudit deletes at most `limit` entries older than a time and returns their number.
func (w AuditWrites) SweepAudit(ctx context.Context, before time.Time, limit int) (int, error) {
	n, err := w.db.ExecCount(ctx, `DELETE FROM audit_entries WHERE id IN (
		SELECT id FROM audit_entries WHERE at < $1 ORDER BY at, id`+sqlx.Limit("$2")+`)`, sqlx.Micros(before), limit)
	return int(n), err
}
