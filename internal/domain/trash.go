package domain

import "time"

// TrashID identifies something in Trash. Ids are in the order of deletion.
type TrashID int64

// TrashKind is a kind of thing that can be in Trash.
type TrashKind string

// The kinds. The database contains their names.
const (
	TrashedBlock   TrashKind = "Block"
	TrashedChannel TrashKind = "Channel"
	TrashedComment TrashKind = "Comment"

	// TrashedConnection is what somebody removed from a channel at once. Its target is the first connection.
	TrashedConnection TrashKind = "Connection"
)

// Trashed is a deleted thing that can still be restored.
type Trashed struct {
	ID        TrashID
	Kind      TrashKind
	Target    int64        // its id
	Owner     PrincipalRef // who can restore it
	DeletedBy Principal
	Label     string  // as it was called; "" for connections, whose items have names of their own
	Block     BlockID // of a comment; 0 for others
	DeletedAt time.Time
}
