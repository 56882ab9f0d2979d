package accounts

import (
	"context"

	"vitrine/internal/auth"
	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/account"
)

// SignUpOffer is what the page for signing up must know.
type SignUpOffer struct {
	Mode  domain.SignUpMode
	First bool              // nobody has an account yet: this one will be the operator's
	Open  bool              // this visitor may sign up
	Email string            // the address that the invitation was mailed to, else ""
	Link  domain.SignUpLink // the operator's that they came by, else the zero one
}

// SignUpOffer reports whether a visitor with an invite ("" for none) may sign up.
func (a *Accounts) SignUpOffer(ctx context.Context, invite string) (o SignUpOffer, err error) {
	err = a.Store.InSnapshot(ctx, func(v *store.Snapshot) error {
		if o.Mode, err = a.signUpMode(ctx, v.Queries); err != nil {
			return err
		}
		if o.First, err = v.NobodyYet(ctx); err != nil {
			return err
		}
		i, err := a.inviteOf(ctx, v.Queries, invite)
		o.Email, o.Link = i.email, i.link
		o.Open = o.First || o.Mode == domain.SignUpOpen || i.opens(o.Mode)
		return err
	})
	return o, err
}

// SignUpMode is the mode in effect, and whether it is fixed by a setting.
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
	chosen, err := q.Setting(ctx, account.SettingSignUp)
	if domain.KindOf(err) == domain.NotFound {
		return domain.SignUpInvitation, nil
	}
	return domain.SignUpMode(chosen), err
}

// admissible is what lets somebody sign up: a link of an operator, or an invitation to a
// group that was mailed to an address. The zero value is nothing.
type admissible struct {
	link  domain.SignUpLink
	email string // that was invited, "" where anybody may come by the link
}

// opens reports whether it lets somebody in where signing up is not open. Whom an operator
// invites by their address may come even where it is closed.
func (i admissible) opens(mode domain.SignUpMode) bool {
	return i.link.Email != "" || mode == domain.SignUpInvitation && (i.link.ID != 0 || i.email != "")
}

// inviteOf reads what a token is for; one that is used, over or none gives the zero value.
func (a *Accounts) inviteOf(ctx context.Context, q store.Queries, token string) (i admissible, err error) {
	switch kind, _ := auth.TokenKind(token); kind {
	case auth.Admitted:
		i.link, err = q.UsableSignUpLink(ctx, auth.HashToken(token), a.Now())
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

// admission is how somebody may sign up.
type admission struct {
	link   domain.SignUpLink // by this link; the zero one: by none
	proven bool              // the address need not be proved: they have what was mailed there, or an operator vouches
}

// admit tells how somebody with an address may sign up; Forbidden if they may not. An
// invitation lets in the address that it is for, and no other.
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

// SlugFree refuses a slug that somebody has or had; "" is none.
func SlugFree(ctx context.Context, q store.Queries, slug string) error {
	if slug == "" {
		return nil
	}
	taken, err := q.SlugTaken(ctx, store.UserSlug, slug)
	if err == nil && taken {
		err = errSlugTaken()
	}
	return err
}

func errSlugTaken() error { return domain.InvalidField("slug", domain.FieldTaken, "is already taken") }
