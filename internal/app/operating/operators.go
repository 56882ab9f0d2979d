package operating

import (
	"context"
	"net/netip"

	"vitrine/internal/app/core"
	"vitrine/internal/domain"
	"vitrine/internal/store"
)

// Operator is an account with an office on the website, or the user of the command line on the server, who needs no
// account.
type Operator struct {
	actor domain.Actor
	from  domain.Visitor
	shell bool
}

// OnSite returns the operator for an actor of the website. Allowed checks that the actor is one.
func OnSite(actor domain.Actor, from domain.Visitor) Operator {
	return Operator{actor: actor, from: from}
}

// CommandLine returns the operator for the user of the program on the server. The operating system decides who that may
// be.
func CommandLine() Operator { return Operator{shell: true} }

// Allowed refuses anybody who is not an operator.
func (o Operator) Allowed(ctx context.Context, q store.Queries) error {
	if o.shell {
		return nil
	}
	return core.Operate(ctx, q, o.actor)
}

// Address returns the network address of the operator, or the zero value on the command line.
func (o Operator) Address() netip.Addr { return o.from.Address }

// Actor returns the actor for records, or the zero value on the command line.
func (o Operator) Actor() domain.Actor { return o.actor }
