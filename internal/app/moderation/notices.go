package moderation

import (
	"context"
	"encoding/binary"
	"fmt"
	"strings"

	"vitrine/internal/app/core"
	"vitrine/internal/domain"
	"vitrine/internal/jobs"
	"vitrine/internal/mail"
	"vitrine/internal/store"
	"vitrine/internal/store/moderation"
)

// NoticeKind is the kind of a notice: the outcome of a case for the owner of the thing, or the answer to its reporters.
type NoticeKind = moderation.NoticeKind

// answer returns the kind of notice with which reporters learn about an outcome.
func answer(o Outcome) NoticeKind { return NoticeKind("reported-" + o) }

// MailNotice is the job that mails a notice of the operators.
type MailNotice struct {
	Notice int64 `json:"notice_id"`
}

// Kind implements jobs.Args.
func (MailNotice) Kind() string { return "mail_moderation_notice" }

// Class implements jobs.Classed.
func (MailNotice) Class() jobs.Class { return jobs.Mail }

// notify notifies the owner of a thing of an operator's action, on the site and by mail. It does not reveal the operator.
func (a *Moderation) notify(ctx context.Context, tx *store.Tx, actor domain.Actor, n Notice) error {
	id, err := tx.Moderation().AddNotice(ctx, n)
	if err != nil {
		return err
	}
	if n.What == NoticeKind(Warned) { // other decisions have entries of their own
		if err := a.Audit(ctx, tx, actor, domain.ActWarned, n.About, map[string]any{"user": n.To}); err != nil {
			return err
		}
	}
	return tx.Enqueue(ctx, MailNotice{Notice: id}, jobs.Attempts(5))
}

// Notices lists the actor's notices, newest first.
func (a *Moderation) Notices(ctx context.Context, actor domain.Actor) ([]Notice, error) {
	return a.Store.Moderation().Notices(ctx, actor.UserID)
}

// ReadNotices marks the actor's notices as read. Doing it again changes nothing.
func (a *Moderation) ReadNotices(ctx context.Context, actor domain.Actor) error {
	return a.Store.InTx(ctx, func(tx *store.Tx) error { return tx.Moderation().ReadNotices(ctx, actor.UserID) })
}

// SendModerationNotice mails a notice. It does nothing if the notice or the account was deleted.
func (a *Moderation) SendModerationNotice(ctx context.Context, id int64) error {
	var n Notice
	var u domain.User
	err := a.Store.InSnapshot(ctx, func(v *store.Snapshot) (err error) {
		if n, err = v.Moderation().Notice(ctx, id); err == nil {
			u, err = v.Users().User(ctx, domain.Ref{ID: int64(n.To)})
		}
		return err
	})
	if domain.KindOf(err) == domain.NotFound {
		return nil
	}
	if err != nil {
		return err
	}
	site, err := a.Store.Account().Site(ctx)
	if err != nil {
		return err
	}
	part := binary.BigEndian.AppendUint64(nil, uint64(id)) // so that a repeated mail has the same id
	return a.accounts.Send(ctx, "moderation", part, core.AddressOf(u), "About what you made at "+mail.Quote(site.Name), a.noticeText(site, n))
}

// happened describes each kind of notice.
var happened = map[NoticeKind]string{
	NoticeKind(Warned):    "have looked at %s and ask you to mind the rules of the site.",
	NoticeKind(Hidden):    "have hidden %s: nobody else sees it now.",
	shown:                 "have looked at %s again: it is hidden no more.",
	NoticeKind(Deleted):   "have deleted %s.",
	NoticeKind(Suspended): "have suspended your account, because of %s. You cannot sign in.",
}

func (a *Moderation) noticeText(site domain.Site, n Notice) string {
	text := fmt.Sprintf("Those who run %s, %s, "+happened[n.What]+"\n", mail.Quote(site.Name), a.SiteURL, named(n.About))
	if words := strings.TrimSpace(n.Words); words != "" {
		text += "\nTheir reasons:\n\n"
		for line := range strings.Lines(words) {
			text += "  " + strings.TrimRight(line, "\r\n") + "\n"
		}
	}
	return text + "\nIf you think that this is a mistake, tell them so. It is looked at again.\n"
}

// named returns the name of a thing in a sentence of a mail to its owner.
func named(t domain.AuditTarget) string {
	if t.Kind == string(domain.SubjectUser) {
		return "your account"
	}
	name := "your " + strings.ToLower(t.Kind)
	if t.Label != "" {
		name += " " + mail.Quote(t.Label)
	}
	return name
}
