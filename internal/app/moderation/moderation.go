// Package moderation contains the use cases of reports, and of operators' decisions about them.
package moderation

import (
	"vitrine/internal/app/accounts"
	"vitrine/internal/app/core"
)

// Moderation contains the use cases.
type Moderation struct {
	*core.Core
	accounts *accounts.Accounts
}

// New creates the use cases.
func New(c *core.Core, accounts *accounts.Accounts) *Moderation {
	return &Moderation{Core: c, accounts: accounts}
}
