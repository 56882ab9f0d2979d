package domain

import (
	"context"
	"net/netip"
)

// Origin is where an action comes from: a request, or a command on the command line. The zero value
// is the server itself, for example a job. It does not include the acting user, which is a
// parameter of use cases.
type Origin struct {
	Address netip.Addr // of the client, unmapped; invalid if unknown
	Request string     // request ID, as in the log
	Console bool       // command line
}

// ActedFrom implements Originator.
func (o Origin) ActedFrom() Origin { return o }

// Originator is the value under OriginKey. A request's is filled while the request is handled.
type Originator interface{ ActedFrom() Origin }

// OriginKey is the context key of an Originator. Its value may also have the origin that jobs store
// (obs.Origin).
type OriginKey struct{}

// WithOrigin returns a context with an origin.
func WithOrigin(ctx context.Context, o Originator) context.Context {
	return context.WithValue(ctx, OriginKey{}, o)
}

// OriginOf returns the origin in a context.
func OriginOf(ctx context.Context) Origin {
	if o, ok := ctx.Value(OriginKey{}).(Originator); ok {
		return o.ActedFrom()
	}
	return Origin{}
}
