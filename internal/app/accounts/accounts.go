// Package accounts contains the use cases of accounts: signing up and in, single sign-on, passwords and addresses, tokens
// and applications, and deletion.
package accounts

import (
	"time"

	"vitrine/internal/app/collections"
	"vitrine/internal/app/core"
	"vitrine/internal/app/people"
	"vitrine/internal/domain"
	"vitrine/internal/fetch"
)

// Accounts contains the use cases.
type Accounts struct {
	*SignIns
	people      *people.People
	collections *collections.Collections
	accounts    Options
	used        usage
	setupKey    core.Secret
	refreshKey  core.Secret // from which refresh tokens follow
}

// Options configures how accounts are created. The zero value suits commands.
type Options struct {
	SignUp       domain.SignUpMode // "" lets an operator choose
	DefaultTier  domain.Tier       // of accounts that people create; "" means supporter
	Registration bool              // applications may register themselves
	Extension    bool              // people may sign in with the browser extension
	Fetcher      *fetch.Client     // of the documents with which clients describe themselves
	Setup        Setup
}

// New creates the use cases.
func New(signIns *SignIns, collections *collections.Collections, people *people.People, o Options) *Accounts {
	if o.DefaultTier == "" {
		o.DefaultTier = domain.TierSupporter
	}
	return &Accounts{SignIns: signIns, collections: collections, people: people, accounts: o,
		used: usage{at: map[domain.TokenID]time.Time{}}}
}
