package domain

import "net/netip"

// Origin is where an action comes from: a request, or a command on the command line. The zero value
// is the server itself, for example a job. It does not include the acting user, which is a
// parameter of use cases.
type Origin struct {
	Address netip.Addr // of the client, unmapped; invalid if unknown
	Request string     // request ID, as in the log
	Console bool       // command line
}
