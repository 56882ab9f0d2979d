package api

import (
	"context"

	"vitrine/internal/domain"
	"vitrine/internal/oas/ext"
	"vitrine/internal/oas/v3"
)

// What other branches write; this file goes when they are merged.

var errPending = domain.Wrap(domain.Internal, "", nil)

func (h *handler) GetMyFeed(context.Context, v3.GetMyFeedParams) (*v3.FeedListResponse, error) {
	return nil, errPending
}
func (h *handler) GetMyNotifications(context.Context, v3.GetMyNotificationsParams) (*v3.NotificationListResponse, error) {
	return nil, errPending
}
func (h *handler) MarkAllMyNotificationsRead(context.Context) (*v3.NotificationsReadAllResponse, error) {
	return nil, errPending
}
func (h *handler) MarkMyNotificationRead(context.Context, v3.MarkMyNotificationReadParams) (*v3.NotificationReadResponse, error) {
	return nil, errPending
}
func (h *handler) GetUserFollowers(context.Context, v3.GetUserFollowersParams) (*v3.UserListResponse, error) {
	return nil, errPending
}
func (h *handler) GetUserFollowing(context.Context, v3.GetUserFollowingParams) (*v3.FollowableListResponse, error) {
	return nil, errPending
}
func (h *handler) GetChannelFollowers(context.Context, v3.GetChannelFollowersParams) (*v3.UserListResponse, error) {
	return nil, errPending
}
func (h *handler) GetGroupFollowers(context.Context, v3.GetGroupFollowersParams) (*v3.UserListResponse, error) {
	return nil, errPending
}
func (h *handler) GetBlockComments(context.Context, v3.GetBlockCommentsParams) (*v3.CommentListResponse, error) {
	return nil, errPending
}
func (h *handler) CreateBlockComment(context.Context, *v3.CreateBlockCommentReq, v3.CreateBlockCommentParams) (*v3.Comment, error) {
	return nil, errPending
}
func (h *handler) DeleteComment(context.Context, v3.DeleteCommentParams) error { return errPending }
func (h *handler) DeleteBlock(context.Context, ext.DeleteBlockParams) error    { return errPending }
func (h *handler) DisconnectBlock(context.Context, ext.DisconnectBlockParams) error {
	return errPending
}
func (h *handler) FollowChannel(context.Context, ext.FollowChannelParams) (*ext.FollowState, error) {
	return nil, errPending
}
func (h *handler) FollowGroup(context.Context, ext.FollowGroupParams) (*ext.FollowState, error) {
	return nil, errPending
}
func (h *handler) FollowUser(context.Context, ext.FollowUserParams) (*ext.FollowState, error) {
	return nil, errPending
}
func (h *handler) GetChannelFollow(context.Context, ext.GetChannelFollowParams) (*ext.FollowState, error) {
	return nil, errPending
}
func (h *handler) GetGroupFollow(context.Context, ext.GetGroupFollowParams) (*ext.FollowState, error) {
	return nil, errPending
}
func (h *handler) GetUserFollow(context.Context, ext.GetUserFollowParams) (*ext.FollowState, error) {
	return nil, errPending
}
func (h *handler) UnfollowChannel(context.Context, ext.UnfollowChannelParams) error {
	return errPending
}
func (h *handler) UnfollowGroup(context.Context, ext.UnfollowGroupParams) error { return errPending }
func (h *handler) UnfollowUser(context.Context, ext.UnfollowUserParams) error   { return errPending }
