package moderation

import (
	"cmp"
	"context"
	"strconv"
	"time"

	"vitrine/internal/app/core"
	"vitrine/internal/app/operating"
	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/moderation"
)

// Types of the store, for the transports.
type (
	Case    = moderation.Case
	CaseID  = moderation.CaseID
	Report  = moderation.Report
	Reason  = moderation.Reason
	Outcome = moderation.Outcome
	Notice  = moderation.Notice
)

// The reasons for a report. Their names are permanent, because reports outlive upgrades.
const (
	Spam       Reason = "spam"
	Harassment Reason = "harassment"
	Hate       Reason = "hate"
	Violence   Reason = "violence"
	Sexual     Reason = "sexual"
	Privacy    Reason = "privacy"
	Copyright  Reason = "copyright"
	Illegal    Reason = "illegal"
	Other      Reason = "other"
)

// Reasons lists all reasons in the order of the form.
var Reasons = []Reason{Spam, Harassment, Hate, Violence, Sexual, Privacy, Copyright, Illegal, Other}

// reportLimits limit the reports per person.
var reportLimits = []core.Limit{{Max: 20, Window: time.Hour}, {Max: 60, Window: core.Day}}

// ReportInput is a thing to report.
type ReportInput struct {
	About  domain.Subject
	Reason Reason
	Text   string // details; required for the reason Other
}

// Validate checks everything except the existence of the thing. Errors name `type`, `id`, `reason` and `text`.
func (in ReportInput) Validate() error {
	var f domain.Faults
	domain.Among(&f, "type", in.About.Type, domain.SubjectBlock, domain.SubjectChannel, domain.SubjectComment, domain.SubjectUser, domain.SubjectGroup)
	f.Positive("id", in.About.ID)
	domain.Among(&f, "reason", in.Reason, Reasons...)
	if in.Reason == Other {
		f.RequiredText("text", in.Text, domain.MaxReportText)
	} else {
		f.Text("text", in.Text, domain.MaxReportText)
	}
	return f.Err()
}

// Reported reads a thing that the actor is about to report. It returns NotFound if the actor does not see it.
func (a *Moderation) Reported(ctx context.Context, actor domain.Actor, what domain.Subject) (t SubjectDetails, err error) {
	err = a.Store.InSnapshot(ctx, func(v *store.Snapshot) error {
		t, err = readVisible(ctx, v.Queries, actor.UserID, what)
		return err
	})
	return t, err
}

// Report reports a thing to the operators, and to nobody else. It returns NotFound if the actor does not see the thing,
// Unprocessable if it is their own, and Conflict if they already have an open report about it.
func (a *Moderation) Report(ctx context.Context, actor domain.Actor, in ReportInput) error {
	if err := in.Validate(); err != nil {
		return err
	}
	now := a.Now()
	return a.Store.InTx(ctx, func(tx *store.Tx) error {
		t, err := readVisible(ctx, tx.Queries, actor.UserID, in.About)
		if err != nil {
			return err
		}
		if t.Owner == actor.UserID {
			return domain.NewUnprocessable("You answer for this yourself: change or delete it")
		}
		over, err := core.CountIn(ctx, tx, core.Counters(reportLimits, false, "report", strconv.FormatInt(int64(actor.UserID), 10)), now)
		if err != nil || over != nil {
			return cmp.Or(err, over)
		}
		id, err := tx.Moderation().AddReport(ctx, t.About, t.Owner, Report{ReporterID: actor.UserID, Reason: in.Reason, Words: in.Text, CreatedAt: now})
		if err != nil {
			return err
		}
		return a.Audit(ctx, tx, actor, domain.ActReported, t.About, map[string]any{"case": id, "reason": in.Reason})
	})
}

// Cases lists the open or closed cases for an operator, newest first, starting below an id; 0 means from the beginning.
func (a *Moderation) Cases(ctx context.Context, by operating.Operator, closed bool, below CaseID, limit int) (all []Case, err error) {
	err = a.Store.InSnapshot(ctx, func(v *store.Snapshot) error {
		if err := by.Allowed(ctx, v.Queries); err != nil {
			return err
		}
		all, err = v.Moderation().Cases(ctx, closed, below, limit)
		return err
	})
	return all, err
}

// maxOpen is the maximum that OpenCases counts to.
const maxOpen = 1000

// OpenCases counts the open cases for an operator, up to maxOpen.
func (a *Moderation) OpenCases(ctx context.Context, by operating.Operator) (n int64, err error) {
	err = a.Store.InSnapshot(ctx, func(v *store.Snapshot) error {
		if err := by.Allowed(ctx, v.Queries); err != nil {
			return err
		}
		n, err = v.Moderation().OpenCases(ctx, maxOpen)
		return err
	})
	return n, err
}

// CaseView is a case as shown to an operator.
type CaseView struct {
	Case
	Subject *SubjectDetails // current state; nil if it was deleted
	Seen    bool            // the operator sees it without special rights
	Reports []Report        // newest first
	Hidden  *HiddenSubject  // of the thing, if it is hidden now
}

// ReadCase reads a case for an operator with up to limit reports, starting below an id. It includes the reported thing
// regardless of its visibility.
func (a *Moderation) ReadCase(ctx context.Context, by operating.Operator, id CaseID, below int64, limit int) (c CaseView, err error) {
	err = a.Store.InSnapshot(ctx, func(v *store.Snapshot) error {
		if err := by.Allowed(ctx, v.Queries); err != nil {
			return err
		}
		if c.Case, err = v.Moderation().Case(ctx, id); err != nil {
			return err
		}
		if c.Reports, err = v.Moderation().ReportsOf(ctx, id, below, limit); err != nil {
			return err
		}
		t, err := readAny(ctx, v.Queries, subject(c.Case))
		if domain.KindOf(err) == domain.NotFound {
			return nil
		}
		if err != nil {
			return err
		}
		c.Subject = &t
		if _, err = readVisible(ctx, v.Queries, by.Actor().UserID, subject(c.Case)); err != nil && domain.KindOf(err) != domain.NotFound {
			return err
		}
		c.Seen = err == nil
		h, err := v.Hiding().HiddenSubject(ctx, subject(c.Case))
		if err == nil {
			c.Hidden = &h
		} else if domain.KindOf(err) == domain.NotFound {
			return nil
		}
		return err
	})
	return c, err
}

// subject returns the subject of a case.
func subject(c Case) domain.Subject {
	return domain.Subject{Type: domain.SubjectType(c.About.Kind), ID: c.About.ID}
}
