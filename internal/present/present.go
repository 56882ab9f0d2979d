// Package present contains views of domain values, from which every transport renders. A view
// wraps its value and computes what readers are shown in addition: addresses, sizes, fallbacks,
// the viewer's permissions. It reads no clock and does no I/O. Each transport chooses its own
// fields and their names.
package present

import (
	"strconv"
	"strings"

	"vitrine/internal/domain"
)

// Addresses contains the addresses of a server. They are absolute and have no trailing slash. Its
// methods return views.
type Addresses struct {
	API   string
	Site  string
	Files string

	KeepMetadata bool // originals are served with their metadata
}

// size returns the size of the original of a file as it is served.
func (a *Addresses) size(f *domain.File) int64 {
	if a.KeepMetadata {
		return f.Size
	}
	return f.ServedSize()
}

// Rel is a relation to another resource of the API: its name, and a path below Addresses.API.
type Rel struct{ Name, Path string }

// apiPath returns the path of a resource of the API by its id.
func apiPath(kind string, id int64) string { return "/v3/" + kind + "/" + strconv.FormatInt(id, 10) }

// file returns the address of a file by its name below its key.
func (a *Addresses) file(f *domain.File, name string) string {
	return a.Files + "/" + f.Key + "/" + name
}

// Picture returns the address of the avatar of a user or group, or "" if kept is nil. kept is a
// path below the address of files, or an address elsewhere.
func (a *Addresses) Picture(kept *string) string {
	switch {
	case kept == nil:
		return ""
	case strings.Contains(*kept, "://"):
		return *kept
	}
	return a.Files + "/" + *kept
}

// Image returns a view of an image that does not belong to a block and has no alternative text.
func (a *Addresses) Image(f *domain.File) Image { return Image{File: f, at: a} }

// The paths of pages, below Addresses.Site.
func userPath(slug string) string        { return "/" + slug }
func groupPath(slug string) string       { return "/group/" + slug }
func channelPath(owner, s string) string { return "/" + owner + "/" + s }
func blockPath(id domain.BlockID) string { return "/block/" + strconv.FormatInt(int64(id), 10) }

// Principal is a view of a user or group as part of something else.
type Principal struct {
	*domain.Principal
	at *Addresses
}

// Principal returns a view of a principal.
func (a *Addresses) Principal(p *domain.Principal) Principal { return Principal{p, a} }

// Avatar returns the address of the principal's picture, or "" if the principal has no picture.
func (p Principal) Avatar() string { return p.at.Picture(p.Principal.Avatar) }

// Initials returns the letters that are shown if there is no picture.
func (p Principal) Initials() string { return domain.Initials(p.Name) }

// Path returns the path of the principal's page.
func (p Principal) Path() string {
	if p.Type == domain.TypeGroup {
		return groupPath(p.Slug)
	}
	return userPath(p.Slug)
}

// URL returns the address of the principal's page.
func (p Principal) URL() string { return p.at.Site + p.Path() }

// User is a view of a user.
type User struct {
	*domain.User
	at *Addresses
}

// User returns a view of a user.
func (a *Addresses) User(u *domain.User) User { return User{u, a} }

// Avatar returns the address of the user's picture, or "" if the user has no picture.
func (u User) Avatar() string { return u.at.Picture(u.User.Avatar) }

// Initials returns the letters that are shown if there is no picture.
func (u User) Initials() string { return domain.Initials(u.Name) }

// Path returns the path of the user's page.
func (u User) Path() string { return userPath(u.Slug) }

// URL returns the address of the user's page.
func (u User) URL() string { return u.at.Site + u.Path() }

// Links returns the user's relations: self.
func (u User) Links() []Rel { return []Rel{{"self", apiPath("users", int64(u.ID))}} }

// Group is a view of a group.
type Group struct {
	*domain.Group
	at *Addresses
}

// Group returns a view of a group.
func (a *Addresses) Group(g *domain.Group) Group { return Group{g, a} }

// Avatar returns the address of the group's picture, or "" if the group has no picture.
func (g Group) Avatar() string { return g.at.Picture(g.Group.Avatar) }

// Initials returns the letters that are shown if there is no picture.
func (g Group) Initials() string { return domain.Initials(g.Name) }

// Owner returns a view of the group's owner.
func (g Group) Owner() Principal { return g.at.Principal(&g.Group.Owner) }

// Path returns the path of the group's page.
func (g Group) Path() string { return groupPath(g.Slug) }

// URL returns the address of the group's page.
func (g Group) URL() string { return g.at.Site + g.Path() }

// Links returns the group's relations, self first.
func (g Group) Links() []Rel {
	self := apiPath("groups", int64(g.ID))
	return []Rel{{"self", self}, {"members", self + "/members"}}
}

// Can returns what the viewer's next request would be allowed to do.
func (g Group) Can(viewer domain.Actor) domain.GroupAbilities {
	return domain.AbilitiesOnGroup(viewer, *g.Group)
}

// Invitation is a view of an invitation to a group.
type Invitation struct {
	*domain.Invitation
	at *Addresses
}

// Invitation returns a view of an invitation.
func (a *Addresses) Invitation(i *domain.Invitation) Invitation { return Invitation{i, a} }

// Invitee returns the invited user, nil if an address was invited, since its owner must not be
// revealed.
func (i Invitation) Invitee() *domain.Principal {
	if i.Email != nil {
		return nil
	}
	return i.Invitation.Invitee
}

// Links returns the invitation's relations: self.
func (i Invitation) Links() []Rel {
	return []Rel{{"self", apiPath("groups", i.Group.ID) + "/invitations/" + strconv.FormatInt(int64(i.ID), 10)}}
}

// GroupInvite is a view of the reusable invite of a group.
type GroupInvite struct {
	*domain.GroupInvite
	group *domain.Group
	at    *Addresses
}

// GroupInvite returns a view of the invite of a group.
func (a *Addresses) GroupInvite(i *domain.GroupInvite, of *domain.Group) GroupInvite {
	return GroupInvite{i, of, a}
}

// URL returns the address of the page for joining.
func (i GroupInvite) URL() string { return i.at.Site + groupPath(i.group.Slug) + "/invite/" + i.Code }

// Links returns the invite's relations: self.
func (i GroupInvite) Links() []Rel {
	return []Rel{{"self", apiPath("groups", int64(i.group.ID)) + "/invite"}}
}
