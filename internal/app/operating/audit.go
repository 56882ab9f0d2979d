package operating

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"vitrine/internal/app/core"
	"vitrine/internal/domain"
	"vitrine/internal/store"
)

// auditPart is the number of entries read at once for a download.
const auditPart = 500

// AuditLog lists entries for an operator that match a filter and come after a place, newest first. It takes two
// statements for a log of any length.
func (a *Operating) AuditLog(ctx context.Context, actor domain.Actor, f domain.AuditFilter, after domain.AuditPlace, limit int) ([]domain.AuditEntry, error) {
	if err := f.Validate(); err != nil {
		return nil, err
	}
	if err := core.Operate(ctx, a.Store.Queries, actor); err != nil {
		return nil, err
	}
	return a.Store.Audit().AuditEntries(ctx, f, after, false, limit)
}

// AuditDownload writes the entries that match a filter for an operator, oldest first, one line of JSON each. It calls
// begin, which returns the destination, once the filter and the operator are checked.
func (a *Operating) AuditDownload(ctx context.Context, actor domain.Actor, f domain.AuditFilter, begin func() io.Writer) error {
	if err := f.Validate(); err != nil {
		return err
	}
	if err := core.Operate(ctx, a.Store.Queries, actor); err != nil {
		return err
	}
	out := begin()
	return a.EachAuditLine(ctx, f, func(_ domain.AuditPlace, line []byte) error {
		_, err := out.Write(line)
		return err
	})
}

// EachAuditLine calls visit for each entry that matches a filter, oldest first, with its place and its line of JSON. It
// is for the operator, so it needs no actor.
func (a *Operating) EachAuditLine(ctx context.Context, f domain.AuditFilter, visit func(at domain.AuditPlace, line []byte) error) error {
	if err := f.Validate(); err != nil {
		return err
	}
	var after domain.AuditPlace
	for {
		some, err := a.Store.Audit().AuditEntries(ctx, f, after, true, auditPart)
		if err != nil {
			return err
		}
		for _, e := range some {
			line, err := json.Marshal(auditLine(e))
			if err != nil {
				return fmt.Errorf("entry %d of the audit log: %w", e.ID, err)
			}
			after = domain.AuditPlace{At: e.At, ID: e.ID}
			if err := visit(after, append(line, '\n')); err != nil {
				return err
			}
		}
		if len(some) < auditPart {
			return nil
		}
	}
}

// auditJSON is an entry in the format for programs.
type auditJSON struct {
	ID      domain.AuditID `json:"id"`
	At      string         `json:"at"`
	Actor   auditActor     `json:"actor"`
	Act     domain.Act     `json:"act"`
	About   *auditTarget   `json:"about"`
	Details map[string]any `json:"details,omitempty"`
	Address string         `json:"address,omitempty"`
	Request string         `json:"request_id,omitempty"`
}

type auditActor struct {
	ID   domain.UserID `json:"id,omitempty"`
	Name string        `json:"name"`
}

type auditTarget struct {
	Type  string `json:"type"`
	ID    int64  `json:"id,omitempty"`
	Label string `json:"label,omitempty"`
}

func auditLine(e domain.AuditEntry) auditJSON {
	line := auditJSON{ID: e.ID, At: e.At.Format(time.RFC3339Nano), Actor: auditActor{e.ActorID, e.Actor}, Act: e.Act,
		Details: e.Details, Address: e.Address, Request: e.Request}
	if e.About.Kind != "" {
		line.About = &auditTarget{e.About.Kind, e.About.ID, e.About.Label}
	}
	return line
}

// SweepAuditLog is the job that deletes old entries of the audit log.
type SweepAuditLog struct{}

// Kind implements jobs.Args.
func (SweepAuditLog) Kind() string { return "sweep_audit_log" }

// SweepAuditLog deletes entries that exceed the retention time. It may stop at any point and run again.
func (a *Operating) SweepAuditLog(ctx context.Context) error {
	if a.auditKept == 0 {
		return nil
	}
	before := a.Now().Add(-a.auditKept)
	return a.InBatches(ctx, func(tx *store.Tx) (int, error) { return tx.Audit().SweepAudit(ctx, before, core.SweepBatch) })
}
