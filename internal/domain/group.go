package domain

import (
	"strings"
	"time"
)

// Group is a group of users who own channels together.
type Group struct {
	ID              GroupID
	Slug            string
	Name            string
	Description     *Text
	Avatar          *string
	Owner           Principal
	OpenChannels    int64 // number of its live public and closed channels
	PrivateChannels int64
	Users           int64 // members, including the owner
	Version         int64
	FaceVersion     int64
	CreatedAt       time.Time
	UpdatedAt       time.Time

	// Member reports whether the viewer that the group was read for is a member.
	Member bool
}

// Principal returns the group as it is embedded in other resources.
func (g Group) Principal() Principal {
	return Principal{PrincipalRef: GroupRef(g.ID), Name: g.Name, Slug: g.Slug, Avatar: g.Avatar, Version: g.FaceVersion}
}

// Channels returns the number of channels that the viewer may know of. Private ones only count for
// members.
func (g Group) Channels() int64 {
	if g.Member {
		return g.OpenChannels + g.PrivateChannels
	}
	return g.OpenChannels
}

// Member is a user in a group.
type Member struct {
	Principal
	Owner bool
}

// GroupAbilities is the `can` field of a group.
type GroupAbilities struct{ Update, Destroy, ManageMembers, ManageInvitations bool }

// CanOwnGroup reports whether the actor is the owner, who may change and delete the group and
// remove members.
func CanOwnGroup(a Actor, g Group) bool {
	return a.MayWrite() && g.Owner.PrincipalRef == UserRef(a.UserID)
}

// CanInvite reports whether the actor may change the group's invitations and invite, which all
// members may.
func CanInvite(a Actor, g Group) bool { return a.MayWrite() && g.Member }

// CanSeeInvitations reports whether the actor may read the invitations.
func CanSeeInvitations(a Actor, g Group) bool { return a.SignedIn() && g.Member }

// AbilitiesOnGroup returns what the actor may do with the group.
func AbilitiesOnGroup(a Actor, g Group) GroupAbilities {
	owner := CanOwnGroup(a, g)
	return GroupAbilities{Update: owner, Destroy: owner, ManageMembers: owner, ManageInvitations: CanInvite(a, g)}
}

// NameKey returns the sort key of a name, to be compared bytewise: its transliteration, then the
// name in lower case.
func NameKey(name string) string { return Slugify(name) + " " + strings.ToLower(name) }

// GroupSort is a sort order of groups.
type GroupSort struct {
	Key  GroupKey
	Desc bool
}

// GroupKey is a sort key of groups.
type GroupKey int

const (
	GroupsByName GroupKey = iota
	GroupsByCreated
	GroupsByUpdated
)
