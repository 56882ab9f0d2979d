// Package accounts has the use cases of getting into an account and out of it: signing up and
// in, passwords, sessions, tokens and applications, and the end of an account.
package accounts

import (
	"time"

	"vitrine/internal/app/collections"
	"vitrine/internal/app/core"
	"vitrine/internal/app/people"
	"vitrine/internal/domain"
	"vitrine/internal/mail"
)

// Accounts are the use cases.
type Accounts struct {
	*core.Core
	people      *people.People
	collections *collections.Collections
	mailer      *mail.Mailer
	accounts    Options
	used        usage
}

// Options are how accounts come to be. The zero value serves the command line.
type Options struct {
	SignUp       domain.SignUpMode // "": an operator chooses
	DefaultTier  domain.Tier       // of accounts that people make; "" means supporter
	Registration bool              // applications may register themselves
}

// New makes the use cases. Mailer is for jobs.
func New(c *core.Core, collections *collections.Collections, people *people.People, mailer *mail.Mailer, o Options) *Accounts {
	if o.DefaultTier == "" {
		o.DefaultTier = domain.TierSupporter
	}
	return &Accounts{Core: c, collections: collections, people: people, mailer: mailer, accounts: o,
		used: usage{at: map[domain.TokenID]time.Time{}}}
}
