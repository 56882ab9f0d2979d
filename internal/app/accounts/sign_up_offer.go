package accounts

import (
	"context"

	"vitrine/internal/auth"
	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/account"
)

// SignUpOffer contains the data of the page for signing up.
type SignUpOffer struct {
	Mode  domain.SignUpMode
	First bool              // there is no account yet, so this one becomes the operator
	Open  bool              // the visitor may sign up
	Email string            // the address to which the invitation was mailed, or ""
	Link  domain.SignUpLink // the operator's link that the visitor followed, or the zero value
}

// SignUpOffer returns how a visitor may sign up with an invite, which may be "".
func (a *Accounts) SignUpOffer(ctx context.Context, invite string) (o SignUpOffer, err error) {
	err = a.Store.InSnapshot(ctx, func(v *store.Snapshot) error {
		if o.Mode, err = a.signUpMode(ctx, v.Queries); err != nil {
			return err
		}
		if o.First, err = v.Account().NobodyYet(ctx); err != nil {
			return err
		}
		i, err := a.inviteOf(ctx, v.Queries, invite)
		o.Email, o.Link = i.email, i.link
		o.Open = o.First || o.Mode == domain.SignUpOpen || i.opens(o.Mode)
		return err
	})
	return o, err
}

// SignUpMode returns the mode in effect and whether a setting fixes it.
func (a *Accounts) SignUpMode(ctx context.Context) (mode domain.SignUpMode, fixed bool, err error) {
	mode, err = a.signUpMode(ctx, a.Store.Queries)
	return mode, a.SignUpFixed(), err
}

// SignUpFixed reports whether a setting fixes the mode.
func (a *Accounts) SignUpFixed() bool { return a.accounts.SignUp != "" }

func (a *Accounts) signUpMode(ctx context.Context, q store.Queries) (domain.SignUpMode, error) {
	if a.accounts.SignUp != "" {
		return a.accounts.SignUp, nil
	}
	chosen, err := q.Account().Setting(ctx, account.SettingSignUp)
	if domain.KindOf(err) == domain.NotFound {
		return domain.SignUpInvitation, nil
	}
	return domain.SignUpMode(chosen), err
}

// admissible permits somebody to sign up: a link of an operator, or an invitation to a group that was mailed to an
// address. The zero value permits nothing.
type admissible struct {
	link  domain.SignUpLink
	email string // the invited address, or "" for anybody
}

// opens reports whether it permits signing up in a mode other than open. An address that an operator invites may sign up
// even in the mode closed.
func (i admissible) opens(mode domain.SignUpMode) bool {
	return i.link.Email != "" || mode == domain.SignUpInvitation && (i.link.ID != 0 || i.email != "")
}

// inviteOf reads the invitation of a token. It returns the zero value if the token is used, expired or unknown.
func (a *Accounts) inviteOf(ctx context.Context, q store.Queries, token string) (i admissible, err error) {
	switch kind, _ := auth.TokenKind(token); kind {
	case auth.Admitted:
		i.link, err = q.Account().UsableSignUpLink(ctx, auth.HashToken(token), a.Now())
		i.email = i.link.Email
	case auth.Invited:
		var invitation domain.Invitation
		invitation, err = a.people.OpenInvitation(ctx, q, token)
		if err == nil && invitation.Email != nil {
			i.email = *invitation.Email
		}
	}
	if domain.KindOf(err) == domain.NotFound {
		return admissible{}, nil
	}
	return i, err
}

// admission describes how somebody may sign up.
type admission struct {
	link   domain.SignUpLink // the link used, or the zero value
	proven bool              // the address needs no verification: its owner followed a mailed link, or an operator vouches for it
}

// admit returns how the owner of an address may sign up, or Forbidden. An invitation admits only the address that it was
// sent to.
func (a *Accounts) admit(ctx context.Context, q store.Queries, token, email string) (by admission, err error) {
	mode, err := a.signUpMode(ctx, q)
	if err != nil {
		return by, err
	}
	i, err := a.inviteOf(ctx, q, token)
	if err != nil {
		return by, err
	}
	if mode == domain.SignUpClosed && !i.opens(mode) {
		return by, errClosed()
	}
	by.proven = i.email == email || i.link.Vouched
	switch {
	case i.link.Email != "" && !by.proven, mode != domain.SignUpOpen && i.email != "" && !by.proven:
		return by, domain.InvalidField("email", domain.FieldIncorrect, "must be the address that was invited")
	case mode == domain.SignUpOpen || i.opens(mode):
		by.link = i.link
		return by, nil
	}
	return by, errUninvited()
}

func errClosed() error { return domain.NewForbidden("Signing up is closed") }

func errUninvited() error {
	return domain.NewForbidden("Signing up requires an invitation that has not been used")
}

// SlugFree refuses a slug that is or was in use. "" is accepted.
func SlugFree(ctx context.Context, q store.Queries, slug string) error {
	if slug == "" {
		return nil
	}
	taken, err := q.Slugs().SlugTaken(ctx, store.UserSlug, slug)
	if err == nil && taken {
		err = errSlugTaken()
	}
	return err
}

func errSlugTaken() error { return domain.InvalidField("slug", domain.FieldTaken, "is already taken") }
