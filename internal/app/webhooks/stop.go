package webhooks

import (
	"context"
	"fmt"

	"vitrine/internal/app/core"
	"vitrine/internal/domain"
	"vitrine/internal/jobs"
	"vitrine/internal/mail"
	"vitrine/internal/store"
)

// stopText returns the reason why a webhook is off, as text.
func stopText(why domain.WebhookStop) string {
	switch why {
	case domain.StoppedGone:
		return "The receiver responded 410 Gone"
	case domain.StoppedFailing:
		return "The receiver has failed for three days"
	case domain.StoppedByRestore:
		return "A backup of this site was restored"
	case domain.StoppedForNoGrant:
		return "The application may no longer act for you"
	}
	return "The webhook was turned off"
}

// stop turns off a locked webhook, and mails its owner.
func (a *Webhooks) stop(ctx context.Context, tx *store.Tx, w domain.Webhook, why domain.WebhookStop) error {
	w.Stopped, w.StoppedAt = why, new(a.Now())
	if err := tx.Webhooks().SaveWebhook(ctx, w); err != nil {
		return err
	}
	if err := tx.Webhooks().EndDeliveries(ctx, w.ID, stopText(why)); err != nil {
		return err
	}
	if err := a.Audit(ctx, tx, domain.Actor{}, domain.ActWebhookStopped, domain.AboutWebhook(w), map[string]any{"why": string(why)}); err != nil {
		return err
	}
	if why == domain.StoppedByRestore {
		return nil // perhaps into a copy of the site, which should not mail
	}
	return tx.Enqueue(ctx, MailStopped{Webhook: w.ID, At: w.StoppedAt.UnixMicro()}, jobs.Attempts(5))
}

// stopRestored turns off webhooks whose positions belong to another database.
func (a *Webhooks) stopRestored(ctx context.Context, all []domain.Webhook) error {
	return a.Store.InTx(ctx, func(tx *store.Tx) error {
		for _, was := range all {
			w, err := tx.Webhooks().LockWebhook(ctx, was.ID)
			if domain.KindOf(err) == domain.NotFound || err == nil && (w.Stopped != "" || w.Epoch != was.Epoch) {
				continue
			}
			if err != nil {
				return err
			}
			if err := a.stop(ctx, tx, w, domain.StoppedByRestore); err != nil {
				return err
			}
		}
		return nil
	})
}

// MailStopped is the job that mails the owner of a webhook after the server has turned it off.
type MailStopped struct {
	Webhook domain.WebhookID `json:"webhook_id"`
	At      int64            `json:"at"` // microseconds
}

// Kind implements jobs.Args.
func (MailStopped) Kind() string { return "mail_webhook_stopped" }

// Class implements jobs.Classed.
func (MailStopped) Class() jobs.Class { return jobs.Mail }

// SendStopped mails the owner of a webhook, unless it was turned on or deleted in the meantime.
func (a *Webhooks) SendStopped(ctx context.Context, job MailStopped) error {
	w, err := a.Store.Webhooks().WebhookByID(ctx, job.Webhook)
	if domain.KindOf(err) == domain.NotFound || err == nil && (w.StoppedAt == nil || w.StoppedAt.UnixMicro() != job.At) {
		return nil
	}
	if err != nil {
		return err
	}
	u, err := a.Store.Users().User(ctx, domain.Ref{ID: int64(w.UserID)})
	if domain.KindOf(err) == domain.NotFound || err == nil && u.SuspendedAt != nil {
		return nil
	}
	if err != nil {
		return err
	}
	text := fmt.Sprintf(`Your webhook %s at %s was turned off:

  %s.

It gets no events any more. Events that waited were not sent; you can send each
of them again. When the receiver works, turn the webhook on again here:

  %s/settings/webhooks/%d
`, mail.Quote(w.Label()), a.SiteURL, stopText(w.Stopped), a.SiteURL, w.ID)
	err = a.mailer.Send(ctx, mail.Message{ID: fmt.Sprintf("webhook-%d-%d", w.ID, job.At), To: core.AddressOf(u), Subject: "Your webhook was turned off", Text: text})
	if mail.IsFinal(err) {
		return jobs.Permanent(err)
	}
	return err
}
