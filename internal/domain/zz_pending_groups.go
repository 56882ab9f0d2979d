package domain

// Taken from branch people until both are merged; then this file goes.

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
