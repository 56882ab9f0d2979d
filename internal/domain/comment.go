package domain

import "time"

// Comment is what somebody said about a block.
type Comment struct {
	ID        CommentID
	BlockID   BlockID
	Author    Principal
	Body      Text
	Version   int64
	CreatedAt time.Time
	UpdatedAt time.Time
}
