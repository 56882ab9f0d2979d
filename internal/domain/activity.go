package domain

import "time"

// ActivityID identifies an activity. IDs increase with time.
type ActivityID int64

// CommentID identifies a comment.
type CommentID int64

// ActivityKind is the kind of an activity (behaviour.md section 7).
type ActivityKind string

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

// SubjectType is the type of a Subject.
type SubjectType string

const (
	SubjectUser    SubjectType = "User"
	SubjectGroup   SubjectType = "Group"
	SubjectChannel SubjectType = "Channel"
	SubjectBlock   SubjectType = "Block"
	SubjectComment SubjectType = "Comment"
)

// Subject identifies the item or target of an activity. The zero Subject means none.
type Subject struct {
	Type SubjectType
	ID   int64
}

// Activity is an action of a user. Channel is the channel concerned, and Group the group that owned
// the channel at the time or that a user joined. Both may be 0. They determine whose feeds contain
// the activity.
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

// Day returns the day of an activity, in UTC.
func (a Activity) Day() string { return a.CreatedAt.UTC().Format(time.DateOnly) }

// Story is an activity with the entities that it shows (behaviour.md section 7).
type Story struct {
	Activity
	Actor                Principal
	Item, Target, Parent Entity
}

// Notice is a notification: a story, and whether its recipient has read it.
type Notice struct {
	Story
	Read bool
}
