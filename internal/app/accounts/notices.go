package accounts

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"vitrine/internal/auth"
	"vitrine/internal/domain"
	"vitrine/internal/jobs"
	"vitrine/internal/mail"
	"vitrine/internal/store"
)

// MailNotice is the job that notifies the owner of an account of a change, in case somebody else made it.
type MailNotice struct {
	User domain.UserID `json:"user_id"`
	What Notice        `json:"what"`
	To   string        `json:"to"`             // the address that the account had at that time
	Name string        `json:"name,omitempty"` // of the application that the notice is about
}

// Kind implements jobs.Args.
func (MailNotice) Kind() string { return "mail_notice" }

// Class implements jobs.Classed.
func (MailNotice) Class() jobs.Class { return jobs.Mail }

// Notice is a kind of notice.
type Notice string

// The kinds of notices.
const (
	PasswordChanged Notice = "password"
	AddressChanged  Notice = "address"
	PasskeyAdded    Notice = "passkey-added"
	PasskeyRemoved  Notice = "passkey-removed"
	CodesMade       Notice = "recovery-codes"
	CodeUsed        Notice = "recovery-code"
	FactorEnded     Notice = "second-factor"
	SignOnConnected Notice = "single sign-on"
	TokenReused     Notice = "refresh-token"
)

// warn queues a notice to the current address of an account.
func warn(ctx context.Context, tx *store.Tx, u domain.User, what Notice) error {
	return warnAbout(ctx, tx, u, what, "")
}

// warnAbout is warn for a notice about an application.
func warnAbout(ctx context.Context, tx *store.Tx, u domain.User, what Notice, application string) error {
	return tx.Enqueue(ctx, MailNotice{User: u.ID, What: what, To: u.Email, Name: application}, jobs.Attempts(5))
}

// SendNotice mails a notice, unless the account was deleted.
func (a *SignIns) SendNotice(ctx context.Context, n MailNotice) error {
	u, err := a.Store.Users().User(ctx, domain.Ref{ID: int64(n.User)})
	if domain.KindOf(err) == domain.NotFound {
		return nil
	}
	if err != nil {
		return err
	}
	left, _, err := a.Store.Account().RecoveryCodes(ctx, n.User)
	if err != nil {
		return err
	}
	to := mail.Address{Name: mail.Harmless(u.Name), Email: n.To}
	_, id, _ := auth.NewToken(auth.Mailed) // only used for the mail's id
	w, ok := notices[n.What]
	if !ok {
		return jobs.Permanent(fmt.Errorf("no notice is called %q", n.What))
	}
	said := strings.NewReplacer("{site}", a.SiteURL, "{slug}", u.Slug, "{name}", mail.Harmless(n.Name), "{left}", strconv.Itoa(left)).Replace(w.says + "\n\n" + w.ifNot)
	return a.Send(ctx, "notice", id, to, w.subject, said+"\n")
}

// notices contains the texts: what changed, and what to do if it was somebody else.
var notices = map[Notice]struct{ subject, says, ifNot string }{
	PasswordChanged: {"Your password was changed", "The password of your account {slug} at {site} was changed.", chooseAnother},
	AddressChanged: {"Your address was changed", "The address of your account {slug} at {site} was changed.",
		"If this was not you, ask whoever runs the server for help."},
	SignOnConnected: {"Single sign-on was connected", "An account elsewhere can now sign in to your account {slug} at {site}.",
		"If this was not you, disconnect it and choose another password:\n\n  {site}/settings/single-sign-on"},
	PasskeyAdded: {"A passkey was added", "A passkey was added to your account {slug} at {site}. Who has it can sign in\nwith it.", lookAtKeys},
	PasskeyRemoved: {"A passkey was removed", "A passkey of your account {slug} at {site} was removed. You can no longer sign\nin with it.",
		lookAtKeys},
	CodesMade: {"You have new recovery codes", "New recovery codes were made for your account {slug} at {site}. The ones before\nare good for nothing any more.",
		lookAtKeys},
	CodeUsed: {"A recovery code was used", "Somebody signed in to your account {slug} at {site} with your password and a\nrecovery code. Codes left: {left}. You can make new ones:\n\n  {site}/settings/passkeys",
		chooseAnother},
	TokenReused: {"An application was signed out", "The application \"{name}\" used a key to your account {slug} at {site} that it had\nused before. Either it failed to store the new one, or somebody copied the\nkey. To be safe, the application was signed out and has to ask you again.",
		"If you do not trust the application any more, remove its access:\n\n  {site}/settings/applications"},
	FactorEnded: {"Your second factor was removed", "Your account {slug} at {site} has no passkeys and no recovery codes any more:\nthe password is enough to sign in. You can add a passkey:\n\n  {site}/settings/passkeys",
		chooseAnother},
}

const (
	chooseAnother = "If this was not you, choose a new password at once:\n\n  {site}/forgot-password"
	lookAtKeys    = "If this was not you, choose a new password at once, and remove what you do not\nknow:\n\n  {site}/forgot-password\n  {site}/settings/passkeys"
)

// Send sends a mail of a job. The job may retry it, unless it was refused or may have been sent. part is some bytes of a
// hash that distinguish its id from that of a mail with another token.
func (a *SignIns) Send(ctx context.Context, what string, part []byte, to mail.Address, subject, text string) error {
	err := a.mailer.Send(ctx, mail.Message{ID: fmt.Sprintf("%s-%x", what, part[:8]), To: to, Subject: subject, Text: text})
	if mail.IsFinal(err) {
		return jobs.Permanent(err)
	}
	return err
}
