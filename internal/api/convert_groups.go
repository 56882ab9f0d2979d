package api

import (
	"encoding/json"
	"strconv"

	"vitrine/internal/app"
	"vitrine/internal/domain"
	"vitrine/internal/oas/v3"
	"vitrine/internal/oas/wire"
)

func (h *handler) group(who domain.Actor, g domain.Group) *v3.Group {
	can, self := domain.AbilitiesOnGroup(who, g), path("groups", int64(g.ID))
	return &v3.Group{
		ID: int64(g.ID), Type: v3.GroupTypeGroup, Name: g.Name, Slug: g.Slug, Avatar: h.avatar(g.Avatar),
		Initials: domain.Initials(g.Name), Description: markdown(g.Description),
		CreatedAt: wire.Time{Time: g.CreatedAt}, UpdatedAt: wire.Time{Time: g.UpdatedAt},
		User:   h.embeddedUser(g.Owner),
		Counts: v3.GroupCounts{Channels: g.Channels(), Users: g.Users},
		Can: v3.GroupAbilities{Update: can.Update, Destroy: can.Destroy, ManageMembers: can.ManageMembers,
			ManageInvitations: can.ManageInvitations},
		Links: h.links(self, wire.Rel{Name: "members", Path: self + "/members"}),
	}
}

func (h *handler) member(m domain.Member) *v3.GroupMember {
	role := v3.GroupMemberRoleMember
	if m.Owner {
		role = v3.GroupMemberRoleOwner
	}
	return &v3.GroupMember{ID: m.ID, Type: v3.GroupMemberTypeUser, Name: m.Name, Slug: m.Slug,
		Avatar: h.avatar(m.Avatar), Initials: domain.Initials(m.Name), Role: role}
}

func (h *handler) nilUser(p *domain.Principal) v3.NilEmbeddedUser {
	if p == nil {
		return v3.NilEmbeddedUser{Null: true}
	}
	return v3.NewNilEmbeddedUser(h.embeddedUser(*p))
}

// invitation shows either the invited user or the invited address, never whose the
// address is.
func (h *handler) invitation(i domain.Invitation) v3.MembershipInvitation {
	w := v3.MembershipInvitation{ID: int64(i.ID), Type: v3.MembershipInvitationTypeMembershipInvitation,
		Target: h.embeddedGroup(i.Group), Invitee: v3.NilEmbeddedUser{Null: true}, InviteeEmail: nilString(i.Email),
		InvitedBy: h.embeddedUser(i.InvitedBy), State: v3.MembershipInvitationState(i.State),
		CreatedAt: wire.Time{Time: i.CreatedAt}, UpdatedAt: wire.Time{Time: i.UpdatedAt},
		Links: v3.MembershipInvitationLinks{
			"self": h.link(path("groups", i.Group.ID) + "/invitations/" + strconv.FormatInt(int64(i.ID), 10))},
	}
	if i.Email == nil {
		w.Invitee = h.nilUser(i.Invitee)
	}
	if i.AcceptedAt != nil {
		w.AcceptedAt = wire.Time{Time: *i.AcceptedAt}
	}
	return w
}

// link is one link as JSON.
func (h *handler) link(path string) []byte {
	text, _ := json.Marshal(struct { // strings always encode
		Href string `json:"href"`
	}{h.base + path})
	return text
}

func (h *handler) invited(r app.Invited) v3.GroupMemberInviteResponse {
	w := v3.GroupMemberInviteResponse{Outcome: v3.GroupMemberInviteOutcome(r.Outcome), User: h.nilUser(r.User),
		Invitation: v3.NilMembershipInvitation{Null: true}}
	if r.Invitation != nil {
		w.Invitation = v3.NewNilMembershipInvitation(h.invitation(*r.Invitation))
	}
	return w
}

// groupInvite is the reusable invite with the page on which people join.
func (h *handler) groupInvite(i app.GroupInvite) v3.GroupInvite {
	return v3.GroupInvite{ID: int64(i.ID), Type: v3.GroupInviteTypeGroupInvite, Code: i.Code,
		URL:       h.site + "/group/" + i.Group.Slug + "/invite/" + i.Code,
		CreatedAt: wire.Time{Time: i.CreatedAt}, UpdatedAt: wire.Time{Time: i.UpdatedAt},
		Links: h.links(path("groups", int64(i.Group.ID)) + "/invite")}
}
