package accounts

import (
	"context"
	"time"

	"vitrine/internal/app/core"
	"vitrine/internal/auth"
	"vitrine/internal/domain"
	"vitrine/internal/jobs"
	"vitrine/internal/store"
	"vitrine/internal/store/moderation"
)

// CreateUserInput is an account to create. An empty slug is derived from the name. Without a password, the account
// cannot sign in with one.
type CreateUserInput struct {
	Slug     string
	Name     string
	Email    string
	Password string
	Tier     domain.Tier
}

// DefaultTier returns the tier of accounts that people create.
func (a *Accounts) DefaultTier() domain.Tier { return a.accounts.DefaultTier }

// CreateUser creates an account, from the command line. The first one becomes the operator.
func (a *Accounts) CreateUser(ctx context.Context, in CreateUserInput) (u domain.User, err error) {
	return a.CreateUserAs(ctx, domain.Actor{}, in, func(store.Queries) error { return nil })
}

// CreateUserAs is CreateUser for an actor whom allowed does not refuse.
func (a *Accounts) CreateUserAs(ctx context.Context, actor domain.Actor, in CreateUserInput, allowed func(store.Queries) error) (u domain.User, err error) {
	if err := in.Validate(); err != nil {
		return u, err
	}
	n := in.account(a.Now())
	if in.Password != "" {
		if n.PasswordHash, err = auth.HashPassword(in.Password); err != nil {
			return u, err
		}
	}
	err = a.Store.InTx(ctx, func(tx *store.Tx) error {
		if err := allowed(tx.Queries); err != nil {
			return err
		}
		first, err := tx.Account().ClaimFirstAccount(ctx)
		if err != nil {
			return err
		}
		n.Office = domain.OfficeMember
		if first {
			n.Office = domain.OfficeOperator
		}
		u, err = a.makeAccount(ctx, tx, in.Slug, n, entrance{actor: actor})
		return err
	})
	return u, TakenEmail(err)
}

// entrance is the link of an operator by which an account is created, or the zero value.
type entrance struct {
	link  domain.SignUpLink
	must  bool         // the account needs a place of the link
	actor domain.Actor // the operator who creates the account, or the zero value
}

// makeAccount creates an account with the requested slug, or with one derived from its name. It takes a place of the
// link and joins the group of the link. An address that is in use is a Conflict. A required link without free places is
// Forbidden.
//
// The group is locked first, as deleting a group does, and joined last, because joining appears in feeds.
func (a *Accounts) makeAccount(ctx context.Context, tx *store.Tx, slug string, n store.NewUser, by entrance) (u domain.User, err error) {
	group, err := a.people.LockToEnter(ctx, tx, by.link.Group)
	if err != nil {
		return u, err
	}
	if n.Slug, err = claimUserSlug(ctx, tx, slug, n); err != nil {
		return u, err
	}
	if err := checkFree(ctx, tx.Queries, n.Email, 0); err != nil {
		return u, err
	}
	id, err := tx.Users().CreateUser(ctx, n)
	if err != nil {
		return u, err
	}
	if err := tx.Slugs().BindSlug(ctx, store.UserSlug, n.Slug, int64(id)); err != nil {
		return u, err
	}
	if u, err = tx.Users().User(ctx, domain.Ref{ID: int64(id)}); err != nil {
		return u, err
	}
	if err := a.Audit(ctx, tx, by.actor, domain.ActAccountCreated, domain.AboutUser(u), map[string]any{"office": u.Office}); err != nil {
		return u, err
	}
	if by.link.ID != 0 {
		free, err := tx.Account().UseSignUpLink(ctx, by.link.ID, u.ID, n.Now)
		if err != nil {
			return u, err
		}
		if !free && by.must {
			return u, errUninvited()
		}
		if !free {
			group = 0
		}
	}
	if err := tx.Account().ForgetSignups(ctx, n.Email); err != nil {
		return u, err
	}
	if err := tx.Account().ForgetSignUpLinks(ctx, n.Email); err != nil { // except the one that was used
		return u, err
	}
	if err := a.people.AdoptInvitations(ctx, tx, u); err != nil {
		return u, err
	}
	if err := core.Publish(ctx, tx, u.ID, n.Now, domain.UserCreated{User: u.ID}); err != nil {
		return u, err
	}
	return u, a.people.Enter(ctx, tx, group, u, n.Now)
}

// TakenEmail turns a Conflict of an address into an error of the field.
func TakenEmail(err error) error {
	if domain.KindOf(err) == domain.Conflict {
		return domain.InvalidField("email", domain.FieldTaken, "is already in use")
	}
	return err
}

// checkFree returns a Conflict if another account has an address. The unique index cannot find an address whose domain
// is stored in ASCII.
func checkFree(ctx context.Context, q store.Queries, email string, user domain.UserID) error {
	taken, err := emailTaken(ctx, q, email, user)
	if taken {
		err = domain.Wrap(domain.Conflict, "The address is already in use", nil)
	}
	return err
}

// claimUserSlug claims the requested slug, or one derived from the name.
func claimUserSlug(ctx context.Context, tx *store.Tx, want string, n store.NewUser) (string, error) {
	if want == "" {
		return tx.Slugs().SlugFor(ctx, store.UserSlug, n.Name, n.Now)
	}
	free, err := tx.Slugs().ClaimSlug(ctx, store.UserSlug, want, n.Now)
	if err == nil && !free {
		err = errSlugTaken()
	}
	return want, err
}

// Validate checks an account that needs no password.
func (in CreateUserInput) Validate() error {
	f := in.faults()
	if in.Password != "" {
		checkPassword(&f, in.Password, core.CanonicalEmail(in.Email), in.Slug)
	}
	CheckTier(&f, in.Tier)
	return f.Err()
}

// faults returns the faults of name, slug and address.
func (in CreateUserInput) faults() (f domain.Faults) {
	CheckSlug(&f, in.Slug)
	f.Name("name", domain.CleanName(in.Name))
	core.CheckEmail(&f, in.Email)
	return f
}

// CheckSlug refuses an invalid or reserved slug. "" is accepted.
func CheckSlug(f *domain.Faults, slug string) {
	if slug != "" && !domain.ValidSlug(slug) {
		f.Add("slug", domain.FieldMalformed, "must be lower-case letters, digits and single dashes, and not all digits")
	}
	if domain.ReservedSlug(slug) {
		f.Add("slug", domain.FieldForbidden, "is reserved")
	}
}

// account returns the account to create from a valid input, without its password.
func (in CreateUserInput) account(now time.Time) store.NewUser {
	return store.NewUser{Name: domain.CleanName(in.Name), Email: core.CanonicalEmail(in.Email), Tier: in.Tier, Now: now}
}

// CheckTier refuses an unknown tier.
func CheckTier(f *domain.Faults, tier domain.Tier) {
	if !domain.ValidTier(tier) {
		f.Add("tier", domain.FieldUnknown, "must be one of free, premium, supporter")
	}
}

// SetTier changes the tier of a user.
func (a *Accounts) SetTier(ctx context.Context, ref domain.Ref, tier domain.Tier) (domain.User, error) {
	var f domain.Faults
	if CheckTier(&f, tier); f != nil {
		return domain.User{}, f.Err()
	}
	return a.ChangeUser(ctx, ref, func(tx *store.Tx, u domain.User) error {
		if u.Tier == tier {
			return nil
		}
		return a.ChangeTier(ctx, tx, domain.Actor{}, u, tier)
	})
}

// ChangeTier sets the tier of a locked account.
func (a *Accounts) ChangeTier(ctx context.Context, tx *store.Tx, actor domain.Actor, u domain.User, tier domain.Tier) error {
	if err := tx.Users().SetTier(ctx, u.ID, tier, a.Now()); err != nil {
		return err
	}
	return a.Audit(ctx, tx, actor, domain.ActTierChanged, domain.AboutUser(u), map[string]any{"from": u.Tier, "to": tier})
}

// SetSuspended suspends a locked account and ends its sessions, or lifts the suspension.
func (a *Accounts) SetSuspended(ctx context.Context, tx *store.Tx, actor domain.Actor, u domain.User, suspended bool) error {
	if !suspended {
		if err := tx.Moderation().SetSuspended(ctx, u.ID, nil); err != nil {
			return err
		}
		if err := a.Audit(ctx, tx, actor, domain.ActAccountRestored, domain.AboutUser(u), nil); err != nil {
			return err
		}
		return a.showMade(ctx, tx, actor, u)
	}
	now := a.Now()
	if err := tx.Moderation().SetSuspended(ctx, u.ID, &now); err != nil {
		return err
	}
	if err := endLinks(ctx, tx, u.ID); err != nil {
		return err
	}
	if err := tx.Account().EndAdminTokens(ctx, u.ID, now); err != nil { // as if the office was taken away, which it is for now
		return err
	}
	if err := tx.Account().EndSessions(ctx, u.ID, 0); err != nil {
		return err
	}
	return a.Audit(ctx, tx, actor, domain.ActAccountSuspended, domain.AboutUser(u), nil)
}

// HideMade queues a job that hides everything a locked account created, until its suspension is lifted. Calling it again
// changes nothing. An account that is not suspended is Unprocessable.
func (a *Accounts) HideMade(ctx context.Context, tx *store.Tx, actor domain.Actor, u domain.User) error {
	suspended, err := tx.Users().User(ctx, domain.Ref{ID: int64(u.ID)})
	if err != nil {
		return err
	}
	if suspended.SuspendedAt == nil {
		return domain.NewUnprocessable("What somebody made can be hidden while they are suspended")
	}
	h, err := tx.Hiding().RecordHidden(ctx, moderation.HiddenSubject{About: domain.AboutUser(u), OwnerID: u.ID, CreatedAt: a.Now()})
	if domain.KindOf(err) == domain.Conflict {
		return nil
	}
	if err != nil {
		return err
	}
	if err := tx.Enqueue(ctx, moderation.ApplyHiding{ID: h.ID, By: u.ID}, jobs.For(int64(u.ID))); err != nil {
		return err
	}
	return a.Audit(ctx, tx, actor, domain.ActHidden, domain.AboutUser(u), nil)
}

// showMade queues a job that shows everything again that was hidden with a suspension.
func (a *Accounts) showMade(ctx context.Context, tx *store.Tx, actor domain.Actor, u domain.User) error {
	h, err := tx.Hiding().HiddenSubject(ctx, domain.Subject{Type: domain.SubjectUser, ID: int64(u.ID)})
	if domain.KindOf(err) == domain.NotFound {
		return nil
	}
	if err == nil {
		h, err = tx.Hiding().LockHidden(ctx, h.ID)
	}
	if err == nil && h.State == moderation.Showing { // an operator had it shown, and its job is still queued
		return nil
	}
	if err == nil {
		err = tx.Hiding().SetHidden(ctx, h.ID, moderation.Showing)
	}
	if err == nil {
		err = a.Audit(ctx, tx, actor, domain.ActShown, domain.AboutUser(u), nil)
	}
	if err != nil {
		return err
	}
	return tx.Enqueue(ctx, moderation.ApplyHiding{ID: h.ID, By: u.ID}, jobs.For(int64(u.ID)))
}
