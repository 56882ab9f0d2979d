package v3

import (
	"context"

	"vitrine/internal/app/people"
	"vitrine/internal/domain"
	"vitrine/internal/httpedge"
	"vitrine/internal/oas/v3"
	"vitrine/internal/oas/wire"
	"vitrine/internal/present"
)

// GetCurrentUser implements getCurrentUser.
func (h *handler) GetCurrentUser(ctx context.Context) (*v3.Me, error) {
	who := httpedge.Actor(ctx)
	u, err := h.app.People.Me(ctx, who)
	if err != nil {
		return nil, err
	}
	if err := httpedge.Fresh(ctx, h.tags.Me(u)); err != nil {
		return nil, err
	}
	return h.me(who, u), nil
}

// GetUser implements getUser.
func (h *handler) GetUser(ctx context.Context, p v3.GetUserParams) (*v3.User, error) {
	who := httpedge.Actor(ctx)
	u, err := h.app.People.User(ctx, domain.ParseRef(p.ID))
	if err != nil {
		return nil, err
	}
	if err := httpedge.Fresh(ctx, h.tags.User(who, u)); err != nil {
		return nil, err
	}
	return h.user(who, h.at.User(&u)), nil
}

func (h *handler) user(who domain.Actor, u present.User) *v3.User {
	return &v3.User{
		ID: int64(u.ID), Type: v3.UserTypeUser, Name: u.Name, Slug: u.Slug, Avatar: nonEmpty(u.Avatar()),
		Initials:  u.Initials(),
		CreatedAt: wire.Time{Time: u.CreatedAt}, UpdatedAt: wire.Time{Time: u.UpdatedAt},
		Bio: markdown(u.Bio), Badge: badge(u), Tier: v3.UserTier(u.Tier),
		Counts: v3.UserCounts{Channels: u.ChannelsFor(who), Followers: u.Followers, Following: u.Following},
		Links:  h.links(u.Links()),
	}
}

func (h *handler) me(who domain.Actor, u domain.User) *v3.Me {
	w := h.user(who, h.at.User(&u))
	return &v3.Me{
		ID: w.ID, Type: v3.MeTypeUser, Name: w.Name, Slug: w.Slug, Avatar: w.Avatar, Initials: w.Initials,
		CreatedAt: w.CreatedAt, UpdatedAt: w.UpdatedAt, Bio: w.Bio, Badge: w.Badge, Tier: w.Tier, Email: u.Email,
		Counts: v3.MeCounts{Channels: w.Counts.Channels, Followers: w.Counts.Followers,
			Following: w.Counts.Following, Notifications: u.Unread},
		Links: w.Links,
	}
}

func badge(u present.User) v3.NilUserBadge {
	if b := u.Badge(); b != "" {
		return v3.NewNilUserBadge(v3.UserBadge(b))
	}
	return v3.NilUserBadge{Null: true}
}

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
