// Package signin has the use cases of who is signed in: opening a session by a password, a
// passkey or both, ending it, proving again who one is, passkeys and recovery codes, and the
// notices of what was changed.
package signin

import (
	"github.com/go-webauthn/webauthn/webauthn"

	"vitrine/internal/app/core"
	"vitrine/internal/mail"
)

// SignIns are the use cases.
type SignIns struct {
	*core.Core
	mailer *mail.Mailer
	party  *webauthn.WebAuthn // nil where browsers offer no passkeys
	key    core.Secret        // of challenges, and of the handles by which authenticators name accounts
}

// secretName is that of the key.
const secretName = "passkeys"

// New makes the use cases. Mailer is for jobs.
func New(c *core.Core, mailer *mail.Mailer) *SignIns {
	return &SignIns{Core: c, mailer: mailer, party: newParty(c.SiteURL)}
}
