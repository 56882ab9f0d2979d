package accounts

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"strconv"
	"time"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"

	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/account"
)

func errPasskey() error { return domain.NewUnauthenticated("The passkey was not accepted") }

func errNoPasskeys() error {
	return domain.NewUnprocessable("Passkeys need an address that begins with https://")
}

// requestOptions returns the JSON that a browser passes to navigator.credentials.get (WebAuthn Level 3, section 5.5):
// for the given passkeys of an account, or for any passkey if none are given.
func (a *SignIns) requestOptions(ctx context.Context, to purpose, bound string, verified protocol.UserVerificationRequirement, of []account.Passkey) ([]byte, error) {
	if a.party == nil {
		return nil, errNoPasskeys()
	}
	key, err := a.Secret(ctx, &a.key, secretName)
	if err != nil {
		return nil, err
	}
	var allowed []protocol.CredentialDescriptor
	for _, c := range (holder{passkeys: of}).WebAuthnCredentials() {
		allowed = append(allowed, c.Descriptor())
	}
	options, _, err := a.party.BeginDiscoverableLogin(webauthn.WithChallenge(newChallenge(key, to, bound, a.Now())),
		webauthn.WithUserVerification(verified), webauthn.WithAllowedCredentials(allowed))
	if err != nil {
		return nil, err
	}
	return json.Marshal(options)
}

// assertion is a passkey that answered a challenge.
type assertion struct {
	account.Passkey // with the updated state to store
	challenge       [sha256.Size]byte
	end             time.Time // of the challenge
}

// verify checks an authenticator's answer (WebAuthn Level 3, section 7.2) for an account, or for the owner of the
// passkey if user is 0. It checks challenge, origin, relying party id, user presence and, if required, user
// verification, signature, owner, and that a device-bound key is still device-bound. Errors do not reveal what failed.
// settle checks challenge and counter against the database.
func (a *SignIns) verify(ctx context.Context, to purpose, bound string, verified protocol.UserVerificationRequirement, of domain.UserID, answer string) (found assertion, err error) {
	if a.party == nil {
		return found, errNoPasskeys()
	}
	key, err := a.Secret(ctx, &a.key, secretName)
	if err != nil {
		return found, err
	}
	if len(answer) > domain.MaxPasskeyAnswer {
		return found, errPasskey()
	}
	parsed, err := protocol.ParseCredentialRequestResponseBytes([]byte(answer))
	if err != nil {
		return found, errPasskey()
	}
	said := parsed.Response.CollectedClientData.Challenge
	end, err := a.challenged(key, to, bound, said)
	if err != nil {
		return found, err
	}
	p, err := a.Store.Account().PasskeyByCredential(ctx, parsed.RawID)
	if domain.KindOf(err) == domain.NotFound || err == nil && of != 0 && p.User != of {
		return found, errPasskey()
	}
	if err != nil {
		return found, err
	}
	h := newHolder(key, domain.User{ID: p.User}, p)
	session := webauthn.SessionData{Challenge: said, RelyingPartyID: a.party.Config.RPID, UserVerification: verified}
	var c *webauthn.Credential
	if of != 0 {
		session.UserID = h.handle
		c, err = a.party.ValidateLogin(h, session, parsed)
	} else {
		_, c, err = a.party.ValidatePasskeyLogin(func(_, _ []byte) (webauthn.User, error) { return h, nil }, session, parsed)
	}
	if err != nil {
		return found, errPasskey()
	}
	p.SignCount, p.BackedUp = parsed.Response.AuthenticatorData.Counter, c.Flags.BackupState
	return assertion{p, sha256.Sum256([]byte(said)), end}, nil
}

// challenged returns the expiry of the challenge that was answered.
func (a *SignIns) challenged(key []byte, to purpose, bound, said string) (end time.Time, err error) {
	challenge, err := base64.RawURLEncoding.DecodeString(said)
	if err != nil {
		return end, errPasskey()
	}
	end, ok := knownChallenge(key, to, bound, challenge, a.Now())
	if !ok {
		return end, domain.NewUnauthenticated("That took too long, or began in another window: try again")
	}
	return end, nil
}

// settle records the use of a passkey and consumes its challenge, in the transaction that depends
// on the assertion. If the counter has not increased, the key may have been copied (section 6.1.1),
// and settle refuses the assertion. The account's owner can still use codes and other passkeys.
func (a *SignIns) settle(ctx context.Context, tx *store.Tx, found assertion) error {
	if err := spend(ctx, tx, found.challenge, found.User, a.Now(), found.end); err != nil {
		return err
	}
	fresh, err := tx.Account().PasskeyUsed(ctx, found.Passkey, a.Now())
	if domain.KindOf(err) == domain.NotFound || err == nil && !fresh {
		return errPasskey()
	}
	return err
}

// spend uses up a challenge.
func spend(ctx context.Context, tx *store.Tx, challenge [sha256.Size]byte, user domain.UserID, now, end time.Time) error {
	ours, _, _, err := tx.Redo().ClaimOnce(ctx, challenge[:], nil, user, now, end)
	if err == nil && !ours {
		err = errPasskey()
	}
	return err
}

// bySession returns the binding of challenges to a signed-in session.
func bySession(actor domain.Actor, session domain.SessionID) string {
	return strconv.FormatInt(int64(actor.UserID), 10) + " " + strconv.FormatInt(int64(session), 10)
}
