package people

import (
	"context"
	"errors"
	"fmt"
	"time"

	"vitrine/internal/app/core"
	"vitrine/internal/auth"
	"vitrine/internal/domain"
	"vitrine/internal/jobs"
	"vitrine/internal/mail"
	"vitrine/internal/store"
)

// InvitationMail is the job that mails an invitation. It contains no token: the token is created with the mail.
type InvitationMail struct {
	Invitation domain.InvitationID `json:"invitation_id"`
}

// Kind implements jobs.Args.
func (InvitationMail) Kind() string { return "invitation_mail" }

// Class implements jobs.Classed.
func (InvitationMail) Class() jobs.Class { return jobs.Mail }

// releaseTimeout limits releasing a claim after the job's own time is up.
const releaseTimeout = 5 * time.Second

// mailInvitation queues the mail of an invitation in the transaction that creates it.
func (a *People) mailInvitation(ctx context.Context, tx *store.Tx, by domain.UserID, id domain.InvitationID) error {
	return tx.Enqueue(ctx, InvitationMail{Invitation: id}, jobs.Unique(), jobs.For(int64(by)))
}

// SendInvitation mails an invitation that is open and was not mailed yet; otherwise it does nothing. The mail is the
// only place that ever contains the token.
//
// An invitation is never mailed twice: it is claimed before its mail is sent, and the claim is only released if the mail
// certainly was not sent. If the server dies in between, the invitation stays unmailed; revoking it and inviting again
// fixes this. The number of mails per person and day is limited; further ones wait.
func (a *People) SendInvitation(ctx context.Context, id domain.InvitationID) error {
	token, hash, _ := auth.NewToken(auth.Invited)
	var i domain.Invitation
	var to mail.Address
	err := a.Store.InTx(ctx, func(tx *store.Tx) (err error) {
		if i, err = tx.Membership().ClaimInvitationMail(ctx, id, hash, a.Now()); err != nil {
			return err
		}
		if to, err = addressee(ctx, tx, i); err != nil {
			return err
		}
		return a.holdBack(ctx, tx, to.Email, a.Now())
	})
	if domain.KindOf(err) == domain.NotFound {
		return nil
	}
	if err != nil {
		return err
	}
	err = a.mailer.Send(ctx, mail.Message{ID: fmt.Sprintf("invitation-%d", id), To: to,
		Subject: fmt.Sprintf("%s invites you to %s", mail.Quote(i.InvitedBy.Name), mail.Quote(i.Group.Name)),
		Text:    a.invitationText(i, token)})
	if err == nil {
		return nil
	}
	if errors.Is(err, mail.ErrUnclear) {
		return jobs.Permanent(err)
	}
	if release := a.releaseInvitation(ctx, id, hash, to.Email); release != nil {
		return fmt.Errorf("%w (and it stays claimed: %w)", err, release)
	}
	if errors.Is(err, mail.ErrRefused) {
		return jobs.Permanent(err)
	}
	return err
}

// releaseInvitation releases the claim and the count of a mail that was not sent.
func (a *People) releaseInvitation(ctx context.Context, id domain.InvitationID, hash []byte, to string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseTimeout)
	defer cancel()
	return a.Store.InTx(ctx, func(tx *store.Tx) error {
		for _, c := range mailsTo(to) {
			if err := tx.Account().TakeBackAttempt(ctx, c.Key); err != nil {
				return err
			}
		}
		return tx.Membership().ReleaseInvitationMail(ctx, id, hash)
	})
}

// addressee returns the recipient of the mail: the invited address, or else the user's.
func addressee(ctx context.Context, tx *store.Tx, i domain.Invitation) (mail.Address, error) {
	if i.Email != nil {
		return mail.Address{Email: *i.Email}, nil
	}
	u, err := tx.Users().User(ctx, domain.Ref{ID: i.Invitee.ID})
	return core.AddressOf(u), err
}

func (a *People) invitationText(i domain.Invitation, token string) string {
	return fmt.Sprintf(`%s invites you to join the group %s.

Accept or decline here:

  %s/invitations/%s

The link is for you alone. It works once, until %s.
If you do not know what this is about, ignore this mail.
`, mail.Quote(i.InvitedBy.Name), mail.Quote(i.Group.Name), a.SiteURL, token, i.ExpiresAt.UTC().Format("2 January 2006, 15:04 MST"))
}
