package domain

import "time"

// ItemType says what a connection connects.
type ItemType string

// The kinds of items.
const (
	ItemBlock   ItemType = "Block"
	ItemChannel ItemType = "Channel"
)

// ItemRef names a block or a channel.
type ItemRef struct {
	Type ItemType
	ID   int64
}

// BlockRef names a block.
func BlockRef(id BlockID) ItemRef { return ItemRef{ItemBlock, int64(id)} }

// ChannelRef names a channel as an item.
func ChannelRef(id ChannelID) ItemRef { return ItemRef{ItemChannel, int64(id)} }

// Connection is one item in one channel.
type Connection struct {
	ID          ConnectionID
	ChannelID   ChannelID
	Item        ItemRef
	Maker       Principal // who connected it
	PositionKey int64     // place among the channel's keys
	Position    int64     // 1..n from the bottom; 0 where it was not asked for
	ItemPrivate bool      // the item is a private channel
	Pinned      bool
	Metadata    Metadata
	Version     int64
	CreatedAt   time.Time
	Block       *BlockStamp // of its item, if that is a block and the stamp was asked for
}

// ConnectionStamp tells a state of a connection from all others, its position aside, as
// BlockStamp does for blocks: Face grows with what is shown of who made it.
type ConnectionStamp struct {
	ID            ConnectionID
	Version, Face int64
	CreatedAt     time.Time
}

// Stamp is the stamp of the state that the connection is in.
func (c Connection) Stamp() ConnectionStamp {
	return ConnectionStamp{ID: c.ID, Version: c.Version, Face: c.Maker.Version, CreatedAt: c.CreatedAt}
}

// Movement is a way to move a connection (behaviour.md section 5).
type Movement string

// The movements; up is towards the top, which is the highest position.
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

// Destination is the position that a movement leads to, of a connection that is at
// position from of n.
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
