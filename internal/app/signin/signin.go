// Package signin has the use cases of who is signed in: opening a session by a password,
// ending it, proving again who one is, and the notices of what was changed.
package signin

import (
	"vitrine/internal/app/core"
	"vitrine/internal/mail"
)

// SignIns are the use cases.
type SignIns struct {
	*core.Core
	mailer *mail.Mailer
}

// New makes the use cases. Mailer is for jobs.
func New(c *core.Core, mailer *mail.Mailer) *SignIns { return &SignIns{Core: c, mailer: mailer} }
