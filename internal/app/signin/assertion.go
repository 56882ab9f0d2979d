package signin

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

// requestOptions gives what a browser passes to navigator.credentials.get, as JSON (WebAuthn Level 3,
// section 5.5): for the passkeys of an account, or for any that the browser has if there are none.
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

// assertion is a passkey that has answered a challenge.
type assertion struct {
	account.Passkey // as it is to be kept
	challenge       [sha256.Size]byte
	end             time.Time // of the challenge
}

// verify checks the answer of an authenticator (WebAuthn Level 3, section 7.2), of an account or, for
// 0, of whosever passkey it is: challenge, origin, id of the site, presence and, where it is required,
// verification of the user, signature, owner, and that a key which could not be copied still cannot.
// What is wrong is never said. Challenge and count are held against the database by settle.
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
	p, err := a.Store.PasskeyByCredential(ctx, parsed.RawID)
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

// challenged gives the end of the challenge that an answer is to.
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

// settle notes that a passkey was used, in the transaction in which that has its effect: its challenge
// is good for nothing more. A count that has not grown is a sign of a copy (section 6.1.1), and the
// answer is refused; the account's owner has codes and other passkeys.
func (a *SignIns) settle(ctx context.Context, tx *store.Tx, found assertion) error {
	if err := spend(ctx, tx, found.challenge, found.User, a.Now(), found.end); err != nil {
		return err
	}
	fresh, err := tx.PasskeyUsed(ctx, found.Passkey, a.Now())
	if domain.KindOf(err) == domain.NotFound || err == nil && !fresh {
		return errPasskey()
	}
	return err
}

// spend uses a challenge up.
func spend(ctx context.Context, tx *store.Tx, challenge [sha256.Size]byte, user domain.UserID, now, end time.Time) error {
	ours, _, _, err := tx.ClaimOnce(ctx, challenge[:], nil, user, now, end)
	if err == nil && !ours {
		err = errPasskey()
	}
	return err
}

// bySession is what the challenges are bound to that a signed-in browser gets.
func bySession(actor domain.Actor, session domain.SessionID) string {
	return strconv.FormatInt(int64(actor.UserID), 10) + " " + strconv.FormatInt(int64(session), 10)
}
