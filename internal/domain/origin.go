package domain

import (
	"context"
	"net/netip"
)

// Origin is where something that is done comes from: a request, or a command that somebody
// typed. The zero value is the server itself, as in jobs. Who acts is never among it: the
// acting user is a parameter.
type Origin struct {
	Address netip.Addr // of the client, unmapped; invalid where it is not known
	Request string     // id of the request, as in the log
	Console bool       // a command line
}

// ActedFrom gives the origin itself, so that a context can hold one.
func (o Origin) ActedFrom() Origin { return o }

// Originator is what a context holds of its origin. A request's is filled along the way.
type Originator interface{ ActedFrom() Origin }

// OriginKey is where a context holds an Originator. What jobs keep of a request
// (obs.Origin) is held there too.
type OriginKey struct{}

// WithOrigin puts an origin into a context.
func WithOrigin(ctx context.Context, o Originator) context.Context {
	return context.WithValue(ctx, OriginKey{}, o)
}

// OriginOf gives the origin of what is done in a context.
func OriginOf(ctx context.Context) Origin {
	if o, ok := ctx.Value(OriginKey{}).(Originator); ok {
		return o.ActedFrom()
	}
	return Origin{}
}
