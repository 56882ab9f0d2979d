package v3

import (
	"encoding/json"

	"vitrine/internal/app/people"
	"vitrine/internal/domain"
	v3 "vitrine/internal/oas/v3"
	"vitrine/internal/oas/wire"
	"vitrine/internal/present"
)

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
