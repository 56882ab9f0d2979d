package signin

import (
	"context"
	"strconv"

	"github.com/go-webauthn/webauthn/protocol"

	"vitrine/internal/app/core"
	"vitrine/internal/auth"
	"vitrine/internal/domain"
	"vitrine/internal/store"
)

// Proved gives the credentials of the actor where a password is theirs. The error names
// the field of the password. An account without one has nothing to prove.
//
// Who is signed in is no stranger: attempts of others at the account do not count.
func (a *SignIns) Proved(ctx context.Context, actor domain.Actor, field, password string) (store.Credentials, error) {
	c, err := a.Store.Credentials(ctx, actor.UserID)
	if err != nil || c.PasswordHash == "" && password == "" {
		return c, err
	}
	by, err := a.TryAs(ctx, core.TryPassword, "signed in", strconv.FormatInt(int64(actor.UserID), 10))
	if err != nil {
		return c, err
	}
	right, err := auth.CheckPassword(password, c.PasswordHash)
	if err != nil {
		return c, err
	}
	if !right {
		return c, notTheirs(field)
	}
	return c, a.Succeeded(ctx, by)
}

// LockedAs locks an account whose password is still the one that was proved.
func LockedAs(ctx context.Context, tx *store.Tx, was store.Credentials, field string) (store.Credentials, error) {
	c, err := tx.LockUser(ctx, was.User.ID)
	if err == nil && c.PasswordHash != was.PasswordHash {
		err = notTheirs(field)
	}
	return c, err
}

func notTheirs(field string) error {
	return domain.InvalidField(field, domain.FieldIncorrect, "is not your password")
}

// Proof is with what who is signed in proves again who they are: the password, or a passkey.
type Proof struct {
	Password string
	Passkey  string // the answer to ProofOptions, "" for none
}

// ProofOptions gives what a browser passes to navigator.credentials.get for a proof, as JSON. The
// authenticator must verify the user: the browser may be one that was left alone.
func (a *SignIns) ProofOptions(ctx context.Context, actor domain.Actor, session domain.SessionID) ([]byte, error) {
	all, err := a.Store.Passkeys(ctx, actor.UserID)
	if err != nil {
		return nil, err
	}
	return a.requestOptions(ctx, forProof, bySession(actor, session), protocol.VerificationRequired, all)
}

// prove checks a proof before what it is for is changed: settled, in the transaction that does it,
// locks the account, sees that the proof still holds, and uses it up. An account with neither password
// nor passkey has nothing to prove. The error names `password`, or is Unauthenticated for a passkey.
func (a *SignIns) prove(ctx context.Context, actor domain.Actor, session domain.SessionID, p Proof) (settled func(ctx context.Context, tx *store.Tx) (store.Credentials, error), err error) {
	if p.Passkey == "" {
		was, err := a.Proved(ctx, actor, "password", p.Password)
		return func(ctx context.Context, tx *store.Tx) (store.Credentials, error) {
			c, err := LockedAs(ctx, tx, was, "password")
			if err != nil || c.PasswordHash != "" {
				return c, err
			}
			n, err := tx.CountPasskeys(ctx, c.User.ID)
			if err == nil && n > 0 {
				err = domain.NewUnauthenticated("Use one of your passkeys for this")
			}
			return c, err
		}, err
	}
	by, err := a.TryAs(ctx, core.TryFactor, "signed in", strconv.FormatInt(int64(actor.UserID), 10))
	if err != nil {
		return nil, err
	}
	found, err := a.verify(ctx, forProof, bySession(actor, session), protocol.VerificationRequired, actor.UserID, p.Passkey)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, tx *store.Tx) (store.Credentials, error) {
		c, err := tx.LockUser(ctx, actor.UserID)
		if err == nil {
			err = a.settle(ctx, tx, found)
		}
		return c, err
	}, a.Succeeded(ctx, by)
}
