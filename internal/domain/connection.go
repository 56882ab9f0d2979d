package domain

import "time"

// ItemType is the type of a connected item.
type ItemType string

const (
	ItemBlock   ItemType = "Block"
	ItemChannel ItemType = "Channel"
)

// ItemRef identifies a block or a channel.
type ItemRef struct {
	Type ItemType
	ID   int64
}

// BlockRef returns the reference to a block.
func BlockRef(id BlockID) ItemRef { return ItemRef{ItemBlock, int64(id)} }

// ChannelRef returns the reference to a channel as an item.
func ChannelRef(id ChannelID) ItemRef { return ItemRef{ItemChannel, int64(id)} }

// Connection is an item in a channel.
type Connection struct {
	ID          ConnectionID
	ChannelID   ChannelID
	Item        ItemRef
	Maker       Principal // who connected it
	PositionKey int64     // sort key within the channel
	Position    int64     // 1..n from the bottom; 0 if it was not read
	ItemPrivate bool      // the item is a private channel
	Pinned      bool
	Metadata    Metadata
	Version     int64
	CreatedAt   time.Time
	Block       *BlockRevision // stamp of its block, if it was read
}

// ConnectionRevision identifies a state of a connection except its position, as BlockRevision does for
// blocks. Face increases with each visible change of the user who connected it.
type ConnectionRevision struct {
	ID            ConnectionID
	Version, Face int64
	CreatedAt     time.Time
}

// Revision returns the stamp of the connection's current state.
func (c Connection) Revision() ConnectionRevision {
	return ConnectionRevision{ID: c.ID, Version: c.Version, Face: c.Maker.Version, CreatedAt: c.CreatedAt}
}

// Movement is a way to move a connection (behaviour.md section 5).
type Movement string

// The movements. Up is towards the top, which is the highest position.
const (
	InsertAt     Movement = "insert_at"
	MoveToTop    Movement = "move_to_top"
	MoveToBottom Movement = "move_to_bottom"
	MoveUp       Movement = "move_up"
	MoveDown     Movement = "move_down"
)

// CanRemove reports whether the actor may remove a connection from its channel.
func CanRemove(a Actor, in Channel, c Connection) bool {
	return a.MayWrite() && (in.Role >= RoleCollaborator || c.Maker.PrincipalRef == UserRef(a.UserID))
}

// Destination returns the target position of moving a connection from position from, of n.
func Destination(how Movement, position *int64, from, n int64) int64 {
	switch how {
	case MoveToTop:
		return n
	case MoveToBottom:
		return 1
	case MoveUp:
		return min(from+1, n)
	case MoveDown:
		return max(from-1, 1)
	}
	return min(max(*position, 1), n)
}
