package moderation

import (
	"context"
	"slices"
	"time"

	"vitrine/internal/app/accounts"
	"vitrine/internal/app/collections"
	"vitrine/internal/app/operating"
	"vitrine/internal/domain"
	"vitrine/internal/store"
)

// Outcomes of a case. Their names are permanent.
const (
	Dismissed Outcome = "dismissed" // nothing is wrong with the thing
	Warned    Outcome = "warned"    // the owner was notified
	Hidden    Outcome = "hidden"    // the thing, until it is shown again
	Deleted   Outcome = "deleted"   // the thing
	Suspended Outcome = "suspended" // the owner
)

// Outcomes lists all outcomes in the order of the form.
var Outcomes = []Outcome{Dismissed, Warned, Hidden, Deleted, Suspended}

// Decision is an operator's decision about a case.
type Decision struct {
	Outcome Outcome
	Text    string // reasons for the owner of the thing; required for a warning
	Hide    bool   // with Suspended: everything that they created, until the suspension is lifted
}

// Validate checks the fields. Errors name `outcome`, `hide` and `text`.
func (d Decision) Validate() error {
	var f domain.Faults
	domain.Among(&f, "outcome", d.Outcome, Outcomes...)
	if d.Hide && d.Outcome != Suspended {
		f.Add("hide", domain.FieldForbidden, "goes with suspending alone")
	}
	if d.Outcome == Warned {
		f.RequiredText("text", d.Text, domain.MaxReportText)
	} else {
		f.Text("text", d.Text, domain.MaxReportText)
	}
	return f.Err()
}

// Decide closes an open case in one transaction: it acts on the thing or its owner as decided, notifies the owner with
// the reasons, and notifies the reporters of the outcome. A closed case is a Conflict. Users cannot be deleted this way.
func (a *Moderation) Decide(ctx context.Context, by operating.Operator, id CaseID, d Decision) (c Case, err error) {
	if err := d.Validate(); err != nil {
		return c, err
	}
	now := a.Now()
	err = a.Store.InTx(ctx, func(tx *store.Tx) error {
		if err := by.Allowed(ctx, tx.Queries); err != nil {
			return err
		}
		if c, err = tx.Moderation().LockCase(ctx, id); err != nil {
			return err
		}
		if c.ClosedAt != nil {
			return domain.Wrap(domain.Conflict, "This was decided already", nil)
		}
		if err := a.act(ctx, tx, by, c, d, now); err != nil {
			return err
		}
		if err := tx.Moderation().CloseCase(ctx, c.ID, by.Actor().UserID, d.Outcome, d.Text, now); err != nil {
			return err
		}
		err := tx.Moderation().AnswerReporters(ctx, c.ID, Notice{What: answer(d.Outcome), About: c.About, CreatedAt: now})
		if err != nil {
			return err
		}
		details := map[string]any{"case": c.ID, "outcome": d.Outcome, "reports": c.Reports}
		if err := a.Audit(ctx, tx, by.Actor(), domain.ActCaseClosed, c.About, details); err != nil {
			return err
		}
		c, err = tx.Moderation().Case(ctx, c.ID)
		return err
	})
	return c, err
}

// act acts on the thing or its owner as decided about a locked open case, and notifies the owner.
func (a *Moderation) act(ctx context.Context, tx *store.Tx, by operating.Operator, c Case, d Decision, now time.Time) error {
	if d.Outcome == Dismissed {
		return nil
	}
	t, err := readAny(ctx, tx.Queries, subject(c))
	if domain.KindOf(err) == domain.NotFound {
		if purged, err := a.purge(ctx, tx, by, c, d, now); err != nil || purged {
			return err
		}
		if d.Outcome != Suspended || c.OwnerID == 0 {
			return domain.NewUnprocessable("It is gone already: dismiss the report, or suspend who answered for it")
		}
		t = SubjectDetails{About: c.About, Owner: c.OwnerID}
	} else if err != nil {
		return err
	}
	switch d.Outcome {
	case Deleted:
		t, err = a.remove(ctx, tx, by.Actor(), subject(c), now)
	case Hidden:
		var h HiddenSubject
		h, err = a.hide(ctx, tx, by.Actor(), t, now)
		t.Owner = h.OwnerID
	case Suspended:
		err = a.suspend(ctx, tx, by, t.Owner, d.Hide)
	}
	if err != nil {
		return err
	}
	return a.notify(ctx, tx, by.Actor(), Notice{To: t.Owner, What: NoticeKind(d.Outcome), About: t.About, Words: d.Text, CreatedAt: now})
}

// purge deletes a thing for good that is only in Trash, if that was decided, and reports whether it was there.
func (a *Moderation) purge(ctx context.Context, tx *store.Tx, by operating.Operator, c Case, d Decision, now time.Time) (bool, error) {
	if d.Outcome != Deleted {
		return false, nil
	}
	there, err := tx.Trash().PurgeSubject(ctx, domain.TrashKind(c.About.Kind), c.About.ID)
	if err != nil || !there {
		return false, err
	}
	if err := tx.Trash().ForgetConnectionsOf(ctx, domain.ItemRef{Type: domain.ItemType(c.About.Kind), ID: c.About.ID}); err != nil {
		return true, err
	}
	if err := tx.Enqueue(ctx, collections.PurgeTrash{}); err != nil {
		return true, err
	}
	if err := a.Audit(ctx, tx, by.Actor(), domain.ActDeleted, c.About, nil); err != nil || c.OwnerID == 0 {
		return true, err
	}
	return true, a.notify(ctx, tx, by.Actor(), Notice{To: c.OwnerID, What: NoticeKind(Deleted), About: c.About, Words: d.Text, CreatedAt: now})
}

// suspend suspends the owner of a thing, unless they already are, and may queue the hiding of everything they created.
func (a *Moderation) suspend(ctx context.Context, tx *store.Tx, by operating.Operator, user domain.UserID, hide bool) error {
	operators, err := tx.Users().LockOperators(ctx)
	if err != nil {
		return err
	}
	if actor := by.Actor().UserID; actor != 0 && !slices.Contains(operators, actor) {
		return domain.NewForbidden("You may not run this server")
	}
	if user == by.Actor().UserID {
		return domain.NewUnprocessable("You cannot suspend yourself")
	}
	if err := accounts.MayLose(operators, user); err != nil {
		return err
	}
	c, err := tx.Users().LockUser(ctx, user)
	if err == nil && c.User.SuspendedAt == nil {
		err = a.accounts.SetSuspended(ctx, tx, by.Actor(), c.User, true)
	}
	if err != nil || !hide {
		return err
	}
	return a.accounts.HideMade(ctx, tx, by.Actor(), c.User)
}
