package ext

import (
	"context"

	"vitrine/internal/app/people"
	"vitrine/internal/domain"
	"vitrine/internal/httpedge"
	"vitrine/internal/oas/ext"
)

func followTarget(kind domain.SubjectType, id string) people.FollowTarget {
	return people.FollowTarget{Type: kind, Ref: domain.ParseRef(id)}
}

// follow and the next functions serve the three kinds of things that can be followed.
func (h *handler) follow(ctx context.Context, t people.FollowTarget) (*ext.FollowState, error) {
	if err := h.app.People.Follow(ctx, httpedge.Actor(ctx), t); err != nil {
		return nil, err
	}
	return &ext.FollowState{Following: true}, nil
}

func (h *handler) followState(ctx context.Context, t people.FollowTarget) (*ext.FollowState, error) {
	following, err := h.app.People.IsFollowing(ctx, httpedge.Actor(ctx), t)
	if err != nil {
		return nil, err
	}
	return &ext.FollowState{Following: following}, nil
}

// GetUserFollow implements getUserFollow.
func (h *handler) GetUserFollow(ctx context.Context, p ext.GetUserFollowParams) (*ext.FollowState, error) {
	return h.followState(ctx, followTarget(domain.SubjectUser, p.ID))
}

// GetChannelFollow implements getChannelFollow.
func (h *handler) GetChannelFollow(ctx context.Context, p ext.GetChannelFollowParams) (*ext.FollowState, error) {
	return h.followState(ctx, followTarget(domain.SubjectChannel, p.ID))
}

// GetGroupFollow implements getGroupFollow.
func (h *handler) GetGroupFollow(ctx context.Context, p ext.GetGroupFollowParams) (*ext.FollowState, error) {
	return h.followState(ctx, followTarget(domain.SubjectGroup, p.ID))
}

// FollowUser implements followUser.
func (h *handler) FollowUser(ctx context.Context, p ext.FollowUserParams) (*ext.FollowState, error) {
	return h.follow(ctx, followTarget(domain.SubjectUser, p.ID))
}

// FollowChannel implements followChannel.
func (h *handler) FollowChannel(ctx context.Context, p ext.FollowChannelParams) (*ext.FollowState, error) {
	return h.follow(ctx, followTarget(domain.SubjectChannel, p.ID))
}

// FollowGroup implements followGroup.
func (h *handler) FollowGroup(ctx context.Context, p ext.FollowGroupParams) (*ext.FollowState, error) {
	return h.follow(ctx, followTarget(domain.SubjectGroup, p.ID))
}

// UnfollowUser implements unfollowUser.
func (h *handler) UnfollowUser(ctx context.Context, p ext.UnfollowUserParams) error {
	return h.app.People.Unfollow(ctx, httpedge.Actor(ctx), followTarget(domain.SubjectUser, p.ID))
}

// UnfollowChannel implements unfollowChannel.
func (h *handler) UnfollowChannel(ctx context.Context, p ext.UnfollowChannelParams) error {
	return h.app.People.Unfollow(ctx, httpedge.Actor(ctx), followTarget(domain.SubjectChannel, p.ID))
}

// UnfollowGroup implements unfollowGroup.
func (h *handler) UnfollowGroup(ctx context.Context, p ext.UnfollowGroupParams) error {
	return h.app.People.Unfollow(ctx, httpedge.Actor(ctx), followTarget(domain.SubjectGroup, p.ID))
}
