// Package accounts contains the use cases of accounts: signing up, passwords and addresses, tokens and applications, and
// deletion. Signing in is in package signin.
package accounts

import (
	"time"

	"vitrine/internal/app/collections"
	"vitrine/internal/app/core"
	"vitrine/internal/app/people"
	"vitrine/internal/app/signin"
	"vitrine/internal/domain"
)

// Accounts contains the use cases.
type Accounts struct {
	*signin.SignIns
	people      *people.People
	collections *collections.Collections
	accounts    Options
	used        usage
	setupKey    core.Secret
}

// Options configures how accounts are created. The zero value suits commands.
type Options struct {
	SignUp       domain.SignUpMode // "" lets an operator choose
	DefaultTier  domain.Tier       // of accounts that people create; "" means supporter
	Registration bool              // applications may register themselves
	Setup        Setup
}

// New creates the use cases.
func New(signIns *signin.SignIns, collections *collections.Collections, people *people.People, o Options) *Accounts {
	if o.DefaultTier == "" {
		o.DefaultTier = domain.TierSupporter
	}
	return &Accounts{SignIns: signIns, collections: collections, people: people, accounts: o,
		used: usage{at: map[domain.TokenID]time.Time{}}}
}
