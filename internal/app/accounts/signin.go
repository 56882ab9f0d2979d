package accounts

import (
	"github.com/go-webauthn/webauthn/webauthn"

	"vitrine/internal/app/core"
	"vitrine/internal/mail"
)

// SignIns contains the use cases.
type SignIns struct {
	*core.Core
	mailer *mail.Mailer
	party  *webauthn.WebAuthn // nil if browsers offer no passkeys
	key    core.Secret        // of challenges, and of the handles by which authenticators identify accounts
}

// secretName is the name of the key.
const secretName = "passkeys"

// NewSignIns creates the use cases. mailer is only needed for jobs.
func NewSignIns(c *core.Core, mailer *mail.Mailer) *SignIns {
	return &SignIns{Core: c, mailer: mailer, party: newParty(c.SiteURL)}
}
