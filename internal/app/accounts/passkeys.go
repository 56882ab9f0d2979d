package accounts

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"time"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"

	"vitrine/internal/app/core"
	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/account"
)

// SecondFactor contains the second factors of an account. They are required if it has a passkey.
type SecondFactor struct {
	Passkeys []account.Passkey // oldest first
	Codes    int               // unused recovery codes
	MadeAt   time.Time         // when they were created; zero without any
}

// SecondFactor returns the actor's second factors.
func (a *SignIns) SecondFactor(ctx context.Context, actor domain.Actor) (f SecondFactor, err error) {
	err = a.Store.InSnapshot(ctx, func(v *store.Snapshot) error {
		if f.Passkeys, err = v.Account().Passkeys(ctx, actor.UserID); err != nil {
			return err
		}
		f.Codes, f.MadeAt, err = v.Account().RecoveryCodes(ctx, actor.UserID)
		return err
	})
	if f.Codes == 0 {
		f.MadeAt = time.Time{}
	}
	return f, err
}

// PasskeyInput is a passkey to add.
type PasskeyInput struct{ Name string }

// Validate checks the name.
func (in PasskeyInput) Validate() error {
	var f domain.Faults
	if name := domain.CleanName(in.Name); f.RequiredText("name", name, domain.MaxPasskeyName) {
		f.Name("name", name)
	}
	return f.Err()
}

// BeginPasskey returns the JSON that a browser passes to navigator.credentials.create (WebAuthn
// Level 3, section 5.4), in a session that was confirmed recently. AddPasskey accepts the result for
// ten minutes in the same session. Errors name `name`.
func (a *SignIns) BeginPasskey(ctx context.Context, actor domain.Actor, s domain.Session, in PasskeyInput) (options []byte, err error) {
	if err := in.Validate(); err != nil {
		return nil, err
	}
	if a.party == nil {
		return nil, errNoPasskeys()
	}
	var u domain.User
	var have []account.Passkey
	err = a.Store.InTx(ctx, func(tx *store.Tx) error {
		c, err := a.LockProved(ctx, tx, actor, s)
		if err != nil {
			return err
		}
		u = c.User
		have, err = tx.Account().Passkeys(ctx, u.ID)
		return err
	})
	if err != nil {
		return nil, err
	}
	if len(have) >= domain.MaxPasskeys {
		return nil, errManyPasskeys()
	}
	key, err := a.Secret(ctx, &a.key, secretName)
	if err != nil {
		return nil, err
	}
	h := newHolder(key, u, have...)
	creation, _, err := a.party.BeginRegistration(h, func(o *protocol.PublicKeyCredentialCreationOptions) error {
		o.Challenge = newChallenge(key, forAdding, bySession(actor, s.ID), a.Now())
		for _, c := range h.WebAuthnCredentials() { // so that an authenticator reports a passkey that it already has
			o.CredentialExcludeList = append(o.CredentialExcludeList, c.Descriptor())
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return json.Marshal(creation)
}

func errManyPasskeys() error {
	return domain.NewUnprocessable("You have as many passkeys as an account may have: remove one first")
}

// AddPasskey adds the passkey that a browser created from the options of BeginPasskey (section 7.1). The first passkey
// of an account turns on the second factor and comes with recovery codes, which are shown once; codes is nil for later
// ones. The session gets a new secret, and endOthers ends the other sessions. Errors name `name`; a passkey that the
// account already has is a Conflict.
func (a *SignIns) AddPasskey(ctx context.Context, actor domain.Actor, s domain.Session, in PasskeyInput, answer string, endOthers bool) (codes []string, secret string, err error) {
	if err := in.Validate(); err != nil {
		return nil, "", err
	}
	p, spent, end, err := a.registered(ctx, actor, s.ID, answer)
	if err != nil {
		return nil, "", err
	}
	p.Name = domain.CleanName(in.Name)
	err = a.Store.InTx(ctx, func(tx *store.Tx) error {
		if codes, err = a.addPasskey(ctx, tx, actor, s, p, spent, end); err != nil {
			return err
		}
		secret, err = a.Renew(ctx, tx, s, endOthers)
		return err
	})
	return codes, secret, err
}

// addPasskey needs no recent confirmation: the session had one when it got the challenge.
func (a *SignIns) addPasskey(ctx context.Context, tx *store.Tx, actor domain.Actor, s domain.Session, p account.Passkey, spent [sha256.Size]byte, end time.Time) (codes []string, err error) {
	c, _, err := a.lockSession(ctx, tx, actor, s)
	if err != nil {
		return nil, err
	}
	if err := spend(ctx, tx, spent, actor.UserID, a.Now(), end); err != nil {
		return nil, err
	}
	n, err := tx.Account().CountPasskeys(ctx, actor.UserID)
	if err != nil {
		return nil, err
	}
	if n >= domain.MaxPasskeys {
		return nil, errManyPasskeys()
	}
	if err := tx.Account().AddPasskey(ctx, p); err != nil {
		return nil, err
	}
	if err := a.Audit(ctx, tx, actor, domain.ActPasskeyAdded, domain.AboutUser(c.User), map[string]any{"name": p.Name}); err != nil {
		return nil, err
	}
	if n == 0 {
		if codes, err = a.putCodes(ctx, tx, actor, c.User); err != nil {
			return nil, err
		}
	}
	return codes, warn(ctx, tx, c.User, PasskeyAdded)
}

// registered checks a new credential: challenge, origin, relying party id, user presence, kind of key and attestation,
// if any (section 7.1).
func (a *SignIns) registered(ctx context.Context, actor domain.Actor, session domain.SessionID, answer string) (p account.Passkey, spent [sha256.Size]byte, end time.Time, err error) {
	if a.party == nil {
		return p, spent, end, errNoPasskeys()
	}
	key, err := a.Secret(ctx, &a.key, secretName)
	if err != nil {
		return p, spent, end, err
	}
	if len(answer) > domain.MaxPasskeyAnswer {
		return p, spent, end, errPasskey()
	}
	parsed, err := protocol.ParseCredentialCreationResponseBytes([]byte(answer))
	if err != nil {
		return p, spent, end, errPasskey()
	}
	said := parsed.Response.CollectedClientData.Challenge
	if end, err = a.challenged(key, forAdding, bySession(actor, session), said); err != nil {
		return p, spent, end, err
	}
	h := newHolder(key, domain.User{ID: actor.UserID})
	c, err := a.party.CreateCredential(h, webauthn.SessionData{Challenge: said, RelyingPartyID: a.party.Config.RPID, UserID: h.handle,
		UserVerification: protocol.VerificationPreferred, CredParams: webauthn.CredentialParametersDefault()}, parsed)
	if err != nil {
		return p, spent, end, errPasskey()
	}
	p = account.Passkey{User: actor.UserID, CredentialID: c.ID, PublicKey: c.PublicKey, SignCount: c.Authenticator.SignCount,
		BackupEligible: c.Flags.BackupEligible, BackedUp: c.Flags.BackupState, CreatedAt: a.Now()}
	for _, t := range c.Transport {
		if knownTransports[t] {
			p.Transports = append(p.Transports, string(t))
		}
	}
	return p, sha256.Sum256([]byte(said)), end, nil
}

// knownTransports are those of section 5.8.4. Other values would help no browser, and are untrusted text.
var knownTransports = map[protocol.AuthenticatorTransport]bool{protocol.USB: true, protocol.NFC: true, protocol.BLE: true,
	protocol.SmartCard: true, protocol.Hybrid: true, protocol.Internal: true}

// RemovePasskey removes a passkey of the actor. Removing the last one also turns off the second factor and deletes the
// recovery codes, and last is true. The session gets a new secret, and endOthers ends the other sessions. It returns
// NotFound if the actor has no such passkey.
func (a *SignIns) RemovePasskey(ctx context.Context, actor domain.Actor, s domain.Session, id account.PasskeyID, endOthers bool) (last bool, secret string, err error) {
	err = a.Store.InTx(ctx, func(tx *store.Tx) error {
		c, err := a.LockProved(ctx, tx, actor, s)
		if err != nil {
			return err
		}
		name, err := tx.Account().DeletePasskey(ctx, c.User.ID, id)
		if err != nil {
			return err
		}
		if err := a.Audit(ctx, tx, actor, domain.ActPasskeyRemoved, domain.AboutUser(c.User), map[string]any{"name": name}); err != nil {
			return err
		}
		if secret, err = a.Renew(ctx, tx, s, endOthers); err != nil {
			return err
		}
		n, err := tx.Account().CountPasskeys(ctx, c.User.ID)
		if last = n == 0; err != nil || !last {
			if err == nil {
				err = warn(ctx, tx, c.User, PasskeyRemoved)
			}
			return err
		}
		return a.EndSecondFactor(ctx, tx, actor, c.User)
	})
	return last, secret, err
}

// EndSecondFactor removes the second factors of a locked account and notifies its owner. The password is enough from
// then on. Sessions stay.
func (a *SignIns) EndSecondFactor(ctx context.Context, tx *store.Tx, actor domain.Actor, u domain.User) error {
	if _, err := tx.Account().EndSecondFactor(ctx, u.ID); err != nil {
		return err
	}
	if err := a.Audit(ctx, tx, actor, domain.ActFactorEnded, domain.AboutUser(u), nil); err != nil {
		return err
	}
	return warn(ctx, tx, u, FactorEnded)
}

// PasskeyOptions returns the JSON that a browser passes to navigator.credentials.get to sign in with only a passkey. The
// authenticator must verify the user, because the passkey replaces both factors. browser is the value of its cookie, to
// which the answer is bound.
func (a *SignIns) PasskeyOptions(ctx context.Context, browser string) ([]byte, error) {
	return a.requestOptions(ctx, forSignIn, browser, protocol.VerificationRequired, nil)
}

// SignInByPasskey signs in with the answer to PasskeyOptions. Any fault returns the same Unauthenticated, except an
// expired challenge. Too many attempts return TooMany.
func (a *SignIns) SignInByPasskey(ctx context.Context, from domain.Visitor, browser, answer string) (session string, err error) {
	if err := a.CheckLocal(); err != nil {
		return "", err
	}
	by, err := a.Try(ctx, core.TryPasskey, "", from)
	if err != nil {
		return "", err
	}
	found, err := a.verify(ctx, forSignIn, browser, protocol.VerificationRequired, 0, answer)
	if err != nil {
		return "", a.AuditRefusedBy(ctx, from, domain.User{}, "passkey", err)
	}
	var u domain.User
	err = a.Store.InTxAlways(ctx, func(tx *store.Tx) error {
		c, err := tx.Users().LockUser(ctx, found.User)
		u = c.User
		if domain.KindOf(err) == domain.NotFound || err == nil && c.User.SuspendedAt != nil {
			return errPasskey()
		}
		if err != nil {
			return err
		}
		if err := a.settle(ctx, tx, found); err != nil {
			return err
		}
		session, err = a.OpenSessionBy(ctx, tx, found.User, from, a.Now(), a.Now(), "passkey")
		return err
	})
	if err != nil {
		return "", a.AuditRefusedBy(ctx, from, u, "passkey", err)
	}
	return session, a.Succeeded(ctx, by)
}
