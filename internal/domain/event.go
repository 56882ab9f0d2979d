package domain

// Event is what a use case did, said once: activities and notifications follow from it, and
// whatever else is to know of it subscribes to it. The set is closed.
type Event interface{ event() }

// The events of things that are told to followers and to those concerned.
type (
	// ChannelCreated says that a channel was made.
	ChannelCreated struct {
		Channel Channel
		Brought bool // in from elsewhere, which is no news
	}

	// Connected says that an item was put into a channel.
	Connected struct {
		Channel     Channel
		Item        ItemRef
		Owner       PrincipalRef // of the item
		ItemPrivate bool         // a private channel
		Again       bool         // it was taken out and is put back, which is no news
		Brought     bool         // in from elsewhere, which is no news
	}

	// CollaboratorAdded says that a user or group may add to a channel from now on.
	CollaboratorAdded struct {
		Channel Channel
		Who     PrincipalRef
	}

	// MemberAdded says that a user has joined a group.
	MemberAdded struct {
		Group GroupID
		User  UserID
	}

	// Followed says that the actor follows a user, group or channel.
	Followed struct{ What Subject }

	// CommentCreated says that the actor commented on a block, and mentioned users.
	CommentCreated struct {
		Block     Block
		Comment   CommentID
		Mentioned []UserID
		Brought   bool // in from elsewhere, which is no news
	}
)

// The events that change what is seen and are told to nobody yet.
type (
	// BlockCreated says that a block was made; Connected says where it is.
	BlockCreated struct{ Block Block }

	// BlockChanged says that a block was edited, or has its content.
	BlockChanged struct{ Block BlockID }

	// BlockDeleted says that a block is gone; Disconnected says where it was.
	BlockDeleted struct{ Block BlockID }

	// Disconnected says that an item was taken out of a channel.
	Disconnected struct{ Connection Connection }

	// ChannelChanged says that a channel is other than it was.
	ChannelChanged struct{ Was, Is Channel }

	// ConnectionChanged says that a connection was moved, pinned or unpinned, or has other metadata.
	ConnectionChanged struct{ Connection Connection }

	// ContentsArranged says that many connections of a channel were moved at once.
	ContentsArranged struct {
		Channel Channel
		Moved   []ConnectionID
	}

	// ChannelDeleted says that a channel is gone.
	ChannelDeleted struct{ Channel Channel }

	// CollaboratorRemoved says that a user or group collaborates on a channel no more.
	CollaboratorRemoved struct {
		Channel Channel
		Who     PrincipalRef
	}

	// GroupCreated says that the actor made a group, whose first member they are.
	GroupCreated struct{ Group GroupID }

	// GroupChanged says that what a group shows of itself is other than it was.
	GroupChanged struct{ Group GroupID }

	// GroupDeleted says that a group is gone; its channels are its owner's.
	GroupDeleted struct{ Group GroupID }

	// MemberRemoved says that a user belongs to a group no more.
	MemberRemoved struct {
		Group GroupID
		User  UserID
	}

	// UserChanged says that what a user shows of themself is other than it was.
	UserChanged struct{ User UserID }

	// Unfollowed says that the actor follows something no more.
	Unfollowed struct{ What Subject }

	// CommentChanged says that a comment was edited.
	CommentChanged struct{ Comment Comment }

	// CommentDeleted says that a comment is gone.
	CommentDeleted struct{ Comment Comment }
)

func (ChannelCreated) event()      {}
func (Connected) event()           {}
func (CollaboratorAdded) event()   {}
func (MemberAdded) event()         {}
func (Followed) event()            {}
func (CommentCreated) event()      {}
func (BlockCreated) event()        {}
func (BlockChanged) event()        {}
func (BlockDeleted) event()        {}
func (Disconnected) event()        {}
func (ChannelChanged) event()      {}
func (ChannelDeleted) event()      {}
func (ConnectionChanged) event()   {}
func (ContentsArranged) event()    {}
func (CollaboratorRemoved) event() {}
func (GroupCreated) event()        {}
func (GroupChanged) event()        {}
func (GroupDeleted) event()        {}
func (MemberRemoved) event()       {}
func (UserChanged) event()         {}
func (Unfollowed) event()          {}
func (CommentChanged) event()      {}
func (CommentDeleted) event()      {}
