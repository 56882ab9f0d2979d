package app

import (
	"context"
	"slices"
	"strings"

	"vitrine/internal/domain"
	"vitrine/internal/store"
)

// operate refuses who is no operator.
func operate(ctx context.Context, q store.Queries, actor domain.Actor) error {
	u, err := q.User(ctx, domain.Ref{ID: int64(actor.UserID)})
	if err != nil && domain.KindOf(err) != domain.NotFound {
		return err
	}
	if err != nil || u.Office != domain.OfficeOperator || u.SuspendedAt != nil {
		return forbidden("run this server")
	}
	return nil
}

// FindAccounts lists accounts for an operator, newest first, whose name, slug or address
// begins with the text, or all.
func (a *App) FindAccounts(ctx context.Context, actor domain.Actor, text string, page domain.Page) (l domain.List[domain.User], err error) {
	text = strings.TrimSpace(strings.ReplaceAll(strings.ToValidUTF8(text, ""), "\x00", ""))
	err = a.store.InSnapshot(ctx, func(v *store.Snapshot) error {
		if err := operate(ctx, v.Queries, actor); err != nil {
			return err
		}
		l, err = v.FindAccounts(ctx, text, page)
		return err
	})
	return l, err
}

// AccountChange is what an operator changes of an account. Nil fields stay.
type AccountChange struct {
	Tier      *domain.Tier
	Suspended *bool
	Office    *domain.Office
}

func (c AccountChange) check() error {
	var bad []string
	if c.Tier != nil && !domain.ValidTier(*c.Tier) {
		bad = append(bad, "tier: must be one of free, premium, supporter")
	}
	if c.Office != nil && !validOffice(*c.Office) {
		bad = append(bad, badOffice)
	}
	if len(bad) > 0 {
		return domain.NewInvalid(bad...)
	}
	return nil
}

const badOffice = "office: must be member or operator"

func validOffice(o domain.Office) bool { return o == domain.OfficeMember || o == domain.OfficeOperator }

// SetAccount changes an account for an operator. Nil fields stay. An operator cannot
// suspend themself or leave the server without an operator.
func (a *App) SetAccount(ctx context.Context, actor domain.Actor, id domain.UserID, in AccountChange) (u domain.User, err error) {
	if err := in.check(); err != nil {
		return u, err
	}
	err = a.store.InTx(ctx, func(tx *store.Tx) error {
		operators, err := tx.LockOperators(ctx)
		if err != nil {
			return err
		}
		if !slices.Contains(operators, actor.UserID) {
			return forbidden("run this server")
		}
		c, err := tx.LockUser(ctx, id)
		if err != nil {
			return err
		}
		if in.Suspended != nil && *in.Suspended && id == actor.UserID {
			return domain.NewUnprocessable("You cannot suspend yourself")
		}
		if in.unseats() {
			if err := mayLose(operators, id); err != nil {
				return err
			}
		}
		if err := a.setAccount(ctx, tx, c.User, in); err != nil {
			return err
		}
		u, err = tx.User(ctx, domain.Ref{ID: int64(id)})
		return err
	})
	return u, err
}

// unseats reports whether an operator would be none any more.
func (c AccountChange) unseats() bool {
	return c.Suspended != nil && *c.Suspended || c.Office != nil && *c.Office != domain.OfficeOperator
}

// mayLose refuses to let one of the locked operators go who is the only one.
func mayLose(operators []domain.UserID, id domain.UserID) error {
	if len(operators) == 1 && operators[0] == id {
		return domain.NewUnprocessable("The server would be left without an operator")
	}
	return nil
}

// setAccount changes a locked account.
func (a *App) setAccount(ctx context.Context, tx *store.Tx, u domain.User, in AccountChange) error {
	if in.Tier != nil && *in.Tier != u.Tier {
		if err := tx.SetTier(ctx, u.ID, *in.Tier, a.now()); err != nil {
			return err
		}
	}
	if in.Suspended != nil && *in.Suspended != (u.SuspendedAt != nil) {
		if err := a.setSuspended(ctx, tx, u.ID, *in.Suspended); err != nil {
			return err
		}
	}
	if in.Office != nil {
		return tx.SetOffice(ctx, u.ID, *in.Office)
	}
	return nil
}

// setSuspended suspends an account and signs it out everywhere, or lifts that.
func (a *App) setSuspended(ctx context.Context, tx *store.Tx, id domain.UserID, suspended bool) error {
	if !suspended {
		return tx.SetSuspended(ctx, id, nil)
	}
	now := a.now()
	if err := tx.SetSuspended(ctx, id, &now); err != nil {
		return err
	}
	if err := endLinks(ctx, tx, id); err != nil {
		return err
	}
	return tx.EndSessions(ctx, id, 0)
}

// SetOffice changes the office of a user, from the command line. The last operator
// stays one.
func (a *App) SetOffice(ctx context.Context, ref domain.Ref, office domain.Office) (u domain.User, err error) {
	if !validOffice(office) {
		return u, domain.NewInvalid(badOffice)
	}
	err = a.store.InTx(ctx, func(tx *store.Tx) error {
		operators, err := tx.LockOperators(ctx)
		if err != nil {
			return err
		}
		if u, err = tx.User(ctx, ref); err != nil {
			return err
		}
		if _, err := tx.LockUser(ctx, u.ID); err != nil {
			return err
		}
		if office != domain.OfficeOperator {
			if err := mayLose(operators, u.ID); err != nil {
				return err
			}
		}
		u.Office = office
		return tx.SetOffice(ctx, u.ID, office)
	})
	return u, err
}
