package domain

// Event describes what a use case did. Subscribers create activities and notifications from it and
// update derived data. The set is closed.
type Event interface{ event() }

// Events that followers or the people concerned are notified of.
type (
	// ChannelCreated means that a channel was created.
	ChannelCreated struct {
		Channel Channel
		Brought bool // by an import, which creates no activity
	}

	// Connected means that an item was connected to a channel.
	Connected struct {
		Channel     Channel
		Item        ItemRef
		Owner       PrincipalRef // owner of the item
		ItemPrivate bool         // the item is a private channel
		Again       bool         // a removal was undone, which creates no activity
		Brought     bool         // by an import, which creates no activity
		Quiet       bool         // by a feed, which notifies nobody
	}

	// CollaboratorAdded means that a user or group became a collaborator of a channel.
	CollaboratorAdded struct {
		Channel Channel
		Who     PrincipalRef
	}

	// MemberAdded means that a user joined a group.
	MemberAdded struct {
		Group GroupID
		User  UserID
	}

	// Followed means that the actor followed a user, group or channel.
	Followed struct{ What Subject }

	// CommentCreated means that the actor commented on a block and mentioned users.
	CommentCreated struct {
		Block     Block
		Comment   CommentID
		Mentioned []UserID
		Brought   bool // by an import, which creates no activity
	}
)

// Events that change what is visible, without notifications.
type (
	// BlockCreated means that a block was created. Connected events contain its channels.
	BlockCreated struct{ Block Block }

	// BlockChanged means that a block was edited, or its content was processed. Was and Is have its former and its new
	// fields; they are zero if only its files, copies or connections changed.
	BlockChanged struct {
		Block   BlockID
		Was, Is Block
	}

	// BlockDeleted means that a block was deleted. Disconnected events contain its channels.
	BlockDeleted struct {
		Block  BlockID
		Author UserID
	}

	// BlockRestored means that a block was restored from Trash. Connected events contain its channels.
	BlockRestored struct{ Block BlockID }

	// Disconnected means that an item was removed from a channel.
	Disconnected struct{ Connection Connection }

	// ChannelChanged means that a channel was changed.
	ChannelChanged struct{ Was, Is Channel }

	// ConnectionChanged means that a connection was moved, pinned or unpinned, or its metadata
	// changed.
	ConnectionChanged struct {
		Connection Connection
		Moved      bool // only its place in the channel changed
	}

	// ContentsArranged means that several connections of a channel were moved at once.
	ContentsArranged struct {
		Channel Channel
		Moved   []ConnectionID
	}

	// ChannelDeleted means that a channel was deleted.
	ChannelDeleted struct{ Channel Channel }

	// ChannelRestored means that a channel was restored from Trash. Connected events contain the channels that it is in.
	ChannelRestored struct{ Channel Channel }

	// CollaboratorRemoved means that a user or group is no longer a collaborator of a channel.
	CollaboratorRemoved struct {
		Channel Channel
		Who     PrincipalRef
	}

	// GroupCreated means that the actor created a group and became its first member.
	GroupCreated struct{ Group GroupID }

	// GroupChanged means that a group's public data changed. Was and Is are zero if only its picture or owner did.
	GroupChanged struct {
		Group   GroupID
		Was, Is Group
	}

	// GroupDeleted means that a group was deleted. Its channels now belong to its owner.
	GroupDeleted struct{ Group GroupID }

	// MemberRemoved means that a user is no longer a member of a group.
	MemberRemoved struct {
		Group GroupID
		User  UserID
	}

	// UserCreated means that an account was created.
	UserCreated struct{ User UserID }

	// UserDeleted means that an account was deleted, with its channels, comments, memberships and collaborations.
	UserDeleted struct{ User UserID }

	// UserChanged means that a user's public data changed. Was and Is are zero if only their picture did.
	UserChanged struct {
		User    UserID
		Was, Is User
	}

	// Unfollowed means that the actor unfollowed something.
	Unfollowed struct{ What Subject }

	// CommentChanged means that a comment was edited.
	CommentChanged struct{ Was, Is Comment }

	// CommentDeleted means that a comment was deleted.
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
func (BlockRestored) event()       {}
func (Disconnected) event()        {}
func (ChannelChanged) event()      {}
func (ChannelDeleted) event()      {}
func (ChannelRestored) event()     {}
func (ConnectionChanged) event()   {}
func (ContentsArranged) event()    {}
func (CollaboratorRemoved) event() {}
func (GroupCreated) event()        {}
func (GroupChanged) event()        {}
func (GroupDeleted) event()        {}
func (MemberRemoved) event()       {}
func (UserCreated) event()         {}
func (UserDeleted) event()         {}
func (UserChanged) event()         {}
func (Unfollowed) event()          {}
func (CommentChanged) event()      {}
func (CommentDeleted) event()      {}
