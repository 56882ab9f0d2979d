// Package scope carries what decides how transactions read and write, from the transport that
// starts the work to the store. The store reads it from the context in one place and passes it on as
// arguments; internal/archtest checks that nothing else does.
package scope

import (
	"context"
	"time"

	"vitrine/internal/budget"
	"vitrine/internal/domain"
	"vitrine/internal/obs"
	"vitrine/internal/reads"
)

// Scope belongs to one request, job or command. The zero value is that of work of the server itself.
// The fields must not change once the work has started a transaction.
type Scope struct {
	Origin    domain.Origin       // recorded in audit entries
	Cause     obs.Origin          // stored with jobs that the work enqueues, for their log messages
	Reads     *reads.Request      // where the work may read; nil for the primary
	Claim     *Claim              // idempotency key; nil for none
	OwnCommit bool                // on SQLite, its transactions do not share a commit, so that nobody waits for long ones
	Limits    *domain.TokenLimits // of the token of the request; nil for none
	Memory    *budget.Account     // charged for texts that are read; nil for no limit
	Match     *Match              // condition of the request; nil for none
	Always    bool                // its transactions commit while the site is read-only
	Within    any                 // the *store.Tx that all transactions and reads take part in; nil for none
}

// Match is a condition for a change (If-Match). The first transaction that the request commits checks it at
// its start, and locks what it checks, so no other transaction can come in between.
type Match struct {
	Check func(ctx context.Context, tx any) error // tx is a *store.Tx
	Met   bool                                    // a transaction that checked it was committed, or the part of one ended
}

// Passed stops later transactions of the request from checking the condition. m may be nil.
func (m *Match) Passed() {
	if m != nil {
		m.Met = true
	}
}

// Claim is the idempotency key of a request, which must have its effect once, even if it is sent
// several times. The first transaction that the request commits claims the key, so that the effect
// and the key are stored together or not at all. It belongs to the goroutine of its request.
type Claim struct {
	Hash    []byte // of the key and its user
	Request []byte // hash of the request
	User    domain.UserID
	Now     func() time.Time
	Kept    time.Duration

	Committed bool // a transaction with the claim was committed
	Repeated  bool // the key was claimed before
}

type key struct{}

// With returns a context with a scope, which replaces another one.
func With(ctx context.Context, s *Scope) context.Context { return context.WithValue(ctx, key{}, s) }

// Of returns the scope of a context.
func Of(ctx context.Context) Scope {
	if s, ok := ctx.Value(key{}).(*Scope); ok {
		return *s
	}
	return Scope{}
}

// LimitsOf returns the limits of the token of a context, nil for none.
func LimitsOf(ctx context.Context) *domain.TokenLimits {
	if s, ok := ctx.Value(key{}).(*Scope); ok {
		return s.Limits
	}
	return nil
}

// Charge charges n bytes to the account of a context, if any. The error is of the kind Unavailable:
// the caller must drop the data that it has read, and end the response with the error.
func Charge(ctx context.Context, n int64) error {
	if s, ok := ctx.Value(key{}).(*Scope); ok {
		return s.Memory.Charge(n)
	}
	return nil
}
