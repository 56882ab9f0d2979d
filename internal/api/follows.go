package api

import (
	"context"

	"vitrine/internal/app"
	"vitrine/internal/domain"
	"vitrine/internal/oas/ext"
	"vitrine/internal/oas/v3"
	"vitrine/internal/oas/wire"
)

func followTarget(kind domain.SubjectType, id string) app.FollowTarget {
	return app.FollowTarget{Type: kind, Ref: domain.ParseRef(id)}
}

// followers is a page of who follows something.
func (h *handler) followers(ctx context.Context, t app.FollowTarget, number, per v3.OptInt64, sort v3.OptConnectionSort) (*v3.UserListResponse, error) {
	at, who := page(number, per), actor(ctx)
	l, err := h.app.Followers(ctx, who, t, newestFirst(sort), at)
	if err != nil {
		return nil, err
	}
	w := &v3.UserListResponse{Data: make([]v3.User, len(l.Items)), Meta: meta(at, l.Total)}
	for i, u := range l.Items {
		w.Data[i] = *h.user(who, u)
	}
	return w, nil
}

// GetUserFollowers implements getUserFollowers.
func (h *handler) GetUserFollowers(ctx context.Context, p v3.GetUserFollowersParams) (*v3.UserListResponse, error) {
	return h.followers(ctx, followTarget(domain.SubjectUser, p.ID), p.Page, p.Per, p.Sort)
}

// GetChannelFollowers implements getChannelFollowers.
func (h *handler) GetChannelFollowers(ctx context.Context, p v3.GetChannelFollowersParams) (*v3.UserListResponse, error) {
	return h.followers(ctx, followTarget(domain.SubjectChannel, p.ID), p.Page, p.Per, p.Sort)
}

// GetGroupFollowers implements getGroupFollowers.
func (h *handler) GetGroupFollowers(ctx context.Context, p v3.GetGroupFollowersParams) (*v3.UserListResponse, error) {
	return h.followers(ctx, followTarget(domain.SubjectGroup, p.ID), p.Page, p.Per, p.Sort)
}

// GetUserFollowing implements getUserFollowing.
func (h *handler) GetUserFollowing(ctx context.Context, p v3.GetUserFollowingParams) (*v3.FollowableListResponse, error) {
	at, who := page(p.Page, p.Per), actor(ctx)
	l, err := h.app.Following(ctx, who, domain.ParseRef(p.ID), app.FollowingInput{
		Type: domain.SubjectType(p.Type.Or("")), Desc: newestFirst(p.Sort), Page: at})
	if err != nil {
		return nil, err
	}
	w := &v3.FollowableListResponse{Data: make([]wire.Item, len(l.Items)), Meta: meta(at, l.Total)}
	for i, t := range l.Items {
		w.Data[i] = h.followed(who, t)
	}
	return w, nil
}

func (h *handler) followed(who domain.Actor, t domain.FollowedThing) wire.Item {
	switch {
	case t.User != nil:
		return wire.Item{Value: h.user(who, *t.User)}
	case t.Group != nil:
		return wire.Item{Value: h.group(who, *t.Group)}
	}
	return wire.Item{Value: h.channel(*t.Channel)}
}

// follow and its like serve the three kinds of what can be followed.
func (h *handler) follow(ctx context.Context, t app.FollowTarget) (*ext.FollowState, error) {
	if err := h.app.Follow(ctx, actor(ctx), t); err != nil {
		return nil, err
	}
	return &ext.FollowState{Following: true}, nil
}

func (h *handler) followState(ctx context.Context, t app.FollowTarget) (*ext.FollowState, error) {
	following, err := h.app.IsFollowing(ctx, actor(ctx), t)
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
	return h.app.Unfollow(ctx, actor(ctx), followTarget(domain.SubjectUser, p.ID))
}

// UnfollowChannel implements unfollowChannel.
func (h *handler) UnfollowChannel(ctx context.Context, p ext.UnfollowChannelParams) error {
	return h.app.Unfollow(ctx, actor(ctx), followTarget(domain.SubjectChannel, p.ID))
}

// UnfollowGroup implements unfollowGroup.
func (h *handler) UnfollowGroup(ctx context.Context, p ext.UnfollowGroupParams) error {
	return h.app.Unfollow(ctx, actor(ctx), followTarget(domain.SubjectGroup, p.ID))
}
