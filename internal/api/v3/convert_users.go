package v3

import (
	"vitrine/internal/domain"
	"vitrine/internal/oas/v3"
	"vitrine/internal/oas/wire"
	"vitrine/internal/present"
)

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
