package accounts

import (
	"context"
	"fmt"
	"time"

	"vitrine/internal/app/core"
	"vitrine/internal/auth"
	"vitrine/internal/domain"
	"vitrine/internal/jobs"
	"vitrine/internal/mail"
	"vitrine/internal/store"
	"vitrine/internal/store/account"
)

// Lifetimes of mailed links.
const (
	passwordLinkTTL = 2 * time.Hour
	addressLinkTTL  = 24 * time.Hour
)

// MailPasswordLink is the job that mails a link for choosing a password, if the address has an account. A job does it so
// that the response time does not reveal the account.
type MailPasswordLink struct {
	Email string    `json:"email"` // the typed address in canonical form
	Until time.Time `json:"until"` // the expiry of the link
}

// Kind implements jobs.Args.
func (MailPasswordLink) Kind() string { return "mail_password_link" }

// Class implements jobs.Classed.
func (MailPasswordLink) Class() jobs.Class { return jobs.Mail }

// SendPasswordLink mails the link, unless the address has no account or the account is suspended. Each attempt replaces
// the previous link.
func (a *Accounts) SendPasswordLink(ctx context.Context, job MailPasswordLink) error {
	token, hash, _ := auth.NewToken(auth.Mailed)
	now := a.Now()
	if !now.Before(job.Until) {
		return nil
	}
	var u domain.User
	err := a.Store.InTx(ctx, func(tx *store.Tx) (err error) {
		if u, err = tx.Users().UserByEmail(ctx, job.Email); err != nil {
			return err
		}
		c, err := tx.Users().LockUser(ctx, u.ID)
		if err != nil {
			return err
		}
		if c.User.SuspendedAt != nil || c.User.Email != u.Email {
			return domain.NewNotFound()
		}
		id, err := tx.Account().CreateMailLink(ctx, account.MailLink{User: u.ID, Purpose: account.PasswordLink, Email: u.Email,
			CreatedAt: now, ExpiresAt: job.Until})
		if err != nil {
			return err
		}
		_, err = tx.Account().MarkMailLink(ctx, id, hash, now)
		return err
	})
	if domain.KindOf(err) == domain.NotFound {
		return nil
	}
	if err != nil {
		return err
	}
	return a.Send(ctx, "password", hash, core.AddressOf(u), "Choose a new password", a.passwordText(u, token))
}

// MailAddressLink is the job that mails the link that verifies a new address.
type MailAddressLink struct {
	Link account.MailLinkID `json:"link_id"`
}

// Kind implements jobs.Args.
func (MailAddressLink) Kind() string { return "mail_address_link" }

// Class implements jobs.Classed.
func (MailAddressLink) Class() jobs.Class { return jobs.Mail }

// SendAddressLink mails the link to the new address, or a notice if the address already has an account. It does nothing
// if the link was used or has expired.
func (a *Accounts) SendAddressLink(ctx context.Context, id account.MailLinkID) error {
	token, hash, _ := auth.NewToken(auth.Mailed)
	var u domain.User
	var l account.MailLink
	taken := false
	err := a.Store.InTx(ctx, func(tx *store.Tx) (err error) {
		if l, err = tx.Account().MarkMailLink(ctx, id, hash, a.Now()); err != nil {
			return err
		}
		if u, err = tx.Users().User(ctx, domain.Ref{ID: int64(l.User)}); err != nil {
			return err
		}
		taken, err = emailTaken(ctx, tx.Queries, l.Email, l.User)
		return err
	})
	if domain.KindOf(err) == domain.NotFound {
		return nil
	}
	if err != nil {
		return err
	}
	if taken {
		return a.Send(ctx, "address", hash, mail.Address{Email: l.Email}, "This address has an account", a.takenText())
	}
	return a.Send(ctx, "address", hash, mail.Address{Name: mail.Harmless(u.Name), Email: l.Email},
		"Confirm your new address", a.addressText(u, token))
}

// emailTaken reports whether another account has an address.
func emailTaken(ctx context.Context, q store.Queries, email string, user domain.UserID) (bool, error) {
	u, err := q.Users().UserByEmail(ctx, email)
	if domain.KindOf(err) == domain.NotFound {
		return false, nil
	}
	return err == nil && u.ID != user, err
}

func (a *Accounts) passwordText(u domain.User, token string) string {
	return fmt.Sprintf(`Choose a new password for your account %s at %s here:

  %s/reset-password/%s

The link works once, within two hours. All browsers that are signed in will be signed
out. If you did not ask for this, ignore this mail: nothing has changed.
`, u.Slug, a.SiteURL, a.SiteURL, token)
}

func (a *Accounts) addressText(u domain.User, token string) string {
	return fmt.Sprintf(`Confirm this address for your account %s at %s here:

  %s/settings/email/%s

The link works once, within a day. If you do not know what this is about, ignore this
mail.
`, u.Slug, a.SiteURL, a.SiteURL, token)
}

func (a *Accounts) takenText() string {
	return fmt.Sprintf(`Somebody wants to use this address for their account at %s, but it already has
an account of its own. If this was you, sign in to that account:

  %s/sign-in

If not, ignore this mail: nothing has changed.
`, a.SiteURL, a.SiteURL)
}
