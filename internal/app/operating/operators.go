package operating

import (
	"context"
	"net/netip"

	"vitrine/internal/app/core"
	"vitrine/internal/domain"
	"vitrine/internal/store"
)

// Operator is who looks after accounts: an account that runs the server, by the website, or
// whoever uses the command line on it, who needs none.
type Operator struct {
	actor domain.Actor
	from  domain.Visitor
	shell bool
}

// OnSite is an actor of the website, who has yet to be an operator.
func OnSite(actor domain.Actor, from domain.Visitor) Operator {
	return Operator{actor: actor, from: from}
}

// CommandLine is who uses the program on the server: what they may is for the machine to say.
func CommandLine() Operator { return Operator{shell: true} }

// Allowed refuses who does not run the server.
func (o Operator) Allowed(ctx context.Context, q store.Queries) error {
	if o.shell {
		return nil
	}
	return core.Operate(ctx, q, o.actor)
}

// Address is where the operator comes from; no address on the command line.
func (o Operator) Address() netip.Addr { return o.from.Address }

// Actor is who is noted to have acted; nobody where it is the command line.
func (o Operator) Actor() domain.Actor { return o.actor }
