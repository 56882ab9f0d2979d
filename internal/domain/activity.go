package domain

import "time"

// ActivityID is the id of an activity; ids grow with time.
type ActivityID int64

// CommentID is the id of a comment.
type CommentID int64

// ActivityKind says what was done (behaviour.md section 7).
type ActivityKind string

// The kinds of activities.
const (
	FollowedUser       ActivityKind = "followed_user"
	FollowedChannel    ActivityKind = "followed_channel"
	FollowedGroup      ActivityKind = "followed_group"
	AddedBlock         ActivityKind = "added_block_to_channel"
	AddedChannel       ActivityKind = "added_channel_to_channel"
	CreatedChannel     ActivityKind = "created_channel"
	CollaboratingUser  ActivityKind = "collaborating_with_user_on_channel"
	CollaboratingGroup ActivityKind = "collaborating_with_group_on_channel"
	Commented          ActivityKind = "commented_on_block"
	Mentioned          ActivityKind = "mentioned_you"
	AddedToGroup       ActivityKind = "added_user_to_group"
)

// SubjectType says what an activity was done with or to.
type SubjectType string

// The kinds of subjects.
const (
	SubjectUser    SubjectType = "User"
	SubjectGroup   SubjectType = "Group"
	SubjectChannel SubjectType = "Channel"
	SubjectBlock   SubjectType = "Block"
	SubjectComment SubjectType = "Comment"
)

// Subject names something that an activity was done with or to. The zero Subject is none.
type Subject struct {
	Type SubjectType
	ID   int64
}

// Activity is something that a user did. Channel is where, and Group the group that
// owned the channel then or that was joined; both may be 0. They say in whose feeds
// it stands.
type Activity struct {
	ID        ActivityID
	Kind      ActivityKind
	Actor     UserID
	Item      Subject
	Target    Subject
	Channel   ChannelID
	Group     GroupID
	CreatedAt time.Time
}

// Story is an activity with what it shows (behaviour.md section 7).
type Story struct {
	Activity
	Actor                Principal
	Item, Target, Parent Thing
}

// Notice is a notification: a story, and whether its reader has read of it.
type Notice struct {
	Story
	Read bool
}
