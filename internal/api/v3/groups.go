package v3

import (
	"context"
	"encoding/json"

	"vitrine/internal/app/core"
	"vitrine/internal/app/people"
	"vitrine/internal/domain"
	"vitrine/internal/httpedge"
	v3 "vitrine/internal/oas/v3"
	"vitrine/internal/oas/wire"
	"vitrine/internal/present"
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

func (h *handler) group(who domain.Actor, g present.Group) *v3.Group {
	can := g.Can(who)
	return &v3.Group{
		ID: int64(g.ID), Type: v3.GroupTypeGroup, Name: g.Name, Slug: g.Slug, Avatar: nonEmpty(g.Avatar()),
		Initials: g.Initials(), Description: markdown(g.Description),
		CreatedAt: wire.Time{Time: g.CreatedAt}, UpdatedAt: wire.Time{Time: g.UpdatedAt},
		User:   embeddedUser(g.Owner()),
		Counts: v3.GroupCounts{Channels: g.Channels(), Users: g.Users},
		Can: v3.GroupAbilities{Update: can.Update, Destroy: can.Destroy, ManageMembers: can.ManageMembers,
			ManageInvitations: can.ManageInvitations},
		Links: h.links(g.Links()),
	}
}

func (h *handler) member(m domain.Member) *v3.GroupMember {
	role := v3.GroupMemberRoleMember
	if m.Owner {
		role = v3.GroupMemberRoleOwner
	}
	u := embeddedUser(h.at.Principal(&m.Principal))
	return &v3.GroupMember{ID: u.ID, Type: v3.GroupMemberTypeUser, Name: u.Name, Slug: u.Slug,
		Avatar: u.Avatar, Initials: u.Initials, Role: role}
}

func (h *handler) nilUser(p *domain.Principal) v3.NilEmbeddedUser {
	if p == nil {
		return v3.NilEmbeddedUser{Null: true}
	}
	return v3.NewNilEmbeddedUser(embeddedUser(h.at.Principal(p)))
}

func (h *handler) invitation(i domain.Invitation) v3.MembershipInvitation {
	shown := h.at.Invitation(&i)
	w := v3.MembershipInvitation{ID: int64(i.ID), Type: v3.MembershipInvitationTypeMembershipInvitation,
		Target: embeddedGroup(h.at.Principal(&i.Group)), Invitee: h.nilUser(shown.Invitee()), InviteeEmail: nilString(i.Email),
		InvitedBy: embeddedUser(h.at.Principal(&i.InvitedBy)), State: v3.MembershipInvitationState(i.State),
		CreatedAt: wire.Time{Time: i.CreatedAt}, UpdatedAt: wire.Time{Time: i.UpdatedAt},
		Links: v3.MembershipInvitationLinks{},
	}
	for _, rel := range shown.Links() {
		w.Links[rel.Name] = h.link(rel.Path)
	}
	if i.AcceptedAt != nil {
		w.AcceptedAt = wire.Time{Time: *i.AcceptedAt}
	}
	return w
}

// link encodes a link as JSON.
func (h *handler) link(path string) []byte {
	text, _ := json.Marshal(struct { // encoding strings cannot fail
		Href string `json:"href"`
	}{h.at.API + path})
	return text
}

func (h *handler) invited(r people.Invited) v3.GroupMemberInviteResponse {
	w := v3.GroupMemberInviteResponse{Outcome: v3.GroupMemberInviteOutcome(r.Outcome), User: h.nilUser(r.User),
		Invitation: v3.NilMembershipInvitation{Null: true}}
	if r.Invitation != nil {
		w.Invitation = v3.NewNilMembershipInvitation(h.invitation(*r.Invitation))
	}
	return w
}

// groupInvite converts a reusable invite, with the URL of the page for joining.
func (h *handler) groupInvite(i people.GroupInvite) v3.GroupInvite {
	shown := h.at.GroupInvite(&i.GroupInvite, &i.Group)
	return v3.GroupInvite{ID: int64(i.ID), Type: v3.GroupInviteTypeGroupInvite, Code: i.Code, URL: shown.URL(),
		CreatedAt: wire.Time{Time: i.CreatedAt}, UpdatedAt: wire.Time{Time: i.UpdatedAt},
		Links: h.links(shown.Links())}
}

// GetGroupInvitations implements getGroupInvitations.
func (h *handler) GetGroupInvitations(ctx context.Context, p v3.GetGroupInvitationsParams) (*v3.MembershipInvitationListResponse, error) {
	at := httpedge.Page(p.Page, p.Per)
	l, err := h.app.People.Invitations(ctx, httpedge.Actor(ctx), domain.ParseRef(p.ID), at)
	if err != nil {
		return nil, err
	}
	w := &v3.MembershipInvitationListResponse{Data: make([]v3.MembershipInvitation, len(l.Items)), Meta: meta(at, l.Total)}
	for i, invitation := range l.Items {
		w.Data[i] = h.invitation(invitation)
	}
	return w, nil
}

// CreateGroupInvitation implements createGroupInvitation.
func (h *handler) CreateGroupInvitation(ctx context.Context, r *v3.CreateGroupInvitationReq, p v3.CreateGroupInvitationParams) (v3.CreateGroupInvitationRes, error) {
	made, err := h.app.People.Invite(ctx, httpedge.Actor(ctx), domain.ParseRef(p.ID),
		people.InviteInput{User: domain.UserID(r.UserID.Or(0)), Email: r.Email.Or("")})
	if err != nil {
		return nil, err
	}
	w := h.invited(made)
	if made.Outcome == domain.OutcomeAdded || made.Outcome == domain.OutcomeInvited {
		return (*v3.CreateGroupInvitationCreated)(&w), nil
	}
	return (*v3.CreateGroupInvitationOK)(&w), nil
}

// RevokeGroupInvitation implements revokeGroupInvitation.
func (h *handler) RevokeGroupInvitation(ctx context.Context, p v3.RevokeGroupInvitationParams) error {
	return h.app.People.RevokeInvitation(ctx, httpedge.Actor(ctx), domain.ParseRef(p.ID), domain.InvitationID(p.InvitationID))
}

// GetGroupInvite implements getGroupInvite.
func (h *handler) GetGroupInvite(ctx context.Context, p v3.GetGroupInviteParams) (*v3.GroupInvite, error) {
	i, err := h.app.People.GroupInvite(ctx, httpedge.Actor(ctx), domain.ParseRef(p.ID))
	if err != nil {
		return nil, err
	}
	if err := httpedge.Fresh(ctx, h.tags.GroupInvite(i.Group, i.GroupInvite)); err != nil {
		return nil, err
	}
	w := h.groupInvite(i)
	return &w, nil
}

// CreateGroupInvite implements createGroupInvite.
func (h *handler) CreateGroupInvite(ctx context.Context, p v3.CreateGroupInviteParams) (v3.CreateGroupInviteRes, error) {
	i, created, err := h.app.People.CreateGroupInvite(ctx, httpedge.Actor(ctx), domain.ParseRef(p.ID))
	if err != nil {
		return nil, err
	}
	w := h.groupInvite(i)
	if created {
		return (*v3.CreateGroupInviteCreated)(&w), nil
	}
	return (*v3.CreateGroupInviteOK)(&w), nil
}

// DeleteGroupInvite implements deleteGroupInvite.
func (h *handler) DeleteGroupInvite(ctx context.Context, p v3.DeleteGroupInviteParams) error {
	return h.app.People.DeleteGroupInvite(ctx, httpedge.Actor(ctx), domain.ParseRef(p.ID))
}
