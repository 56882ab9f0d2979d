package operating

import (
	"context"
	"slices"
	"strings"

	"vitrine/internal/app/accounts"
	"vitrine/internal/app/core"
	"vitrine/internal/domain"
	"vitrine/internal/store"
)

// AccountSort is an order of accounts.
type AccountSort = store.AccountSort

// AccountSorts are all orders of accounts, the default first.
var AccountSorts = store.AccountSorts

// FindAccounts lists accounts for an operator whose name, slug or address begins with the text, or all. The error of an
// unknown order names `sort`.
func (a *Operating) FindAccounts(ctx context.Context, actor domain.Actor, text string, sort AccountSort, page domain.Page) (l domain.List[domain.User], err error) {
	var f domain.Faults
	domain.Among(&f, "sort", sort, AccountSorts...)
	if err := domain.JoinFaults(f.Err(), page.Validate()); err != nil {
		return l, err
	}
	text = searched(text)
	err = a.Store.InSnapshot(ctx, func(v *store.Snapshot) error {
		if err := core.Operate(ctx, v.Queries, actor); err != nil {
			return err
		}
		l, err = v.Users().FindAccounts(ctx, text, sort, page)
		return err
	})
	return l, err
}

// searched cleans a text to search for.
func searched(text string) string {
	return strings.TrimSpace(strings.ReplaceAll(strings.ToValidUTF8(text, ""), "\x00", ""))
}

// AccountsAfter is FindAccounts by id, after the given one.
func (a *Operating) AccountsAfter(ctx context.Context, actor domain.Actor, text string, after domain.UserID, limit int) (all []domain.User, err error) {
	err = a.Store.InSnapshot(ctx, func(v *store.Snapshot) error {
		if err := core.Operate(ctx, v.Queries, actor); err != nil {
			return err
		}
		all, err = v.Users().FindAccountsAfter(ctx, searched(text), after, limit)
		return err
	})
	return all, err
}

// AccountChange is an operator's change of an account. Nil fields stay.
type AccountChange struct {
	Tier      *domain.Tier
	Suspended *bool
	Hide      bool // everything that a suspended account created, until the suspension is lifted
	Office    *domain.Office
}

// Validate checks the given fields.
func (c AccountChange) Validate() error {
	var f domain.Faults
	if c.Tier != nil {
		accounts.CheckTier(&f, *c.Tier)
	}
	if c.Office != nil {
		checkOffice(&f, *c.Office)
	}
	return f.Err()
}

func checkOffice(f *domain.Faults, o domain.Office) {
	if o != domain.OfficeMember && o != domain.OfficeOperator {
		f.Add("office", domain.FieldUnknown, "must be member or operator")
	}
}

// SetAccount changes an account for an operator. Operators cannot suspend themselves, nor leave the server without an
// operator.
func (a *Operating) SetAccount(ctx context.Context, actor domain.Actor, id domain.UserID, in AccountChange) (u domain.User, err error) {
	if err := in.Validate(); err != nil {
		return u, err
	}
	err = a.Store.InTx(ctx, func(tx *store.Tx) error {
		operators, err := tx.Users().LockOperators(ctx)
		if err != nil {
			return err
		}
		if !slices.Contains(operators, actor.UserID) {
			return core.Forbidden("run this server")
		}
		if in.Suspended != nil && *in.Suspended && id == actor.UserID {
			return domain.NewUnprocessable("You cannot suspend yourself")
		}
		u, err = a.changeLocked(ctx, tx, actor, operators, id, in)
		return err
	})
	return u, err
}

// unseats reports whether an operator would no longer be one.
func (c AccountChange) unseats() bool {
	return c.Suspended != nil && *c.Suspended || c.Office != nil && *c.Office != domain.OfficeOperator
}

// setAccount changes a locked account.
func (a *Operating) setAccount(ctx context.Context, tx *store.Tx, actor domain.Actor, u domain.User, in AccountChange) error {
	if in.Tier != nil && *in.Tier != u.Tier {
		if err := a.accounts.ChangeTier(ctx, tx, actor, u, *in.Tier); err != nil {
			return err
		}
	}
	if in.Suspended != nil && *in.Suspended != (u.SuspendedAt != nil) {
		if err := a.accounts.SetSuspended(ctx, tx, actor, u, *in.Suspended); err != nil {
			return err
		}
	}
	if in.Hide {
		if err := a.accounts.HideMade(ctx, tx, actor, u); err != nil {
			return err
		}
	}
	if in.Office != nil {
		return a.setOffice(ctx, tx, actor, u, *in.Office)
	}
	return nil
}

// setOffice sets the office of a locked account.
func (a *Operating) setOffice(ctx context.Context, tx *store.Tx, actor domain.Actor, u domain.User, office domain.Office) error {
	if u.Office == office {
		return nil
	}
	if err := tx.Users().SetOffice(ctx, u.ID, office); err != nil {
		return err
	}
	act := domain.ActOperatorGiven
	if office != domain.OfficeOperator {
		act = domain.ActOperatorTaken
		if err := tx.Account().EndAdminTokens(ctx, u.ID, a.Now()); err != nil {
			return err
		}
	}
	return a.Audit(ctx, tx, actor, act, domain.AboutUser(u), nil)
}

// SetOffice sets the office of a user, from the command line. The last operator cannot be demoted.
func (a *Operating) SetOffice(ctx context.Context, ref domain.Ref, office domain.Office) (domain.User, error) {
	return a.changeFromShell(ctx, ref, AccountChange{Office: &office})
}

// Suspend suspends a user or lifts the suspension, from the command line. It ends the user's sessions, and their tokens
// get 401. The last operator cannot be suspended.
func (a *Operating) Suspend(ctx context.Context, ref domain.Ref, suspended bool) (domain.User, error) {
	return a.changeFromShell(ctx, ref, AccountChange{Suspended: &suspended})
}

// SuspendAndHide suspends a user, if needed, and hides everything that they created until the suspension is lifted, from
// the command line.
func (a *Operating) SuspendAndHide(ctx context.Context, ref domain.Ref) (domain.User, error) {
	yes := true
	return a.changeFromShell(ctx, ref, AccountChange{Suspended: &yes, Hide: true})
}

// changeFromShell is SetAccount for the command line.
func (a *Operating) changeFromShell(ctx context.Context, ref domain.Ref, in AccountChange) (u domain.User, err error) {
	if err := in.Validate(); err != nil {
		return u, err
	}
	err = a.Store.InTx(ctx, func(tx *store.Tx) error {
		operators, err := tx.Users().LockOperators(ctx)
		if err != nil {
			return err
		}
		if u, err = tx.Users().User(ctx, ref); err != nil {
			return err
		}
		u, err = a.changeLocked(ctx, tx, domain.Actor{}, operators, u.ID, in)
		return err
	})
	return u, err
}

// changeLocked changes an account while the operators are locked, and returns its new state.
func (a *Operating) changeLocked(ctx context.Context, tx *store.Tx, by domain.Actor, operators []domain.UserID, id domain.UserID, in AccountChange) (u domain.User, err error) {
	c, err := tx.Users().LockUser(ctx, id)
	if err != nil {
		return u, err
	}
	if in.unseats() {
		if err := accounts.MayLose(operators, id); err != nil {
			return u, err
		}
	}
	if err := a.setAccount(ctx, tx, by, c.User, in); err != nil {
		return u, err
	}
	return tx.Users().User(ctx, domain.Ref{ID: int64(id)})
}
