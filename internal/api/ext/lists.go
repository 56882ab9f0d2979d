package ext

import (
	"context"
	"strings"

	"vitrine/internal/app/collections"
	"vitrine/internal/domain"
	"vitrine/internal/httpedge"
	"vitrine/internal/oas/ext"
	"vitrine/internal/oas/wire"
)

// after returns the requested part of a list.
func after[S ~string](sort S, cursor ext.OptString, limit ext.OptInt64) collections.After {
	return collections.After{Cursor: cursor.Or(""), Limit: limit.Or(24), Desc: strings.HasSuffix(string(sort), "_desc")}
}

// part converts a part of a list.
func (h *handler) part(ctx context.Context, s selection, l collections.Part[domain.Entity]) (*ext.PartOfList, error) {
	who := httpedge.Actor(ctx)
	return h.encoded(ctx, s, l.Items, l.Next, func(i int) wire.JSON { return wire.Bytes(h.entity(who, l.Items[i])) })
}

// encoded converts a part of a list whose items item encodes.
func (h *handler) encoded(ctx context.Context, s selection, all []domain.Entity, next string, item func(i int) wire.JSON) (*ext.PartOfList, error) {
	more, err := h.expanded(ctx, s, all)
	if err != nil {
		return nil, err
	}
	out := &ext.PartOfList{Data: make([]wire.JSON, len(all)), NextCursor: nonEmpty(next)}
	for i := range all {
		if out.Data[i], err = s.shown(withField(item(i), "web_url", h.at.Entity(all[i]).URL()), more(all[i])); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// ListChannelContents implements listChannelContents.
func (h *handler) ListChannelContents(ctx context.Context, p ext.ListChannelContentsParams) (*ext.PartOfList, error) {
	s, err := h.selected(p.Fields, p.Expand, blocksAndChannels)
	if err != nil {
		return nil, err
	}
	order := p.Sort.Or(ext.ListChannelContentsSortPositionDesc)
	by := domain.ByPosition
	if strings.HasPrefix(string(order), "created_at") {
		by = domain.ByConnected
	}
	l, err := h.app.Finder.ContentsAfter(ctx, httpedge.Actor(ctx), domain.ParseRef(p.ID), by, after(order, p.Cursor, p.Limit))
	if err != nil {
		return nil, err
	}
	all := make([]domain.Entity, len(l.Items))
	for i := range l.Items {
		all[i] = l.Items[i].Entity
	}
	return h.encoded(ctx, s, all, l.Next, func(i int) wire.JSON { return wire.Bytes(h.item(l.Items[i])) })
}

// itemChannels returns a part of the channels that contain a block or a channel.
func (h *handler) itemChannels(ctx context.Context, kind domain.ItemType, ref domain.Ref, fields, expand ext.OptString, in collections.After) (*ext.PartOfList, error) {
	s, err := h.selected(fields, expand, blocksAndChannels)
	if err != nil {
		return nil, err
	}
	l, err := h.app.Finder.ItemChannelsAfter(ctx, httpedge.Actor(ctx), kind, ref, in)
	if err != nil {
		return nil, err
	}
	return h.part(ctx, s, l)
}

// ListChannelConnections implements listChannelConnections.
func (h *handler) ListChannelConnections(ctx context.Context, p ext.ListChannelConnectionsParams) (*ext.PartOfList, error) {
	return h.itemChannels(ctx, domain.ItemChannel, domain.ParseRef(p.ID), p.Fields, p.Expand,
		after(p.Sort.Or(ext.ListChannelConnectionsSortCreatedAtDesc), p.Cursor, p.Limit))
}

// ListBlockConnections implements listBlockConnections.
func (h *handler) ListBlockConnections(ctx context.Context, p ext.ListBlockConnectionsParams) (*ext.PartOfList, error) {
	return h.itemChannels(ctx, domain.ItemBlock, domain.Ref{ID: p.ID}, p.Fields, p.Expand,
		after(p.Sort.Or(ext.ListBlockConnectionsSortCreatedAtDesc), p.Cursor, p.Limit))
}

// ListBlockComments implements listBlockComments.
func (h *handler) ListBlockComments(ctx context.Context, p ext.ListBlockCommentsParams) (*ext.PartOfList, error) {
	s, err := h.selected(p.Fields, p.Expand, comments)
	if err != nil {
		return nil, err
	}
	l, err := h.app.Finder.CommentsAfter(ctx, httpedge.Actor(ctx), domain.BlockID(p.ID),
		after(p.Sort.Or(ext.ListBlockCommentsSortCreatedAtAsc), p.Cursor, p.Limit))
	if err != nil {
		return nil, err
	}
	all := make([]domain.Entity, len(l.Items))
	for i := range l.Items {
		all[i].Comment = &l.Items[i]
	}
	return h.part(ctx, s, collections.Part[domain.Entity]{Items: all, Next: l.Next})
}

// followers returns a part of the followers of something.
func (h *handler) followers(ctx context.Context, kind domain.SubjectType, id string, fields, expand ext.OptString, in collections.After) (*ext.PartOfList, error) {
	s, err := h.selected(fields, expand, users)
	if err != nil {
		return nil, err
	}
	l, err := h.app.Finder.FollowersAfter(ctx, httpedge.Actor(ctx), kind, domain.ParseRef(id), in)
	if err != nil {
		return nil, err
	}
	return h.part(ctx, s, l)
}

// ListChannelFollowers implements listChannelFollowers.
func (h *handler) ListChannelFollowers(ctx context.Context, p ext.ListChannelFollowersParams) (*ext.PartOfList, error) {
	return h.followers(ctx, domain.SubjectChannel, p.ID, p.Fields, p.Expand,
		after(p.Sort.Or(ext.ListChannelFollowersSortCreatedAtDesc), p.Cursor, p.Limit))
}

// ListUserFollowers implements listUserFollowers.
func (h *handler) ListUserFollowers(ctx context.Context, p ext.ListUserFollowersParams) (*ext.PartOfList, error) {
	return h.followers(ctx, domain.SubjectUser, p.ID, p.Fields, p.Expand,
		after(p.Sort.Or(ext.ListUserFollowersSortCreatedAtDesc), p.Cursor, p.Limit))
}

// ListGroupFollowers implements listGroupFollowers.
func (h *handler) ListGroupFollowers(ctx context.Context, p ext.ListGroupFollowersParams) (*ext.PartOfList, error) {
	return h.followers(ctx, domain.SubjectGroup, p.ID, p.Fields, p.Expand,
		after(p.Sort.Or(ext.ListGroupFollowersSortCreatedAtDesc), p.Cursor, p.Limit))
}

// ListUserFollowing implements listUserFollowing.
func (h *handler) ListUserFollowing(ctx context.Context, p ext.ListUserFollowingParams) (*ext.PartOfList, error) {
	s, err := h.selected(p.Fields, p.Expand, followed)
	if err != nil {
		return nil, err
	}
	l, err := h.app.Finder.FollowingAfter(ctx, httpedge.Actor(ctx), domain.ParseRef(p.ID), domain.SubjectType(p.Type.Or("")),
		after(p.Sort.Or(ext.ListUserFollowingSortCreatedAtDesc), p.Cursor, p.Limit))
	if err != nil {
		return nil, err
	}
	return h.part(ctx, s, l)
}

// ListUserGroups implements listUserGroups.
func (h *handler) ListUserGroups(ctx context.Context, p ext.ListUserGroupsParams) (*ext.PartOfList, error) {
	s, err := h.selected(p.Fields, p.Expand, groups)
	if err != nil {
		return nil, err
	}
	l, err := h.app.Finder.UserGroupsAfter(ctx, httpedge.Actor(ctx), domain.ParseRef(p.ID),
		after(p.Sort.Or(ext.ListUserGroupsSortCreatedAtDesc), p.Cursor, p.Limit))
	if err != nil {
		return nil, err
	}
	return h.part(ctx, s, l)
}

// ListGroupMembers implements listGroupMembers.
func (h *handler) ListGroupMembers(ctx context.Context, p ext.ListGroupMembersParams) (*ext.PartOfList, error) {
	s, err := h.selected(p.Fields, p.Expand, members)
	if err != nil {
		return nil, err
	}
	who := httpedge.Actor(ctx)
	l, owner, err := h.app.Finder.MembersAfter(ctx, who, domain.ParseRef(p.ID),
		after(p.Sort.Or(ext.ListGroupMembersSortCreatedAtDesc), p.Cursor, p.Limit))
	if err != nil {
		return nil, err
	}
	return h.encoded(ctx, s, l.Items, l.Next, func(i int) wire.JSON {
		role := "member"
		if l.Items[i].User.ID == owner {
			role = "owner"
		}
		return withField(wire.Bytes(h.entity(who, l.Items[i])), "role", role)
	})
}

// made returns a part of the contents of a user or group.
func (h *handler) made(ctx context.Context, kind domain.SubjectType, id string, types []string, fields, expand ext.OptString,
	in collections.After) (*ext.PartOfList, error) {
	s, err := h.selected(fields, expand, blocksAndChannels)
	if err != nil {
		return nil, err
	}
	l, err := h.app.Finder.MadeAfter(ctx, httpedge.Actor(ctx), kind, domain.ParseRef(id), types, in)
	if err != nil {
		return nil, err
	}
	return h.part(ctx, s, l)
}

// ListUserContents implements listUserContents.
func (h *handler) ListUserContents(ctx context.Context, p ext.ListUserContentsParams) (*ext.PartOfList, error) {
	return h.made(ctx, domain.SubjectUser, p.ID, httpedge.Types(p.Type), p.Fields, p.Expand,
		after(p.Sort.Or(ext.ListUserContentsSortCreatedAtDesc), p.Cursor, p.Limit))
}

// ListGroupContents implements listGroupContents.
func (h *handler) ListGroupContents(ctx context.Context, p ext.ListGroupContentsParams) (*ext.PartOfList, error) {
	return h.made(ctx, domain.SubjectGroup, p.ID, httpedge.Types(p.Type), p.Fields, p.Expand,
		after(p.Sort.Or(ext.ListGroupContentsSortCreatedAtDesc), p.Cursor, p.Limit))
}

// ListUsers implements listUsers.
func (h *handler) ListUsers(ctx context.Context, p ext.ListUsersParams) (*ext.PartOfList, error) {
	s, err := h.selected(p.Fields, p.Expand, users)
	if err != nil {
		return nil, err
	}
	l, err := h.app.Finder.SearchAfter(ctx, httpedge.Actor(ctx), domain.Search{Query: "*", Types: []string{string(domain.SubjectUser)}},
		after(p.Sort.Or(ext.ListUsersSortCreatedAtDesc), p.Cursor, p.Limit))
	if err != nil {
		return nil, err
	}
	return h.part(ctx, s, l)
}

// ListSearch implements listSearch.
func (h *handler) ListSearch(ctx context.Context, p ext.ListSearchParams) (*ext.PartOfList, error) {
	s, err := h.selected(p.Fields, p.Expand, everything)
	if err != nil {
		return nil, err
	}
	l, err := h.app.Finder.SearchAfter(ctx, httpedge.Actor(ctx), domain.Search{Query: p.Query.Or("*"), Where: p.Metadata, Types: httpedge.Types(p.Type),
		Scope:  domain.SearchScope(p.Scope.Or(ext.ListSearchScopeAll)),
		Author: domain.UserID(p.UserID.Or(0)), Group: domain.GroupID(p.GroupID.Or(0)), Channel: domain.ChannelID(p.ChannelID.Or(0))},
		after(p.Sort.Or(ext.ListSearchSortCreatedAtDesc), p.Cursor, p.Limit))
	if err != nil {
		return nil, err
	}
	return h.part(ctx, s, l)
}
