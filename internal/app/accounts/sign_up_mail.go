package accounts

import (
	"context"
	"fmt"

	"vitrine/internal/app/core"
	"vitrine/internal/auth"
	"vitrine/internal/domain"
	"vitrine/internal/jobs"
	"vitrine/internal/mail"
	"vitrine/internal/store"
	"vitrine/internal/store/account"
)

// MailSignUp is the job that mails the link that creates an account. If the address already has an account, it mails a
// notice to its owner instead. The job contains no token: each attempt creates a new one, so only the last mail works.
type MailSignUp struct {
	Signup account.SignupID `json:"signup_id"`
}

// Kind implements jobs.Args.
func (MailSignUp) Kind() string { return "mail_signup" }

// Class implements jobs.Classed.
func (MailSignUp) Class() jobs.Class { return jobs.Mail }

// SendSignUp mails the link or notice of a signup. It does nothing if the signup was confirmed or has expired.
func (a *Accounts) SendSignUp(ctx context.Context, id account.SignupID) error {
	token, hash, _ := auth.NewToken(auth.Mailed)
	var s account.Signup
	var owner *domain.User
	err := a.Store.InTx(ctx, func(tx *store.Tx) (err error) {
		if s, err = tx.Account().MarkSignup(ctx, id, hash, a.Now()); err != nil {
			return err
		}
		u, err := tx.Users().UserByEmail(ctx, s.Email)
		if domain.KindOf(err) == domain.NotFound {
			owner = nil
			return nil
		}
		owner = &u
		return err
	})
	if domain.KindOf(err) == domain.NotFound {
		return nil
	}
	if err != nil {
		return err
	}
	if owner != nil {
		return a.Send(ctx, "signup", hash, core.AddressOf(*owner), "You already have an account", a.haveAccountText(*owner))
	}
	return a.Send(ctx, "signup", hash, mail.Address{Name: mail.Harmless(s.Name), Email: s.Email},
		"Confirm your address", a.confirmText(token))
}

func (a *Accounts) confirmText(token string) string {
	return fmt.Sprintf(`Somebody, probably you, asked for an account at %s with this address.

Confirm it here:

  %s/confirm/%s

The link works once, within a day. If you do not know what this is about, ignore
this mail: no account is created unless you follow the link.
`, a.SiteURL, a.SiteURL, token)
}

func (a *Accounts) haveAccountText(u domain.User) string {
	return fmt.Sprintf(`Somebody, probably you, tried to sign up at %s with this address. It already
has an account, called %s.

Sign in here:

  %s/sign-in

If you have forgotten the password, choose a new one:

  %s/forgot-password

If this was not you, ignore this mail: nothing has changed.
`, a.SiteURL, u.Slug, a.SiteURL, a.SiteURL)
}
