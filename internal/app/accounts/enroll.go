package accounts

import (
	"context"

	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/account"
)

// ExternalUser is a person who gets an account without a password because an identity provider vouches for them.
type ExternalUser struct {
	Name   string
	Slug   string // requested; "" for one derived from the name
	Email  string // lower case, verified
	Invite string // as in SignUpInput
	Anyone bool   // no invitation needed, unless signing up is closed
}

// Enroll creates an account for a newcomer. If signing up is not open, they need an invitation, by token or by address,
// unless the operator admits everyone from the provider. The first account can always be created, after CheckSetupCode.
// Enroll returns Forbidden if they may not sign up, and Conflict if the address has an account.
func (a *Accounts) Enroll(ctx context.Context, tx *store.Tx, in ExternalUser) (u domain.User, err error) {
	n := store.NewUser{Name: in.Name, Email: in.Email, Tier: a.accounts.DefaultTier, Now: a.Now()}
	first, err := tx.Account().ClaimFirstAccount(ctx)
	if err != nil {
		return u, err
	}
	var by entrance
	if first {
		n.Office = domain.OfficeOperator
	} else if by, err = a.entranceOf(ctx, tx.Queries, in); err != nil {
		return u, err
	}
	u, err = a.makeAccount(ctx, tx, in.Slug, n, by)
	if domain.KindOf(err) == domain.Invalid { // the slug is taken, and nothing was written
		u, err = a.makeAccount(ctx, tx, "", n, by)
	}
	return u, err
}

// entranceOf returns the link that admits a newcomer, or Forbidden if none does.
func (a *Accounts) entranceOf(ctx context.Context, q store.Queries, in ExternalUser) (by entrance, err error) {
	mode, err := a.signUpMode(ctx, q)
	if err != nil {
		return by, err
	}
	admitted, refused := a.admit(ctx, q, in.Invite, in.Email)
	switch domain.KindOf(refused) {
	case domain.Forbidden, domain.Invalid:
	default:
		if refused != nil {
			return by, refused
		}
	}
	if by.link = admitted.link; by.link.ID == 0 {
		if by.link, err = a.linkTaken(ctx, q, account.Signup{Email: in.Email}); err != nil {
			return by, err
		}
	}
	anyone := in.Anyone && mode != domain.SignUpClosed || mode == domain.SignUpOpen
	by.must = by.link.ID != 0 && !anyone
	if refused != nil && by.link.ID == 0 && !anyone {
		return by, refused
	}
	return by, nil
}
