package v3

import (
	"context"

	"vitrine/internal/app/people"
	"vitrine/internal/domain"
	"vitrine/internal/httpedge"
	v3 "vitrine/internal/oas/v3"
)

func followTarget(kind domain.SubjectType, id string) people.FollowTarget {
	return people.FollowTarget{Type: kind, Ref: domain.ParseRef(id)}
}

// followers returns a page of a thing's followers.
func (h *handler) followers(ctx context.Context, t people.FollowTarget, number, per v3.OptInt64, sort v3.OptConnectionSort) (*v3.UserListResponse, error) {
	at, who := httpedge.Page(number, per), httpedge.Actor(ctx)
	l, err := h.app.People.Followers(ctx, who, t, newestFirst(sort), at)
	if err != nil {
		return nil, err
	}
	w := &v3.UserListResponse{Data: make([]v3.User, len(l.Items)), Meta: meta(at, l.Total)}
	for i := range l.Items {
		w.Data[i] = *h.user(who, h.at.User(&l.Items[i]))
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
	at, who := httpedge.Page(p.Page, p.Per), httpedge.Actor(ctx)
	l, err := h.app.People.Following(ctx, who, domain.ParseRef(p.ID), people.FollowingInput{
		Type: domain.SubjectType(p.Type.Or("")), Desc: newestFirst(p.Sort), Page: at})
	if err != nil {
		return nil, err
	}
	return &v3.FollowableListResponse{Data: h.entities(who, l.Items), Meta: meta(at, l.Total)}, nil
}
