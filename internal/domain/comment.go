package domain

import "time"

// Comment is a user's comment on a block.
type Comment struct {
	ID        CommentID
	BlockID   BlockID
	Author    Principal
	Body      Text
	Version   int64
	CreatedAt time.Time
	UpdatedAt time.Time
}

// CanEditComment reports whether the actor may change or delete a comment.
func CanEditComment(a Actor, c Comment) bool {
	return a.MayWrite() && c.Author.PrincipalRef == UserRef(a.UserID)
}
