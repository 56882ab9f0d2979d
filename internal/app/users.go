package app

import (
	"context"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"vitrine/internal/auth"
	"vitrine/internal/domain"
	"vitrine/internal/mail"
	"vitrine/internal/store"
)

// User reads a user.
func (a *App) User(ctx context.Context, ref domain.Ref) (domain.User, error) {
	return a.store.User(ctx, ref)
}

// Me reads the signed-in user, with the number of unread notifications that they may see.
func (a *App) Me(ctx context.Context, actor domain.Actor) (u domain.User, err error) {
	if !actor.SignedIn() {
		return u, domain.NewUnauthenticated("A user's token is required")
	}
	u, err = a.store.User(ctx, domain.Ref{ID: int64(actor.UserID)})
	if err == nil && u.Unread > 0 {
		u.Unread, err = a.unread(ctx, actor.UserID)
	}
	return u, err
}

// Users lists users by id, after the given one, at most limit.
func (a *App) Users(ctx context.Context, after domain.UserID, limit int) ([]domain.User, error) {
	return a.store.Users(ctx, after, limit)
}

// CreateUserInput is an account to make. Slug "" means one from the name; an empty
// password makes an account that cannot sign in with one.
type CreateUserInput struct {
	Slug     string
	Name     string
	Email    string
	Password string
	Tier     domain.Tier
}

// CreateUser makes an account. The first of a server is an operator's.
func (a *App) CreateUser(ctx context.Context, in CreateUserInput) (u domain.User, err error) {
	n, err := newUser(in, mayHavePassword)
	if err != nil {
		return u, err
	}
	n.Now = a.now()
	if in.Password != "" {
		if n.PasswordHash, err = auth.HashPassword(in.Password); err != nil {
			return u, err
		}
	}
	err = a.store.InTx(ctx, func(tx *store.Tx) error {
		first, err := tx.ClaimFirstAccount(ctx)
		if err != nil {
			return err
		}
		n.Office = domain.OfficeMember
		if first {
			n.Office = domain.OfficeOperator
		}
		u, err = a.makeAccount(ctx, tx, in.Slug, n)
		return err
	})
	return u, takenEmail(err)
}

// makeAccount makes an account with the wanted slug, or with one from its name. An
// address that is in use is a Conflict.
func (a *App) makeAccount(ctx context.Context, tx *store.Tx, slug string, n store.NewUser) (u domain.User, err error) {
	if n.Slug, err = claimUserSlug(ctx, tx, slug, n); err != nil {
		return u, err
	}
	id, err := tx.CreateUser(ctx, n)
	if err != nil {
		return u, err
	}
	if err := tx.BindSlug(ctx, store.UserSlug, n.Slug, int64(id)); err != nil {
		return u, err
	}
	if u, err = tx.User(ctx, domain.Ref{ID: int64(id)}); err != nil {
		return u, err
	}
	if err := tx.ForgetSignups(ctx, n.Email); err != nil {
		return u, err
	}
	return u, a.adoptInvitations(ctx, tx, u)
}

// takenEmail names the field of an address that is in use.
func takenEmail(err error) error {
	if domain.KindOf(err) == domain.Conflict {
		return domain.NewInvalid("email: is already in use")
	}
	return err
}

// claimUserSlug claims the wanted slug, or one made from the name.
func claimUserSlug(ctx context.Context, tx *store.Tx, want string, n store.NewUser) (string, error) {
	if want == "" {
		return tx.SlugFor(ctx, store.UserSlug, n.Name, n.Now)
	}
	free, err := tx.ClaimSlug(ctx, store.UserSlug, want, n.Now)
	if err == nil && !free {
		err = errSlugTaken()
	}
	return want, err
}

// Whether an account to be made needs a password.
const (
	mustHavePassword = true
	mayHavePassword  = false
)

// newUser checks an account to be made and gives every violation.
func newUser(in CreateUserInput, password bool) (store.NewUser, error) {
	var bad []string
	n := store.NewUser{Name: strings.TrimSpace(in.Name), Tier: in.Tier}
	if in.Slug != "" && !domain.ValidSlug(in.Slug) {
		bad = append(bad, "slug: must be lower-case letters, digits and single dashes, and not all digits")
	}
	if domain.ReservedSlug(in.Slug) {
		bad = append(bad, "slug: is reserved")
	}
	if why := badName(n.Name); why != "" {
		bad = append(bad, "name: "+why)
	}
	var ok bool
	if n.Email, ok = emailAddress(in.Email); !ok {
		bad = append(bad, badEmail)
	}
	if why := badPassword(in.Password, n.Email, in.Slug); why != "" && (password || in.Password != "") {
		bad = append(bad, "password: "+why)
	}
	if !domain.ValidTier(in.Tier) {
		bad = append(bad, "tier: must be one of free, premium, supporter")
	}
	if len(bad) > 0 {
		return n, domain.NewInvalid(bad...)
	}
	return n, nil
}

const badEmail = "email: must be an address such as ada@example.org"

// emailAddress gives a bare address that mail can be sent to in lower case, which is how
// addresses are kept.
func emailAddress(s string) (string, bool) {
	if len(s) > domain.MaxEmail || !mail.Valid(s) {
		return "", false
	}
	return strings.ToLower(s), true
}

// badName tells why something cannot be called so, "" if it can. It is for names that
// do not come through a description.
func badName(name string) string {
	l := utf8.RuneCountInString(name)
	switch {
	case !utf8.ValidString(name):
		return "must be valid UTF-8"
	case strings.ContainsFunc(name, unicode.IsControl):
		return "must not contain control characters"
	case strings.ContainsFunc(name, turns):
		return "must not contain characters that turn the direction of what follows"
	case l < 1 || l > domain.MaxTitle:
		return "must be 1 to " + strconv.Itoa(domain.MaxTitle) + " characters long"
	}
	return ""
}

// turns reports whether a character turns the direction of the text after it (Unicode
// Standard Annex 9, the explicit ones): with them a name could read as another, or as
// part of the sentence around it.
func turns(r rune) bool { return r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 }

// SetTier changes the tier of a user.
func (a *App) SetTier(ctx context.Context, ref domain.Ref, tier domain.Tier) (domain.User, error) {
	if !domain.ValidTier(tier) {
		return domain.User{}, domain.NewInvalid("tier: must be one of free, premium, supporter")
	}
	return a.changeUser(ctx, ref, func(tx *store.Tx, u domain.User) error { return tx.SetTier(ctx, u.ID, tier, a.now()) })
}

// Suspend makes the tokens of a user answer 401 and signs them out, or lifts that.
func (a *App) Suspend(ctx context.Context, ref domain.Ref, suspended bool) (domain.User, error) {
	return a.changeUser(ctx, ref, func(tx *store.Tx, u domain.User) error {
		return a.setSuspended(ctx, tx, u.ID, suspended)
	})
}

func (a *App) changeUser(ctx context.Context, ref domain.Ref, change func(tx *store.Tx, u domain.User) error) (u domain.User, err error) {
	err = a.store.InTx(ctx, func(tx *store.Tx) error {
		if u, err = tx.User(ctx, ref); err != nil {
			return err
		}
		c, err := tx.LockUser(ctx, u.ID) // a deletion meanwhile must not be written over
		if err != nil {
			return err
		}
		if err := change(tx, c.User); err != nil {
			return err
		}
		u, err = tx.User(ctx, domain.Ref{ID: int64(u.ID)})
		return err
	})
	return u, err
}

// UpdateMeInput is a change of the fields that are given.
type UpdateMeInput struct {
	Name   *string
	Bio    Patch
	Avatar Patch // address of a picture, or an upload
}

// UpdateMe changes what the actor says of themself. The slug stays as it is.
func (a *App) UpdateMe(ctx context.Context, actor domain.Actor, in UpdateMeInput) (domain.User, error) {
	bio := rendered(in.Bio.Value)
	avatar, err := a.avatarWanted(ctx, actor, in.Avatar.Value)
	if err := together(err, filled("name", in.Name)); err != nil {
		return domain.User{}, err
	}
	return a.changeUser(ctx, domain.Ref{ID: int64(actor.UserID)}, func(tx *store.Tx, u domain.User) error {
		if in.Name != nil {
			name, err := title("name", *in.Name)
			if err != nil {
				return err
			}
			u.Name = name
		}
		if in.Bio.Set {
			u.Bio = bio
		}
		if in.Avatar.Set {
			if err := wishAvatar(ctx, tx, actor.UserID, domain.UserRef(u.ID), avatar, a.now()); err != nil {
				return err
			}
		}
		return tx.UpdateProfile(ctx, u, a.now())
	})
}
