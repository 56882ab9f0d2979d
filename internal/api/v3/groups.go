package v3

import (
	"context"

	"vitrine/internal/app/core"
	"vitrine/internal/app/people"
	"vitrine/internal/domain"
	"vitrine/internal/httpedge"
	v3 "vitrine/internal/oas/v3"
)

// GetGroup implements getGroup.
func (h *handler) GetGroup(ctx context.Context, p v3.GetGroupParams) (*v3.Group, error) {
	who := httpedge.Actor(ctx)
	g, err := h.app.People.Group(ctx, who, domain.ParseRef(p.ID))
	if err != nil {
		return nil, err
	}
	if err := httpedge.Fresh(ctx, h.tags.Group(who, g)); err != nil {
		return nil, err
	}
	return h.group(who, h.at.Group(&g)), nil
}

// CreateGroup implements createGroup.
func (h *handler) CreateGroup(ctx context.Context, r *v3.CreateGroupReq) (*v3.Group, error) {
	who := httpedge.Actor(ctx)
	g, err := h.app.People.CreateGroup(ctx, who, people.CreateGroupInput{Name: r.Name, Description: httpedge.Given(r.Description),
		Avatar: httpedge.Given(r.AvatarURL)})
	if err != nil {
		return nil, err
	}
	return h.group(who, h.at.Group(&g)), nil
}

// UpdateGroup implements updateGroup.
func (h *handler) UpdateGroup(ctx context.Context, r *v3.UpdateGroupReq, p v3.UpdateGroupParams) (*v3.Group, error) {
	who := httpedge.Actor(ctx)
	g, err := h.app.People.UpdateGroup(ctx, who, domain.ParseRef(p.ID), people.UpdateGroupInput{Name: httpedge.Given(r.Name),
		Description: httpedge.Patch(r.Description), Avatar: core.Patch{Set: r.AvatarURL.Set, Value: httpedge.Given(r.AvatarURL)}})
	if err != nil {
		return nil, err
	}
	return h.group(who, h.at.Group(&g)), nil
}

// DeleteGroup implements deleteGroup.
func (h *handler) DeleteGroup(ctx context.Context, p v3.DeleteGroupParams) error {
	return h.app.People.DeleteGroup(ctx, httpedge.Actor(ctx), domain.ParseRef(p.ID))
}

// groupSorts maps the orders of groups.
var groupSorts = map[v3.GroupSort]domain.GroupSort{
	v3.GroupSortNameAsc:       {Key: domain.GroupsByName},
	v3.GroupSortNameDesc:      {Key: domain.GroupsByName, Desc: true},
	v3.GroupSortCreatedAtAsc:  {Key: domain.GroupsByCreated},
	v3.GroupSortCreatedAtDesc: {Key: domain.GroupsByCreated, Desc: true},
	v3.GroupSortUpdatedAtAsc:  {Key: domain.GroupsByUpdated},
	v3.GroupSortUpdatedAtDesc: {Key: domain.GroupsByUpdated, Desc: true},
}

// GetUserGroups implements getUserGroups.
func (h *handler) GetUserGroups(ctx context.Context, p v3.GetUserGroupsParams) (*v3.GroupListResponse, error) {
	who, at := httpedge.Actor(ctx), httpedge.Page(p.Page, p.Per)
	l, err := h.app.People.UserGroups(ctx, who, domain.ParseRef(p.ID), groupSorts[p.Sort.Or(v3.GroupSortNameAsc)], at)
	if err != nil {
		return nil, err
	}
	w := &v3.GroupListResponse{Data: make([]v3.Group, len(l.Items)), Meta: meta(at, l.Total)}
	for i := range l.Items {
		w.Data[i] = *h.group(who, h.at.Group(&l.Items[i]))
	}
	return w, nil
}

// GetGroupMembers implements getGroupMembers.
func (h *handler) GetGroupMembers(ctx context.Context, p v3.GetGroupMembersParams) (*v3.GroupMemberListResponse, error) {
	at := httpedge.Page(p.Page, p.Per)
	l, err := h.app.People.Members(ctx, httpedge.Actor(ctx), domain.ParseRef(p.ID), at)
	if err != nil {
		return nil, err
	}
	w := &v3.GroupMemberListResponse{Data: make([]v3.GroupMember, len(l.Items)), Meta: meta(at, l.Total)}
	for i, m := range l.Items {
		w.Data[i] = *h.member(m)
	}
	return w, nil
}

// JoinGroup implements joinGroup.
func (h *handler) JoinGroup(ctx context.Context, r *v3.JoinGroupReq, p v3.JoinGroupParams) (v3.JoinGroupRes, error) {
	m, joined, err := h.app.People.JoinGroup(ctx, httpedge.Actor(ctx), domain.ParseRef(p.ID), r.InviteToken.Or(""))
	if err != nil {
		return nil, err
	}
	if joined {
		return (*v3.JoinGroupCreated)(h.member(m)), nil
	}
	return (*v3.JoinGroupOK)(h.member(m)), nil
}

// LeaveGroup implements leaveGroup.
func (h *handler) LeaveGroup(ctx context.Context, p v3.LeaveGroupParams) error {
	return h.app.People.LeaveGroup(ctx, httpedge.Actor(ctx), domain.ParseRef(p.ID))
}

// RemoveGroupMember implements removeGroupMember.
func (h *handler) RemoveGroupMember(ctx context.Context, p v3.RemoveGroupMemberParams) error {
	return h.app.People.RemoveMember(ctx, httpedge.Actor(ctx), domain.ParseRef(p.ID), domain.UserID(p.UserID))
}
