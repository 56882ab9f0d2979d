package accounts

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"net"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"

	"vitrine/internal/domain"
	"vitrine/internal/store/account"
)

// newParty creates the relying party of a site (WebAuthn Level 3, section 4). Its id is the host of the site's URL, and
// its only origin the URL. It returns nil if browsers offer no passkeys: over plain http except on localhost, and if the
// host is an IP address, which is not a valid id (sections 5.1.2 and 5.1.3).
func newParty(siteURL string) *webauthn.WebAuthn {
	u, err := url.Parse(siteURL)
	if err != nil {
		return nil
	}
	id := strings.ToLower(u.Hostname())
	local := id == "localhost" || strings.HasSuffix(id, ".localhost")
	if u.Scheme != "https" && (u.Scheme != "http" || !local) || net.ParseIP(id) != nil {
		return nil
	}
	host := id
	if port := u.Port(); port != "" && port != map[string]string{"https": "443", "http": "80"}[u.Scheme] {
		host = net.JoinHostPort(id, port)
	}
	wait := webauthn.TimeoutConfig{Timeout: ceremonyTimeout, TimeoutUVD: ceremonyTimeout}
	party, err := webauthn.New(&webauthn.Config{RPID: id, RPDisplayName: id, RPOrigins: []string{u.Scheme + "://" + host},
		AttestationPreference: protocol.PreferNoAttestation, // accept authenticators of any make
		AuthenticatorSelection: protocol.AuthenticatorSelection{ResidentKey: protocol.ResidentKeyRequirementPreferred,
			UserVerification: protocol.VerificationPreferred},
		Timeouts: webauthn.TimeoutsConfig{Login: wait, Registration: wait},
		// Some password managers answer extensions that were not requested. None is used here (section 9.3).
		ExtensionsUnsolicitedOutputPolicy: protocol.UnsolicitedOutputPolicyIgnore})
	if err != nil {
		return nil
	}
	return party
}

// PasskeysPossible reports whether browsers offer passkeys at the site's address.
func (a *SignIns) PasskeysPossible() bool { return a.party != nil }

// How long a browser waits for an authenticator (recommended in section 15.1), and how long a challenge is valid.
const (
	ceremonyTimeout = 5 * time.Minute
	challengeTTL    = 10 * time.Minute
)

// purpose is the purpose of a challenge. An answer with another purpose is refused.
type purpose string

const (
	forAdding purpose = "add"    // adding a passkey after confirmation
	forProof  purpose = "prove"  // confirming a signed-in user
	forFactor purpose = "factor" // after the password
	forSignIn purpose = "alone"  // without a password
)

// A challenge consists of 16 random bytes, its expiry in microseconds in 8 bytes, and an HMAC-SHA256 over both, its
// purpose and its binding, such as a session. No server has to store it, and any server can verify it. Its use is
// recorded where it takes effect (section 13.4.3).
const (
	challengeRandom = 16
	challengeOpen   = challengeRandom + 8
)

func sealed(key []byte, to purpose, bound string, open []byte) []byte {
	mac := hmac.New(sha256.New, key)
	for _, part := range []string{"challenge", string(to), bound} {
		mac.Write([]byte(strconv.Itoa(len(part)) + " " + part)) // so that ("ab", "c") and ("a", "bc") differ
	}
	mac.Write(open)
	return mac.Sum(nil)
}

func newChallenge(key []byte, to purpose, bound string, now time.Time) []byte {
	open := make([]byte, challengeRandom, challengeOpen)
	_, _ = rand.Read(open) // never fails: it terminates the program instead
	open = binary.BigEndian.AppendUint64(open, uint64(now.Add(challengeTTL).UnixMicro()))
	return append(open, sealed(key, to, bound, open)...)
}

// knownChallenge returns the expiry of a challenge of this site with the right purpose and binding, unless it has
// expired.
func knownChallenge(key []byte, to purpose, bound string, challenge []byte, now time.Time) (end time.Time, ok bool) {
	if len(challenge) != challengeOpen+sha256.Size {
		return end, false
	}
	open, seal := challenge[:challengeOpen], challenge[challengeOpen:]
	if !hmac.Equal(seal, sealed(key, to, bound, open)) {
		return end, false
	}
	end = time.UnixMicro(int64(binary.BigEndian.Uint64(open[challengeRandom:])))
	return end, now.Before(end)
}

// holder adapts an account to the library. The handle, by which an authenticator identifies the account, reveals nothing
// about it (section 14.6.1) and is the same on every server of the site.
type holder struct {
	handle   []byte
	user     domain.User
	passkeys []account.Passkey
}

func newHolder(key []byte, u domain.User, passkeys ...account.Passkey) holder {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte("user " + strconv.FormatInt(int64(u.ID), 10)))
	return holder{mac.Sum(nil), u, passkeys}
}

// WebAuthnID implements webauthn.User.
func (h holder) WebAuthnID() []byte { return h.handle }

// WebAuthnName implements webauthn.User.
func (h holder) WebAuthnName() string { return h.user.Email }

// WebAuthnDisplayName implements webauthn.User.
func (h holder) WebAuthnDisplayName() string { return h.user.Name }

// WebAuthnCredentials implements webauthn.User.
func (h holder) WebAuthnCredentials() (all []webauthn.Credential) {
	for _, p := range h.passkeys {
		c := webauthn.Credential{ID: p.CredentialID, PublicKey: p.PublicKey,
			Flags:         webauthn.CredentialFlags{BackupEligible: p.BackupEligible, BackupState: p.BackedUp},
			Authenticator: webauthn.Authenticator{SignCount: p.SignCount}}
		for _, t := range p.Transports {
			c.Transport = append(c.Transport, protocol.AuthenticatorTransport(t))
		}
		all = append(all, c)
	}
	return all
}
