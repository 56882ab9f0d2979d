package present

import (
	"strconv"

	"vitrine/internal/domain"
)

// Principal is a view of a user or group inside something else.
type Principal struct {
	*domain.Principal
	at *Addresses
}

// Principal makes a view of a principal.
func (a *Addresses) Principal(p *domain.Principal) Principal { return Principal{p, a} }

// Avatar is the address of the principal's picture, "" for none.
func (p Principal) Avatar() string { return p.at.Picture(p.Principal.Avatar) }

// Initials stand where there is no picture.
func (p Principal) Initials() string { return domain.Initials(p.Name) }

// Path is the path of the principal's page.
func (p Principal) Path() string {
	if p.Type == domain.TypeGroup {
		return groupPath(p.Slug)
	}
	return userPath(p.Slug)
}

// URL is the address of the principal's page.
func (p Principal) URL() string { return p.at.Site + p.Path() }

// User is a view of a user.
type User struct {
	*domain.User
	at *Addresses
}

// User makes a view of a user.
func (a *Addresses) User(u *domain.User) User { return User{u, a} }

// Avatar is the address of the user's picture, "" for none.
func (u User) Avatar() string { return u.at.Picture(u.User.Avatar) }

// Initials stand where there is no picture.
func (u User) Initials() string { return domain.Initials(u.Name) }

// Path is the path of the user's page.
func (u User) Path() string { return userPath(u.Slug) }

// URL is the address of the user's page.
func (u User) URL() string { return u.at.Site + u.Path() }

// Links are the user's relations: itself.
func (u User) Links() []Rel { return []Rel{{"self", apiPath("users", int64(u.ID))}} }

// Group is a view of a group.
type Group struct {
	*domain.Group
	at *Addresses
}

// Group makes a view of a group.
func (a *Addresses) Group(g *domain.Group) Group { return Group{g, a} }

// Avatar is the address of the group's picture, "" for none.
func (g Group) Avatar() string { return g.at.Picture(g.Group.Avatar) }

// Initials stand where there is no picture.
func (g Group) Initials() string { return domain.Initials(g.Name) }

// Owner is a view of the group's owner.
func (g Group) Owner() Principal { return g.at.Principal(&g.Group.Owner) }

// Path is the path of the group's page.
func (g Group) Path() string { return groupPath(g.Slug) }

// URL is the address of the group's page.
func (g Group) URL() string { return g.at.Site + g.Path() }

// Links are the group's relations, itself first.
func (g Group) Links() []Rel {
	self := apiPath("groups", int64(g.ID))
	return []Rel{{"self", self}, {"members", self + "/members"}}
}

// Can is what the viewer's next request would be allowed.
func (g Group) Can(viewer domain.Actor) domain.GroupAbilities {
	return domain.AbilitiesOnGroup(viewer, *g.Group)
}

// Invitation is a view of an invitation to a group.
type Invitation struct {
	*domain.Invitation
	at *Addresses
}

// Invitation makes a view of an invitation.
func (a *Addresses) Invitation(i *domain.Invitation) Invitation { return Invitation{i, a} }

// Invitee is the invited user; nil where an address was invited, since whose it is stays
// hidden.
func (i Invitation) Invitee() *domain.Principal {
	if i.Email != nil {
		return nil
	}
	return i.Invitation.Invitee
}

// Links are the invitation's relations: itself.
func (i Invitation) Links() []Rel {
	return []Rel{{"self", apiPath("groups", i.Group.ID) + "/invitations/" + strconv.FormatInt(int64(i.ID), 10)}}
}

// GroupInvite is a view of the reusable invite of a group.
type GroupInvite struct {
	*domain.GroupInvite
	group *domain.Group
	at    *Addresses
}

// GroupInvite makes a view of the invite of a group.
func (a *Addresses) GroupInvite(i *domain.GroupInvite, of *domain.Group) GroupInvite {
	return GroupInvite{i, of, a}
}

// URL is the address of the page on which people join.
func (i GroupInvite) URL() string { return i.at.Site + groupPath(i.group.Slug) + "/invite/" + i.Code }

// Links are the invite's relations: itself.
func (i GroupInvite) Links() []Rel {
	return []Rel{{"self", apiPath("groups", int64(i.group.ID)) + "/invite"}}
}
