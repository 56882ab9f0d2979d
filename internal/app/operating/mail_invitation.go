package operating

import (
	"context"
	"fmt"
	"strings"

	"vitrine/internal/auth"
	"vitrine/internal/domain"
	"vitrine/internal/jobs"
	"vitrine/internal/mail"
	"vitrine/internal/store"
)

// MailInvitation is the job that mails an operator's invitation to create an account. It contains no token: each attempt
// creates a new one, so only the last mail works.
type MailInvitation struct {
	Link domain.SignUpLinkID `json:"link_id"`
}

// Kind implements jobs.Args.
func (MailInvitation) Kind() string { return "mail_account_invitation" }

// Class implements jobs.Classed.
func (MailInvitation) Class() jobs.Class { return jobs.Mail }

// SendAccountInvitation mails the link, unless it was used, has expired or was withdrawn.
func (a *Operating) SendAccountInvitation(ctx context.Context, id domain.SignUpLinkID) error {
	token, hash, _ := auth.NewToken(auth.Admitted)
	var l domain.SignUpLink
	err := a.Store.InTx(ctx, func(tx *store.Tx) (err error) {
		if l, err = tx.Account().SignUpLink(ctx, id); err != nil {
			return err
		}
		if l.Email == "" || !l.Live(a.Now()) {
			return domain.NewNotFound()
		}
		return tx.Account().RenewSignUpLink(ctx, id, hash, l.ExpiresAt)
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
	return a.accounts.Send(ctx, "account-invitation", hash, mail.Address{Name: mail.Harmless(l.Name), Email: l.Email},
		fmt.Sprintf("Your invitation to %s", mail.Quote(site.Name)), a.invitedText(site, l, token))
}

func (a *Operating) invitedText(site domain.Site, l domain.SignUpLink, token string) string {
	joins := ""
	if l.Group != nil {
		joins = fmt.Sprintf("You will be a member of the group %s.\n\n", mail.Quote(l.Group.Name))
	}
	return fmt.Sprintf(`You are invited to have an account at %s, %s.

Choose your name and a password here:

  %s

%sThe link is for you alone. It works once, until %s.
If you do not know what this is about, ignore this mail.
`, mail.Quote(site.Name), a.SiteURL, a.SignUpAddress(token), joins, l.ExpiresAt.UTC().Format("2 January 2006, 15:04 MST"))
}

// SignUpAddress returns the address of the sign-up page for a link's token.
func (a *Operating) SignUpAddress(token string) string {
	return strings.TrimSuffix(a.SiteURL, "/") + "/sign-up?invite=" + token
}
