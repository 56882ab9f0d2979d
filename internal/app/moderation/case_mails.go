package moderation

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
	"time"

	"vitrine/internal/app/core"
	"vitrine/internal/domain"
	"vitrine/internal/jobs"
	"vitrine/internal/mail"
	"vitrine/internal/store"
)

// NotifyOperators is the job that finds operators to mail about new cases.
type NotifyOperators struct{}

// Kind implements jobs.Args.
func (NotifyOperators) Kind() string { return "tell_operators" }

// The interval of the job, and the minimum time between two mails to an operator.
const (
	NotifyInterval = 5 * time.Minute
	caseMailPause  = time.Hour
)

// MailCases is the job that mails an operator the open cases.
type MailCases struct {
	User  domain.UserID `json:"user_id"`
	Fresh int64         `json:"fresh"` // cases opened since the last mail
	At    int64         `json:"at"`    // microseconds; distinguishes this mail from others
}

// Kind implements jobs.Args.
func (MailCases) Kind() string { return "mail_cases" }

// Class implements jobs.Classed.
func (MailCases) Class() jobs.Class { return jobs.Mail }

// WantCaseMail subscribes an operator to mails about new cases, or unsubscribes them.
func (a *Moderation) WantCaseMail(ctx context.Context, actor domain.Actor, wanted bool) error {
	return a.Store.InTx(ctx, func(tx *store.Tx) error {
		if err := core.Operate(ctx, tx.Queries, actor); err != nil {
			return err
		}
		return tx.Moderation().WantCaseMail(ctx, actor.UserID, wanted)
	})
}

// WantsCaseMail reports whether an operator is subscribed to mails about new cases.
func (a *Moderation) WantsCaseMail(ctx context.Context, actor domain.Actor) (bool, error) {
	if err := core.Operate(ctx, a.Store.Queries, actor); err != nil {
		return false, err
	}
	return a.Store.Moderation().WantsCaseMail(ctx, actor.UserID)
}

// NotifyOperators queues a mail to each subscribed operator if cases were opened since their last mail and that is at least
// an hour old. It records this in the same transaction, so an interrupted run mails nobody twice. A failure for one
// operator does not stop the rest.
func (a *Moderation) NotifyOperators(ctx context.Context) (failed error) {
	now := a.Now()
	due, err := a.Store.Moderation().DueCaseMails(ctx, now.Add(-caseMailPause), core.SweepBatch)
	if err != nil {
		return err
	}
	for _, user := range due {
		if err := a.notifyOperator(ctx, user, now); err != nil {
			failed = errors.Join(failed, fmt.Errorf("operator %d: %w", user, err))
		}
	}
	return failed
}

func (a *Moderation) notifyOperator(ctx context.Context, user domain.UserID, now time.Time) error {
	return a.Store.InTx(ctx, func(tx *store.Tx) error {
		fresh, err := tx.Moderation().TakeFreshCases(ctx, user, now.Add(-caseMailPause))
		if err != nil || fresh == 0 {
			return err
		}
		open, err := tx.Moderation().OpenCases(ctx, 1)
		if err != nil || open == 0 { // all were decided in the meantime
			return err
		}
		switch err := core.Operate(ctx, tx.Queries, domain.Actor{UserID: user}); {
		case domain.KindOf(err) == domain.Forbidden: // no longer an operator
			return nil
		case err != nil:
			return err
		}
		if err := tx.Moderation().NoteCaseMail(ctx, user, now); err != nil {
			return err
		}
		return tx.Enqueue(ctx, MailCases{User: user, Fresh: fresh, At: now.UnixMicro()}, jobs.Attempts(5))
	})
}

// mailedCases is the maximum number of cases in a mail.
const mailedCases = 10

// SendCases mails the open cases to an operator. It does nothing if no case is open any more, or if
// the recipient is no longer a subscribed operator.
func (a *Moderation) SendCases(ctx context.Context, job MailCases) error {
	var u domain.User
	var cases []Case
	var open int64
	err := a.Store.InSnapshot(ctx, func(v *store.Snapshot) (err error) {
		if err := core.Operate(ctx, v.Queries, domain.Actor{UserID: job.User}); err != nil {
			return err
		}
		if wants, err := v.Moderation().WantsCaseMail(ctx, job.User); err != nil || !wants {
			return err
		}
		if u, err = v.Users().User(ctx, domain.Ref{ID: int64(job.User)}); err != nil {
			return err
		}
		if open, err = v.Moderation().OpenCases(ctx, maxOpen); err != nil {
			return err
		}
		cases, err = v.Moderation().Cases(ctx, false, 0, mailedCases)
		return err
	})
	if domain.KindOf(err) == domain.Forbidden {
		return nil
	}
	if err != nil || open == 0 {
		return err
	}
	site, err := a.Store.Account().Site(ctx)
	if err != nil {
		return err
	}
	id := sha256.Sum256(fmt.Append(nil, job.User, " ", job.At)) // so that a repeated mail has the same id
	return a.accounts.Send(ctx, "cases", id[:], core.AddressOf(u), "Reports at "+mail.Quote(site.Name), a.casesText(site, job.Fresh, open, cases))
}

func (a *Moderation) casesText(site domain.Site, fresh, open int64, cases []Case) string {
	queue := strings.TrimSuffix(a.SiteURL, "/") + "/operator/reports"
	text := fmt.Sprintf("Something was reported at %s, and waits for a decision:\n\n  %s\n\n", mail.Quote(site.Name), queue)
	more := ""
	if open == maxOpen {
		more = " or more"
	}
	text += fmt.Sprintf("Open: %d%s\nNew since the last mail: %d\n\nThe newest:\n\n", open, more, fresh)
	for _, c := range cases {
		thing := strings.ToLower(c.About.Kind)
		if c.About.Label != "" {
			thing += " " + mail.Quote(c.About.Label)
		}
		text += fmt.Sprintf("  %s\n  %s/%d\n\n", thing, queue, c.ID)
	}
	return text + "You get such a mail once an hour at most, because you asked for it on that page.\nThere you can end it, too.\n"
}
