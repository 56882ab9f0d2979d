package accounts

import (
	"context"
	"time"

	"vitrine/internal/app/core"
	"vitrine/internal/auth"
	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/account"
)

// signupTTL is the lifetime of the link that creates an account.
const signupTTL = 24 * time.Hour

// SignUpInput is a requested account. Invite is the token of the link that led to the page: of an operator or of a
// mailed invitation to a group. It is "" without a link.
type SignUpInput struct {
	Name     string
	Slug     string // "" for one derived from the name
	Email    string
	Password string
	Invite   string

	SetupCode string // for the first account, "" otherwise
}

// Validate checks the requested account, which must have a password.
func (in SignUpInput) Validate() error {
	f := in.account(domain.TierFree).faults()
	checkPassword(&f, in.Password, core.CanonicalEmail(in.Email), in.Slug)
	return f.Err()
}

func (in SignUpInput) account(tier domain.Tier) CreateUserInput {
	return CreateUserInput{Slug: in.Slug, Name: in.Name, Email: in.Email, Tier: tier}
}

// SignUp creates an account or mails a link that will. No confirmation is needed for the first account, for an
// invitation to this address, or for a link that an operator vouches for; session is then the secret of a new session.
// Otherwise it is "", and only the mail reveals whether the address already has an account. Errors name `name`, `slug`,
// `email`, `password` and `setup_code`. Forbidden means that the visitor may not sign up, TooMany that they tried too
// often.
func (a *Accounts) SignUp(ctx context.Context, from domain.Visitor, in SignUpInput) (session string, err error) {
	if err := a.CheckLocal(); err != nil {
		return "", err
	}
	if err := in.Validate(); err != nil {
		return "", err
	}
	if err := a.CheckSetupCode(ctx, from, in.SetupCode); err != nil {
		return "", err
	}
	n := in.account(a.accounts.DefaultTier).account(a.Now())
	if _, err := a.Try(ctx, core.TrySignUp, n.Email, from); err != nil {
		return "", err
	}
	if err := a.CheckNetwork(ctx, a.Store.Queries, from.Address); err != nil {
		return "", err
	}
	if err := a.CheckMail(ctx, n.Email); err != nil {
		return "", err
	}
	if err := a.maySignUp(ctx, in, n); err != nil { // checked before the expensive hashing
		return "", err
	}
	if n.PasswordHash, err = auth.HashPassword(in.Password); err != nil {
		return "", err
	}
	var first bool
	err = a.Store.InTx(ctx, func(tx *store.Tx) error {
		session, first, err = a.signUp(ctx, tx, from, in, n)
		return err
	})
	if err == nil && first {
		a.madeFirst()
	}
	return session, TakenEmail(err)
}

func (a *Accounts) maySignUp(ctx context.Context, in SignUpInput, n store.NewUser) error {
	return a.Store.InSnapshot(ctx, func(v *store.Snapshot) error {
		if first, err := v.Account().NobodyYet(ctx); err != nil || first {
			return err
		}
		if _, err := a.admit(ctx, v.Queries, in.Invite, n.Email); err != nil {
			return err
		}
		return SlugFree(ctx, v.Queries, in.Slug)
	})
}

// signUp creates the account at once if the address needs no verification, or else records the request. It does the same
// for an address that already has an account; only the mail differs.
func (a *Accounts) signUp(ctx context.Context, tx *store.Tx, from domain.Visitor, in SignUpInput, n store.NewUser) (session string, first bool, err error) {
	if first, err = tx.Account().ClaimFirstAccount(ctx); err != nil {
		return "", false, err
	}
	if first {
		n.Office = domain.OfficeOperator
		session, err = a.enroll(ctx, tx, from, in.Slug, n, domain.SignUpLink{})
		return session, true, err
	}
	session, err = a.signUpLater(ctx, tx, from, in, n)
	return session, false, err
}

// signUpLater signs up any account except the first.
func (a *Accounts) signUpLater(ctx context.Context, tx *store.Tx, from domain.Visitor, in SignUpInput, n store.NewUser) (session string, err error) {
	by, err := a.admit(ctx, tx.Queries, in.Invite, n.Email)
	if err != nil {
		return "", err
	}
	if err := SlugFree(ctx, tx.Queries, in.Slug); err != nil {
		return "", err
	}
	if by.proven {
		taken, err := emailTaken(ctx, tx.Queries, n.Email, 0)
		if err != nil {
			return "", err
		}
		if !taken {
			return a.enroll(ctx, tx, from, in.Slug, n, by.link)
		}
	}
	id, err := tx.Account().CreateSignup(ctx, account.Signup{Email: n.Email, Slug: in.Slug, Name: n.Name, PasswordHash: n.PasswordHash,
		Link: by.link.ID, CreatedAt: n.Now, ExpiresAt: n.Now.Add(signupTTL)})
	if err != nil {
		return "", err
	}
	return "", tx.Enqueue(ctx, MailSignUp{Signup: id})
}

// enroll creates an account by a link, if any, and signs it in.
func (a *Accounts) enroll(ctx context.Context, tx *store.Tx, from domain.Visitor, slug string, n store.NewUser, link domain.SignUpLink) (session string, err error) {
	u, err := a.makeAccount(ctx, tx, slug, n, entrance{link: link, must: true})
	if err != nil {
		return "", err
	}
	return a.OpenSession(ctx, tx, u.ID, from, n.Now)
}

// SignUpPending checks the token of a mailed link without using it. It returns NotFound if the link cannot be used.
func (a *Accounts) SignUpPending(ctx context.Context, token string) error {
	if !isToken(token, auth.Mailed) {
		return domain.NewNotFound()
	}
	_, err := a.Store.Account().SignupByHash(ctx, auth.HashToken(token), a.Now())
	return err
}

// ConfirmSignUp creates the account of a mailed link and signs it in. It requires the password again: the link verifies
// the address, and the password proves that the reader of the mail requested the account. Otherwise somebody else could
// share it. Errors name `password`. A used, expired or unknown link is NotFound. If the requested slug was taken in the
// meantime, one is derived from the name. Forbidden means that nobody can sign up any more, or that somebody else used
// the invitation.
func (a *Accounts) ConfirmSignUp(ctx context.Context, from domain.Visitor, token, password string) (session string, u domain.User, err error) {
	if err := a.CheckLocal(); err != nil {
		return "", u, err
	}
	if !isToken(token, auth.Mailed) {
		return "", u, domain.NewNotFound()
	}
	if err := a.wantedBy(ctx, token, password); err != nil {
		return "", u, err
	}
	now := a.Now()
	err = a.Store.InTx(ctx, func(tx *store.Tx) error {
		s, err := tx.Account().TakeSignup(ctx, auth.HashToken(token), now)
		if err != nil {
			return err
		}
		if u, err = a.confirm(ctx, tx, s, now); err != nil {
			return err
		}
		session, err = a.OpenSession(ctx, tx, u.ID, from, now)
		return err
	})
	if domain.KindOf(err) == domain.Conflict {
		err = domain.NewNotFound() // the address got an account in the meantime
	}
	return session, u, err
}

// wantedBy checks the password of a signup. It counts attempts by link, because strangers do not have the link.
func (a *Accounts) wantedBy(ctx context.Context, token, password string) error {
	hash := auth.HashToken(token)
	s, err := a.Store.Account().SignupByHash(ctx, hash, a.Now())
	if err != nil {
		return err
	}
	by, err := a.TryAs(ctx, core.TryPassword, "mailed link", string(hash))
	if err != nil {
		return err
	}
	right, err := auth.CheckPassword(password, s.PasswordHash)
	if err != nil {
		return err
	}
	if !right {
		return domain.InvalidField("password", domain.FieldIncorrect, "is not the one that was chosen with this address; if you chose none, ignore the mail, or sign up yourself")
	}
	return a.Succeeded(ctx, by)
}

func (a *Accounts) confirm(ctx context.Context, tx *store.Tx, s account.Signup, now time.Time) (u domain.User, err error) {
	mode, err := a.signUpMode(ctx, tx.Queries)
	if err != nil {
		return u, err
	}
	if mode == domain.SignUpClosed {
		return u, errClosed()
	}
	link, err := a.linkTaken(ctx, tx.Queries, s)
	if err != nil {
		return u, err
	}
	n := store.NewUser{Name: s.Name, Email: s.Email, PasswordHash: s.PasswordHash, Tier: a.accounts.DefaultTier, Now: now}
	by := entrance{link: link, must: s.Link != 0 && mode != domain.SignUpOpen}
	u, err = a.makeAccount(ctx, tx, s.Slug, n, by)
	if domain.KindOf(err) == domain.Invalid { // the slug is taken, and nothing was written
		u, err = a.makeAccount(ctx, tx, "", n, by)
	}
	return u, err
}

// linkTaken reads the link that admitted a signup, or returns the zero value. Verifying an address that an operator
// invited counts as the invitation.
func (a *Accounts) linkTaken(ctx context.Context, q store.Queries, s account.Signup) (link domain.SignUpLink, err error) {
	if s.Link != 0 {
		link, err = q.Account().SignUpLink(ctx, s.Link)
		if domain.KindOf(err) == domain.NotFound { // the link was ended
			return domain.SignUpLink{ID: s.Link}, nil
		}
		return link, err
	}
	link, err = q.Account().LinkOfEmail(ctx, s.Email)
	if err == nil && !link.Live(a.Now()) {
		return domain.SignUpLink{}, nil
	}
	if domain.KindOf(err) == domain.NotFound {
		err = nil
	}
	return link, err
}
