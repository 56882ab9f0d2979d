// Package moderation has the use cases of looking after what people make: they report things, and
// operators decide about what was reported.
package moderation

import (
	"vitrine/internal/app/accounts"
	"vitrine/internal/app/core"
)

// Moderation are the use cases.
type Moderation struct {
	*core.Core
	accounts *accounts.Accounts
}

// New makes the use cases.
func New(c *core.Core, accounts *accounts.Accounts) *Moderation {
	return &Moderation{Core: c, accounts: accounts}
}
