package domain

// FollowedType says what is followed.
type FollowedType string

// The kinds of what can be followed.
const (
	FollowsUser    FollowedType = "User"
	FollowsGroup   FollowedType = "Group"
	FollowsChannel FollowedType = "Channel"
)

// Followed names what is followed.
type Followed struct {
	Type FollowedType
	ID   int64
}

// FollowID is the id of one following: a new one each time.
type FollowID int64

// FollowedThing is something that a user follows: exactly one of its fields is set.
type FollowedThing struct {
	User    *User
	Group   *Group
	Channel *Channel
}
