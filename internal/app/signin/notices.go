package signin

import (
	"context"
	"errors"
	"fmt"

	"vitrine/internal/auth"
	"vitrine/internal/domain"
	"vitrine/internal/jobs"
	"vitrine/internal/mail"
	"vitrine/internal/store"
)

// MailNotice is the job that tells the holder of an account what has been changed, in
// case that it was not they who did.
type MailNotice struct {
	User domain.UserID `json:"user_id"`
	What Notice        `json:"what"`
	To   string        `json:"to"` // the address that the account had
}

// Kind implements jobs.Args.
func (MailNotice) Kind() string { return "mail_notice" }

// Class implements jobs.Classed.
func (MailNotice) Class() jobs.Class { return jobs.Mail }

// Notice is what somebody is told of.
type Notice string

// The notices.
const (
	PasswordChanged Notice = "password"
	AddressChanged  Notice = "address"
	SignOnConnected Notice = "single sign-on"
)

// Warn has the holder of an account told, at the address that it has.
func Warn(ctx context.Context, tx *store.Tx, u domain.User, what Notice) error {
	return tx.Enqueue(ctx, MailNotice{User: u.ID, What: what, To: u.Email}, jobs.Attempts(5))
}

// SendNotice mails a notice; nothing if the account is deleted by now.
func (a *SignIns) SendNotice(ctx context.Context, n MailNotice) error {
	u, err := a.Store.User(ctx, domain.Ref{ID: int64(n.User)})
	if domain.KindOf(err) == domain.NotFound {
		return nil
	}
	if err != nil {
		return err
	}
	to := mail.Address{Name: mail.Harmless(u.Name), Email: n.To}
	_, id, _ := auth.NewToken(auth.Mailed) // for the mail's id alone
	if n.What == AddressChanged {
		return a.Send(ctx, "notice", id, to, "Your address was changed", fmt.Sprintf(`The address of your account %s at %s was changed.

If this was not you, ask whoever runs the server for help.
`, u.Slug, a.SiteURL))
	}
	if n.What == SignOnConnected {
		return a.Send(ctx, "notice", id, to, "Single sign-on was connected", fmt.Sprintf(`An account elsewhere can now sign in to your account %s at %s.

If this was not you, disconnect it and choose another password:

  %s/settings/single-sign-on
`, u.Slug, a.SiteURL, a.SiteURL))
	}
	return a.Send(ctx, "notice", id, to, "Your password was changed", fmt.Sprintf(`The password of your account %s at %s was changed.

If this was not you, choose a new one at once:

  %s/forgot-password
`, u.Slug, a.SiteURL, a.SiteURL))
}

// Send hands a mail over that a job must send. It may be tried again unless it was
// refused, or may have left. part is some bytes of a hash, which make its id unlike that
// of a mail with another token.
func (a *SignIns) Send(ctx context.Context, what string, part []byte, to mail.Address, subject, text string) error {
	err := a.mailer.Send(ctx, mail.Message{ID: fmt.Sprintf("%s-%x", what, part[:8]), To: to, Subject: subject, Text: text})
	if errors.Is(err, mail.ErrUnclear) || errors.Is(err, mail.ErrRefused) {
		return jobs.Permanent(err)
	}
	return err
}
