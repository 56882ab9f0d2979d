package accounts

import (
	"context"

	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/account"
)

// Newcomer is somebody for whom another site vouches, and who is to get an account without a
// password.
type Newcomer struct {
	Name   string
	Slug   string // wished; "" for one from the name
	Email  string // lower case, and proved
	Invite string // as in SignUpInput
	Anyone bool   // invited or not, unless signing up is closed
}

// Enroll creates an account for a newcomer. If signing up is not open, they need an invitation, by
// token or by address, unless the operator admits everyone that the provider vouches for. The
// first account can always be created, after CheckSetupCode. The error is Forbidden if they may not
// sign up, and Conflict if the address has an account.
func (a *Accounts) Enroll(ctx context.Context, tx *store.Tx, in Newcomer) (u domain.User, err error) {
	n := store.NewUser{Name: in.Name, Email: in.Email, Tier: a.accounts.DefaultTier, Now: a.Now()}
	first, err := tx.ClaimFirstAccount(ctx)
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
	if domain.KindOf(err) == domain.Invalid { // the slug is taken, and nothing else was done
		u, err = a.makeAccount(ctx, tx, "", n, by)
	}
	return u, err
}

// entranceOf tells by which link a newcomer comes in; Forbidden if by none.
func (a *Accounts) entranceOf(ctx context.Context, q store.Queries, in Newcomer) (by entrance, err error) {
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
