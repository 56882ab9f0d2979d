package api

import (
	"context"
	"errors"

	"vitrine/internal/oas/ext"
	"vitrine/internal/oas/v3"
)

// What other branches implement.

var errPending = errors.New("api: pending")

func (h *handler) CreateBlockComment(context.Context, *v3.CreateBlockCommentReq, v3.CreateBlockCommentParams) (*v3.Comment, error) {
	return nil, errPending
}

func (h *handler) GetBlockComments(context.Context, v3.GetBlockCommentsParams) (*v3.CommentListResponse, error) {
	return nil, errPending
}

func (h *handler) GetChannelFollowers(context.Context, v3.GetChannelFollowersParams) (*v3.UserListResponse, error) {
	return nil, errPending
}

func (h *handler) DeleteComment(context.Context, v3.DeleteCommentParams) error { return errPending }

func (h *handler) CreateGroup(context.Context, *v3.CreateGroupReq) (*v3.Group, error) {
	return nil, errPending
}

func (h *handler) CreateGroupInvitation(context.Context, *v3.CreateGroupInvitationReq, v3.CreateGroupInvitationParams) (v3.CreateGroupInvitationRes, error) {
	return nil, errPending
}

func (h *handler) CreateGroupInvite(context.Context, v3.CreateGroupInviteParams) (v3.CreateGroupInviteRes, error) {
	return nil, errPending
}

func (h *handler) DeleteGroup(context.Context, v3.DeleteGroupParams) error { return errPending }

func (h *handler) DeleteGroupInvite(context.Context, v3.DeleteGroupInviteParams) error {
	return errPending
}

func (h *handler) GetGroup(context.Context, v3.GetGroupParams) (*v3.Group, error) {
	return nil, errPending
}

func (h *handler) GetGroupFollowers(context.Context, v3.GetGroupFollowersParams) (*v3.UserListResponse, error) {
	return nil, errPending
}

func (h *handler) GetGroupInvitations(context.Context, v3.GetGroupInvitationsParams) (*v3.MembershipInvitationListResponse, error) {
	return nil, errPending
}

func (h *handler) GetGroupInvite(context.Context, v3.GetGroupInviteParams) (*v3.GroupInvite, error) {
	return nil, errPending
}

func (h *handler) GetGroupMembers(context.Context, v3.GetGroupMembersParams) (*v3.GroupMemberListResponse, error) {
	return nil, errPending
}

func (h *handler) JoinGroup(context.Context, *v3.JoinGroupReq, v3.JoinGroupParams) (v3.JoinGroupRes, error) {
	return nil, errPending
}

func (h *handler) LeaveGroup(context.Context, v3.LeaveGroupParams) error { return errPending }

func (h *handler) RemoveGroupMember(context.Context, v3.RemoveGroupMemberParams) error {
	return errPending
}

func (h *handler) RevokeGroupInvitation(context.Context, v3.RevokeGroupInvitationParams) error {
	return errPending
}

func (h *handler) UpdateGroup(context.Context, *v3.UpdateGroupReq, v3.UpdateGroupParams) (*v3.Group, error) {
	return nil, errPending
}

func (h *handler) GetUserFollowers(context.Context, v3.GetUserFollowersParams) (*v3.UserListResponse, error) {
	return nil, errPending
}

func (h *handler) GetUserFollowing(context.Context, v3.GetUserFollowingParams) (*v3.FollowableListResponse, error) {
	return nil, errPending
}

func (h *handler) GetUserGroups(context.Context, v3.GetUserGroupsParams) (*v3.GroupListResponse, error) {
	return nil, errPending
}

func (h *handler) DeleteBlock(context.Context, ext.DeleteBlockParams) error { return errPending }

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

func (h *handler) UnfollowUser(context.Context, ext.UnfollowUserParams) error { return errPending }
