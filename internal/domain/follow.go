package domain

// FollowedThing is something that a user follows: exactly one of its fields is set.
type FollowedThing struct {
	User    *User
	Group   *Group
	Channel *Channel
}
