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

// The rows of the store, by names that doors may use.
type (
	Case    = moderation.Case
	CaseID  = moderation.CaseID
	Report  = moderation.Report
	Reason  = moderation.Reason
	Outcome = moderation.Outcome
	Notice  = moderation.Notice
)

// The reasons for a report. Names are kept forever: reports outlive upgrades.
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

// Reasons are all of them, in the order in which a choice shows them.
var Reasons = []Reason{Spam, Harassment, Hate, Violence, Sexual, Privacy, Copyright, Illegal, Other}

// reportLimits bound how many reports one person makes.
var reportLimits = []core.Limit{{Most: 20, Window: time.Hour}, {Most: 60, Window: core.Day}}

// ReportInput is a thing that somebody reports.
type ReportInput struct {
	About  domain.Subject
	Reason Reason
	Text   string // a few more words; needed where the reason is Other
}

// Validate checks all but whether there is such a thing. Errors name `type`, `id`, `reason` and
// `text`.
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

// Reported reads what somebody is about to report; NotFound where they do not see it.
func (a *Moderation) Reported(ctx context.Context, actor domain.Actor, what domain.Subject) (t Thing, err error) {
	err = a.Store.InSnapshot(ctx, func(v *store.Snapshot) error {
		t, err = seen(ctx, v.Queries, actor.UserID, what)
		return err
	})
	return t, err
}

// Report has operators look at a thing. What the actor does not see is NotFound, what is their own
// Unprocessable, and a second report of what is open still a Conflict. Nobody but operators learns
// of it.
func (a *Moderation) Report(ctx context.Context, actor domain.Actor, in ReportInput) error {
	if err := in.Validate(); err != nil {
		return err
	}
	now := a.Now()
	return a.Store.InTx(ctx, func(tx *store.Tx) error {
		t, err := seen(ctx, tx.Queries, actor.UserID, in.About)
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
		id, err := tx.AddReport(ctx, t.About, t.Owner, Report{ReporterID: actor.UserID, Reason: in.Reason, Words: in.Text, CreatedAt: now})
		if err != nil {
			return err
		}
		return a.Audit(ctx, tx, actor, domain.ActReported, t.About, map[string]any{"case": id, "reason": in.Reason})
	})
}

// Cases lists for an operator the cases that are open, or those that are closed, the newest first,
// from below a number on; 0 is the beginning.
func (a *Moderation) Cases(ctx context.Context, by operating.Operator, closed bool, below CaseID, limit int) (all []Case, err error) {
	err = a.Store.InSnapshot(ctx, func(v *store.Snapshot) error {
		if err := by.Allowed(ctx, v.Queries); err != nil {
			return err
		}
		all, err = v.Cases(ctx, closed, below, limit)
		return err
	})
	return all, err
}

// mostOpen bounds how many open cases are counted.
const mostOpen = 1000

// OpenCases counts the open cases for an operator, up to a thousand.
func (a *Moderation) OpenCases(ctx context.Context, by operating.Operator) (n int64, err error) {
	err = a.Store.InSnapshot(ctx, func(v *store.Snapshot) error {
		if err := by.Allowed(ctx, v.Queries); err != nil {
			return err
		}
		n, err = v.OpenCases(ctx, mostOpen)
		return err
	})
	return n, err
}

// CaseView is a case as an operator reads it.
type CaseView struct {
	Case
	Thing   *Thing       // as it is now, nil where it is gone
	Seen    bool         // the operator sees it as others do
	Reports []Report     // the newest
	Hidden  *HiddenThing // the thing, where it is hidden now
}

// ReadCase reads a case for an operator with its reports from below a number on, limit of them at
// most. What was reported is shown whoever else may see it.
func (a *Moderation) ReadCase(ctx context.Context, by operating.Operator, id CaseID, below int64, limit int) (c CaseView, err error) {
	err = a.Store.InSnapshot(ctx, func(v *store.Snapshot) error {
		if err := by.Allowed(ctx, v.Queries); err != nil {
			return err
		}
		if c.Case, err = v.Case(ctx, id); err != nil {
			return err
		}
		if c.Reports, err = v.ReportsOf(ctx, id, below, limit); err != nil {
			return err
		}
		t, err := whole(ctx, v.Queries, subject(c.Case))
		if domain.KindOf(err) == domain.NotFound {
			return nil
		}
		if err != nil {
			return err
		}
		c.Thing = &t
		if _, err = seen(ctx, v.Queries, by.Actor().UserID, subject(c.Case)); err != nil && domain.KindOf(err) != domain.NotFound {
			return err
		}
		c.Seen = err == nil
		h, err := v.HiddenThing(ctx, subject(c.Case))
		if err == nil {
			c.Hidden = &h
		} else if domain.KindOf(err) == domain.NotFound {
			return nil
		}
		return err
	})
	return c, err
}

// subject is what a case is about.
func subject(c Case) domain.Subject {
	return domain.Subject{Type: domain.SubjectType(c.About.Kind), ID: c.About.ID}
}
