// Package accounts has the use cases of accounts: signing up, passwords and addresses, tokens and
// applications, and the end of an account. How one signs in is in signin.
package accounts

import (
	"time"

	"vitrine/internal/app/collections"
	"vitrine/internal/app/core"
	"vitrine/internal/app/people"
	"vitrine/internal/app/signin"
	"vitrine/internal/domain"
)

// Accounts are the use cases.
type Accounts struct {
	*signin.SignIns
	people      *people.People
	collections *collections.Collections
	accounts    Options
	used        usage
	setupKey    core.Secret
}

// Options are how accounts come to be. The zero value serves the command line.
type Options struct {
	SignUp       domain.SignUpMode // "": an operator chooses
	DefaultTier  domain.Tier       // of accounts that people make; "" means supporter
	Registration bool              // applications may register themselves
	Setup        Setup
}

// New makes the use cases.
func New(signIns *signin.SignIns, collections *collections.Collections, people *people.People, o Options) *Accounts {
	if o.DefaultTier == "" {
		o.DefaultTier = domain.TierSupporter
	}
	return &Accounts{SignIns: signIns, collections: collections, people: people, accounts: o,
		used: usage{at: map[domain.TokenID]time.Time{}}}
}
